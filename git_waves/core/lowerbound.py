"""How few levels a problem can have at all: what no schedule can beat, so that a search knows when to stop.

Two bounds: the longest chain of needs; and for everything that few may hold at once, its users one after the other,
each after what it needs and before what needs it. The second is a machine with heads and tails, which is solved exactly
for jobs of one unit by letting those with the longest tail go first (Jackson's rule; Carlier, "The one-machine
sequencing problem", EJOR 11, 1982). The heads and tails themselves count such queues: whoever needs three tasks that
share one file has three levels before it, not one.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from git_waves.core.contention import Contention, Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Margins:
    """For each task how many levels must lie before it (`heads`), and from its own to the end with it (`tails`)."""

    heads: list[int]
    tails: list[int]

    @property
    def longest(self) -> int:
        """The fewest levels by needs, and by queues in front of and behind single tasks."""
        return max((head + tail for head, tail in zip(self.heads, self.tails, strict=True)), default=0)

    def of(self, contention: Contention) -> int:
        """The fewest levels with this contention alone."""
        capacity = contention.at_once
        if capacity is not None:
            return self.queue(contention.left, capacity)
        sides = ((contention.left, contention.right), (contention.right, contention.left))
        # Whichever side begins: somebody of the other side comes after it.
        return min(
            min(self.heads[task] for task in first) + 1 + min(self.tails[task] for task in then)
            for first, then in sides
        )

    def at_most(self, contention: Contention) -> int:
        """What `of` cannot exceed; quicker, for the many contentions that decide nothing."""
        members, at_once = contention.left, contention.at_once
        if at_once is None:
            members = (*members, *contention.right)
        waiting = 1 if at_once is None else (len(members) - 1) // at_once
        return max(self.heads[task] for task in members) + waiting + max(self.tails[task] for task in members)

    def queue(self, tasks: Iterable[int], at_once: int = 1) -> int:
        """The fewest levels when at most so many of `tasks` share one."""
        return machine(((self.heads[task], self.tails[task]) for task in tasks), at_once)


def margins(problem: Problem) -> Margins:
    """Heads and tails of the tasks of a problem of one rank."""
    queues: list[list[int]] = [[] for _ in problem.before]
    for number, contention in enumerate(problem.contentions):
        if contention.at_once is not None:
            for task in contention.left:
                queues[task].append(number)
    return Margins(
        heads=[tail - 1 for tail in _tails(problem.order, problem.before, queues, problem.contentions)],
        tails=_tails(problem.order[::-1], problem.after, queues, problem.contentions),
    )


def fewest_levels(problem: Problem) -> int:
    """The bound for all tasks of the problem, whatever their ranks."""
    return sum(fewest_in_rank(part, margins(part)) for _, part in problem.parts())


def fewest_in_rank(part: Problem, known: Margins) -> int:
    """The bound for a problem of one rank with these margins."""
    best = known.longest
    for each in part.contentions:
        if known.at_most(each) > best:
            best = max(best, known.of(each))
    return best


def machine(jobs: Iterable[tuple[int, int]], at_once: int) -> int:
    """The earliest end of unit jobs, given as (head, tail with the job itself), when `at_once` of them fit together."""
    waiting = sorted(jobs)
    ready: list[int] = []
    time = end = place = 0
    while ready or place < len(waiting):
        if not ready:
            time = max(time, waiting[place][0])
        while place < len(waiting) and waiting[place][0] <= time:
            heapq.heappush(ready, -waiting[place][1])
            place += 1
        for _ in range(min(at_once, len(ready))):
            end = max(end, time - heapq.heappop(ready))
        time += 1
    return end


def _tails(
    order: Sequence[int],
    after: Sequence[Sequence[int]],
    queues: Sequence[Sequence[int]],
    contentions: Sequence[Contention],
) -> list[int]:
    """The tails of tasks that come in `order` each behind all of its `after`; seen from the other end, the heads."""
    found = [1] * len(after)
    for task in order:
        following = after[task]
        for other in following:
            if found[other] >= found[task]:
                found[task] = found[other] + 1
        if len(following) > 1:
            waiting: dict[int, list[int]] = {}
            for other in following:
                for number in queues[other]:
                    waiting.setdefault(number, []).append(found[other])
            for number, ends in waiting.items():
                at_once = contentions[number].at_once or 1
                if len(ends) > at_once:
                    found[task] = max(found[task], 1 + machine(((0, end) for end in ends), at_once))
    return found
