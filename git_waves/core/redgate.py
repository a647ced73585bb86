"""What follows from a red gate at a barrier: who broke it is searched, taken out if the plan says so, or a person is told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from git_waves.core.actions import FindCulprit, Halt, ResetCandidate
from git_waves.core.fold import PARKED, Culprit, RunState, TaskState
from git_waves.core.model import REVIEW, OnFailure, OnRed


def red_gates(state: RunState, gates: Sequence[str]) -> tuple[str, ...]:
    """Those of the gates that are red on the candidate's tree."""
    tree = state.candidate_tree
    return tuple(gate for gate in gates if (gate, tree) in state.gates and not state.gates[gate, tree].passed)


def answer(state: RunState, group: str, red: Sequence[str]) -> FindCulprit | ResetCandidate | Halt:
    """What to do about gates that are red on the candidate; at least one is."""
    gate = to_search(state, red)
    if gate is not None:
        return FindCulprit(group, gate)
    culprit = to_take_out(state, red)
    if culprit is not None:
        return ResetCandidate(
            group,
            culprit.suspect,
            f"gate '{culprit.gate}' is red: {culprit.evidence}",
            f"git waves log gate:{culprit.gate} --attempt {culprit.round}",
        )
    return Halt("gate", red_words(state, group, red), f"git waves log gate:{_first(state, red)}")


def to_search(state: RunState, red: Sequence[str]) -> str | None:
    """The first red gate whose culprit is to be looked for."""
    unsaid = (gate for gate in red if (gate, state.candidate_tree) not in state.culprits)
    return next((gate for gate in unsaid if not why_not_searched(state, gate)), None)


def why_not_searched(state: RunState, gate: str) -> str:
    """Why nobody looks for who broke the gate; empty when somebody does."""
    if gate == REVIEW:
        return "who is meant stands in its log"
    if state.gates[gate, state.candidate_tree].is_flaky:
        return "a gate that is red and green on the same tree says nothing about who broke it"
    rule = state.gate_rules.get(gate)
    if state.is_red_all_along(gate) and not (rule is not None and rule.baseline == "tolerate"):
        return "it was red before the run too, so no task is blamed"
    return ""


def to_take_out(state: RunState, red: Sequence[str]) -> Culprit | None:
    """Whose suspect is to be taken out so that the rest may be green; None when the run halts with everything as it is.

    Nothing is taken out when the claim fell, nor when it is not known of every red gate who broke it: then the rest may not
    be green either.
    """
    if state.on_red != OnRed.KEEP_GREEN or any(_is_claim(state, gate) for gate in red):
        return None
    found = [state.culprits.get((gate, state.candidate_tree)) for gate in red]
    if any(culprit is None or not culprit.tasks for culprit in found):
        return None
    return found[0] if found else None


def _is_claim(state: RunState, gate: str) -> bool:
    rule = state.gate_rules.get(gate)
    return rule is not None and rule.claim


def red_words(state: RunState, group: str, red: Sequence[str]) -> str:
    """Why a run halts at red gates: the plan's claim before all others, with all that is known about it, then the rest."""
    gate = _first(state, red)
    what = f"the plan's claim '{gate}' fell" if _is_claim(state, gate) else f"gate '{gate}' is red"
    words = f"{what} at the barrier of group '{group}': " + "; ".join(_about(state, gate))
    others = [_other(state, other) for other in red if other != gate]
    return words + (f"; also red: {', '.join(others)}" if others else "")


def _first(state: RunState, red: Sequence[str]) -> str:
    return next((gate for gate in red if _is_claim(state, gate)), red[0])


def _about(state: RunState, gate: str) -> Iterator[str]:
    tree = state.candidate_tree
    yield state.gates[gate, tree].reason
    culprit = state.culprits.get((gate, tree))
    words = culprit.evidence if culprit is not None else why_not_searched(state, gate)
    if words:
        yield words


def _other(state: RunState, gate: str) -> str:
    culprit = state.culprits.get((gate, state.candidate_tree))
    named = " and ".join(f"'{task}'" for task in culprit.tasks) if culprit is not None else ""
    return f"'{gate}'" + (f" (broken by {named})" if named else "")


def is_taken_out(task: TaskState) -> bool:
    """Whether a red gate took the task out of the candidate, and nobody has decided about it yet."""
    return task.status == PARKED and task.rung == "gate"


def may_start(state: RunState) -> bool:
    """Whether new attempts may begin: not while a halt is due, which only waits for the green rest to be published."""
    return state.on_failure != OnFailure.HALT or not any(map(is_taken_out, state.tasks.values()))
