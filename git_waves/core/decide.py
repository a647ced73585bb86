"""What to do next: state and schedule in, actions out. The three schedulers are three short readings of one state.

Nothing here touches the world and nothing is remembered between calls, so a coordinator that died loses no decision:
the next one asks again and gets the same answer. `next_actions` never returns two merges, and never a merge together
with gates or a publish: what moves the candidate happens one thing at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from git_waves.core import fold
from git_waves.core.capacity import Holds, Places
from git_waves.core.fold import RunState, TaskState
from git_waves.core.gatewords import Purpose


@dataclass(frozen=True, slots=True)
class Start:
    """Give the task a lease for its next attempt, cut from `base`, and let it climb the ladder."""

    task: str
    attempt: int
    base: str


@dataclass(frozen=True, slots=True)
class Climb:
    """Go on with an attempt that an earlier coordinator leased."""

    task: str


@dataclass(frozen=True, slots=True)
class Block:
    """Write down that a need of the task will not come."""

    task: str
    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class Merge:
    """Merge the task's tip into the candidate."""

    task: str


@dataclass(frozen=True, slots=True)
class RunGates:
    """Run these gates in this order: on the candidate, or for another purpose on the tree that it speaks of."""

    group: str
    gates: tuple[str, ...]
    purpose: Purpose = Purpose.BARRIER


@dataclass(frozen=True, slots=True)
class Publish:
    """Move the integration ref to the candidate: every gate that is due is green on its tree."""

    group: str


HaltKind = Literal["failed", "parked", "conflict", "gate", "stuck", "refs", "budget", "background"]


@dataclass(frozen=True, slots=True)
class Halt:
    """Stop for a person."""

    kind: HaltKind
    reason: str
    hint: str


@dataclass(frozen=True, slots=True)
class Stop:
    """Leave as asked; nothing is in flight any more."""


@dataclass(frozen=True, slots=True)
class Finish:
    """Everything is settled and published."""


Action = Start | Climb | Block | Merge | RunGates | Publish | Halt | Stop | Finish


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
        return () if in_flight or gates_running else (Stop(),)
    if state.refs_moved:
        hint = "'git waves run --restore' puts it back, 'git waves run --accept' goes on from there"
        return () if in_flight or gates_running else (Halt("refs", state.refs_moved, hint),)
    conflict = [task for task in state.tasks.values() if task.status == fold.PARKED and task.rung == "merge"]
    if conflict:  # a conflict halts under every policy (P6)
        return () if in_flight or gates_running else (_halt_for(conflict),)
    blocked = tuple(_blocked(state))
    if blocked:
        return blocked
    if state.scheduler == "ready-set":
        return _ready_set(state, in_flight, gates_running, conflicts or {}, resources or {}, held, until)
    return _rounds(state, in_flight, gates_running, resources or {}, held, until)


# ---------------------------------------------------------------------- sequential and dag-parallel


def _rounds(
    state: RunState,
    in_flight: frozenset[str],
    gates_running: bool,
    resources: Holds,
    held: frozenset[str],
    until: str | None,
) -> tuple[Action, ...]:
    """Round by round inside a group, group by group; `sequential` is the same with one task to a round."""
    for group in state.groups:
        for one_round in _rounds_of(group, state.scheduler):
            actions = _one_round(state, one_round, in_flight, resources, held)
            if actions is not None:
                return actions
        members = [task for one_round in group.rounds for task in one_round]
        if any(state.status_of(task) == fold.MERGED for task in members):
            return _barrier(state, group.name, tuple(group.gates), gates_running)
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
    stuck = [task for task in tasks if task.status in fold.STUCK]
    waiting = [task for task in tasks if task.status == fold.PENDING]
    if stuck and state.on_failure == "halt":
        return () if in_flight else (_halt_for(stuck),)
    if waiting:
        if in_flight - set(
            one_round
        ):  # a retry brought us back to a round that was over: not beside a later one
            return ()
        places = Places(resources, in_flight)
        starting = [task for task in waiting if task.id not in held and places.take(task.id)]
        free = max(state.max_parallel - len(in_flight), 0)
        return tuple(Start(task.id, task.attempt + 1, state.candidate) for task in starting[:free])
    if in_flight:
        return ()
    passed = [task for task in tasks if task.status == fold.PASSED]
    return (
        (Merge(passed[0].id),) if passed else None
    )  # only stuck ones left, and the policy goes on without them


def _barrier(state: RunState, group: str, gates: tuple[str, ...], gates_running: bool) -> tuple[Action, ...]:
    """Something is merged and not proven: green gates on exactly the candidate's tree, then the integration ref."""
    if gates_running:
        return ()
    if state.candidate == state.integration:  # only tasks that changed nothing
        return (Publish(group),)
    tree = state.candidate_tree
    red = [gate for gate in gates if (gate, tree) in state.gates and not state.gates[gate, tree].passed]
    if red:
        result = state.gates[red[0], tree]
        return (
            Halt(
                "gate",
                f"gate '{red[0]}' is red at the barrier of group '{group}': {result.reason}",
                f"git waves log gate:{red[0]}",
            ),
        )
    due = tuple(gate for gate in gates if (gate, tree) not in state.gates)
    return (RunGates(group, due),) if due else (Publish(group),)


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
    stuck = [task for task in state.tasks.values() if task.status in fold.STUCK]
    if stuck and state.on_failure == "halt":
        return () if in_flight or gates_running else (_halt_for(stuck),)
    beyond = _waits_beyond(state, until)
    starts = _ready(state, in_flight, beyond | held, conflicts, resources)
    if gates_running:
        return starts
    if state.count(fold.MERGED):
        group, gates = _due_in_ready_set(state)
        barrier = _barrier(state, group, gates, gates_running)
        if any(isinstance(action, Halt) for action in barrier):  # nothing new, and who is under way arrives
            return () if in_flight else barrier
        return (*starts, *barrier)
    passed = [task for task in state.tasks.values() if task.status == fold.PASSED]
    if passed:
        return (*starts, Merge(passed[0].id))
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
    # A task that passed still holds its files: one cut now would not see its work.
    busy = {task.id for task in state.tasks.values() if task.status in (fold.PASSED, fold.MERGED)} | in_flight
    places = Places(resources, in_flight)
    starts: list[Action] = []
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
        starts.append(Start(task.id, task.attempt + 1, state.integration))
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
        return (_halt_for(stuck),)
    pending = [task.id for task in state.tasks.values() if task.status == fold.PENDING]
    if pending:  # cannot happen with a checked plan; said rather than looped over
        return (Halt("stuck", f"nothing can start, and {_names(pending)} still wait", "git waves status"),)
    return (Finish(),)


def _halt_for(stuck: list[TaskState]) -> Halt:
    first = stuck[0]
    if len(stuck) > 1:
        return Halt(
            "parked" if any(task.status == fold.PARKED for task in stuck) else "failed",
            f"tasks {_names(task.id for task in stuck)} did not get through",
            "git waves status",
        )
    kind: HaltKind = (
        "failed" if first.status == fold.FAILED else "conflict" if first.rung == "merge" else "parked"
    )
    return Halt(kind, f"task '{first.id}' {first.status} at {first.rung}: {first.reason}", first.hint)


def _names(ids: Iterable[str]) -> str:
    return ", ".join(f"'{task}'" for task in ids)
