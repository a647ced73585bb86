"""Which gates have to be run now beside those of a barrier, and which of their results stop a run: what was red before it,
and what was shown to be blind.
"""

from __future__ import annotations

from dataclasses import dataclass

from git_waves.core.fold import GateResult, GateRule, RunState
from git_waves.core.gatewords import Baseline, Purpose, Verdict


@dataclass(frozen=True, slots=True)
class Due:
    """These gates are to be run, for this purpose."""

    purpose: Purpose
    gates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trouble:
    """What a person has to decide about a gate."""

    reason: str
    hint: str


def before_the_run(state: RunState) -> Due | Trouble | None:
    """What comes before the first task starts: every gate on the base, then each control of a gate that is green there.

    None when that is over, and once a task has started.
    """
    if any(task.attempt for task in state.tasks.values()):
        return None
    used = {gate for group in state.groups for gate in group.gates}
    rules = [rule for rule in state.gate_rules.values() if rule.name in used]
    missing = tuple(
        rule.name for rule in rules if rule.baseline != Baseline.SKIP and rule.name not in state.baseline
    )
    if missing:
        return Due(Purpose.BASELINE, missing)
    for rule in rules:
        result = state.baseline.get(rule.name)
        if result is not None and state.halts_before(result):
            return _red_before(rule, result)
    for rule in rules:
        before = state.baseline.get(rule.name)
        if before is None or not (before.passed or rule.baseline == Baseline.TOLERATE):
            continue  # a control of a red gate says nothing: it is done where the gate is green first
        due = _control(state, rule)
        if due is not None:
            return due
    return None


def at_barrier(state: RunState, group: str, gates: tuple[str, ...]) -> Due | Trouble | None:
    """What a barrier asks of its gates beside being green on the candidate, which they are: controls that could not be done
    before the run, and the group's change to guarded files taken back."""
    rules = [state.gate_rules[gate] for gate in gates if gate in state.gate_rules]
    for rule in rules:
        due = _control(state, rule)
        if due is not None:
            return due
    for rule in rules:
        if not rule.guards:
            continue
        found = state.proofs.get((rule.name, Purpose.MUTATION, group))
        if found is None or found.tree != state.candidate_tree:
            return Due(Purpose.MUTATION, (rule.name,))
        if found.verdict in (Verdict.BLIND, Verdict.UNMEASURED):
            return _not_proved(found)
    return None


def _red_before(rule: GateRule, result: GateResult) -> Trouble:
    what = (
        "the plan requires it to be green"
        if rule.baseline == Baseline.REQUIRE
        else "its output names no failure that could be tolerated"
    )
    words = f"gate '{rule.name}' was red before the run, and {what}: {result.reason}"
    return Trouble(words, f"git waves log gate:{rule.name}")


def _control(state: RunState, rule: GateRule) -> Due | Trouble | None:
    if not rule.control:
        return None
    found = state.proofs.get((rule.name, Purpose.CONTROL, ""))
    if found is None:
        return Due(Purpose.CONTROL, (rule.name,))
    return _not_proved(found) if found.verdict in (Verdict.BLIND, Verdict.UNMEASURED) else None


def _not_proved(result: GateResult) -> Trouble:
    """A gate that did not see what was broken on purpose, or of which that is not known."""
    what = "is blind" if result.verdict == Verdict.BLIND else "was not shown to work"
    return Trouble(f"gate '{result.gate}' {what}: {result.reason}", f"git waves log gate:{result.gate}")
