"""A plan scheduled again with something changed, to say exactly what the change is worth.

Claims that meet no other task's claim decide nothing about the schedule, so they are left out once, before the first
trial; a plan of 100,000 paths usually has a few hundred that are contested.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import replace

from git_waves.core.collision import OverlapKind
from git_waves.core.model import Plan, Task, TaskId
from git_waves.core.ownership import OwnershipManifest, collisions_of
from git_waves.core.paths import overlap, parse_pattern
from git_waves.core.schedule import lay_out, open_collisions

Change = Callable[[Plan], Plan]
"""From a plan to the plan as it would be."""


class Trial:
    """One plan, to be scheduled under changes that only take claims and resources away or add tasks."""

    def __init__(self, plan: Plan, manifest: OwnershipManifest) -> None:
        self._plan = contested(plan, manifest)

    def rounds_after(self, change: Change) -> int:
        """How many rounds the changed plan has: groups, where the author wrote none."""
        changed = change(self._plan)
        return lay_out(changed, collisions_of(changed)).rounds


def contested(plan: Plan, manifest: OwnershipManifest) -> Plan:
    """The tasks to do with only those claims that meet another task's claim; everything else is the same.

    A need that follows from files is between two claims that meet, so it follows from these too.
    """
    tasks = {task.id: task for task in plan.tasks}
    kept: dict[TaskId, set[str]] = {}
    for collision in open_collisions(plan, manifest):
        for task in collision.first:
            kept.setdefault(task, set()).add(collision.path)
        if collision.kind is OverlapKind.SAME:
            continue
        wider = parse_pattern(collision.path)
        for task in collision.second:
            met = (claim.pattern for claim in tasks[task].claims if overlap(wider, claim.pattern))
            kept.setdefault(task, set()).update(map(str, met))
    return replace(
        plan,
        tasks=tuple(_with_claims(task, kept.get(task.id, set())) for task in plan.tasks if not task.is_done),
    )


def _with_claims(task: Task, kept: Set[str]) -> Task:
    """The task with those of its claims that are kept."""
    claims = tuple(claim for claim in task.claims if str(claim.pattern) in kept) if kept else ()
    return task if len(claims) == len(task.claims) else replace(task, claims=claims)
