"""Gives tasks their levels one after another, each the earliest that is still free for it.

The levels that are closed by a file or a resource are the bits of one integer, so that a file that 10,000 tasks share
costs each of them one operation and not 10,000.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from git_waves.core.contention import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Seats:
    """The problem's contentions by task. `avoids[task]` are the sets of levels closed to it, `closes[task]` those it
    closes for others at once, `fills[task]` those (with their capacity) that it closes when it is the last to fit;
    `capacities` has how many tasks each set takes before it is closed."""

    avoids: list[tuple[int, ...]]
    closes: list[tuple[int, ...]]
    fills: list[tuple[tuple[int, int], ...]]
    capacities: list[int]

    @property
    def sets(self) -> int:
        """How many sets of levels there are."""
        return len(self.capacities)


def seats_of(problem: Problem) -> Seats:
    """Look a problem's contentions up once, for any number of passes over its tasks."""
    tasks = range(len(problem.before))
    avoids: list[list[int]] = [[] for _ in tasks]
    closes: list[list[int]] = [[] for _ in tasks]
    fills: list[list[tuple[int, int]]] = [[] for _ in tasks]
    capacities: list[int] = []
    for contention in problem.contentions:
        capacity, sets = contention.at_once, len(capacities)
        capacities += [1, 1] if capacity is None else [capacity]
        if capacity is None:
            for side, members in enumerate((contention.left, contention.right)):
                for task in members:
                    avoids[task].append(sets + 1 - side)
                    closes[task].append(sets + side)
            continue
        for task in contention.left:
            avoids[task].append(sets)
            if capacity == 1:
                closes[task].append(sets)
            else:
                fills[task].append((sets, capacity))
    return Seats(
        avoids=list(map(tuple, avoids)),
        closes=list(map(tuple, closes)),
        fills=list(map(tuple, fills)),
        capacities=capacities,
    )


def first_fit(before: Sequence[Sequence[int]], seats: Seats, sequence: Sequence[int]) -> list[int]:
    """The level of every task, taken in `sequence`, which names all of them, each after those before it."""
    levels = [0] * len(before)
    closed = [0] * seats.sets
    counts: dict[tuple[int, int], int] = {}
    for task in sequence:
        level = 0
        for other in before[task]:
            if levels[other] >= level:
                level = levels[other] + 1
        if seats.avoids[task]:
            busy = 0
            for number in seats.avoids[task]:
                busy |= closed[number]
            busy >>= level
            if busy & 1:
                level += (~busy & (busy + 1)).bit_length() - 1
            for number in seats.closes[task]:
                closed[number] |= 1 << level
            for number, capacity in seats.fills[task]:
                count = counts[number, level] = counts.get((number, level), 0) + 1
                if count >= capacity:
                    closed[number] |= 1 << level
        levels[task] = level
    return levels
