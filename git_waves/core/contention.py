"""What keeps tasks apart: the problem that placement solves, and who holds whom in a solution of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
        members: dict[int, list[int]] = {}
        for task, rank in enumerate(self.ranks):
            members.setdefault(rank, []).append(task)
        if len(members) < 2:
            yield tuple(range(len(self.before))), self
            return
        for rank in sorted(members):
            yield tuple(members[rank]), self._among(members[rank])

    def _among(self, tasks: Sequence[int]) -> Problem:
        number = {task: place for place, task in enumerate(tasks)}

        def kept(side: Sequence[int]) -> tuple[int, ...]:
            return tuple(number[task] for task in side if task in number)

        narrowed = (
            Contention(
                kind=each.kind,
                what=each.what,
                left=kept(each.left),
                right=kept(each.right),
                capacity=each.capacity,
            )
            for each in self.contentions
        )
        return Problem(
            before=[kept(self.before[task]) for task in tasks],
            ranks=[0] * len(tasks),
            contentions=[
                each for each in narrowed if each.left and (each.right or each.capacity is not None)
            ],
        )


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
