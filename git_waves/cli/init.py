"""`git waves init`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from git_waves import plan_files
from git_waves.adapters import terminal
from git_waves.cli import here
from git_waves.errors import OK
from git_waves.views.init_text import found_text
from git_waves.views.safe import as_command, quoted, shell_word


def init(
    path: Annotated[
        str | None, typer.Argument(metavar="PATH", help="Where; else waves.plan, else .waves/plan.yaml.")
    ] = None,
) -> int:
    """Write a commented starting plan that can be run as it is.

    It asks nothing: the base, installed agents, and commands that test this repository are found out and stand in it.
    """
    start = plan_files.write_starting_plan(here.repository(), path)
    shown = os.path.relpath(start.file, Path.cwd())
    named = f" {shell_word(shown)}" if path is not None else ""
    terminal.write(
        f"wrote {quoted(shown)}\n{found_text(start.base, start.agents, start.gates)}next: edit it, then {as_command(f'git waves plan{named}')}\n"
    )
    return OK
