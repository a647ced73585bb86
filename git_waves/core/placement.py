"""Puts tasks on levels: after what they need, and never beside a task they contend with; on as few levels as we can.

A level is what may run together, so this is unit-time scheduling with conflicts, which is hard in general and easy for
most plans. Two orders are tried first (the plan's own, and longest remaining tail first), then the better one is
improved, and what is small is searched to the end. The first answer that no schedule can beat ends it, so the result is
never worse than first-fit by the plan's order, and keeps that order where it costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from git_waves.core.cliques import clique_bound
from git_waves.core.contention import Problem
from git_waves.core.exact import GaveUpError, Search
from git_waves.core.firstfit import Seats, first_fit, seats_of
from git_waves.core.graph import sort_topologically
from git_waves.core.improvement import improve
from git_waves.core.lowerbound import fewest_in_rank, margins

_SMALL = 64  # tasks; up to here a problem is worth a proof
_SETS = 400  # that the search may try: about 20 ms


def place(problem: Problem) -> list[int]:
    """The level of every task, from 0, without gaps. The same problem always gives the same answer."""
    levels = [0] * len(problem.before)
    base = 0
    for tasks, part in problem.parts():
        found = _place(part)
        for task, level in zip(tasks, found, strict=True):
            levels[task] = base + level
        base += max(found, default=-1) + 1
    return levels


def _place(part: Problem) -> list[int]:
    if not part.before:
        return []
    seats, known = seats_of(part), margins(part)
    fewest = fewest_in_rank(part, known)
    best = first_fit(part.before, seats, part.order)
    if max(best) < fewest:
        return best
    by_tail = [(-float(tail),) for tail in _urgency(part, known.tails)]
    other = first_fit(part.before, seats, sort_topologically(part.before, by_tail))
    best = min(best, other, key=max)
    if max(best) < fewest:
        return best
    if len(part.before) <= _SMALL:
        fewest = max(fewest, clique_bound(part, known))
    if max(best) >= fewest:
        best = min(best, improve(part, seats, other, target=fewest), key=max)
    if len(part.before) <= _SMALL and max(best) >= fewest:
        best = _searched(part, Search(part, known, _SETS), seats, best, fewest)
    return best


def _searched(part: Problem, search: Search, seats: Seats, best: list[int], fewest: int) -> list[int]:
    """The best there is, or the best met until the search gave up."""
    try:
        while max(best) >= fewest:
            found = search.levels_within(max(best))
            if found is None:
                break
            # Once more in the order found: whoever can be earlier is, so every hold has a reason.
            order = sorted(range(len(found)), key=found.__getitem__)
            best = first_fit(part.before, seats, order)
    except GaveUpError:
        pass
    return best


def _urgency(part: Problem, tails: Sequence[int]) -> list[int]:
    """How many levels should follow from each task's own on: as its tail says, and by what it contends for.

    Of k tasks on one path one is last and one has all others behind it; it should be the one with the longest chain.
    """
    found = list(tails)
    for contention in part.contentions:
        at_once = contention.at_once
        if at_once is None:
            continue  # a folder and what lies in it: those inside do not wait for one another
        ranked = sorted(contention.left, key=lambda task: (found[task], -task))
        for position, task in enumerate(ranked):
            found[task] = max(found[task], position // at_once + 1)
    for task in reversed(part.order):
        for other in part.before[task]:
            found[other] = max(found[other], found[task] + 1)
    return found
