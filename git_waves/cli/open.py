"""`git waves open`."""

from __future__ import annotations

from typing import Annotated

import typer

from git_waves import attending
from git_waves.adapters import terminal
from git_waves.adapters.shell import open_shell
from git_waves.cli import here
from git_waves.errors import OK
from git_waves.views import attended_text


def open(  # the command's name
    task: Annotated[
        str,
        typer.Argument(metavar="TASK", help="A task that waits for a person, or fell.", show_default=False),
    ],
    only_print: Annotated[
        bool, typer.Option("--print", help="Print where the worktree is, and start no shell.")
    ] = False,
    plan: here.PlanName = None,
) -> int:
    """Start a shell in a task's worktree, behind the same hooks as an agent. 'git waves done' hands the work in."""
    repository = here.repository()
    place = attending.place_of(repository, task, plan=plan)
    if only_print:
        terminal.write(f"{place.folder}\n")
        return OK
    terminal.write(attended_text.welcome_text(place.task, place.folder, is_checkpoint=place.is_checkpoint))
    open_shell(place.folder, place.environment)
    state = attending.state_now(repository, place)
    terminal.write(attended_text.farewell_text(state, state.tasks[place.task.id]))
    return OK
