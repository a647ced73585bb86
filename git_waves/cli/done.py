"""`git waves done`."""

from __future__ import annotations

from typing import Annotated

import typer

from git_waves import asking
from git_waves.adapters import terminal
from git_waves.cli import here
from git_waves.errors import OK
from git_waves.views import asked_text


def done(
    task: Annotated[
        str, typer.Argument(metavar="TASK", help="A task that waits for a person.", show_default=False)
    ],
    plan: here.PlanName = None,
) -> int:
    """Hand in an attended task: it is checked and merged like any other, or the run goes on behind a checkpoint."""
    terminal.write(asked_text.done_text(asking.done(here.repository(), task, plan=plan)))
    return OK
