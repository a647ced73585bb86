"""How few groups a plan can have at all: a bound that is computed without any of the code it judges.

Tasks take a group each, and two that share a file never share a group. So no schedule is shorter than the longest chain
of needs, nor than the users of one file put one after the other, each after what it needs and before what needs it. The
latter is a machine with heads and tails, which Jackson's rule (of those that may start, the longest tail first) solves
exactly when all jobs take one unit (Carlier, "The one-machine sequencing problem", EJOR 11, 1982).
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from bench.generate import Item


def fewest_groups(items: Sequence[Item]) -> int:
    """The larger of the two bounds. Items come after what they need."""
    heads = [0] * len(items)
    for item in items:
        heads[item.number] = max((heads[other] + 1 for other in item.needs), default=0)
    tails = [0] * len(items)
    for item in reversed(items):
        for other in item.needs:
            tails[other] = max(tails[other], tails[item.number] + 1)
    users: dict[str, list[int]] = {}
    for item in items:
        for name in item.files:
            users.setdefault(name, []).append(item.number)
    chain = max((head + 1 for head in heads), default=0)
    machines = (_one_machine([(heads[task], tails[task]) for task in tasks]) for tasks in users.values())
    return max([chain, *machines])


def _one_machine(jobs: Sequence[tuple[int, int]]) -> int:
    """The earliest end of jobs of one unit, given as (head, tail), on one machine."""
    waiting = sorted(jobs)
    ready: list[int] = []
    time = end = place = 0
    while ready or place < len(waiting):
        if not ready:
            time = max(time, waiting[place][0])
        while place < len(waiting) and waiting[place][0] <= time:
            heapq.heappush(ready, -waiting[place][1])
            place += 1
        time += 1
        end = max(end, time - heapq.heappop(ready))
    return end
