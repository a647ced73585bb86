"""`git waves retry`."""

from __future__ import annotations

from typing import Annotated

import typer

from git_waves import asking
from git_waves.adapters import terminal
from git_waves.cli import here
from git_waves.errors import OK
from git_waves.formats.limits import read_limits
from git_waves.views import asked_text


def retry(
    task: Annotated[
        str,
        typer.Argument(
            metavar="TASK",
            help="A failed, parked or skipped task, or one that broke a gate.",
            show_default=False,
        ),
    ],
    grant: Annotated[
        list[str] | None,
        typer.Option("--grant", metavar="PATH", help="Let the task change this file too; may be repeated."),
    ] = None,
    budget: here.Limits = None,
    plan: here.PlanName = None,
) -> int:
    """Give a failed or parked task another attempt."""
    limits = read_limits(budget or ())
    asked = asking.retry(here.repository(), task, plan=plan, grant=tuple(grant or ()), budget=limits)
    terminal.write(asked_text.retry_text(asked))
    return OK
