"""Who may still hold a resource: places are counted here, whatever a schedule says about who runs beside whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

Holds = Mapping[str, tuple[tuple[str, int], ...]]
"""Task to the (name, capacity) of every resource that it holds while it climbs the ladder."""


class Places:
    """The places of every resource that are taken, beginning with those of the `busy` tasks."""

    def __init__(self, holds: Holds, busy: Iterable[str]) -> None:
        self._holds = holds
        self._taken = Counter(name for task in busy for name, _capacity in holds.get(task, ()))

    def take(self, task: str) -> bool:
        """Give the task a place at all of its resources, or none and False."""
        wanted = self._holds.get(task, ())
        if any(self._taken[name] >= capacity for name, capacity in wanted):
            return False
        self._taken.update(name for name, _capacity in wanted)
        return True
