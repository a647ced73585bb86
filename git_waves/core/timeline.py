"""How long a schedule takes when every task takes as long as it weighs, by walking through it as a run would."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field

from git_waves.core.contention import Problem
from git_waves.core.firstfit import Seats, seats_of
from git_waves.core.model import Schedule, SchedulerName, TaskId
from git_waves.core.weights import Weights


def time_of(schedule: Schedule, problem: Problem, weights: Weights) -> float:
    """In the unit of the weights. `problem` is what the schedule solves; its tasks are those of `weights`, in order."""
    if schedule.scheduler is SchedulerName.READY_SET:
        return _without_rounds(schedule, problem, weights)
    slots = 1 if schedule.scheduler is SchedulerName.SEQUENTIAL else schedule.max_parallel
    return sum(
        _round_time([weights.of[task] for task in one_round], slots)
        for group in schedule.groups
        for one_round in group.rounds
    )


def _round_time(weights: Sequence[float], slots: int) -> float:
    """Tasks start in their order, each as soon as a slot is free."""
    free = [0.0] * min(slots, len(weights))
    for weight in weights:
        heapq.heapreplace(free, free[0] + weight)
    return max(free)


def _without_rounds(schedule: Schedule, problem: Problem, weights: Weights) -> float:
    numbers = {task: number for number, task in enumerate(weights.of)}
    order = [numbers[TaskId(task)] for group in schedule.groups for task in group.tasks]
    walk = _Walk(
        ranking={number: place for place, number in enumerate(order)},
        order=order,
        problem=problem,
        seats=seats_of(problem),
        weights=list(weights.of.values()),
    )
    return walk.to_the_end(schedule.max_parallel)


@dataclass(slots=True, kw_only=True)
class _Walk:
    """Each task starts when its needs are in, a slot is free and nothing it contends for is taken, earlier ones first.

    Who finds something taken waits there. As long as it is free, one of those who wait is among the `ready`, so none is
    forgotten and nobody is asked over and over.
    """

    ranking: dict[int, int]
    order: list[int]
    problem: Problem
    seats: Seats
    weights: list[float]
    ready: list[int] = field(default_factory=list)  # places in `order`, so that a heap gives the earliest
    waiting: dict[int, list[int]] = field(default_factory=dict)
    taken: dict[int, int] = field(default_factory=dict)

    def to_the_end(self, slots: int) -> float:
        """The time at which the last task ends."""
        after = self.problem.after
        missing = [len(set(earlier)) for earlier in self.problem.before]
        self.ready = sorted(self.ranking[task] for task, count in enumerate(missing) if count == 0)
        running: list[tuple[float, int]] = []
        now = 0.0
        while self.ready or running:
            while self.ready and len(running) < slots:
                task = self.order[heapq.heappop(self.ready)]
                if self._start(task):
                    heapq.heappush(running, (now + self.weights[task], task))
            now, task = heapq.heappop(running)
            self._finish(task)
            for following in set(after[task]):
                missing[following] -= 1
                if missing[following] == 0:
                    heapq.heappush(self.ready, self.ranking[following])
        return now

    def _start(self, task: int) -> bool:
        """Take what the task needs; False when it has to wait for something."""
        held = next((seat for seat in self.seats.avoids[task] if not self._is_free(seat)), None)
        if held is None:
            for seat in self._takes(task):
                self.taken[seat] = self.taken.get(seat, 0) + 1
        else:
            heapq.heappush(self.waiting.setdefault(held, []), self.ranking[task])
        for seat in self.seats.avoids[task]:
            self._call(seat)
        return held is None

    def _finish(self, task: int) -> None:
        for seat in self._takes(task):
            self.taken[seat] -= 1
        for seat in self._takes(task):
            self._call(seat)

    def _takes(self, task: int) -> list[int]:
        return [*self.seats.closes[task], *(seat for seat, _ in self.seats.fills[task])]

    def _is_free(self, seat: int) -> bool:
        return self.taken.get(seat, 0) < self.seats.capacities[seat]

    def _call(self, seat: int) -> None:
        """Let the first of those who wait for it try again."""
        if self._is_free(seat) and self.waiting.get(seat):
            heapq.heappush(self.ready, heapq.heappop(self.waiting[seat]))
