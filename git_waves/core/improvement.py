"""Shortens a schedule by scheduling it backwards and forwards again (Li and Willis, "An iterative scheduling technique
for resource-constrained project scheduling", EJOR 56, 1992).

Taking the tasks by descending level and giving each the latest level that is free never makes a schedule longer, and
often frees the first one. When that stands still, the order is shaken a little, always in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence

from git_waves.core.contention import Problem
from git_waves.core.firstfit import Seats, first_fit
from git_waves.core.graph import sort_topologically

_MOST_PASSES = 300
_WORK = (
    30_000  # tasks taken in all passes together: a plan of 100 gets all passes, one of 10,000 three of them
)
_SHAKES = (1.0, 2.0, 3.0)  # levels by which the order is shaken


def improve(problem: Problem, seats: Seats, levels: Sequence[int], *, target: int) -> list[int]:
    """The shortest schedule met on the way from `levels`; stops at once when it has no more than `target` levels."""
    best = current = list(levels)
    passes = min(_MOST_PASSES, _WORK // (len(levels) + 1))
    for number in range(passes):
        order = _by(current, range(len(current))) if number % 2 else _by(current, range(0, -len(current), -1))
        backwards = first_fit(problem.after, seats, order[::-1])
        current = first_fit(problem.before, seats, _by(backwards, range(len(current)))[::-1])
        if max(current) < max(best):
            best = current
            if max(best) < target:
                break
        else:
            current = _shaken(problem.before, seats, current, _SHAKES[number % len(_SHAKES)], number)
    return best


def _by(levels: Sequence[int], ties: Sequence[int]) -> list[int]:
    return sorted(range(len(levels)), key=lambda task: (levels[task], ties[task]))


def _shaken(
    before: Sequence[Sequence[int]], seats: Seats, levels: Sequence[int], width: float, seed: int
) -> list[int]:
    """The tasks in nearly the same order, each moved by up to `width` levels; the same seed gives the same answer."""
    state = seed + 1
    wishes = []
    for level in levels:
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF  # the generator of the C standard's example
        wishes.append((level + width * (state >> 8) / 0x7FFFFF,))
    return first_fit(before, seats, sort_topologically(before, wishes))
