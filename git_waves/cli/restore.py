"""`git waves restore`."""

from __future__ import annotations

from typing import Annotated

import typer

from git_waves import restoring
from git_waves.adapters import terminal
from git_waves.cli import here
from git_waves.errors import OK, UsageError
from git_waves.views import restore_text


def restore(
    task: Annotated[
        str | None,
        typer.Argument(metavar="TASK", help="A task's id, or a ref that is listed.", show_default=False),
    ] = None,
    attempt: Annotated[
        int | None, typer.Option("--attempt", metavar="N", help="This attempt of the task.")
    ] = None,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="BRANCH", help="The branch to make; else restored/TASK.N."),
    ] = None,
    worktree: Annotated[
        str | None, typer.Option("--worktree", metavar="PATH", help="Check it out there, in a new folder.")
    ] = None,
    plan: here.PlanName = None,
) -> int:
    """Bring archived work back, on a branch of its own; without TASK, list what there is."""
    repository = here.repository()
    found = restoring.archived(repository, task, plan=plan, attempt=attempt)
    if task is None:
        terminal.write(restore_text.archived_text(found))
        return OK
    if len(found) > 1:
        terminal.write(restore_text.archived_text(found))
        raise UsageError(
            f"{len(found)} archives are meant by '{task}'", hint="give one of the refs above, or --attempt N"
        )
    restored = restoring.restore(repository, found[0], branch=to, worktree=worktree)
    terminal.write(restore_text.restored_text(restored))
    return OK
