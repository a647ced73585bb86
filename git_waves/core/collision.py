"""What a collision of claims is, as a value; `overlaps` finds them."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from enum import StrEnum

from git_waves.core.model import RepoPath, TaskId


class OverlapKind(StrEnum):
    """How two claims collide. CASE is a collision only where case or normalisation is ignored."""

    SAME = "same"
    INSIDE = "inside"
    GLOB = "glob"
    CASE = "case"


@dataclass(frozen=True, slots=True, kw_only=True)
class Collision:
    """Every task of `first` collides with every other task of `second` at `path`.

    Two sides instead of pairs: 10,000 tasks on one file are one value, not 50 million. For SAME both sides are all the
    tasks that claim `path`. `path` is the wider claim as plans write it; `others[i]` is a claim of `second[i]` that
    meets it. `guessed` are tasks of either side whose claims here are all inferred.
    """

    path: RepoPath
    kind: OverlapKind
    first: tuple[TaskId, ...]
    second: tuple[TaskId, ...]
    others: tuple[RepoPath, ...]
    guessed: frozenset[TaskId] = frozenset()

    @property
    def tasks(self) -> tuple[TaskId, ...]:
        """All tasks of both sides, by id."""
        return tuple(sorted({*self.first, *self.second}))

    def pairs(self) -> Iterator[tuple[TaskId, TaskId]]:
        """Each colliding pair once, the smaller id first. Quadratic: for small collisions."""
        yield from sorted({(min(a, b), max(a, b)) for a in self.first for b in self.second if a != b})

    def among(self, tasks: Set[TaskId]) -> Collision | None:
        """The same collision between these tasks only; None when too few are left to collide."""
        first = tuple(task for task in self.first if task in tasks)
        kept = [(task, other) for task, other in zip(self.second, self.others, strict=True) if task in tasks]
        second = tuple(task for task, _ in kept)
        if not first or not second or len({*first, *second}) < 2:
            return None
        if len(first) == len(self.first) and len(kept) == len(self.second):
            return self
        return Collision(
            path=self.path,
            kind=self.kind,
            first=first,
            second=second,
            others=tuple(other for _, other in kept),
            guessed=self.guessed & tasks,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """One pair of tasks that collide at `path` (the wider claim, as plans write it); `first` has the smaller id."""

    first: TaskId
    second: TaskId
    path: RepoPath
    kind: OverlapKind
