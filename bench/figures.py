"""A figure with its aim and whether it is met, and figures as a table for a terminal or for a document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table

from bench.timing import Clock, Measured, Ratio

HEADINGS = ("", "what", "ours", "against", "ratio", "spread", "by cpu", "aim", "met")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One line of a table. `aim` is the number of the aim in docs/performance.md (`G1`); `is_met` is None where a
    line only informs."""

    aim: str
    what: str
    ours: str
    against: str = ""
    ratio: str = ""
    spread: str = ""
    by_cpu: str = ""
    wanted: str = ""
    is_met: bool | None = None

    def cells(self) -> tuple[str, ...]:
        """The line's cells, under `HEADINGS`."""
        met = {True: "yes", False: "NO", None: ""}[self.is_met]
        return (
            self.aim,
            self.what,
            self.ours,
            self.against,
            self.ratio,
            self.spread,
            self.by_cpu,
            self.wanted,
            met,
        )


def compared(
    measured: Measured,
    name: str,
    base: str,
    *,
    aim: str = "",
    limit: float | None = None,
    clock: Clock = "wall",
    what: str = "",
) -> Figure:
    """One case against another. A limit is met when the median of the ratios is at most that."""
    ratio = measured.ratio(name, base, clock)
    return Figure(
        aim=aim,
        what=what or name,
        ours=milliseconds(measured.ms(name, clock)),
        against=f"{base}: {milliseconds(measured.ms(base, clock))}",
        ratio=times(ratio.median),
        spread=spread(ratio),
        by_cpu="" if clock == "cpu" else times(measured.ratio(name, base, "cpu").median),
        wanted="" if limit is None else f"<= {times(limit)}",
        is_met=None if limit is None else ratio.median <= limit,
    )


def spread(ratio: Ratio) -> str:
    """The lowest and highest ratio of a single round, and how many rounds there were."""
    return f"{times(ratio.low)} to {times(ratio.high)} in {ratio.rounds}"


def milliseconds(value: float) -> str:
    """A duration given in milliseconds, with three digits or so."""
    if value >= 10_000:
        return f"{value / 1000:.1f} s"
    if value >= 100:
        return f"{value:.0f} ms"
    return f"{value:.1f} ms" if value >= 1 else f"{value:.3f} ms"


def times(value: float) -> str:
    """A ratio."""
    if value >= 10:
        return f"{value:.1f}x"
    return f"{value:.2f}x" if value >= 0.1 else f"{value:.3f}x"


def as_table(title: str, figures: Iterable[Figure]) -> Table:
    """The figures for a terminal."""
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for heading in HEADINGS:
        table.add_column(
            heading, justify="right" if heading in ("ours", "ratio", "by cpu") else "left", overflow="fold"
        )
    for figure in figures:
        style = {True: "green", False: "red", None: ""}[figure.is_met]
        *cells, met = figure.cells()
        table.add_row(*cells, f"[{style}]{met}[/{style}]" if style else met)
    return table


def as_markdown(title: str, figures: Sequence[Figure]) -> str:
    """The figures for a document."""
    lines = [f"### {title}", "", f"| {' | '.join(HEADINGS)} |", "|---|---|--:|---|--:|---|--:|---|---|"]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in one.cells()) + " |" for one in figures]
    return "\n".join(lines) + "\n"


def show(title: str, figures: Sequence[Figure], *, markdown: bool) -> None:
    """Print the figures of one family."""
    if markdown:
        print(as_markdown(title, figures), flush=True)
        return
    console = Console(highlight=False)
    if not console.is_terminal:  # a file or a pipe has no width to keep to
        console = Console(highlight=False, width=200)
    console.print(as_table(title, figures))
