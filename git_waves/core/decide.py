"""What to do next: state and schedule in, actions out. The three schedulers are three short readings of one state.

Nothing here touches the world and nothing is remembered between calls, so a coordinator that died loses no decision:
the next one asks again and gets the same answer. `next_actions` never returns two merges, and never a merge together
with gates or a publish: what moves the candidate happens one thing at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from git_waves.core import fold, gatesdue, halting, redgate, spending, trying
from git_waves.core.actions import (
    Action,
    Block,
    Climb,
    FindCulprit,
    Finish,
    Halt,
    HaltKind,
    Merge,
    Publish,
    ResetCandidate,
    Resume,
    RunGates,
    Start,
    Stop,
    TryAgain,
)
from git_waves.core.barrier import at_barrier, for_gates
from git_waves.core.capacity import Holds, Places
from git_waves.core.fold import RunState, TaskState
from git_waves.core.model import OnRed

__all__ = [
    "Action",
    "Block",
    "Climb",
    "FindCulprit",
    "Finish",
    "Halt",
    "HaltKind",
    "Merge",
    "Publish",
    "ResetCandidate",
    "Resume",
    "RunGates",
    "Start",
    "Stop",
    "TryAgain",
    "is_used_up",
    "next_actions",
]


def next_actions(
    state: RunState,
    *,
    in_flight: frozenset[str],
    gates_running: bool = False,
    conflicts: Mapping[str, frozenset[str]] | None = None,
    resources: Holds | None = None,
    held: frozenset[str] = frozenset(),
    until: str | None = None,
) -> tuple[Action, ...]:
    """The actions to carry out now; empty means wait for something in flight, or for what `held` tasks wait for.

    `in_flight` are tasks that climb the ladder in this process. `conflicts` maps a task to those it must never run
    beside (shared paths); that matters to `ready-set` only, in the other two the rounds keep such tasks apart.
    `resources` are what tasks hold while they climb. `held` tasks cannot start at this moment, because somebody else
    holds what they need; the others go on. `until` names the last group that may run.
    """
    adopted = tuple(
        Climb(task.id)
        for task in state.tasks.values()
        if task.status in fold.LIVE and task.id not in in_flight
    )
    if adopted:
        return adopted
    if state.stopping:
        return () if in_flight or gates_running else (_stop(state),)
    if state.refs_moved:
        hint = "'git waves run --restore' puts it back, 'git waves run --accept' goes on from there"
        return () if in_flight or gates_running else (Halt("refs", state.refs_moved, hint),)
    conflict = [task for task in state.tasks.values() if task.status == fold.PARKED and task.rung == "merge"]
    if conflict:  # a conflict halts under every policy (P6)
        return () if in_flight or gates_running else (halting.for_stuck(conflict),)
    first = gatesdue.before_the_run(state)
    if first is not None:
        return () if in_flight or gates_running else (for_gates(first, ""),)
    if not is_used_up(state) and (again := tuple(trying.due(state))):
        return tuple(TryAgain(task, agent) for task, agent in again)
    blocked = tuple(_blocked(state))
    if blocked:
        return blocked
    actions = (
        _ready_set(state, in_flight, gates_running, conflicts or {}, resources or {}, held, until)
        if state.scheduler == "ready-set"
        else _rounds(state, in_flight, gates_running, resources or {}, held, until)
    )
    return _within_limits(state, actions, is_idle=not in_flight and not gates_running)


def _within_limits(state: RunState, actions: tuple[Action, ...], *, is_idle: bool) -> tuple[Action, ...]:
    """With a limit of the run used up no agent starts any more; what is done is merged, proved and published still."""
    limit, words = spending.reached(state.budget, spending.Spent(*state.spent()))
    if not limit:
        return actions
    free = tuple(action for action in actions if not isinstance(action, Start | Resume))
    if free or len(free) == len(actions) or not is_idle:
        return free
    most = max(state.tasks.values(), key=lambda task: task.total()[limit == "cost"])
    share = spending.amount(limit, most.total()[limit == "cost"])
    reason = f"the run's limit is reached: {words} (task '{most.id}': {share})"
    return (Halt("budget", reason, f"git waves run --budget {limit}=MORE"),)


def is_used_up(state: RunState) -> bool:
    """Whether the tokens or the money of the run are used up: then its agents are to be ended."""
    return bool(spending.reached(state.budget, spending.Spent(*state.spent()))[0])


def _stop(state: RunState) -> Action:
    return Halt("budget", state.stop_reason, "git waves run") if state.stop_reason else Stop()


def _begin(task: TaskState, base: str) -> Start | Resume:
    return Resume(task.id) if task.is_resumable else Start(task.id, task.attempt + 1, base)


# ---------------------------------------------------------------------- sequential and dag-parallel


def _rounds(
    state: RunState,
    in_flight: frozenset[str],
    gates_running: bool,
    resources: Holds,
    held: frozenset[str],
    until: str | None,
) -> tuple[Action, ...]:
    """Round by round inside a group, group by group; `sequential` is the same with one task to a round.

    What a gate took out of a group does not hold up the rest of it: that is merged, proved and published first.
    """
    for group in state.groups:
        for one_round in _rounds_of(group, state.scheduler):
            actions = _one_round(state, one_round, in_flight, resources, held)
            if actions is not None:
                return actions
        members = [task for one_round in group.rounds for task in one_round]
        if any(state.status_of(task) == fold.MERGED for task in members):
            return () if gates_running else at_barrier(state, group.name, tuple(group.gates))
        taken_out = [state.tasks[task] for task in members if redgate.is_taken_out(state.tasks[task])]
        if taken_out and state.on_failure == "halt":
            return () if in_flight else (halting.for_stuck(taken_out),)
        if group.name == until and _waits_beyond(state, until):
            return () if in_flight else (Stop(),)
    return _end(state, in_flight)


def _rounds_of(group: fold.GroupState, scheduler: str) -> Iterator[list[str]]:
    if scheduler != "sequential":
        yield from group.rounds
        return
    for one_round in group.rounds:
        for task in one_round:
            yield [task]


def _one_round(
    state: RunState, one_round: list[str], in_flight: frozenset[str], resources: Holds, held: frozenset[str]
) -> tuple[Action, ...] | None:
    """None when the round is over. Nothing of a round merges before all of it has passed (product 3.4)."""
    tasks = [state.tasks[task] for task in one_round if state.status_of(task) not in fold.SETTLED]
    if not tasks:
        return None
    stuck = [task for task in tasks if task.status in fold.STUCK and not redgate.is_taken_out(task)]
    waiting = [task for task in tasks if task.status == fold.PENDING]
    if stuck and state.on_failure == "halt":
        return () if in_flight else (halting.for_stuck(stuck),)
    if waiting and redgate.may_start(state):
        if in_flight - set(
            one_round
        ):  # a retry brought us back to a round that was over: not beside a later one
            return ()
        places = Places(resources, in_flight)
        starting = [task for task in waiting if task.id not in held and places.take(task.id)]
        free = max(state.max_parallel - len(in_flight), 0)
        return tuple(_begin(task, state.candidate) for task in starting[:free])
    if in_flight:
        return ()
    awaiting = [task for task in tasks if task.status == fold.AWAITING]
    if awaiting and redgate.may_start(state):
        return (halting.for_a_person(awaiting),)
    passed = [task for task in tasks if task.status == fold.PASSED]
    return (
        (Merge(passed[0].id),) if passed else None
    )  # only stuck ones left, and the policy goes on without them


# ---------------------------------------------------------------------- ready-set


def _ready_set(
    state: RunState,
    in_flight: frozenset[str],
    gates_running: bool,
    conflicts: Mapping[str, frozenset[str]],
    resources: Holds,
    held: frozenset[str],
    until: str | None,
) -> tuple[Action, ...]:
    """Each task starts when its needs are integrated; a merge, its gates and its publish follow as soon as it passed."""
    stuck = [
        task for task in state.tasks.values() if task.status in fold.STUCK and not redgate.is_taken_out(task)
    ]
    if stuck and state.on_failure == "halt":
        return () if in_flight or gates_running else (halting.for_stuck(stuck),)
    beyond = _waits_beyond(state, until)
    starts = _ready(state, in_flight, beyond | held, conflicts, resources) if redgate.may_start(state) else ()
    if state.count(fold.MERGED):
        group, gates = _due_in_ready_set(state)
        if redgate.red_gates(state, gates) and state.on_red == OnRed.HALT:
            starts = ()  # nothing new, and who is under way arrives
        barrier = () if gates_running else at_barrier(state, group, gates)
        if any(isinstance(action, Halt) for action in barrier):
            return () if in_flight else barrier
        return (*starts, *barrier)
    if gates_running:
        return starts
    passed = [task for task in state.tasks.values() if task.status == fold.PASSED]
    if passed:
        return (*starts, Merge(passed[0].id))
    if not redgate.may_start(state):
        return _end(state, in_flight)
    if not starts and not in_flight and beyond and beyond >= _waiting(state):
        return (Stop(),)
    return starts or (() if held & _waiting(state) else _end(state, in_flight))


def _ready(
    state: RunState,
    in_flight: frozenset[str],
    not_now: frozenset[str],
    conflicts: Mapping[str, frozenset[str]],
    resources: Holds,
) -> tuple[Action, ...]:
    free = state.max_parallel - len(in_flight)
    # A task that passed still holds its files, and so does one in a person's hands: one cut now would not see its work.
    holding = (fold.PASSED, fold.MERGED, fold.AWAITING)
    busy = {task.id for task in state.tasks.values() if task.status in holding} | in_flight
    places = Places(resources, in_flight)
    starts: list[Start | Resume] = []
    for task in state.tasks.values():
        if len(starts) >= free:
            break
        if (
            task.status != fold.PENDING
            or task.id in not_now
            or any(state.status_of(need) not in (fold.INTEGRATED, fold.DONE) for need in task.needs)
            or conflicts.get(task.id, frozenset()) & busy
            or not places.take(task.id)
        ):
            continue
        starts.append(_begin(task, state.integration))
        busy.add(task.id)
    return tuple(starts)


def _due_in_ready_set(state: RunState) -> tuple[str, tuple[str, ...]]:
    """The gates every group shares, and those of groups that are wholly in the tree; named after the last merge."""
    last = next(task for task in reversed(state.tasks.values()) if task.status == fold.MERGED)
    everywhere = [
        gate for gate in state.groups[0].gates if all(gate in group.gates for group in state.groups)
    ]
    gates = list(everywhere)
    for group in state.groups:
        if all(state.status_of(task) in fold.SETTLED for one_round in group.rounds for task in one_round):
            gates += [gate for gate in group.gates if gate not in gates]
    return last.group, tuple(gates)


# ---------------------------------------------------------------------- failure and end


def _waiting(state: RunState) -> frozenset[str]:
    return frozenset(task.id for task in state.tasks.values() if task.status == fold.PENDING)


def _waits_beyond(state: RunState, until: str | None) -> frozenset[str]:
    """Waiting tasks of the groups after the one named `until`."""
    names = [group.name for group in state.groups]
    if until not in names:
        return frozenset()
    later = state.groups[names.index(until) + 1 :]
    return _waiting(state) & {task for group in later for one_round in group.rounds for task in one_round}


def _blocked(state: RunState) -> Iterator[Block]:
    """Tasks whose need was skipped, or failed under a policy that goes on without it; one layer at a time."""
    gone = {fold.SKIPPED, fold.BLOCKED}
    if state.on_failure == "fail-dependents":
        gone |= fold.STUCK
    for task in state.tasks.values():
        if task.status != fold.PENDING:
            continue
        for need in task.needs:
            status = state.status_of(need)
            if status in gone:
                yield Block(task.id, need, f"needs '{need}', which is {status}")
                break


def _end(state: RunState, in_flight: frozenset[str]) -> tuple[Action, ...]:
    if in_flight:
        return ()
    stuck = [task for task in state.tasks.values() if task.status in fold.STUCK]
    if stuck:
        return (halting.for_stuck(stuck),)
    awaiting = [task for task in state.tasks.values() if task.status == fold.AWAITING]
    if awaiting:
        return (halting.for_a_person(awaiting),)
    pending = [task.id for task in state.tasks.values() if task.status == fold.PENDING]
    if pending:  # cannot happen with a checked plan; said rather than looped over
        return (
            Halt("stuck", f"nothing can start, and {halting.names(pending)} still wait", "git waves status"),
        )
    return (Finish(),)
