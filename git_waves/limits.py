"""The limits of a run as a whole that are measured here: its time, how long it may be quiet, and the room on its disk.

All count from the start of this coordinator, by a clock that nobody can set: a laptop that sleeps ends no night's work.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from pathlib import Path

from git_waves.adapters import eventlog
from git_waves.adapters.filesystem import is_full
from git_waves.adapters.supervisor import Stillness
from git_waves.core.fold import RunState
from git_waves.core.spending import NEAR, amount

FULL_FOR = 20.0  # seconds; a disk that is full for a moment, of somebody's temporary file, ends no run


class RunLimits:
    """Asked again and again by the loop. `now` is monotonic everywhere."""

    def __init__(self, state: RunState, *, now: float) -> None:
        self._state = state
        self._end = _limit(state, "wall_clock")
        self._began = now
        self._quiet = _limit(state, "quiet")
        self._stillness = Stillness(now)
        self._is_warned = False

    def stir(self, *, now: float) -> None:
        """Something has happened."""
        self._stillness.note(now)

    def due(self, places: Iterable[Path], *, now: float) -> Iterator[eventlog.AnyEvent]:
        """What is to be recorded now. `places` are the folders in which whatever is in flight prints and works."""
        ran = now - self._began
        if not self._is_warned and ran >= NEAR * self._end:
            self._is_warned = True
            yield eventlog.Warned(
                message=f"the run has used more than {NEAR:.0%} of its limit of {self._words()}"
            )
        if self._state.stopping:
            return
        if ran >= self._end:
            words = f"the run's time limit of {amount('wall_clock', self._end)} is over"
            yield eventlog.StopRequested(now=False, by="budget", reason=words)
        elif self._stillness.lasts(now, self._quiet, [str(place) for place in places]):
            words = f"nothing in flight printed or changed anything for {amount('quiet', self._quiet)}"
            yield eventlog.StopRequested(now=True, by="budget", reason=words)

    def _words(self) -> str:
        return amount("wall_clock", self._end)


class Room:
    """Whether there has been no room for some time. A supervisor that finds none for its result waits until there is some,
    and who waits for the supervisor would wait without a word."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._full_since = math.inf

    def is_gone(self, *, now: float) -> bool:
        """Asked again and again by the loop, with a monotonic `now`."""
        self._full_since = min(self._full_since, now) if is_full(self._folder) else math.inf
        return now - self._full_since >= FULL_FOR


def _limit(state: RunState, name: str) -> float:
    limit = state.budget.get(name)
    return math.inf if limit is None else limit
