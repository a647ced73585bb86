"""W405: tasks that fight over the same files and that nothing else orders, so they are really one task."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from git_waves.core.findings.facts import Facts
from git_waves.core.findings.wording import quoted
from git_waves.core.model import Finding, Level, Origin, TaskId
from git_waves.core.overlaps import OverlapKind
from git_waves.core.registration import registration_of

_MOST_SHARERS = 4  # a file of more tasks than that is a place to register in, or a matter for W401


def check_consolidation(facts: Facts) -> tuple[Finding, ...]:
    """One finding for each bunch of tasks that would be one. Registration files do not count: everybody writes those."""
    shared = dict(_fights(facts))
    own = {
        task.id: {
            str(claim.pattern)
            for claim in task.claims
            if claim.origin is Origin.EXPLICIT and registration_of(str(claim.pattern)) is None
        }
        for task in facts.plan.tasks
        if any(task.id in pair for pair in shared)
    }
    bunches: list[tuple[set[TaskId], set[str]]] = []
    for (a, b), paths in shared.items():
        if 2 * len(paths) > min(len(own[a]), len(own[b])):
            merged, both = {a, b}, set(paths)
            for bunch in [each for each in bunches if each[0] & merged]:
                bunches.remove(bunch)
                merged |= bunch[0]
                both |= bunch[1]
            bunches.append((merged, both))
    return tuple(_finding(facts, tasks, paths) for tasks, paths in bunches)


def _fights(facts: Facts) -> Iterator[tuple[tuple[TaskId, TaskId], set[str]]]:
    """Pairs of tasks in the plan's order, and the paths that both claim for certain, that nobody declared shared."""
    found: dict[tuple[TaskId, TaskId], set[str]] = {}
    for collision in facts.collisions:
        if (
            collision.kind is OverlapKind.SAME
            and len(collision.first) <= _MOST_SHARERS
            and registration_of(collision.path) is None
            and not facts.is_declared(collision)
        ):
            certain = facts.in_plan_order(set(collision.first) - collision.guessed)
            for a, b in combinations(certain, 2):
                if not facts.order.is_ordered(a, b):
                    found.setdefault((a, b), set()).add(collision.path)
    yield from found.items()


def _finding(facts: Facts, tasks: set[TaskId], paths: set[str]) -> Finding:
    ordered = facts.in_plan_order(tasks)
    lines = [line for task in ordered for path in paths if (line := facts.claim_line(task, path))]
    first, *others = ordered
    return Finding(
        code="W405",
        level=Level.NOTE,
        message=f"tasks {quoted(ordered)} fight over {quoted(sorted(paths))}, and nothing else orders them",
        line=min(lines, default=0),
        tasks=ordered,
        hint=f"merge {quoted(others)} into '{first}', or order them with 'needs'",
    )
