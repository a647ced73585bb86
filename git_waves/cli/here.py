"""The repository a command is typed in, and who reads what it prints."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from git_waves import quick
from git_waves.adapters.repo import Repository, open_repository
from git_waves.views.paint import Paint

PlanName = Annotated[
    str | None,
    typer.Option(
        "--plan", metavar="NAME", help="The plan whose newest run is meant; else the newest of all."
    ),
]
PlanSpec = Annotated[
    str | None,
    typer.Argument(
        metavar="PLAN",
        help="A path, REV:PATH, or - for standard input; else waves.plan, else .waves/plan.yaml.",
    ),
]
Limits = Annotated[
    list[str] | None,
    typer.Option(
        "--budget",
        metavar="LIMIT=N",
        help="Another limit than the plan's: wall_clock, quiet, tokens or cost; N may be 'none'. May be repeated.",
    ),
]


def repository() -> Repository:
    """The repository around the current folder; SurroundingsError when there is none we can work in."""
    return open_repository(Path.cwd())


def paint() -> Paint:
    """Colour when a person looks at standard output, and the advice that is wanted."""
    return quick.terminal_paint()
