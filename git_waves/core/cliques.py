"""Tasks of which no two may share a level, whatever the reasons: a bound where no single path explains the length.

Three tasks of which each pair shares another file need three levels, and no file alone says so. Finding the largest such
set is hard; growing a good one from a few starts is cheap, and what is found is a proof.
"""

from __future__ import annotations

from collections.abc import Iterator

from git_waves.core.contention import Problem
from git_waves.core.lowerbound import Margins

_STARTS = 8


def rivals(problem: Problem) -> list[int]:
    """For each task, as bits, those that it must not share a level with because of a file or a resource."""
    found = [0] * len(problem.before)
    for contention in problem.contentions:
        if contention.at_once not in (None, 1):
            continue
        sides = contention.left, contention.right or contention.left
        masks = [bits(side) for side in sides]
        for side, opposite in zip(sides, reversed(masks), strict=True):
            for task in side:
                found[task] |= opposite & ~(1 << task)
    return found


def bits(tasks: tuple[int, ...]) -> int:
    """The tasks as bits of one number."""
    found = 0
    for task in tasks:
        found |= 1 << task
    return found


def numbers(mask: int) -> Iterator[int]:
    """The tasks that are bits of `mask`, in ascending order."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def clique_bound(problem: Problem, margins: Margins) -> int:
    """The fewest levels by the best set that was found; for problems of one rank and some dozens of tasks."""
    apart = rivals(problem)
    ahead = [0] * len(apart)
    for task in problem.order:
        for other in problem.before[task]:
            ahead[task] |= ahead[other] | 1 << other
    for task, mask in enumerate(ahead):
        apart[task] |= mask
        for other in numbers(mask):
            apart[other] |= 1 << task
    crowded = sorted(range(len(apart)), key=lambda task: (-apart[task].bit_count(), task))
    return max((margins.queue(_grown(apart, start)) for start in crowded[:_STARTS]), default=0)


def _grown(apart: list[int], start: int) -> list[int]:
    found = [start]
    left = apart[start]
    while left:
        best = max(numbers(left), key=lambda task: ((apart[task] & left).bit_count(), -task))
        found.append(best)
        left &= apart[best]
    return found
