"""What attempts tell while they climb, as events. What agents use is written down often enough that a crash loses little,
and not at every word of theirs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import assert_never

from git_waves import ladder, news
from git_waves.adapters import eventlog
from git_waves.core.fold import RunState
from git_waves.core.spending import Spent, neared, reached

_BETWEEN = 60.0  # seconds between two events about one attempt, unless something is due


class Hearing:
    """Knows the newest figures of every attempt, in the log or not yet."""

    def __init__(self, state: RunState) -> None:
        self._state = state
        self._newest: dict[tuple[str, int], Spent] = {}
        self._noted: dict[tuple[str, int], float] = {}  # monotonic

    def events(self, told: news.Told, *, now: float) -> Iterator[eventlog.AnyEvent]:
        """The events that it is worth; `now` is monotonic."""
        match told.what:
            case ladder.Used():
                yield from self._use(told.task, told.attempt, told.what, now)
            case ladder.TakenUp():
                yield eventlog.TaskTakenUp(task=told.task, attempt=told.attempt, how=told.what.how)
            case ladder.Noticed():
                if told.what.words not in self._state.warnings:  # by the coordinator before us
                    yield eventlog.Warned(message=told.what.words)
            case _:
                assert_never(told.what)

    def _use(self, task: str, attempt: int, used: ladder.Used, now: float) -> Iterator[eventlog.AnyEvent]:
        key, noted = (task, attempt), self._in_log(task, attempt)
        spent = self._newest.get(key, noted).or_more(noted).or_more(used.spent)
        before = self._total()
        self._newest[key] = spent
        after = self._total()
        warnings = neared(self._state.budget, before, after)
        is_due = used.is_due or bool(warnings) or bool(reached(self._state.budget, after)[0])
        if spent != noted and (is_due or now - self._noted.get(key, -math.inf) >= _BETWEEN):
            self._noted[key] = now
            yield eventlog.SpendingNoted(
                task=task, attempt=attempt, tokens=spent.tokens, cost=spent.cost, source=used.source
            )
        for words in warnings:
            yield eventlog.Warned(message=f"the run has used {words}")

    def _in_log(self, task: str, attempt: int) -> Spent:
        return Spent(*self._state.tasks[task].spent.get(attempt, (0, 0.0)))

    def _total(self) -> Spent:
        """Of the whole run, with what is not in the log yet."""
        tokens, cost = self._state.spent()
        for (task, attempt), spent in self._newest.items():
            noted = self._in_log(task, attempt)
            tokens += max(spent.tokens - noted.tokens, 0)
            cost += max(spent.cost - noted.cost, 0.0)
        return Spent(tokens, cost)
