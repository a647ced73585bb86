"""How much sooner a plan can be done by working at once, and the one thing that keeps it from being sooner.

A bound and not a promise: no schedule beats the heaviest chain of needs, the work divided by how many run at once, or
the queue for one path or resource. What the plan's own schedule reaches is worked out by walking through it.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from git_waves.core.contention import Contention, Problem
from git_waves.core.lowerbound import fewest_levels, machine
from git_waves.core.model import HoldKind, Schedule, SchedulerName, TaskId
from git_waves.core.timeline import time_of
from git_waves.core.weights import Weights


class LimitKind(StrEnum):
    """What keeps a plan from being done sooner."""

    NEEDS = "needs"  # a chain of tasks that need each other
    TASK = "task"  # one task that takes as long as everything else at once
    FILE = "file"
    RESOURCE = "resource"
    CAP = "cap"  # more could run than may
    BARRIER = "barrier"  # authored groups


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """The one thing: `what` is a path, a resource or empty; `tasks` are the chain, or those in the queue."""

    kind: LimitKind
    what: str = ""
    tasks: tuple[TaskId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedUp:
    """How a plan's work compares with the time it takes. Work and times are in seconds, or in tasks (see Weights).

    `factor` is what the schedule reaches with its scheduler and so many at once, `best` what no schedule can beat, and
    `limit` is why. `critical_path` are the tasks of the heaviest chain of needs. `fewest_rounds` is a bound as well.
    """

    weights: Weights
    at_once: int
    total_work: float
    critical_path: tuple[TaskId, ...]
    critical_work: float
    fewest_rounds: int
    factor: float
    best: float
    limit: Limit


@dataclass(frozen=True, slots=True)
class _Bound:
    """No schedule takes less than `time`, because of `limit`."""

    time: float
    limit: Limit


def estimate_speedup(schedule: Schedule, problem: Problem, weights: Weights) -> SpeedUp | None:
    """The outlook of a schedule of `problem`, whose tasks are those of `weights` in order; None when none is left."""
    tasks = tuple(weights.of)
    if not tasks:
        return None
    view = _View(
        problem=problem,
        tasks=tasks,
        weights=[weights.of[task] for task in tasks],
        at_once=schedule.max_parallel,
    )
    path = view.heaviest_chain
    is_free = schedule.scheduler is SchedulerName.READY_SET
    bound = view.bound() if is_free else view.bound_with_barriers()
    total = weights.total
    return SpeedUp(
        weights=weights,
        at_once=schedule.max_parallel,
        total_work=total,
        critical_path=view.names(path),
        critical_work=sum(view.weights[number] for number in path),
        fewest_rounds=fewest_levels(problem),
        factor=total / time_of(schedule, problem, weights),
        best=total / bound.time,
        limit=bound.limit,
    )


@dataclass(frozen=True, kw_only=True)  # without slots: heads and tails are computed once and kept
class _View:
    """A problem of one rank or of all, with the weight of each of its tasks."""

    problem: Problem
    tasks: tuple[TaskId, ...]
    weights: list[float]
    at_once: int

    def bound_with_barriers(self) -> _Bound:
        """The same where each rank waits for the one before it."""
        free = self.bound()
        if len(set(self.problem.ranks)) < 2:
            return free
        parts = [
            _View(
                problem=part,
                tasks=self.names(numbers),
                weights=[self.weights[number] for number in numbers],
                at_once=self.at_once,
            ).bound()
            for numbers, part in self.problem.parts()
        ]
        time = sum(part.time for part in parts)
        if time <= free.time * (1 + 1e-9):
            return free
        return _Bound(time, Limit(kind=LimitKind.BARRIER))

    def bound(self) -> _Bound:
        """The strongest bound; of equal ones the first in the order of `LimitKind`."""
        return max(self._bounds(), key=lambda bound: bound.time)

    def _bounds(self) -> Iterator[_Bound]:
        path = self.heaviest_chain
        kind = LimitKind.NEEDS if len(path) > 1 else LimitKind.TASK
        yield _Bound(sum(self.weights[number] for number in path), Limit(kind=kind, tasks=self.names(path)))
        for each in self.problem.contentions:
            if each.at_once is not None:
                what = LimitKind.FILE if each.kind is HoldKind.FILE else LimitKind.RESOURCE
                yield _Bound(self._queue(each), Limit(kind=what, what=each.what, tasks=self.names(each.left)))
        yield _Bound(self._all_at_once(), Limit(kind=LimitKind.CAP))

    def _all_at_once(self) -> float:
        """How long the slots take for all tasks, with what must come before the first and after the last of them."""
        longest = max(self.weights)
        if longest == min(self.weights):  # equal tasks cannot be split evenly
            jobs = zip(self._heads, self._tails, strict=True)
            steps = ((round(head / longest), round(tail / longest) + 1) for head, tail in jobs)
            return longest * machine(steps, self.at_once)
        return max(self._slots(self._heads), self._slots(self._tails))

    def _slots(self, margins: Sequence[float]) -> float:
        """The work of the tasks with the longest margins shared between the slots, with the shortest of these margins."""
        work = longest = 0.0
        for task in sorted(range(len(margins)), key=margins.__getitem__, reverse=True):
            work += self.weights[task]
            longest = max(longest, work / self.at_once + margins[task])
        return longest

    def _queue(self, contention: Contention) -> float:
        """How long those who contend take, with what must come before the first and after the last."""
        members = contention.left
        if contention.at_once == 1:
            return _one_machine([(self._heads[n], self.weights[n], self._tails[n]) for n in members])
        work = sum(self.weights[number] for number in members) / (contention.at_once or 1)
        return min(self._heads[n] for n in members) + work + min(self._tails[n] for n in members)

    @cached_property
    def _heads(self) -> list[float]:
        return self._heaviest(self.problem.order, self.problem.before)

    @cached_property
    def _tails(self) -> list[float]:
        return self._heaviest(self.problem.order[::-1], self.problem.after)

    def _heaviest(self, order: Sequence[int], before: Sequence[Sequence[int]]) -> list[float]:
        """The heaviest chain in front of each task, without it."""
        found = [0.0] * len(before)
        for task in order:
            for other in before[task]:
                if found[other] + self.weights[other] > found[task]:
                    found[task] = found[other] + self.weights[other]
        return found

    @cached_property
    def heaviest_chain(self) -> list[int]:
        """The numbers of its tasks, first to last; of equal chains the one whose tasks come first in the plan."""
        ends = [head + weight for head, weight in zip(self._heads, self.weights, strict=True)]
        chain = [ends.index(max(ends))]
        while self.problem.before[chain[-1]]:
            chain.append(max(sorted(self.problem.before[chain[-1]]), key=ends.__getitem__))
        return chain[::-1]

    def names(self, numbers: Iterable[int]) -> tuple[TaskId, ...]:
        """The tasks of these numbers."""
        return tuple(self.tasks[number] for number in numbers)


def _one_machine(jobs: list[tuple[float, float, float]]) -> float:
    """The earliest end of jobs (head, weight, tail) on one machine that may interrupt them: always the longest tail."""
    waiting = sorted(jobs)
    ready: list[tuple[float, float]] = []
    time = end = 0.0
    place = 0
    while ready or place < len(waiting):
        if not ready:
            time = max(time, waiting[place][0])
        while place < len(waiting) and waiting[place][0] <= time:
            heapq.heappush(ready, (-waiting[place][2], waiting[place][1]))
            place += 1
        tail, left = heapq.heappop(ready)
        until = waiting[place][0] if place < len(waiting) else math.inf
        if time + left > until:
            heapq.heappush(ready, (tail, left - (until - time)))
            time = until
        else:
            time += left
            end = max(end, time - tail)
    return end
