"""What runs beside what, and why not more: groups, rounds, holds, and the choice of scheduler (product 2.4 to 2.6)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from git_waves.core.collision import Collision
from git_waves.core.contention import Contention, Problem, blockers
from git_waves.core.model import (
    Hold,
    HoldKind,
    Need,
    OnFailure,
    Plan,
    Schedule,
    ScheduledGroup,
    SchedulerName,
    Task,
    TaskId,
)
from git_waves.core.needs import effective_needs
from git_waves.core.order import Barriers, place_in_groups
from git_waves.core.ownership import OwnershipManifest, build_manifest
from git_waves.core.placement import place


def build_schedule(
    plan: Plan,
    *,
    max_parallel: int | None = None,
    manifest: OwnershipManifest | None = None,
    layout: Layout | None = None,
) -> Schedule:
    """The schedule of the tasks still to do.

    Without authored groups every level is a group of one round, named `1`, `2` and so on. Authored groups stay as
    barriers in the plan's order; inside one, needs and contradicted parallelism make rounds. `max_parallel` (the plan's
    when None) never splits a group: it bounds how many run at once. `manifest` and `layout` save making them again.
    """
    layout = layout or lay_out(plan, (manifest or build_manifest(plan)).collisions())
    todo, problem, levels, barriers = layout.todo, layout.problem, layout.levels, layout.barriers
    rounds: dict[int, list[TaskId]] = {}
    for task, level in zip(todo, levels, strict=True):
        rounds.setdefault(level, []).append(task.id)
    ranks = dict(zip(levels, problem.ranks, strict=True))
    scheduler, reason = _choose(plan, rounds.values())
    cap = plan.max_parallel if max_parallel is None else max_parallel
    holds = {
        task: tuple(reasons)
        for task, reasons in _holds(todo, problem, levels, barriers, rounds.values(), _width(scheduler, cap))
    }
    grouped: dict[str, list[tuple[TaskId, ...]]] = {}
    for level in sorted(rounds):
        name = barriers.names[ranks[level]] if barriers.names else str(level + 1)
        grouped.setdefault(name, []).append(tuple(rounds[level]))
    return Schedule(
        scheduler=scheduler,
        scheduler_reason=reason,
        max_parallel=cap,
        on_failure=plan.on_failure or _default_policy(scheduler),
        groups=tuple(
            ScheduledGroup(
                name=name,
                rounds=tuple(members),
                gates=tuple(gate.name for gate in plan.gates if not gate.groups or name in gate.groups),
                holds=tuple(hold for one_round in members for task in one_round for hold in holds[task]),
            )
            for name, members in grouped.items()
        ),
        needs=layout.needs,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Every task to do with its level, and the problem that these levels solve; all in the plan's order."""

    todo: tuple[Task, ...]
    needs: tuple[Need, ...]
    barriers: Barriers
    problem: Problem
    levels: list[int]

    @property
    def rounds(self) -> int:
        """How many levels there are: rounds, which are groups where the author wrote none."""
        return max(self.levels, default=-1) + 1


def lay_out(plan: Plan, collisions: Iterable[Collision]) -> Layout:
    """Put the tasks still to do on levels, given all collisions of the plan's claims."""
    needs = effective_needs(plan).needs
    todo = tuple(task for task in plan.tasks if not task.is_done)
    barriers = place_in_groups(plan, needs)
    problem = state_problem(plan, collisions, needs, barriers)
    return Layout(todo=todo, needs=needs, barriers=barriers, problem=problem, levels=place(problem))


def contended_resources(plan: Plan) -> dict[str, tuple[int, tuple[TaskId, ...]]]:
    """Each resource's capacity (1 when the plan does not say) and the tasks to do that hold it."""
    capacity = {resource.name: resource.capacity for resource in plan.resources}
    holders: dict[str, list[TaskId]] = {}
    for task in plan.tasks:
        if not task.is_done:
            for name in dict.fromkeys(task.resources):
                holders.setdefault(name, []).append(task.id)
    return {name: (capacity.get(name, 1), tuple(tasks)) for name, tasks in holders.items()}


def open_collisions(plan: Plan, manifest: OwnershipManifest) -> tuple[Collision, ...]:
    """The manifest's collisions between tasks that are still to do."""
    return tuple(_among_open(plan, manifest.collisions()))


def _among_open(plan: Plan, collisions: Iterable[Collision]) -> Iterator[Collision]:
    todo = {task.id for task in plan.tasks if not task.is_done}
    return (kept for each in collisions if (kept := each.among(todo)) is not None)


def state_problem(
    plan: Plan, collisions: Iterable[Collision], needs: Iterable[Need], barriers: Barriers
) -> Problem:
    """What placement has to solve: the tasks to do by number, in the plan's order, and what keeps them apart."""
    numbers = {task: number for number, task in enumerate(barriers.places)}
    before: list[list[int]] = [[] for _ in numbers]
    for need in needs:
        before[numbers[need.task]].append(numbers[need.on])
    files = [
        Contention(
            kind=HoldKind.FILE,
            what=each.path,
            left=tuple(numbers[task] for task in each.first),
            right=tuple(numbers[task] for task in each.second),
        )
        for each in _among_open(plan, collisions)
    ]
    resources = [
        Contention(
            kind=HoldKind.RESOURCE,
            what=name,
            left=tuple(numbers[task] for task in holders),
            capacity=capacity,
        )
        for name, (capacity, holders) in contended_resources(plan).items()
    ]
    return Problem(before=before, ranks=list(barriers.places.values()), contentions=[*files, *resources])


def _choose(plan: Plan, rounds: Iterable[list[TaskId]]) -> tuple[SchedulerName, str]:
    widest = max(map(len, rounds), default=0)
    if plan.scheduler is not None:
        return plan.scheduler, "the plan asks for it"
    if widest >= 2:
        return SchedulerName.DAG_PARALLEL, f"{widest} independent tasks with disjoint files may run together"
    if widest == 1:
        return SchedulerName.SEQUENTIAL, "no two tasks may run together"
    return SchedulerName.SEQUENTIAL, "no task is left to run"


def _default_policy(scheduler: SchedulerName) -> OnFailure:
    return OnFailure.FAIL_DEPENDENTS if scheduler is SchedulerName.READY_SET else OnFailure.HALT


def _width(scheduler: SchedulerName, cap: int) -> int:
    return 1 if scheduler is SchedulerName.SEQUENTIAL else cap


def _holds(
    todo: tuple[Task, ...],
    problem: Problem,
    levels: list[int],
    barriers: Barriers,
    rounds: Iterable[list[TaskId]],
    width: int,
) -> Iterator[tuple[TaskId, list[Hold]]]:
    """Why each task is not one level earlier, and whether it has to wait for a free slot on its own level."""
    kept_off = dict(blockers(problem, levels))
    late = {task for one_round in rounds for task in one_round[width:]}
    first_levels: dict[int, int] = {}
    for level, rank in sorted(zip(levels, problem.ranks, strict=True)):
        first_levels.setdefault(rank, level)
    previous = {
        rank: earlier for earlier, rank in pairwise(first_levels)
    }  # without authored groups all ranks are 0
    for number, task in enumerate(todo):
        level, rank = levels[number], problem.ranks[number]
        barrier = previous.get(rank) if level == first_levels[rank] else None
        holds = [
            Hold(task=task.id, kind=HoldKind.NEEDS, by=todo[other].id)
            for other in problem.before[number]
            if (levels[other] == level - 1 if barrier is None else problem.ranks[other] == barrier)
        ]
        if not holds and barrier is not None:
            holds.append(Hold(task=task.id, kind=HoldKind.BARRIER, what=barriers.names[barrier]))
        elif not holds and number in kept_off:
            blocker = kept_off[number]
            holds.append(Hold(task=task.id, kind=blocker.kind, by=todo[blocker.by].id, what=blocker.what))
        if task.id in late:
            holds.append(Hold(task=task.id, kind=HoldKind.CAP))
        yield task.id, holds
