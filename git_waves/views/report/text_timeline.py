"""The timeline in letters, for terminals and mails."""

from __future__ import annotations

from collections.abc import Iterator

from git_waves.core import fold
from git_waves.core.report.model import Report, TaskReport
from git_waves.views.report.clock import Clock
from git_waves.views.report.scale import Scale
from git_waves.views.safe import clean, cut

_WIDE = 64  # columns of the line
_NAME = 20
_FELL = {fold.FAILED: "x", fold.PARKED: "!", "interrupted": "/"}
LEGEND = "`=` agent, `.` other rungs, `-` waits for its merge, `*` merged, `x` failed, `!` parked, `/` interrupted, `|` barrier"


def text_timeline(report: Report, clock: Clock) -> Iterator[str]:
    """A line of times, then a line for each task that had an attempt."""
    scale = Scale(report)
    tasks = [task for task in report.tasks if task.attempts]
    name = min(max((len(clean(task.id)) for task in tasks), default=0), _NAME)
    yield f"{'':<{name}} {_times(scale, clock)}".rstrip()
    for task in tasks:
        yield f"{cut(clean(task.id), name):<{name}} {_line(report, task, scale)}".rstrip()


def _times(scale: Scale, clock: Clock) -> str:
    line = [" "] * (_WIDE + 8)
    is_fine = scale.step() < 60
    free = 0
    for tick in scale.ticks(clock):
        column = _column(tick.place)
        if column >= free:
            text = clock.time(tick.at, with_seconds=is_fine)
            line[column : column + len(text)] = text
            free = column + len(text) + 1
    return "".join(line).rstrip()


def _column(place: float) -> int:
    return min(int(place * _WIDE), _WIDE - 1)


def _line(report: Report, task: TaskReport, scale: Scale) -> str:
    line = [" "] * _WIDE
    for barrier in report.barriers:
        line[_column(scale.place(barrier.at))] = "|"
    for attempt in task.attempts:
        _fill(line, scale, attempt.span.begin, attempt.span.end, ".")
        for rung in attempt.rungs:
            _fill(line, scale, rung.span.begin, rung.span.end, "=" if rung.name == "agent" else ".")
        if attempt.ended in _FELL:
            line[_column(scale.place(attempt.span.end))] = _FELL[attempt.ended]
    if task.merged_at is not None and task.passed is not None:
        begin, end = _column(scale.place(task.passed.span.end)), _column(scale.place(task.merged_at))
        line[begin + 1 : end] = "-" * max(end - begin - 1, 0)
        line[end] = "*"
    return "".join(line)


def _fill(line: list[str], scale: Scale, begin: float, end: float, letter: str) -> None:
    first, last = _column(scale.place(begin)), _column(scale.place(end))
    line[first : max(last, first + 1)] = letter * max(last - first, 1)
