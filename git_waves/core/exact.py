"""Finds a schedule of a small problem with no more than so many levels, or proves that there is none.

Level by level, every largest set of tasks that may run together is tried, those first whose remaining chains are
longest. That is enough: a task that could join a level is never worse off there than later. What was tried once and led
nowhere is not tried again, and a branch ends when some task or queue can no longer be in time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from git_waves.core.cliques import bits, numbers, rivals
from git_waves.core.contention import Problem
from git_waves.core.lowerbound import Margins


class GaveUpError(Exception):
    """The search took more sets than it was given."""


@dataclass(slots=True)
class Search:
    """One problem of one rank; `left` is how many sets may still be tried, over all calls of `levels_within`."""

    problem: Problem
    margins: Margins
    left: int
    _needs: list[int] = field(init=False)
    _rivals: list[int] = field(init=False)
    _shared: list[tuple[int, int]] = field(init=False)
    _queues: list[tuple[int, list[int]]] = field(init=False)
    _dead: set[tuple[int, int]] = field(init=False)

    def __post_init__(self) -> None:
        self._needs = [bits(tuple(earlier)) for earlier in self.problem.before]
        self._rivals = rivals(self.problem)
        capped = [(each, each.at_once) for each in self.problem.contentions]
        self._shared = [(bits(each.left), many) for each, many in capped if many is not None and many > 1]
        self._queues = [
            (many, sorted(each.left, key=lambda task: -self.margins.tails[task]))
            for each, many in capped
            if many is not None
        ]

    def levels_within(self, most: int) -> list[int] | None:
        """Levels below `most` for every task, or None when that cannot be; GaveUpError when `left` is used up."""
        self._dead = set()
        found = self._sets_to_the_end(0, 0, most)
        if found is None:
            return None
        levels = [0] * len(self._needs)
        for level, chosen in enumerate(reversed(found)):
            for task in numbers(chosen):
                levels[task] = level
        return levels

    def _sets_to_the_end(self, done: int, level: int, most: int) -> list[int] | None:
        """The sets of the levels from here on, the last first."""
        if done == (1 << len(self._needs)) - 1:
            return []
        ready = self._ready(done, most - level)
        if ready is not None and (level, done) not in self._dead and not self._is_late(done, most - level):
            must = bits(tuple(task for task in ready if self.margins.tails[task] == most - level))
            for chosen in self._largest_sets(ready, must):
                self.left -= 1
                if self.left < 0:
                    raise GaveUpError
                rest = self._sets_to_the_end(done | chosen, level + 1, most)
                if rest is not None:
                    rest.append(chosen)
                    return rest
        self._dead.add((level, done))
        return None

    def _ready(self, done: int, time: int) -> list[int] | None:
        """Tasks that may come next, the most urgent first; None when one can no longer be in time."""
        found = []
        for task in numbers(~done & ((1 << len(self._needs)) - 1)):
            is_ready = not self._needs[task] & ~done
            if self.margins.tails[task] > time - (not is_ready):
                return None
            if is_ready:
                found.append(task)
        return sorted(found, key=lambda task: -self.margins.tails[task])

    def _is_late(self, done: int, time: int) -> bool:
        """Whether some queue is too long for the time that is left."""
        for at_once, queue in self._queues:
            waiting = [task for task in queue if not done >> task & 1]
            if any(place // at_once + self.margins.tails[task] > time for place, task in enumerate(waiting)):
                return True
        return False

    def _largest_sets(self, ready: Sequence[int], must: int) -> Iterator[int]:
        """Every set of ready tasks that fits together, holds all of `must` and cannot take one more."""
        everyone = bits(tuple(ready))
        stack = [(0, 0)]  # how many of `ready` are decided, and which of them are in
        while stack:
            place, chosen = stack.pop()
            while place < len(ready):
                task = ready[place]
                place += 1
                if not self._fits(task, chosen):
                    continue
                if self._fits(task, everyone & ~(1 << task)):  # nobody minds
                    chosen |= 1 << task
                    continue
                if not must >> task & 1:
                    stack.append((place, chosen))
                chosen |= 1 << task
            if not must & ~chosen and not any(
                self._fits(task, chosen) for task in ready if not chosen >> task & 1
            ):
                yield chosen

    def _fits(self, task: int, others: int) -> bool:
        return not self._rivals[task] & others and not any(
            members >> task & 1 and (members & others).bit_count() >= many for members, many in self._shared
        )
