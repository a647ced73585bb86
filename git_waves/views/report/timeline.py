"""The timeline as shapes: a row for each task, places in percent of the line, so that it fits every width."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from git_waves.core import fold
from git_waves.core.report.chronicle import INTERRUPTED
from git_waves.core.report.model import Attempt, GateRun, Report, TaskReport
from git_waves.views import age
from git_waves.views.report import words
from git_waves.views.report.clock import Clock
from git_waves.views.report.scale import Scale

_THIN = 0.003  # of the line; nothing that happened is drawn narrower
_EDGE = 0.94  # of the line; a label behind it would not fit
_LEFT, _SCALE = 1.0, 97.5  # percent: marks at either end need room
CHART = 44  # pixels of height of the chart of how many ran at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A stretch of time: `kind` is how it looks, `at` and `width` are percentages, `title` says what it is."""

    kind: str
    at: str
    width: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A moment. The label of one that `is_late` would not fit, that of one that `is_extra` is left out on a phone."""

    kind: str
    at: str
    title: str
    is_late: bool = False
    is_extra: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One task: its bars and marks, and how it stands."""

    task: TaskReport
    number: int
    bars: tuple[Bar, ...]
    marks: tuple[Mark, ...]
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """One group: its gates above the rows of its tasks."""

    name: str
    words: str
    gates: tuple[Bar, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """How many ran at once for a while; `top` and `height` in pixels of the chart."""

    at: str
    width: str
    top: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """All of it. `lid` is the height at which the line of what may run at once is drawn."""

    ticks: tuple[Mark, ...]
    rests: tuple[Bar, ...]
    barriers: tuple[Mark, ...]
    tracks: tuple[Track, ...]
    columns: tuple[Column, ...]
    lid: float
    peak: int


def draw_timeline(report: Report, clock: Clock) -> Timeline:
    """The shapes of a report's timeline."""
    return _Drawing(report, clock).whole()


def _at(place: float) -> str:
    """A place on the line, as SVG writes it."""
    return f"{round(_LEFT + _SCALE * place, 2):g}%"


def _wide(length: float) -> str:
    """A length on the line."""
    return f"{round(_SCALE * length, 2):g}%"


class _Drawing:
    def __init__(self, report: Report, clock: Clock) -> None:
        self.report = report
        self.clock = clock
        self.scale = Scale(report)
        self.numbers = {task.id: number for number, task in enumerate(report.tasks)}

    def whole(self) -> Timeline:
        is_fine = self.scale.step() < 60
        most = max(self.report.overlap.peak, self.report.state.max_parallel, 1)
        return Timeline(
            ticks=tuple(
                Mark(
                    kind="tick",
                    at=_at(tick.place),
                    title=self.clock.time(tick.at, with_seconds=is_fine),
                    is_late=tick.place > _EDGE,
                    is_extra=bool(number % (4 if is_fine else 2)),
                )
                for number, tick in enumerate(self.scale.ticks(self.clock))
            ),
            rests=tuple(
                self._bar("rest", span.begin, span.end, f"at rest for {age.words(span.seconds)}")
                for span in self.scale.rests
            ),
            barriers=tuple(
                Mark(
                    kind="barrier",
                    at=_at(self.scale.place(barrier.at)),
                    title=f"group {barrier.group} integrated at {barrier.commit[: words.SHORT]}",
                )
                for barrier in self.report.barriers
            ),
            tracks=tuple(self._tracks()),
            columns=tuple(self._columns(most)),
            lid=self._top(self.report.state.max_parallel, most),
            peak=self.report.overlap.peak,
        )

    def _bar(self, kind: str, begin: float, end: float, title: str) -> Bar:
        start = self.scale.place(begin)
        width = max(self.scale.place(end) - start, _THIN)
        return Bar(kind=kind, at=_at(min(start, 1 - width)), width=_wide(width), title=title)

    # ------------------------------------------------------------------ rows

    def _tracks(self) -> Iterator[Track]:
        of_group: dict[str, list[TaskReport]] = {group.name: [] for group in self.report.state.groups}
        for task in self.report.tasks:
            of_group.setdefault(task.group, []).append(task)
        passed = {barrier.group: barrier.at for barrier in self.report.barriers}
        for name, tasks in of_group.items():
            if not tasks:
                continue
            at = passed.get(name)
            yield Track(
                name=name,
                words=f"integrated {self.clock.time(at)}" if at is not None else "",
                gates=tuple(
                    self._gate(run) for gate in self.report.gates for run in gate.runs if run.group == name
                ),
                rows=tuple(map(self._row, tasks)),
            )

    def _gate(self, run: GateRun) -> Bar:
        title = f"gate {run.gate}, {words.run_place(run)}: {words.run_word(run)} after {words.fine(run.span.seconds)}"
        return self._bar(words.run_look(run), run.span.begin, run.span.end, title)

    def _row(self, task: TaskReport) -> Row:
        return Row(
            task=task,
            number=self.numbers[task.id],
            bars=(
                *self._queue(task),
                *(bar for attempt in task.attempts for bar in self._attempt(attempt)),
            ),
            marks=tuple(self._marks(task)),
            words=words.task_words(task),
        )

    def _attempt(self, attempt: Attempt) -> Iterator[Bar]:
        which = f"attempt {attempt.number}"
        found = f", {attempt.taken_up} by a later coordinator" if attempt.taken_up else ""
        whole = f"{which}{found}: {words.ended(attempt)} after {age.words(attempt.span.seconds)}"
        fell = " fell" if attempt.ended in (fold.FAILED, fold.PARKED, INTERRUPTED) else ""
        yield self._bar(f"attempt{fell}", attempt.span.begin, attempt.span.end, whole)
        for rung in attempt.rungs:
            kind = rung.name if rung.name in ("agent", "verify", "environment") else "stage"
            title = f"{which}: {rung.name}, {words.fine(rung.span.seconds)}"
            yield self._bar(f"rung {kind}{fell}", rung.span.begin, rung.span.end, title)

    def _queue(self, task: TaskReport) -> Iterator[Bar]:
        if task.passed is not None and task.merged_at is not None:
            yield self._bar("queue", task.passed.span.end, task.merged_at, "waits for its merge")

    def _marks(self, task: TaskReport) -> Iterator[Mark]:
        for attempt in task.attempts:
            if attempt.ended in (fold.FAILED, fold.PARKED, INTERRUPTED):
                at = _at(self.scale.place(attempt.span.end))
                yield Mark(kind=attempt.ended, at=at, title=f"{words.ended(attempt)}")
        if task.merged_at is not None:
            at = _at(self.scale.place(task.merged_at))
            yield Mark(kind="merged", at=at, title=f"merged {self.clock.time(task.merged_at)}")

    # ------------------------------------------------------------------ how many at once

    def _columns(self, most: int) -> Iterator[Column]:
        steps = self.report.overlap.steps
        for number, (at, count) in enumerate(steps):
            if not count or number + 1 == len(steps):
                continue
            start, end = self.scale.place(at), self.scale.place(steps[number + 1][0])
            top = self._top(count, most)
            yield Column(
                at=_at(start), width=_wide(max(end - start, 0.0)), top=top, height=round(CHART - top, 2)
            )

    def _top(self, count: int, most: int) -> float:
        return round(CHART - (CHART - 6) * count / most, 2)
