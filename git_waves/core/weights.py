"""How much work each task is: what the plan estimates, else what earlier runs took, else as much as the others."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass

from git_waves.core.model import Plan, TaskId


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The weight of every task to do, and from where: the plan's `estimated`, `measured` in earlier runs, `assumed`.

    In seconds when anything is known (`is_timed`); else every task weighs one.
    """

    of: Mapping[TaskId, float]
    estimated: int = 0
    measured: int = 0
    assumed: int = 0

    @property
    def is_timed(self) -> bool:
        """Whether the weights are seconds."""
        return bool(self.estimated or self.measured)

    @property
    def total(self) -> float:
        """All of the work."""
        return sum(self.of.values())


def weigh(plan: Plan, history: Mapping[TaskId, float]) -> Weights:
    """The weights of the plan's tasks to do; `history` has the seconds that tasks took in earlier runs.

    A task of which nothing is known weighs as much as the median of the others.
    """
    found: dict[TaskId, float] = {}
    estimated = measured = 0
    todo = [task for task in plan.tasks if not task.is_done]
    for task in todo:
        if task.estimate is not None:
            found[task.id] = task.estimate
            estimated += 1
        elif history.get(task.id, 0) > 0:
            found[task.id] = history[task.id]
            measured += 1
    usual = statistics.median(found.values()) if found else 1.0
    return Weights(
        of={task.id: found.get(task.id, usual) for task in todo},
        estimated=estimated,
        measured=measured,
        assumed=len(todo) - estimated - measured,
    )
