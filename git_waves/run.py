"""The loop of a run: fold, decide, act, record, again. One thread decides and writes; workers wait and hand back.

What to do is `core.decide`'s word; how a task climbs is `ladder`'s; how a run begins or is taken up again is `starting`'s.
Here each action is carried out and each outcome becomes an event, which is synced before anything acts on it.
"""

from __future__ import annotations

import queue
import time
from collections import Counter
from collections.abc import Callable
from typing import assert_never

from git_waves import control, fencing, gates, handing, ladder, news, refs
from git_waves.adapters import eventlog, worktrees
from git_waves.adapters.steering import changed, steering_files
from git_waves.background import Background
from git_waves.climbing import climb_of
from git_waves.core import decide, fold, trying, writers
from git_waves.core.fold import RunState, TaskState
from git_waves.core.gatewords import Purpose
from git_waves.core.model import Sandbox
from git_waves.culprit import Probe, Search
from git_waves.errors import HALTED, INTERRUPTED, OK, VIOLATION
from git_waves.foresight import Foresight
from git_waves.hearing import Hearing
from git_waves.holding import Holdings
from git_waves.integrate import Integration
from git_waves.served import Served
from git_waves.setting import Setting
from git_waves.stopping import Stopping
from git_waves.workers import Workers

MOST_INTERRUPTIONS = 2  # of one task by one coordinator, through nobody's fault
POLL = 0.2  # seconds between two looks at the inbox while everything in flight is quiet

Event = eventlog.AnyEvent


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
        self._integration = Integration(setting, state, self._record)
        self._search = Search(setting, state, self._record)
        self._queue: queue.Queue[news.News] = queue.Queue()
        # Agents, gates, worktrees that are given back, and a look ahead.
        self._workers = Workers(state.max_parallel + 3)
        self._holdings = Holdings(setting, state, self._record, tell=self._queue.put)
        self._foresight = Foresight(setting.git, setting.early_warning, setting.run_dir.path)
        self._background = Background(setting, state, self._record, submit=self._submit, tell=self._queue.put)
        self._in_flight: set[str] = set()
        self._interruptions: Counter[str] = Counter()
        self._steering = steering_files(setting.git.git_dir)
        self._gates_running = False
        self._served = Served(setting, state, self._record, submit=self._submit, tell=self._queue.put)
        self._hearing = Hearing(state)
        self._stopping = Stopping(setting, state, self._record)

    # ------------------------------------------------------------------ the loop

    def go(self) -> int:
        """Run until the end, a halt or a stop; returns the exit code. Agents survive whatever ends this process."""
        self._stopping.catch_signals()
        try:
            self._served.remove_integrated()
            while True:
                control.take_in(self._setting.run_dir, self._state, self._record)
                self._stopping.obey(self._in_flight, gates_running=self._gates_running)
                code = self._act()
                if code is not None:
                    return code
                self._look_ahead()
                self._take_news()
        finally:
            self._workers.abandon()
            self._stopping.give_signals_back()

    def _act(self) -> int | None:
        """Carry out what is to be done now; an exit code when the run is over for this process."""
        while True:
            in_flight = frozenset(self._in_flight)
            decided = decide.next_actions(
                self._state,
                in_flight=in_flight,
                gates_running=self._gates_running,
                conflicts=self._setting.conflicts,
                resources=self._setting.resources,
                held=self._holdings.waiting() | trying.waiting(self._state, time.time()),
                until=self._setting.until,
            )
            actions = writers.around(decided, self._state, self._background.standing(), in_flight=in_flight)
            if not actions:
                return None
            for action in actions:
                code = self._carry_out(action)
                if code is not None:
                    return code

    def _carry_out(self, action: writers.Action) -> int | None:
        match action:
            case decide.Start():
                self._start(action)
            case decide.Climb():
                self._climb(self._state.tasks[action.task], is_inherited=True)
            case decide.Resume():
                self._resume(self._state.tasks[action.task])
            case decide.Block():
                self._record(eventlog.TaskBlocked(task=action.task, by=action.by, reason=action.reason))
            case decide.TryAgain():
                task = self._state.tasks[action.task]
                self._record(eventlog.TaskTriedAgain(task=task.id, attempt=task.attempt, agent=action.agent))
            case decide.Merge():
                self._integration.merge(self._state.tasks[action.task])
            case decide.RunGates():
                self._run_gates(action)
            case decide.FindCulprit():
                if (probe := self._search.next_probe(action.group, action.gate)) is not None:
                    self._run_gates(decide.RunGates(action.group, (action.gate,), Purpose.CULPRIT), probe)
            case decide.ResetCandidate():
                self._integration.take_out(action.task, reason=action.reason, hint=action.hint)
            case decide.Publish():
                if self._integration.publish(action.group):
                    self._served.remove_integrated()
            case writers.Quiesce():
                self._background.quiesce(action.name)
            case writers.Restore():
                self._background.restore(action.name)
            case decide.Halt():
                return self._halt(
                    eventlog.RunHalted(kind=action.kind, reason=action.reason, hint=action.hint)
                )
            case decide.Stop():
                self._served.settle(self._take_news)
                was_asked = self._state.stopping
                self._record(eventlog.RunStopped())
                return INTERRUPTED if was_asked else OK
            case decide.Finish():
                self._served.settle(self._take_news)
                # Before the last event: a run that is finished is not taken up again, so nothing may be left to do.
                worktrees.forget_empty_folders(self._setting.worktree_folder)
                self._record(eventlog.RunFinished(integration=self._state.integration))
                return OK
            case _:
                assert_never(action)
        return None

    def _record(self, event: Event) -> None:
        stamped = self._log.append(event)
        self._state.apply(stamped)
        self._stopping.stir()
        self._tell(stamped, self._state)

    def _halt(self, event: eventlog.RunHalted) -> int:
        self._served.settle(self._take_news)
        self._record(event)
        return VIOLATION if event.kind == "failed" else HALTED

    # ------------------------------------------------------------------ news from workers

    def _take_news(self) -> None:
        """Wait a little for the first piece of news, then take all there is."""
        try:
            self._take(self._queue.get(timeout=POLL))
            while True:
                self._take(self._queue.get_nowait())
        except queue.Empty:
            return

    def _take(self, item: news.News) -> None:
        match item:
            case news.RungReached():
                self._record(eventlog.RungReached(task=item.task, attempt=item.attempt, rung=item.rung))
            case news.Told():
                for event in self._hearing.events(item, now=time.monotonic()):
                    self._record(event)
            case news.Climbed():
                self._in_flight.discard(item.task)
                self._holdings.release(item.task)
                control.take_in(self._setting.run_dir, self._state, self._record)
                outcome = self._unless_endless(item)
                task = self._state.tasks[item.task]
                self._record(news.event_of(self._state, task, item.attempt, outcome, now=time.time()))
                self._integration.refs_are_ours()
                self._tell_what_steers_git(item.task)
            case news.Waits():
                self._holdings.note(self._state.tasks[item.task], item.taken)
            case news.WriterDone():
                self._background.note(item)
            case news.GateDone():
                self._record(item.event)
            case news.GatesOver():
                self._gates_running = False
            case news.WorktreeGone():
                self._served.note(item)
            case news.Looked():
                for event in self._foresight.learn(item.seen, self._state):
                    self._record(event)
            case news.Broken():
                raise item.error
            case _:
                assert_never(item)

    def _look_ahead(self) -> None:
        """Now and then, see whether the work under way will merge; it changes nothing by itself."""
        look = self._foresight.due(self._state) if self._in_flight else None
        if look is not None:
            self._submit(lambda: self._queue.put(news.Looked(look())))

    def _unless_endless(self, item: news.Climbed) -> ladder.Outcome:
        """The outcome of an attempt; one that is interrupted again and again, and not by us, needs a person."""
        is_ours = self._state.stopping or decide.is_used_up(self._state)
        if not isinstance(item.outcome, ladder.Interrupted) or is_ours:
            return item.outcome
        self._interruptions[item.task] += 1
        if self._interruptions[item.task] <= MOST_INTERRUPTIONS:
            return item.outcome
        reason = f"it was interrupted {self._interruptions[item.task]} times in a row: {item.outcome.reason}"
        return ladder.Fell(rung=self._state.tasks[item.task].rung or "agent", reason=reason, is_parked=True)

    def _tell_what_steers_git(self, ended: str) -> None:
        """Say which files that steer git for everybody were changed while agents ran (faults 17)."""
        now = steering_files(self._setting.git.git_dir)
        names = ", ".join(f"'{task}'" for task in sorted({*self._in_flight, ended}))
        for path in changed(self._steering, now):
            words = f"'{path}' was changed while {names} ran; it steers git in the whole repository"
            self._record(eventlog.Warned(message=words))
        self._steering = now

    def _submit(self, work: Callable[[], None]) -> None:
        def guarded() -> None:
            try:
                work()
            except BaseException as error:  # handed to the deciding thread, which raises it
                self._queue.put(news.Broken(error))

        self._workers.submit(guarded)

    # ------------------------------------------------------------------ tasks

    def _start(self, action: decide.Start) -> None:
        task = self._state.tasks[action.task]
        agent = trying.pick(self._state, task, time.time()) if task.agents else 0
        if agent is None or not self._holdings.has_all(task):
            return
        if task.worktree:
            self._served.archive(task)
        plan = self._setting.plan.name
        attempt = refs.free_attempt(
            self._setting.git,
            plan,
            task.id,
            action.attempt,
            is_used=lambda number: self._setting.has_traces(task.id, number),
        )
        self._record(
            eventlog.TaskLeased(
                task=task.id,
                attempt=attempt,
                branch=worktrees.branch_of(plan, task.id, attempt),
                base=action.base,
                worktree=str(self._setting.folder_of(task.id, attempt)),
                fence=fencing.level(Sandbox(task.sandbox)),
                agent=agent,
            )
        )
        self._climb(task)

    def _resume(self, task: TaskState) -> None:
        if not self._holdings.has_all(task):
            return
        event = eventlog.TaskTakenUp(task=task.id, attempt=task.attempt, how="resumed", session=task.session)
        self._record(event)
        self._climb(task)

    def _climb(self, task: TaskState, *, is_inherited: bool = False) -> None:
        self._in_flight.add(task.id)
        files = handing.received(self._setting.git, self._setting.plan, self._state, task)
        for words in handing.lacking(files, task.id):
            if words not in self._state.warnings:
                self._record(eventlog.Warned(message=words))
        climb = climb_of(
            self._setting,
            self._state,
            task,
            is_inherited=is_inherited,
            hold=self._holdings.holder(task.id),
            lend=self._holdings.lender(task.id),
            received=files,
            tell=self._queue.put,
        )
        name, attempt = task.id, task.attempt
        self._submit(lambda: self._queue.put(news.Climbed(name, attempt, ladder.climb(climb))))

    # ------------------------------------------------------------------ gates

    def _run_gates(self, action: decide.RunGates, probe: Probe | None = None) -> None:
        order = gates.order_for(
            self._setting, self._state, action, probe=probe, is_stopping=lambda: self._state.stopping
        )
        self._record(gates.started(order, trying=probe.trying if probe is not None else ""))
        self._gates_running = True

        def work() -> None:
            for event in gates.run_gates(order):
                self._queue.put(news.GateDone(event))
            self._queue.put(news.GatesOver())

        self._submit(work)
