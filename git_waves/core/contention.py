"""What keeps tasks apart: the problem that placement solves, and who holds whom in a solution of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from git_waves.core.graph import sort_topologically
from git_waves.core.model import HoldKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Contention:
    """What keeps tasks apart. With `capacity`, at most that many of `left` share a level (`right` is empty); without,
    no task of `left` shares one with another task of `right`. `what` is the path or the resource."""

    kind: HoldKind
    what: str
    left: tuple[int, ...]
    right: tuple[int, ...] = ()
    capacity: int | None = None

    @property
    def at_once(self) -> int | None:
        """How many of `left` may share a level; None when it is two sides that must not meet."""
        return 1 if self.capacity is None and self.left == self.right else self.capacity


@dataclass(frozen=True, slots=True)
class Blocker:
    """Why a task is not one level earlier: another task there holds `what`."""

    kind: HoldKind
    what: str
    by: int


@dataclass(frozen=True, kw_only=True)  # without slots: what is derived is computed once and kept
class Problem:
    """Tasks 0 to n-1: those before each one, its rank (lower ranks end before higher ones begin), what they contend for.

    A task's rank is never lower than that of a task before it.
    """

    before: Sequence[Sequence[int]]
    ranks: Sequence[int]
    contentions: Sequence[Contention]

    @cached_property
    def order(self) -> list[int]:
        """The tasks, each after those before it, else in their own order."""
        return sort_topologically(self.before)

    @cached_property
    def after(self) -> list[list[int]]:
        """For each task those that it is before."""
        found: list[list[int]] = [[] for _ in self.before]
        for task, earlier in enumerate(self.before):
            for other in earlier:
                found[other].append(task)
        return found

    @cached_property
    def memberships(self) -> list[list[tuple[int, int]]]:
        """For each task the contentions it is part of, and its side: 0 left, 1 right."""
        found: list[list[tuple[int, int]]] = [[] for _ in self.before]
        for number, contention in enumerate(self.contentions):
            for side, members in enumerate((contention.left, contention.right)):
                for task in members:
                    found[task].append((number, side))
        return found

    def opposite(self, number: int, side: int) -> int:
        """The side that a task on `side` must not meet: its own when the contention is about capacity."""
        return side if self.contentions[number].capacity is not None else 1 - side

    def parts(self) -> Iterator[tuple[tuple[int, ...], Problem]]:
        """The ranks in their order: the tasks of each, and what is to be solved among them, numbered from 0.

        Nothing of one rank depends on where the tasks of another stand, so each is solved alone.
        """
        if len(set(self.ranks)) < 2:
            yield tuple(range(len(self.before))), self
        else:
            yield from self._parts

    @cached_property
    def _parts(self) -> list[tuple[tuple[int, ...], Problem]]:
        """Every contention is taken apart once: to look through all of them for each rank would be a square."""
        members = self._by_rank(range(len(self.before)))
        places = [0] * len(self.before)
        for tasks in members.values():
            for place, task in enumerate(tasks):
                places[task] = place
        contentions: dict[int, list[Contention]] = {rank: [] for rank in members}
        for each in self.contentions:
            right = self._by_rank(each.right)
            for rank, left in self._by_rank(each.left).items():
                if rank in right or each.capacity is not None:
                    contentions[rank].append(
                        Contention(
                            kind=each.kind,
                            what=each.what,
                            left=tuple(places[task] for task in left),
                            right=tuple(places[task] for task in right.get(rank, ())),
                            capacity=each.capacity,
                        )
                    )
        return [
            (
                tuple(members[rank]),
                Problem(
                    before=[
                        tuple(places[on] for on in self.before[task] if self.ranks[on] == rank)
                        for task in members[rank]
                    ],
                    ranks=[0] * len(members[rank]),
                    contentions=contentions[rank],
                ),
            )
            for rank in sorted(members)
        ]

    def _by_rank(self, tasks: Iterable[int]) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for task in tasks:
            found.setdefault(self.ranks[task], []).append(task)
        return found


def blockers(problem: Problem, levels: Sequence[int]) -> Iterator[tuple[int, Blocker]]:
    """For each task that something keeps off the level before its own, the first such thing, with the task that has it."""
    holders: dict[tuple[int, int, int], list[int]] = {}
    for task, level in enumerate(levels):
        for number, side in problem.memberships[task]:
            holders.setdefault((number, side, level), []).append(task)
    for task, level in enumerate(levels):
        for number, side in problem.memberships[task]:
            there = holders.get((number, problem.opposite(number, side), level - 1), [])
            contention = problem.contentions[number]
            if len(there) >= (contention.capacity or 1):
                yield task, Blocker(contention.kind, contention.what, there[0])
                break
