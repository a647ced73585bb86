"""Gates on a merged tree or on the base: each run, run again where it may be flaky, and told as an event."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

from git_waves import fencing
from git_waves.adapters import ports
from git_waves.adapters.eventlog import GateFinished, GatesStarted, Warned
from git_waves.adapters.ports import NoPorts, Ports
from git_waves.core.decide import RunGates
from git_waves.core.fold import GateResult, RunState
from git_waves.core.gatewords import Baseline, Purpose
from git_waves.core.judging import GateRun, Known, is_accepted, judge
from git_waves.core.model import Gate, Oid, Plan, Sandbox
from git_waves.culprit import Probe
from git_waves.gateroom import Order, Room, Rooms, SetUpError, StoppedError
from git_waves.proving import prove
from git_waves.setting import Setting


def order_for(
    setting: Setting,
    state: RunState,
    action: RunGates,
    *,
    probe: Probe | None = None,
    is_stopping: Callable[[], bool],
) -> Order:
    """The order that an action of the deciding thread means, on the candidate as it is now, or on what a search for a culprit
    tries. Before the first group that is the tree the run began from."""
    number = state.gate_rounds + 1
    tree = Oid(state.candidate_tree)
    seen = {gate for gate, measured in state.gates if measured == tree} if action.group else {*state.baseline}
    return Order(
        git=setting.git,
        run_dir=setting.run_dir,
        plan=setting.plan,
        folder=setting.worktree_folder / f"gate.{number}",
        group=action.group,
        number=number,
        commit=probe.commit if probe is not None else Oid(state.candidate),
        tree=probe.tree if probe is not None else tree,
        gates=action.gates,
        purpose=action.purpose,
        before=frozenset(seen.difference(action.gates)),
        known={} if action.purpose is Purpose.BASELINE else known_failures(setting.plan, state.baseline),
        base=Oid(state.base),
        integration=Oid(state.integration),
        is_stopping=is_stopping,
        include=setting.include,
        fence=fencing.fence_of(Sandbox(state.sandbox), setting.plan),
    )


def started(order: Order, *, trying: str = "") -> GatesStarted:
    """The event that comes before anything is done about an order; `trying` is what a search tries, in words."""
    return GatesStarted(
        purpose=order.purpose,
        group=order.group,
        round=order.number,
        commit=order.commit,
        tree=order.tree,
        gates=list(order.gates),
        trying=trying,
    )


def known_failures(plan: Plan, baseline: Mapping[str, GateResult]) -> dict[str, Known]:
    """What the plan tolerates of each gate: how it was red before the run."""
    return {
        gate.name: Known(code=before.code, failures=frozenset(before.failures))
        for gate in plan.gates
        if gate.baseline is Baseline.TOLERATE
        and (before := baseline.get(gate.name)) is not None
        and not before.passed
    }


def run_gates(order: Order) -> Iterator[GateFinished | Warned]:
    """Carry out an order: an event for each gate, as soon as it is known.

    A gate that was stopped on request gives no result; it runs again when the run is taken up.
    """
    block = ports.lend(f"{order.git.git_dir}\0{order.plan.name}\0gate")
    rooms = Rooms(order, ports=block if isinstance(block, Ports) else None)
    try:
        yield from _in_rooms(order, rooms)
    finally:
        if isinstance(block, Ports):
            block.release()
    if isinstance(block, NoPorts):
        yield Warned(message=f"gates have no ports of their own: {block.reason}")


def _in_rooms(order: Order, rooms: Rooms) -> Iterator[GateFinished | Warned]:
    with suppress(StoppedError):
        if order.purpose in (Purpose.CONTROL, Purpose.MUTATION):
            yield from prove(order, rooms)
        else:
            yield from _measure(order, rooms)
    for folder, why in rooms.left:
        yield Warned(message=f"the gates' worktree '{folder}' is still there, git would not remove it: {why}")


def _measure(order: Order, rooms: Rooms) -> Iterator[GateFinished]:
    """Every gate in turn, also after a red one, so that a person sees everything at once. Red ones with `retries` are run
    again afterwards, each time in a fresh worktree."""
    again: list[tuple[Gate, GateRun]] = []
    with rooms.room() as room:
        for gate, run in _one_after_the_other(room):
            if gate.retries and not is_accepted(run, order.known.get(gate.name)):
                again.append((gate, run))
            else:
                yield _finished(order, gate, [run])
    for gate, first in again:
        runs = [first]
        for number in range(2, gate.retries + 2):
            if order.is_stopping():
                return
            with rooms.room(tag=str(number)) as room:
                runs.append(_alone(room, gate))
        yield _finished(order, gate, runs)


def _one_after_the_other(room: Room) -> Iterator[tuple[Gate, GateRun]]:
    """Every gate of the order in one worktree."""
    order = room.order
    wanted = [gate for gate in order.plan.gates if gate.name in order.gates]
    try:
        room.set_up()
    except SetUpError as error:  # makes every gate red, with its reason
        yield from ((gate, error.run) for gate in wanted)
        return
    for gate in wanted:
        room.prepare_for(gate)
        yield gate, room.run(gate)


def _alone(room: Room, gate: Gate) -> GateRun:
    try:
        room.set_up()
    except SetUpError as error:
        return error.run
    room.prepare_for(gate)
    return room.run(gate)


def _finished(order: Order, gate: Gate, runs: list[GateRun]) -> GateFinished:
    judged = judge(runs, flaky=gate.flaky, known=order.known.get(gate.name))
    return GateFinished(
        purpose=order.purpose,
        group=order.group,
        gate=gate.name,
        tree=order.tree,
        passed=judged.passed,
        code=judged.run.code,
        reason=judged.reason,
        seconds=round(sum(run.seconds for run in runs), 3),
        log=judged.run.log,
        runs=judged.runs,
        greens=judged.greens,
        failures=list(judged.run.failures or ()),
        tolerated=list(judged.tolerated),
    )
