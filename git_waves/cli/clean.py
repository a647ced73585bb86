"""`git waves clean`."""

from __future__ import annotations

from typing import Annotated

import typer

from git_waves import tidy
from git_waves.adapters import terminal
from git_waves.cli import here
from git_waves.errors import OK, SURROUNDINGS
from git_waves.views import tidy_text


def clean(
    plan: Annotated[str | None, typer.Option("--plan", metavar="NAME", help="Only this plan's.")] = None,
    rehearsal: Annotated[
        bool, typer.Option("--dry-run", "-n", help="Only tell what would be removed.")
    ] = False,
    archive: Annotated[
        bool,
        typer.Option(
            "--archive", help="Worktrees that are not merged too, saved in refs/waves/archive first."
        ),
    ] = False,
) -> int:
    """Remove worktrees and branches of tasks that are proved merged; say why the rest is kept."""
    found = tidy.clean(here.repository(), plan=plan, is_rehearsal=rehearsal, archives=archive)
    terminal.write(tidy_text.clean_text(found, is_rehearsal=rehearsal))
    return SURROUNDINGS if any(item.is_trouble for item in found) else OK
