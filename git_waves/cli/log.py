"""`git waves log`."""

from __future__ import annotations

from typing import Annotated

import typer

from git_waves import logs, lookup
from git_waves.adapters import terminal
from git_waves.cli import here
from git_waves.errors import OK
from git_waves.views.output_text import Inert


def log(
    name: Annotated[
        str,
        typer.Argument(
            metavar="TASK", help="A task's id, gate:NAME, or background:NAME.", show_default=False
        ),
    ],
    follow: Annotated[bool, typer.Option("-f", "--follow", help="Look on until it ends.")] = False,
    attempt: Annotated[
        int | None, typer.Option("--attempt", metavar="N", help="An earlier attempt, or round of a gate.")
    ] = None,
    rung: Annotated[
        str, typer.Option("--rung", metavar="NAME", help="Another rung's output, such as verify-0.")
    ] = "agent",
    plan: here.PlanName = None,
) -> int:
    """Show what a task or a gate printed."""
    repository = here.repository()
    path = logs.find_log(
        lookup.find_run(repository, plan), name, attempt=attempt, rung=rung, is_awaited=follow
    )
    inert = Inert()
    for piece in logs.follow(path, lambda: not follow or logs.has_ended(repository, path, name, plan)):
        terminal.write(inert.feed(piece))
    terminal.write(inert.end())
    return OK
