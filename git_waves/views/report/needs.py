"""The graph of needs as shapes: a band for each group from top to bottom, its rounds as rows in it, needs as curves.

Bands keep it as wide as a page however many tasks there are, and put every task below those it needs. A need that follows
from others is not drawn.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from git_waves.core.graph import sort_topologically
from git_waves.core.report.model import Report, TaskReport
from git_waves.views.safe import clean

MOST_TASKS = 600
"""More than these are not drawn: nobody could follow the curves, and the table tells the same."""
WIDTH = 1000
_HEAD = 24  # of a band: its name
_BELOW = 14  # of a band: air
_SPACE = 26  # between two rows of a band
_SIDE = 16  # between two tasks of a row, at least
_APART = 70  # and at most
_LETTER = 6.4  # that a letter takes
_WITH_TITLES = 4  # so many in a row leave room for titles


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A task. Lengths are in units of the drawing; `name` and `title` are cut to fit, `title` is empty without room."""

    task: TaskReport
    name: str
    number: int
    x: float
    y: float
    width: float
    height: float
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A need, from the task that is needed to the one that needs it; `path` is for an SVG."""

    on: int
    task: int
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """A group."""

    name: str
    y: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """All of it; `hidden` is how many needs follow from others."""

    height: float
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    bands: tuple[Band, ...]
    hidden: int


def draw_needs(report: Report) -> Graph | None:
    """The shapes of a report's graph; None when nobody needs anybody, or there are too many to be drawn."""
    numbers = {task.id: number for number, task in enumerate(report.tasks)}
    needs = [
        sorted({numbers[need] for need in task.needs if need in numbers} - {number})
        for number, task in enumerate(report.tasks)
    ]
    if len(numbers) > MOST_TASKS or not any(needs):
        return None
    direct = list(_direct(needs))
    layout = _Layout(report, numbers, direct)
    return Graph(
        height=layout.height,
        nodes=tuple(layout.nodes),
        edges=tuple(layout.edges()),
        bands=tuple(layout.bands),
        hidden=sum(map(len, needs)) - sum(map(len, direct)),
    )


def _direct(needs: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """The needs of each task without those that another of its needs brings along. Sets of tasks are the bits of numbers."""
    before = _all_before(needs)
    for own in needs:
        yield [need for need in own if not any(before[other] >> need & 1 for other in own if other != need)]


def _all_before(needs: Sequence[Sequence[int]]) -> list[int]:
    """For each task those it needs, directly or not."""
    before = [0] * len(needs)
    for task in sort_topologically(needs):
        for need in needs[task]:
            before[task] |= 1 << need | before[need]
    return before


def _fitting(text: str, room: float) -> str:
    """`text`, cut to `room` by what letters usually take; wide letters of Asia take twice as much."""
    for place, letter in enumerate(text):
        room -= 2 * _LETTER if unicodedata.east_asian_width(letter) in "WF" else _LETTER
        if room < 0:
            return text[: max(place - 2, 1)].rstrip() + "..."
    return text


class _Layout:
    def __init__(self, report: Report, numbers: dict[str, int], needs: Sequence[Sequence[int]]) -> None:
        self.report = report
        self.needs = needs
        self.nodes: list[Node] = []
        self.bands: list[Band] = []
        self.height = 0.0
        bands = list(self._bands(numbers))
        widest = max(len(row) for _name, rows in bands for row in rows)
        self.per_row = widest if widest <= _WITH_TITLES else min(widest, 8)
        self.has_titles = widest <= _WITH_TITLES
        self.node_height = 46.0 if self.has_titles else 28.0
        self.node_width = min((WIDTH - _SIDE) / self.per_row - _SIDE, 300.0 if self.has_titles else 150.0)
        self.centre: dict[int, float] = {}
        for name, rows in bands:
            self._place(name, rows)
        self.by_number = {node.number: node for node in self.nodes}

    def _bands(self, numbers: dict[str, int]) -> Iterator[tuple[str, list[list[int]]]]:
        """Rows of tasks; first those that were done before the run, which are in no group."""
        before = [numbers[task.id] for task in self.report.tasks if not task.group]
        if before:
            yield "done before", [before]
        for group in self.report.state.groups:
            rows = [[numbers[task] for task in each] for each in group.rounds]
            if any(rows):
                yield f"group {group.name}", [row for row in rows if row]

    def _place(self, name: str, rows: list[list[int]]) -> None:
        top = self.height
        y = top + _HEAD
        for row in rows:
            ordered = sorted(row, key=self._pull)
            lines = math.ceil(len(row) / self.per_row)
            even = math.ceil(len(row) / lines)
            pitch = min(self.node_width + _APART, (WIDTH - _SIDE - self.node_width) / max(even - 0.5, 1))
            for line in range(lines):
                # Every other line is moved by half a task, so that curves from above pass between its tasks.
                aside = 0.0 if lines == 1 else pitch / 4 * (1 if line % 2 else -1)
                self._place_row(ordered[line::lines], y, pitch, aside)
                y += self.node_height + _SPACE
        self.height = y - _SPACE + _BELOW
        self.bands.append(Band(name=name, y=top, height=self.height - top))
        self.height += 12

    def _pull(self, task: int) -> float:
        """Where the tasks that it needs stand, on average: curves cross less when it stands near them."""
        places = [self.centre[need] for need in self.needs[task] if need in self.centre]
        return sum(places) / len(places) if places else WIDTH / 2

    def _place_row(self, row: Sequence[int], y: float, pitch: float, aside: float) -> None:
        x = (WIDTH - (len(row) - 1) * pitch - self.node_width) / 2 + aside
        for number in row:
            task = self.report.tasks[number]
            self.nodes.append(
                Node(
                    task=task,
                    number=number,
                    x=round(x, 1),
                    y=y,
                    width=round(self.node_width, 1),
                    height=self.node_height,
                    name=_fitting(clean(task.id), self.node_width - 40),
                    title=_fitting(clean(task.title), self.node_width - 24) if self.has_titles else "",
                )
            )
            self.centre[number] = x + self.node_width / 2
            x += pitch

    def edges(self) -> Iterator[Edge]:
        """A curve from the bottom of the one to the top of the other."""
        for task, needs in enumerate(self.needs):
            for need in needs:
                one, other = self.by_number.get(need), self.by_number.get(task)
                if one is None or other is None:
                    continue
                x1, y1 = one.x + one.width / 2, one.y + one.height
                x2, y2 = other.x + other.width / 2, other.y
                bend = max(min((y2 - y1) * 0.5, 60.0), 14.0)
                path = f"M{x1:g} {y1:g}C{x1:g} {y1 + bend:g} {x2:g} {y2 - bend:g} {x2:g} {y2 - 4:g}"
                yield Edge(on=need, task=task, path=path)
