"""What a reader made of a plan: the plan, the lines it passed over and why, and how much of it can be checked.

A foreign format never says all that a plan of ours can say. What is lost is counted and named, so that nobody takes
silence for success.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from git_waves.core.model import Origin, Plan, Task, TaskId
from git_waves.core.needs import build_order, effective_needs
from git_waves.core.ownership import build_manifest
from git_waves.core.schedule import open_collisions


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A line of a source that did not become part of the plan: `what` stands there (shortened), `why` it is left out.

    `line` is 1-based, 0 when the note is about the whole of `source`.
    """

    source: str
    line: int
    what: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A plan, and what its text says that the plan does not. `raw_ids` holds the ids that had to be changed."""

    plan: Plan
    skipped: tuple[Skipped, ...] = ()
    raw_ids: Mapping[TaskId, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Numbers about one source. `declared` counts tasks that name files in a field of their format, `guessed` those of
    which only mentions in prose are known; `conflicts` are paths that tasks still to do share and nothing orders."""

    source: str
    format: str
    tasks: int = 0
    done: int = 0
    blocked: int = 0
    attended: int = 0
    declared: int = 0
    guessed: int = 0
    proved: int = 0
    needs: int = 0
    groups: int = 0
    conflicts: tuple[str, ...] = ()
    skipped: tuple[Skipped, ...] = ()

    @property
    def silent(self) -> int:
        """Tasks that name no files at all."""
        return self.tasks - self.declared - self.guessed


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What came of an import: one coverage for each plan that was read, and numbers about the one plan made of them.

    `left_out` counts tasks that are done and so not written, `conflicts` are paths that tasks of the whole share and
    nothing orders, `renamed` pairs an id with what its source calls it, `blocked` a task with its reason, and `notes`
    say what was decided where sources disagree.
    """

    name: str
    coverages: tuple[Coverage, ...]
    tasks: int
    left_out: int
    conflicts: tuple[str, ...] = ()
    renamed: tuple[tuple[TaskId, str], ...] = ()
    blocked: tuple[tuple[TaskId, str], ...] = ()
    notes: tuple[Skipped, ...] = ()


def measure(reading: Reading) -> Coverage:
    """Count what a reading holds."""
    plan = reading.plan
    declared = sum(map(_declares, plan.tasks))
    return Coverage(
        source=plan.source,
        format=plan.format,
        tasks=len(plan.tasks),
        done=sum(task.is_done for task in plan.tasks),
        blocked=sum(task.blocker is not None for task in plan.tasks),
        attended=sum(task.attended for task in plan.tasks),
        declared=declared,
        guessed=sum(bool(task.claims) for task in plan.tasks) - declared,
        proved=sum(bool(task.verify) for task in plan.tasks),
        needs=sum(len(task.needs) for task in plan.tasks),
        groups=len(plan.groups),
        conflicts=conflicts(plan),
        skipped=reading.skipped,
    )


def conflicts(plan: Plan) -> tuple[str, ...]:
    """The paths at which tasks to do collide and nothing orders them, sorted."""
    order = build_order(plan, effective_needs(plan).needs)
    collisions = open_collisions(plan, build_manifest(plan))
    return tuple(sorted({each.path for each in collisions if order.unordered(each.first, each.second)}))


def _declares(task: Task) -> bool:
    return any(claim.origin is Origin.EXPLICIT for claim in task.claims)
