"""Something is merged and not proven: green gates on exactly the candidate's tree, what the plan asks of them beside that, then
the integration ref.
"""

from __future__ import annotations

from typing import assert_never

from git_waves.core import gatesdue, redgate
from git_waves.core.actions import Action, Halt, Publish, RunGates
from git_waves.core.fold import RunState


def at_barrier(state: RunState, group: str, gates: tuple[str, ...]) -> tuple[Action, ...]:
    """The next step at the barrier of a group, whose `gates` are due there; none of them is running."""
    if state.candidate == state.integration:  # only tasks that changed nothing
        return (Publish(group),)
    due = tuple(gate for gate in gates if (gate, state.candidate_tree) not in state.gates)
    if due:
        return (RunGates(group, due),)
    red = redgate.red_gates(state, gates)
    if red:
        return (redgate.answer(state, group, red),)
    more = gatesdue.at_barrier(state, group, gates)
    return (Publish(group),) if more is None else (for_gates(more, group),)


def for_gates(found: gatesdue.Due | gatesdue.Trouble, group: str) -> RunGates | Halt:
    """What is to be done about gates beside those of a barrier."""
    match found:
        case gatesdue.Due(purpose, gates):
            return RunGates(group, gates, purpose)
        case gatesdue.Trouble(reason, hint):
            return Halt("gate", reason, hint)
        case _:
            assert_never(found)
