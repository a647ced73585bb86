"""W401: one path, or one resource, that alone makes the plan as long as it is."""

from __future__ import annotations

from collections.abc import Iterator

from git_waves.core.bounds import measure
from git_waves.core.findings.facts import Facts
from git_waves.core.findings.wording import count
from git_waves.core.model import Finding, Level
from git_waves.core.overlaps import OverlapKind


def check_serialization(facts: Facts) -> tuple[Finding, ...]:
    """Paths and resources whose queue is exactly as long as the schedule, while needs alone would allow a shorter one."""
    bounds = measure(facts.schedule)
    if bounds.rounds <= bounds.longest_chain:
        return ()
    return (*_paths(facts, bounds.rounds), *_resources(facts, bounds.rounds))


def _paths(facts: Facts, rounds: int) -> Iterator[Finding]:
    for collision in facts.collisions:
        if collision.kind is OverlapKind.SAME and len(collision.first) == rounds:
            line, _ = facts.claim_evidence(collision, collision.first)
            yield Finding(
                code="W401",
                level=Level.WARNING,
                message=f"'{collision.path}' is shared by {count(rounds, 'task')} and serializes them into "
                f"{facts.spread(collision.first)}",
                line=line,
                tasks=facts.in_plan_order(collision.first),
                paths=(collision.path,),
                hint="let one last task write it for all, or let each task add a file of its own that the build includes",
            )


def _resources(facts: Facts, rounds: int) -> Iterator[Finding]:
    lines = {resource.name: resource.line for resource in facts.plan.resources}
    for name, (capacity, holders) in facts.resources.items():
        if -(-len(holders) // capacity) == rounds:
            yield Finding(
                code="W401",
                level=Level.WARNING,
                message=f"resource '{name}' is held by {count(len(holders), 'task')}, {capacity} at once, "
                f"and serializes them into {facts.spread(holders)}",
                line=lines.get(name, 0),
                tasks=holders,
                hint="give tasks a copy of their own, or raise the capacity if more can hold it at once",
            )
