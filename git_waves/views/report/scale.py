"""Where a moment lies on a line from 0 to 1: time at work is drawn to scale, rests in between as narrow gaps."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from git_waves.core.report.model import Report, Span
from git_waves.views.report.clock import Clock

_GAP = 0.035  # of the line, that a rest takes
_ALL_GAPS = 0.3  # of the line, that all rests take at most
_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400)
_MOST_TICKS = 8
_APART = 0.07  # of the line, between two labels


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """A mark on the line: where, and the time it stands for."""

    at: float
    place: float


class Scale:
    """The line of one report."""

    def __init__(self, report: Report) -> None:
        attempts = [attempt.span for task in report.tasks for attempt in task.attempts]
        gates = [run.span for gate in report.gates for run in gate.runs]
        busy = _joined([*(session.span for session in report.sessions), *attempts, *gates])
        if not busy:
            busy = [report.span]
        total = sum(span.seconds for span in busy)
        # A rest that is no longer than its gap would be is drawn as it is.
        joined = [busy[0]]
        for span in busy[1:]:
            if span.begin - joined[-1].end <= _GAP * total:
                joined[-1] = Span(begin=joined[-1].begin, end=span.end)
            else:
                joined.append(span)
        self.work = tuple(joined)
        self.rests = tuple(Span(begin=one.end, end=other.begin) for one, other in pairwise(joined))
        gap = min(_GAP, _ALL_GAPS / len(self.rests)) if self.rests else 0.0
        total = sum(span.seconds for span in joined)
        self._rate = (1.0 - gap * len(self.rests)) / total if total else 0.0
        self._begins = [span.begin for span in joined]
        self._starts: list[float] = []
        place = 0.0
        for span in joined:
            self._starts.append(place)
            place += span.seconds * self._rate + gap

    def place(self, at: float) -> float:
        """Where `at` lies; what lies in a rest is drawn at its beginning or its end, whichever is nearer."""
        number = max(bisect_right(self._begins, at) - 1, 0)
        span = self.work[number]
        if at > span.end and number + 1 < len(self.work):
            nearer = at - span.end <= self.work[number + 1].begin - at
            return self._starts[number] + span.seconds * self._rate if nearer else self._starts[number + 1]
        inside = min(max(at - span.begin, 0.0), span.seconds)
        return self._starts[number] + inside * self._rate

    def ticks(self, clock: Clock) -> tuple[Tick, ...]:
        """Round times of day, far enough apart to be labelled."""
        found: list[Tick] = []
        for at in self._round_times(clock):
            place = self.place(at)
            if not found or place - found[-1].place >= _APART:
                found.append(Tick(at=at, place=place))
        return tuple(found)

    def step(self) -> int:
        """Seconds between two ticks."""
        total = sum(span.seconds for span in self.work)
        return next((step for step in _STEPS if total / step <= _MOST_TICKS), _STEPS[-1])

    def _round_times(self, clock: Clock) -> Iterator[float]:
        step = self.step()
        for span in self.work:
            at = span.begin - clock.since_midnight(span.begin) % step
            while at <= span.end:
                if at >= span.begin:
                    yield at
                at += step


def _joined(spans: Sequence[Span]) -> list[Span]:
    found: list[Span] = []
    for span in sorted(spans, key=lambda one: one.begin):
        if found and span.begin <= found[-1].end:
            found[-1] = Span(begin=found[-1].begin, end=max(found[-1].end, span.end))
        else:
            found.append(span)
    return found
