"""How much sooner a plan can be done, in one or two lines for people: the work, the factor, and what limits it."""

from __future__ import annotations

from collections.abc import Iterator

from git_waves.core.model import Schedule, SchedulerName, TaskId
from git_waves.core.speedup import Limit, LimitKind, SpeedUp
from git_waves.core.weights import Weights
from git_waves.views.age import words
from git_waves.views.safe import clean, quoted

_MOST_NAMES = 6


def speedup_lines(found: SpeedUp | None, schedule: Schedule) -> Iterator[str]:
    """Nothing for a plan of one task or none."""
    if found is None or len(found.weights.of) < 2:
        return
    if found.weights.is_timed:
        yield (
            f"work: {words(found.total_work)} ({_origin(found.weights)}), "
            f"critical path {words(found.critical_work)}: {_names(found.critical_path)}"
        )
    factor, best = f"{found.factor:.1f}x", f"{found.best:.1f}x"
    at_once = f"with {found.at_once} at once"
    why = because(found)
    if schedule.scheduler is SchedulerName.SEQUENTIAL and best != factor:
        yield f"speed-up: none, one task at a time; at best {best} {at_once}, because {why}"
    elif factor == best:
        yield f"speed-up: {factor} {at_once}, and no more, because {why}"
    else:
        yield f"speed-up: {factor} as scheduled, at best {best} {at_once}, because {why}"


def _origin(weights: Weights) -> str:
    counts = (
        (weights.estimated, "estimated"),
        (weights.measured, "as in earlier runs"),
        (weights.assumed, "taken for average"),
    )
    return ", ".join(f"{number} {how}" for number, how in counts if number)


def because(found: SpeedUp) -> str:
    """What limits the best there can be, in words."""
    limit: Limit = found.limit
    match limit.kind:
        case LimitKind.NEEDS:
            return f"these need each other: {_names(limit.tasks)}"
        case LimitKind.TASK if not found.weights.is_timed:
            return "all tasks run at once"
        case LimitKind.TASK:
            return f"task {quoted(limit.tasks[0])} alone takes that long"
        case LimitKind.FILE:
            return f"{len(limit.tasks)} tasks share {clean(limit.what)}"
        case LimitKind.RESOURCE:
            return f"{len(limit.tasks)} tasks hold {quoted(limit.what)}"
        case LimitKind.CAP:
            return "only so many may run"
        case LimitKind.BARRIER:
            return "groups wait for one another"


def _names(tasks: tuple[TaskId, ...]) -> str:
    shown = ", ".join(map(clean, tasks[:_MOST_NAMES]))
    return shown + (f" and {len(tasks) - _MOST_NAMES} more" if len(tasks) > _MOST_NAMES else "")
