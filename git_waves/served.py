"""Worktrees that have served: given back when their work is in the integration ref, or before the next attempt."""

from __future__ import annotations

from collections.abc import Callable

from git_waves import news
from git_waves.adapters import eventlog, worktrees
from git_waves.core import fold
from git_waves.core.fold import RunState, TaskState
from git_waves.core.model import Oid
from git_waves.handing import kept_trees
from git_waves.setting import Setting


class Served:
    """Removes the worktrees of one run. `record` writes an event; `submit` gives work to a worker, which hands its news to
    `tell`."""

    def __init__(
        self,
        setting: Setting,
        state: RunState,
        record: Callable[[eventlog.AnyEvent], None],
        *,
        submit: Callable[[Callable[[], None]], None],
        tell: Callable[[news.News], None],
    ) -> None:
        self._setting = setting
        self._state = state
        self._record = record
        self._submit = submit
        self._tell = tell
        self._removing: set[str] = set()

    def archive(self, task: TaskState) -> None:
        """Remove the worktree of an earlier attempt, its work archived, before the next attempt."""
        self.note(self._removed(task.id, self._setting.lease_of(task), Oid(self._state.integration)))

    def remove_integrated(self) -> None:
        """Give back the worktrees whose work is in the integration ref, beside everything else."""
        for task in self._state.tasks.values():
            if task.status == fold.INTEGRATED and task.worktree and task.id not in self._removing:
                self._removing.add(task.id)
                lease, integration = self._setting.lease_of(task), Oid(self._state.integration)
                self._submit(self._removal(task.id, lease, integration))

    def _removal(self, task: str, lease: worktrees.Lease, integration: Oid) -> Callable[[], None]:
        return lambda: self._tell(self._removed(task, lease, integration))

    def _removed(self, task: str, lease: worktrees.Lease, integration: Oid) -> news.WorktreeGone:
        setting = self._setting
        kept: tuple[Oid, ...] = ()
        if any(one.handoff for one in setting.plan.tasks):
            kept = kept_trees(setting.git, self._state, task, lease.attempt)
        result = worktrees.remove(setting.git, lease, integration=integration, handed_on=kept)
        return news.WorktreeGone(task, lease.attempt, result)

    def note(self, item: news.WorktreeGone) -> None:
        """Write down what became of a worktree."""
        self._removing.discard(item.task)
        if isinstance(item.result, worktrees.Removed):
            archive = item.result.archive or ""
            self._record(eventlog.WorktreeRemoved(task=item.task, attempt=item.attempt, archive=archive))
        else:
            folder = self._state.tasks[item.task].worktree
            message = f"the worktree '{folder}' was kept: {item.result.reason}"
            if message not in self._state.warnings:  # it is tried again at every barrier
                self._record(eventlog.Warned(message=message))

    def settle(self, take_news: Callable[[], None]) -> None:
        """Take news until no removal is under way."""
        while self._removing:
            take_news()
