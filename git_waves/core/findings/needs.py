"""Needs that files ask for: W301 the plan lacks one, W302 the plan says the opposite."""

from __future__ import annotations

from git_waves.core.findings.facts import Facts
from git_waves.core.model import Finding, Level, Need, NeedKind


def check_needs(facts: Facts) -> tuple[Finding, ...]:
    """One finding for each file need that was added or could not be."""
    added = (need for need in facts.needs.needs if need.kind is NeedKind.FILE)
    return (
        *(_added(facts, need) for need in added),
        *(_contradicted(facts, need) for need in facts.needs.contradictions),
    )


def _added(facts: Facts, need: Need) -> Finding:
    return Finding(
        code="W301",
        level=Level.WARNING,
        message=f"{facts.deed(need.task, need.path or '')}, which '{need.on}' creates, but does not need it; the need is added",
        line=facts.claim_line(need.task, need.path or ""),
        tasks=(need.task, need.on),
        paths=(need.path,) if need.path else (),
        hint=f"add '{need.on}' to the needs of '{need.task}'",
    )


def _contradicted(facts: Facts, need: Need) -> Finding:
    return Finding(
        code="W302",
        level=Level.VIOLATION,
        message=f"{facts.deed(need.task, need.path or '')}, which '{need.on}' creates, but comes before it",
        line=facts.claim_line(need.task, need.path or ""),
        tasks=(need.task, need.on),
        paths=(need.path,) if need.path else (),
        hint=f"let '{need.on}' come first, or let one task create and change the path",
    )
