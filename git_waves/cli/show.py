"""`git waves show`."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from git_waves import showing
from git_waves.adapters import terminal
from git_waves.cli import here
from git_waves.errors import OK
from git_waves.views.safe import clean_lines
from git_waves.views.show_text import show_text


def show(
    task: Annotated[str, typer.Argument(metavar="TASK", help="A task's id.", show_default=False)],
    prompt: Annotated[
        bool, typer.Option("--prompt", help="Only what its agent was told, or would be told.")
    ] = False,
    plan: here.PlanName = None,
) -> int:
    """Show one task: what it owns, its rungs, what it changed, how it ended."""
    if prompt:
        terminal.write(clean_lines(showing.prompt_of(here.repository(), task, plan=plan)))
        return OK
    shown = showing.gather(here.repository(), task, plan=plan)
    terminal.write(show_text(shown, now=time.time(), paint=here.paint()))
    return OK
