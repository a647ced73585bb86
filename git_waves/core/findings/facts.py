"""What every family of findings looks at, worked out once: needs, order, collisions, levels, and where a claim stands."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from git_waves.core.bounds import Bounds, measure
from git_waves.core.collision import Collision, OverlapKind
from git_waves.core.findings.wording import count, listed
from git_waves.core.model import (
    Claim,
    Intent,
    NeedKind,
    Origin,
    PathPattern,
    Plan,
    RepoPath,
    Schedule,
    TaskId,
)
from git_waves.core.needs import EffectiveNeeds, effective_needs
from git_waves.core.order import Barriers, Order, build_order, place_in_groups
from git_waves.core.ownership import OwnershipManifest
from git_waves.core.paths import matches
from git_waves.core.schedule import contended_resources, open_collisions
from git_waves.core.sharing import Costs, find_costs

SHARED_THRESHOLD = 0.25
"""Where nobody says otherwise: a path that a quarter of the tasks share is a warning, below that a note."""

_VERBS = {
    Intent.CREATE: "creates",
    Intent.MODIFY: "modifies",
    Intent.DELETE: "deletes",
    Intent.EDIT: "edits",
}


@dataclass(frozen=True, kw_only=True)  # without slots: what is derived is computed once and kept
class Facts:
    """A plan with everything derived from it. Tasks that are done are in `plan` and nowhere else.

    `shared_threshold` is the share of the tasks (0 to 1) from which on a shared path is worth a warning.
    """

    plan: Plan
    manifest: OwnershipManifest
    schedule: Schedule
    shared_threshold: float = SHARED_THRESHOLD

    @cached_property
    def needs(self) -> EffectiveNeeds:
        """Declared needs, file needs, and the file needs that contradict the order."""
        return effective_needs(self.plan)

    @cached_property
    def order(self) -> Order:
        """Which tasks are ordered by needs and authored groups."""
        return build_order(self.plan, self.needs.needs)

    @cached_property
    def barriers(self) -> Barriers:
        """Where the tasks stand among the authored groups."""
        return place_in_groups(self.plan, self.needs.needs)

    @cached_property
    def collisions(self) -> tuple[Collision, ...]:
        """Collisions between tasks to do."""
        return open_collisions(self.plan, self.manifest)

    @cached_property
    def resources(self) -> dict[str, tuple[int, tuple[TaskId, ...]]]:
        """For each resource that is used its capacity and the tasks to do that hold it."""
        return contended_resources(self.plan)

    @cached_property
    def levels(self) -> dict[TaskId, tuple[str, int]]:
        """Group and round of every task in the schedule."""
        return {
            task: (group.name, number)
            for group in self.schedule.groups
            for number, one_round in enumerate(group.rounds)
            for task in one_round
        }

    @cached_property
    def bounds(self) -> Bounds:
        """The numbers of the schedule."""
        return measure(self.schedule)

    @cached_property
    def costs(self) -> Costs:
        """What shared paths and resources cost, by scheduling again; nothing where needs make the plan as long as it is.

        Only declared needs: those that follow from a shared file go when it is hoisted.
        """
        declared = tuple(need for need in self.schedule.needs if need.kind is NeedKind.DECLARED)
        is_all = len(declared) == len(self.schedule.needs)
        bounds = self.bounds if is_all else measure(replace(self.schedule, needs=declared))
        if bounds.rounds <= bounds.longest_chain:
            return Costs()
        rounds = [one_round for group in self.schedule.groups for one_round in group.rounds]
        return find_costs(
            self.plan,
            self.manifest,
            needs=self.needs.needs,
            barriers=self.barriers,
            levels={task: level for level, one_round in enumerate(rounds) for task in one_round},
        )

    @cached_property
    def _positions(self) -> dict[TaskId, int]:
        return {task.id: number for number, task in enumerate(self.plan.tasks)}

    @cached_property
    def _claims(self) -> dict[tuple[TaskId, str], Claim]:
        found: dict[tuple[TaskId, str], Claim] = {}
        for task in self.plan.tasks:
            for claim in task.claims:
                found.setdefault((task.id, str(claim.pattern)), claim)
        return found

    def in_plan_order(self, tasks: Iterable[TaskId]) -> tuple[TaskId, ...]:
        """The tasks as the plan lists them."""
        return tuple(sorted(tasks, key=self._positions.__getitem__))

    def spread(self, tasks: Iterable[TaskId]) -> str:
        """Over how many groups (or rounds, when some are in one group) the schedule spreads these tasks: `12 groups`."""
        levels = {self.levels[task] for task in tasks if task in self.levels}
        groups = {group for group, _ in levels}
        return count(len(levels), "group" if len(groups) == len(levels) else "round")

    def claim_line(self, task: TaskId, path: str) -> int:
        """Where the plan writes this claim; 0 when unknown."""
        claim = self._claims.get((task, path))
        return claim.line if claim else 0

    def deed(self, task: TaskId, path: str) -> str:
        """What the task does to a path it claims: `task 'a' creates 'x'`."""
        claim = self._claims.get((task, path))
        if claim is None:
            return f"task '{task}' claims '{path}'"
        verb = "seems to touch" if claim.origin is Origin.INFERRED else _VERBS[claim.intent]
        return f"task '{task}' {verb} '{path}'"

    def claim_evidence(
        self, collision: Collision, involved: Collection[TaskId]
    ) -> tuple[int, tuple[str, ...]]:
        """The first line of the plan, and one line of text for each task, that a collision is about."""
        claimed: dict[TaskId, RepoPath] = dict(zip(collision.second, collision.others, strict=True))
        claimed.update(dict.fromkeys(collision.first, collision.path))
        tasks = [task for task in self.in_plan_order(claimed) if task in involved]
        lines = [line for task in tasks if (line := self.claim_line(task, claimed[task]))]
        return min(lines, default=0), listed(self.with_line(task, claimed[task]) for task in tasks)

    def with_line(self, task: TaskId, path: str) -> str:
        """The same with the place in the plan: `task 'a' creates 'x' (line 7)`."""
        line = self.claim_line(task, path)
        return f"{self.deed(task, path)} (line {line})" if line else self.deed(task, path)

    def is_declared(self, collision: Collision) -> bool:
        """Whether `expect.shared_paths` means the path of the collision: by name, or by a number that is right."""
        expected = self.plan.shared_paths
        return expected is not None and (
            (self.has_declared_count and collision.kind is not OverlapKind.CASE)
            or any(names(pattern, collision.path) for pattern in expected.patterns)
        )

    @cached_property
    def has_declared_count(self) -> bool:
        """Whether `expect.shared_paths` is a number, and as many paths are shared."""
        expected = self.plan.shared_paths
        if expected is None or expected.count is None:
            return False
        fewest, most = self.shared_counts
        return fewest <= expected.count <= most

    @cached_property
    def shared_counts(self) -> tuple[int, int]:
        """How many paths tasks share, as the plan was before anything was done: those that nothing orders, and all.

        Names that only some file systems take for one are a matter of their own.
        """
        whole = replace(self.plan, tasks=tuple(replace(task, is_done=False) for task in self.plan.tasks))
        order = build_order(whole, effective_needs(whole).needs)
        shared = [each for each in self.manifest.collisions() if each.kind is not OverlapKind.CASE]
        unordered = {each.path for each in shared if order.unordered(each.first, each.second)}
        return len(unordered), len({each.path for each in shared})


def names(pattern: PathPattern, path: str) -> bool:
    """Whether a declared pattern means this claim, which may be a folder or a glob itself."""
    return str(pattern) == path or matches(pattern, path.rstrip("/"))
