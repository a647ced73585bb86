"""Puts tasks on levels: after what they need, and never beside a task they contend with.

A level is what may run together. This is unit-time list scheduling with conflicts: take the tasks in some order, give
each the earliest level that is free for it. Two orders are tried (the plan's own, and longest remaining tail first) and
the one with fewer levels is kept, so the result is never worse than first-fit by the plan's order.
"""

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


def place(problem: Problem) -> list[int]:
    """The level of every task, from 0, without gaps."""
    by_plan = [(float(rank),) for rank in problem.ranks]
    by_tail = [(float(rank), -float(tail)) for rank, tail in zip(problem.ranks, _tails(problem), strict=True)]
    candidates = [
        _first_fit(problem, sort_topologically(problem.before, order)) for order in (by_plan, by_tail)
    ]
    return min(candidates, key=lambda levels: max(levels, default=0))


def _first_fit(problem: Problem, sequence: Sequence[int]) -> list[int]:
    """Every task on the earliest level that its needs, its rank and its contentions leave free.

    `taken[c][side]` has one bit for every level that is closed to who must not meet that side of contention c.
    """
    levels = [0] * len(problem.before)
    taken = [[0, 0] for _ in problem.contentions]
    counts: dict[tuple[int, int], int] = {}
    base, top, rank = 0, -1, 0
    for task in sequence:
        if problem.ranks[task] != rank:
            base, rank = top + 1, problem.ranks[task]
        lowest = max([base, *(levels[other] + 1 for other in problem.before[task])])
        busy = 0
        for number, side in problem.memberships[task]:
            busy |= taken[number][problem.opposite(number, side)]
        free = ~(busy >> lowest)
        level = lowest + (free & -free).bit_length() - 1
        levels[task] = level
        top = max(top, level)
        for number, side in problem.memberships[task]:
            capacity = problem.contentions[number].capacity
            if capacity is not None:
                counts[number, level] = counts.get((number, level), 0) + 1
            if capacity is None or counts[number, level] >= capacity:
                taken[number][side] |= 1 << level
    return levels


def _tails(problem: Problem) -> list[int]:
    """How many levels must follow from each task's own on, itself included: by needs, and by what it contends for.

    Of k tasks on one path one is last and one has all others behind it; it should be the one with the longest chain.
    """
    order = sort_topologically(problem.before)
    tails = [1] * len(order)

    def pull() -> None:
        for task in reversed(order):
            for other in problem.before[task]:
                tails[other] = max(tails[other], tails[task] + 1)

    pull()
    for contention in problem.contentions:
        if contention.capacity is None and contention.left != contention.right:
            continue  # a folder and what lies in it: those inside do not wait for one another
        ranked = sorted(contention.left, key=lambda task: (tails[task], -task))
        for position, task in enumerate(ranked):
            tails[task] = max(tails[task], position // (contention.capacity or 1) + 1)
    pull()
    return tails


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
