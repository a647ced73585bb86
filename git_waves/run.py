"""The loop of a run: fold, decide, act, record, again. One thread decides and writes; workers wait and hand back.

What to do is `core.decide`'s word; how a task climbs is `ladder`'s; how a run begins or is taken up again is `starting`'s.
Here each action is carried out and each outcome becomes an event, which is synced before anything acts on it.
"""

from __future__ import annotations

import queue
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import assert_never

from git_waves import control, gates, ladder, refs
from git_waves.adapters import eventlog, process, worktrees
from git_waves.adapters.git import Git
from git_waves.adapters.merge import Candidate, Conflict, Refused, merge_tip
from git_waves.adapters.rundir import RunDir
from git_waves.core import decide, fold
from git_waves.core.fold import RunState, TaskState
from git_waves.core.model import Oid, Plan, RepoPath, Rules, TaskId
from git_waves.core.ownership import OwnershipManifest
from git_waves.core.treenames import TreeNames
from git_waves.errors import HALTED, INTERRUPTED, OK, VIOLATION

POLL = 0.2  # seconds between two looks at the inbox while everything in flight is quiet

Event = eventlog.AnyEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a run works with and never changes: repository, folders, and the plan as pinned.

    `conflicts` and `resources` are for the ready-set scheduler (core.decide); `until` is the last group to run.
    """

    git: Git
    worktree_folder: Path
    run_dir: RunDir
    plan: Plan
    manifest: OwnershipManifest
    conflicts: dict[str, frozenset[str]]
    resources: dict[str, tuple[tuple[str, int], ...]]
    until: str | None = None


@dataclass(frozen=True, slots=True)
class _RungReached:
    task: str
    attempt: int
    rung: str


@dataclass(frozen=True, slots=True)
class _Climbed:
    task: str
    attempt: int
    outcome: ladder.Outcome


@dataclass(frozen=True, slots=True)
class _GateDone:
    event: eventlog.GateFinished


@dataclass(frozen=True, slots=True)
class _GatesOver:
    pass


@dataclass(frozen=True, slots=True)
class _WorktreeGone:
    task: str
    attempt: int
    result: worktrees.Removed | worktrees.Kept


@dataclass(frozen=True, slots=True)
class _Broken:
    error: BaseException


_News = _RungReached | _Climbed | _GateDone | _GatesOver | _WorktreeGone | _Broken


class Coordinator:
    """One process's part of a run. `tell` gets every event after it is durable, for whoever shows progress."""

    def __init__(
        self,
        setting: Setting,
        state: RunState,
        log: eventlog.EventLog,
        tell: Callable[[fold.Event, RunState], None],
    ) -> None:
        self._setting = setting
        self._state = state
        self._log = log
        self._tell = tell
        self._names = TreeNames()
        self._news: queue.Queue[_News] = queue.Queue()
        self._pool = ThreadPoolExecutor(max_workers=state.max_parallel + 2, thread_name_prefix="waves")
        self._in_flight: set[str] = set()
        self._gates_running = False
        self._removing: set[str] = set()
        self._signals = 0
        self._obeyed = 0
        self._ending = False

    # ------------------------------------------------------------------ the loop

    def go(self) -> int:
        """Run until the end, a halt or a stop; returns the exit code. Agents survive whatever ends this process."""
        previous = _catch(self._on_signal)
        try:
            self._remove_integrated()
            while True:
                control.take_in(self._setting.run_dir, self._state, self._record)
                self._obey_signals()
                code = self._act()
                if code is not None:
                    return code
                self._take_news()
        finally:
            self._pool.shutdown(wait=False, cancel_futures=True)
            for number, handler in previous.items():
                signal.signal(number, handler)

    def _act(self) -> int | None:
        """Carry out what is to be done now; an exit code when the run is over for this process."""
        while True:
            actions = decide.next_actions(
                self._state,
                in_flight=frozenset(self._in_flight),
                gates_running=self._gates_running,
                conflicts=self._setting.conflicts,
                resources=self._setting.resources,
                until=self._setting.until,
            )
            if not actions:
                return None
            for action in actions:
                code = self._carry_out(action)
                if code is not None:
                    return code

    def _carry_out(self, action: decide.Action) -> int | None:
        match action:
            case decide.Start():
                self._start(action)
            case decide.Climb():
                self._climb(self._state.tasks[action.task])
            case decide.Block():
                self._record(eventlog.TaskBlocked(task=action.task, by=action.by, reason=action.reason))
            case decide.Merge():
                self._merge(self._state.tasks[action.task])
            case decide.RunGates():
                self._run_gates(action)
            case decide.Publish():
                self._publish(action)
            case decide.Halt():
                return self._halt(
                    eventlog.RunHalted(kind=action.kind, reason=action.reason, hint=action.hint)
                )
            case decide.Stop():
                self._settle_removals()
                self._record(eventlog.RunStopped())
                return INTERRUPTED if self._state.stopping or self._signals else OK
            case decide.Finish():
                self._settle_removals()
                self._record(eventlog.RunFinished(integration=self._state.integration))
                worktrees.forget_empty_folders(self._setting.worktree_folder)
                return OK
            case _:
                assert_never(action)
        return None

    def _record(self, event: Event) -> None:
        stamped = self._log.append(event)
        self._state.apply(stamped)
        self._tell(stamped, self._state)

    def _halt(self, event: eventlog.RunHalted) -> int:
        self._settle_removals()
        self._record(event)
        return VIOLATION if event.kind == "failed" else HALTED

    # ------------------------------------------------------------------ news from workers

    def _take_news(self) -> None:
        """Wait a little for the first piece of news, then take all there is."""
        try:
            self._take(self._news.get(timeout=POLL))
            while True:
                self._take(self._news.get_nowait())
        except queue.Empty:
            return

    def _take(self, news: _News) -> None:
        match news:
            case _RungReached():
                self._record(eventlog.RungReached(task=news.task, attempt=news.attempt, rung=news.rung))
            case _Climbed():
                self._in_flight.discard(news.task)
                control.take_in(self._setting.run_dir, self._state, self._record)
                self._record(_event_of(self._state.tasks[news.task], news.attempt, news.outcome))
                self._refs_are_ours()
            case _GateDone():
                self._record(news.event)
            case _GatesOver():
                self._gates_running = False
            case _WorktreeGone():
                self._note_removal(news)
            case _Broken():
                raise news.error
            case _:
                assert_never(news)

    def _submit(self, work: Callable[[], None]) -> None:
        def guarded() -> None:
            try:
                work()
            except BaseException as error:  # handed to the deciding thread, which raises it
                self._news.put(_Broken(error))

        self._pool.submit(guarded)

    # ------------------------------------------------------------------ tasks

    def _start(self, action: decide.Start) -> None:
        task = self._state.tasks[action.task]
        if task.worktree:
            self._archive(task)
        plan, run = self._setting.plan.name, self._state.run
        attempt = refs.free_attempt(self._setting.git, plan, task.id, action.attempt)
        self._record(
            eventlog.TaskLeased(
                task=task.id,
                attempt=attempt,
                branch=worktrees.branch_of(plan, task.id, attempt),
                base=action.base,
                worktree=str(self._setting.worktree_folder / f"{task.id}.{attempt}"),
            )
        )
        assert run, "a run has a name"
        self._climb(task)

    def _climb(self, task: TaskState) -> None:
        self._in_flight.add(task.id)
        setting, attempt = self._setting, task.attempt
        climb = ladder.Climb(
            git=setting.git,
            run_dir=setting.run_dir,
            plan=setting.plan,
            task=setting.plan.task(TaskId(task.id)),
            lease=self._lease(task),
            rules=self._rules(task),
            granted=tuple(RepoPath(path) for path in task.granted),
            reached=lambda rung: self._news.put(_RungReached(task.id, attempt, rung)),
        )
        self._submit(lambda: self._news.put(_Climbed(task.id, attempt, ladder.climb(climb))))

    def _lease(self, task: TaskState) -> worktrees.Lease:
        return worktrees.Lease(
            plan=self._setting.plan.name,
            run=self._state.run,
            task=task.id,
            attempt=task.attempt,
            branch=task.branch,
            base=Oid(task.base),
            folder=Path(task.worktree),
            index=self._setting.run_dir.index(task.id, task.attempt),
        )

    def _rules(self, task: TaskState) -> Rules:
        rules = self._setting.manifest.rules(TaskId(task.id))
        granted = frozenset(RepoPath(path) for path in task.granted)
        return Rules(files=rules.files | granted, dirs=rules.dirs, globs=rules.globs)

    # ------------------------------------------------------------------ worktrees that have served

    def _archive(self, task: TaskState) -> None:
        """Remove the worktree of an earlier attempt, its work archived, before the next attempt."""
        attempt = task.attempt
        result = worktrees.remove(
            self._setting.git, self._lease(task), integration=Oid(self._state.integration)
        )
        self._note_removal(_WorktreeGone(task.id, attempt, result))

    def _remove_integrated(self) -> None:
        """Give back the worktrees whose work is in the integration ref, beside everything else."""
        for task in self._state.tasks.values():
            if task.status == fold.INTEGRATED and task.worktree and task.id not in self._removing:
                self._removing.add(task.id)
                self._submit(self._removal(task.id, self._lease(task), Oid(self._state.integration)))

    def _removal(self, task: str, lease: worktrees.Lease, integration: Oid) -> Callable[[], None]:
        def work() -> None:
            result = worktrees.remove(self._setting.git, lease, integration=integration)
            self._news.put(_WorktreeGone(task, lease.attempt, result))

        return work

    def _note_removal(self, news: _WorktreeGone) -> None:
        self._removing.discard(news.task)
        if isinstance(news.result, worktrees.Removed):
            archive = news.result.archive or ""
            self._record(eventlog.WorktreeRemoved(task=news.task, attempt=news.attempt, archive=archive))
        else:
            folder = self._state.tasks[news.task].worktree
            self._record(eventlog.Warned(message=f"the worktree '{folder}' was kept: {news.result.reason}"))

    def _settle_removals(self) -> None:
        while self._removing:
            self._take_news()

    # ------------------------------------------------------------------ merge, gates, publish

    def _merge(self, task: TaskState) -> None:
        if not self._refs_are_ours():
            return
        git, candidate = self._setting.git, Oid(self._state.candidate)
        if git.is_ancestor(Oid(task.tip), candidate):  # an empty task, or one that is in there already
            self._merged(task, candidate, git.tree_of(candidate))
            return
        result = merge_tip(
            git,
            candidate=candidate,
            base=Oid(task.base),
            tip=Oid(task.tip),
            rules=self._rules(task),
            message=refs.merge_message(self._state, task),
            names=self._names,
            scratch=self._setting.run_dir.path,
        )
        match result:
            case Candidate():
                if refs.move_candidate(git, self._state, task, result.commit):
                    self._merged(task, result.commit, result.tree)
                else:
                    self._park(task, "the candidate ref moved under the coordinator", (), "git waves run")
            case Conflict():
                other = refs.last_to_change(self._state, result.paths)
                beside = f" with what task '{other}' merged" if other else ""
                self._park(task, f"it conflicts{beside}", result.paths, f"git waves retry {task.id}")
            case Refused():
                self._park(task, result.reason, result.paths, f"git waves show {task.id}")
            case _:
                assert_never(result)

    def _merged(self, task: TaskState, commit: Oid, tree: Oid) -> None:
        self._record(
            eventlog.TaskMerged(task=task.id, attempt=task.attempt, tip=task.tip, commit=commit, tree=tree)
        )

    def _park(self, task: TaskState, reason: str, paths: tuple[RepoPath, ...], hint: str) -> None:
        self._record(
            eventlog.TaskParked(
                task=task.id, attempt=task.attempt, rung="merge", reason=reason, paths=list(paths), hint=hint
            )
        )

    def _run_gates(self, action: decide.RunGates) -> None:
        number = self._state.gate_rounds + 1
        commit, tree = Oid(self._state.candidate), Oid(self._state.candidate_tree)
        self._record(
            eventlog.GatesStarted(
                group=action.group, round=number, commit=commit, tree=tree, gates=list(action.gates)
            )
        )
        self._gates_running = True
        order = gates.Order(
            git=self._setting.git,
            run_dir=self._setting.run_dir,
            plan=self._setting.plan,
            folder=self._setting.worktree_folder / f"gate.{number}",
            group=action.group,
            number=number,
            commit=commit,
            tree=tree,
            gates=action.gates,
        )

        def work() -> None:
            for event in gates.run_gates(order):
                self._news.put(_GateDone(event))
            self._news.put(_GatesOver())

        self._submit(work)

    def _publish(self, action: decide.Publish) -> None:
        """Move the integration ref, from the value we know, to the candidate whose gates are green."""
        if not self._refs_are_ours():
            return
        state = self._state
        old, new = state.integration, state.candidate
        warning = refs.publish(self._setting.git, state)
        if warning is None:  # moved between the look and the compare-and-swap
            self._refs_are_ours()
            return
        self._record(eventlog.Published(group=action.group, old=old, new=new))
        if warning:
            self._record(eventlog.Warned(message=warning))
        self._remove_integrated()

    def _refs_are_ours(self) -> bool:
        """Whether the integration ref is where the log says; else it is written down, and the run will halt."""
        if refs.integration_is_ours(self._setting.git, self._state):
            return True
        if not self._state.refs_moved:
            self._record(eventlog.RefsMoved(message=refs.moved_elsewhere(self._setting.git, self._state)))
        return False

    # ------------------------------------------------------------------ stopping

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._signals += 1  # obeyed by the loop; nothing is safe to do in here

    def _obey_signals(self) -> None:
        """First: start nothing new, agents go on to their end. Second: end the agents, still recorded."""
        while self._obeyed < min(self._signals, 2):
            self._obeyed += 1
            self._record(eventlog.StopRequested(now=self._obeyed == 2, by="signal"))
        if self._state.stopping_now and not self._ending:
            self._ending = True
            self._end_jobs()

    def _end_jobs(self) -> None:
        for folder in self._setting.run_dir.job_folders():
            process.stop(process.Job(folder))  # asks, and does not wait


def _event_of(task: TaskState, attempt: int, outcome: ladder.Outcome) -> Event:
    """The event for how an attempt ended. A task that asked for a foreign path waits for a person, whatever it did."""
    if task.requests and not isinstance(outcome, ladder.Interrupted):
        asked = task.requests[0]
        whose = f"belongs to task '{asked['owner']}'" if asked["owner"] else "belongs to no task"
        return eventlog.TaskParked(
            task=task.id,
            attempt=attempt,
            rung="agent",
            reason=f"it asks for '{asked['path']}', which {whose}: {asked['reason']}",
            paths=[request["path"] for request in task.requests],
            hint=f"git waves retry {task.id} --grant {asked['path']}",
        )
    match outcome:
        case ladder.Passed():
            return eventlog.TaskPassed(
                task=task.id, attempt=attempt, tip=outcome.tip, paths=list(outcome.paths)
            )
        case ladder.Interrupted():
            return eventlog.TaskInterrupted(task=task.id, attempt=attempt, reason=outcome.reason)
        case ladder.Fell():
            kind = eventlog.TaskParked if outcome.is_parked else eventlog.TaskFailed
            return kind(
                task=task.id,
                attempt=attempt,
                rung=outcome.rung,
                reason=outcome.reason,
                paths=list(outcome.paths),
                hint=outcome.hint or f"git waves retry {task.id}",
            )
        case _:
            assert_never(outcome)


def _catch(handler: Callable[[int, FrameType | None], None]) -> dict[int, signal._HANDLER]:
    """Take over SIGINT and SIGTERM; returns what was there. SIGHUP ends us: agents survive and are adopted later."""
    return {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)}
