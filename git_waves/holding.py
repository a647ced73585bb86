"""Which machine-wide resources and which ports the tasks of this run hold: taken before an attempt begins, held until it has ended.

The deciding thread takes places for a task that is to start; a climb that took over an attempt of a dead coordinator takes
them again before it starts another command. Each supervisor of the attempt holds them too (adapters/machine_locks).
"""

from __future__ import annotations

import time
from collections.abc import Callable

from git_waves import news
from git_waves.adapters import eventlog, machine_locks, ports
from git_waves.adapters.machine_locks import Held, Holder, Taken
from git_waves.core.fold import RunState, TaskState
from git_waves.core.model import Resource, Scope
from git_waves.errors import SurroundingsError
from git_waves.ladder.attempt import EndedWaitingError
from git_waves.setting import Setting

_LOOK = 0.2  # seconds between two looks at what somebody else holds
_AFTER_YOU = (
    0.4  # seconds that a place we gave back is left to others who wait for it: they look now and then
)
_PATIENCE = 1.0  # seconds of an attempt's waiting that are not worth a word


def lender_name(setting: Setting, task: str) -> str:
    """By what a task's block of ports is found: the same in every run of the plan."""
    return f"{setting.main_work_tree}\0{setting.plan.name}\0{task}"


class Holdings:
    """The places of this run's tasks. `record` writes an event; workers hand what is to be written to `tell`."""

    def __init__(
        self,
        setting: Setting,
        state: RunState,
        record: Callable[[eventlog.AnyEvent], None],
        *,
        tell: Callable[[news.News], None],
    ) -> None:
        shared = {one.name: one for one in setting.plan.resources if one.scope is Scope.MACHINE}
        self._wanted: dict[str, tuple[Resource, ...]] = {
            task.id: tuple(shared[name] for name in task.resources if name in shared)
            for task in setting.plan.tasks
        }
        self._run, self._repository = setting.run_dir.run, str(setting.main_work_tree)
        self._state = state
        self._record = record
        self._tell = tell
        self._held: dict[str, Held] = {}
        self._ports: dict[str, ports.Ports] = {}
        self._setting = setting
        self._released: dict[str, float] = {}
        self._refused: dict[str, float] = {}

    def waiting(self) -> frozenset[str]:
        """Tasks that were refused just now: nobody need ask for them again before the next look."""
        now = time.monotonic()
        return frozenset(task for task, since in self._refused.copy().items() if now - since < _LOOK)

    def has_all(self, task: TaskState) -> bool:
        """Whether the task that is to start holds what it needs; else it is written down why not."""
        try:
            taken = self._take(task.id)
        except SurroundingsError as error:
            hint = f"{error.hint}; then 'git waves retry {task.id}'"
            self._record(
                eventlog.TaskParked(
                    task=task.id,
                    attempt=task.attempt,
                    rung="environment",
                    reason=error.message,
                    paths=[],
                    hint=hint,
                )
            )
            return False
        if taken is not None and taken.reason:
            self.note(task, taken)
        return taken is None

    def note(self, task: TaskState, taken: Taken | None) -> None:
        """Write down what the task waits for, None for nothing any more."""
        resource, reason = (taken.resource, taken.reason) if taken is not None else ("", "")
        if reason != task.held:
            self._record(eventlog.TaskHeld(task=task.id, resource=resource, reason=reason))

    def release(self, task: str) -> None:
        """The task's attempt has ended, and every supervisor of it."""
        block = self._ports.pop(task, None)
        if block is not None:
            block.release()
        held = self._held.pop(task, None)
        if held is not None:
            held.release()
            self._released.update({one.name: time.monotonic() for one in self._wanted[task]})

    def holder(self, task: str) -> Callable[[], tuple[int, ...]]:
        """For a worker: the descriptors that a supervisor of the task is to keep. Waits while somebody else holds what an
        attempt needs that was taken over. Raises EndedWaitingError when the run's agents are being ended."""

        def hold() -> tuple[int, ...]:
            began = time.monotonic()
            told: Taken | None = None
            while (taken := self._take(task)) is not None:
                if self._state.stopping_now:
                    raise EndedWaitingError
                if taken.reason and taken != told and time.monotonic() - began > _PATIENCE:
                    told = taken
                    self._tell(news.Waits(task, taken))
                time.sleep(_LOOK)
            if told is not None:
                self._tell(news.Waits(task, None))
            held = self._held.get(task)
            return held.descriptors if held is not None else ()

        return hold

    def lender(self, task: str) -> Callable[[int | None], ports.Ports | ports.NoPorts]:
        """For a worker: the block of ports that the task has while its attempt climbs, the one that begins with the given port
        if that is possible."""

        def lend(wish: int | None) -> ports.Ports | ports.NoPorts:
            if task not in self._ports:
                found = ports.lend(lender_name(self._setting, task), wish=wish)
                if isinstance(found, ports.NoPorts):
                    return found
                self._ports[task] = found
            return self._ports[task]

        return lend

    def _take(self, task: str) -> Taken | None:
        """Take what the task needs; None when it holds it. Raises SurroundingsError when nobody can take anything."""
        wanted = self._wanted[task]
        if not wanted or task in self._held:
            return None
        who = Holder(run=self._run, repository=self._repository, task=task)
        found = self._left_to_others(wanted) or machine_locks.take(wanted, who)
        if isinstance(found, Taken):
            self._refused[task] = time.monotonic()
            return found
        self._held[task] = found
        self._refused.pop(task, None)
        return None

    def _left_to_others(self, wanted: tuple[Resource, ...]) -> Taken | None:
        now = time.monotonic()
        for resource in wanted:
            since = self._released.get(resource.name)
            if since is not None and now - since < _AFTER_YOU:
                return Taken(resource=resource.name, reason="")
        return None
