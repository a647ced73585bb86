"""What is said of gates while a run works: why one is run, how it ended, and what it has proved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from git_waves.core.fold import RunState
from git_waves.core.gatewords import Purpose, Verdict
from git_waves.views import age

Event = Mapping[str, Any]
Told = tuple[str, str, str]
"""What a line is about, what it says, and in which style."""

_PROOFS = {
    Verdict.PROVED: ("proved", "good"),
    Verdict.BLIND: ("blind", "bad"),
    Verdict.UNMEASURED: ("not measured", "bad"),
    Verdict.INAPPLICABLE: ("nothing to prove", "odd"),
}


def started(event: Event, state: RunState) -> Told:
    """Gates begin on a tree."""
    what = f"gate{'s' * (len(event['gates']) != 1)} {', '.join(event['gates'])}"
    on = event["commit"][:10]
    match Purpose(event.get("purpose", Purpose.BARRIER)):
        case Purpose.BASELINE:
            return f"plan {state.plan}", f"{what} on {on}, before any task", ""
        case Purpose.CONTROL:
            return f"control of {what}", f"it must be red on {on} with its control in place", ""
        case Purpose.MUTATION:
            words = f"it must be red without what group '{event['group']}' changed in the files it guards"
            return f"proof of {what}", words, ""
        case Purpose.CULPRIT:
            return f"group {event['group']}", f"looking for who broke {what}: {event['trying']}", "dim"
        case Purpose.BARRIER:
            return f"group {event['group']}", f"{what} on {on}", ""


def finished(event: Event, state: RunState) -> Told:
    """One gate has ended."""
    gate, took = f"gate {event['gate']}", age.words(event["seconds"])
    purpose, verdict = Purpose(event.get("purpose", Purpose.BARRIER)), event.get("verdict")
    if verdict is not None:
        word, style = _PROOFS[Verdict(verdict)]
        return (
            f"{'control' if purpose is Purpose.CONTROL else 'proof'} of {gate}",
            f"{word}: {event['reason']}",
            style,
        )
    before = " before the run" if purpose is Purpose.BASELINE else ""
    if event.get("reused"):
        return gate, f"green{before}, by what run {event['reused']} found on the same tree", "good"
    if event["passed"]:
        more = f", {event['reason']}" if event["reason"] else ""
        return gate, f"green{before} after {took}{more}", "odd" if more else "good"
    rule = state.gate_rules.get(event["gate"])
    claim = (
        "the plan's claim fell: " if purpose is Purpose.BARRIER and rule is not None and rule.claim else ""
    )
    return gate, f"red{before} after {took}: {claim}{event['reason']}", "bad"
