"""`git waves owned`."""

from __future__ import annotations

from typing import Annotated

import typer

from git_waves import requests
from git_waves.adapters import terminal
from git_waves.cli import here
from git_waves.errors import OK
from git_waves.views import asked_text


def owned(
    nul: Annotated[bool, typer.Option("-z", help="End each path with NUL, unchanged.")] = False,
) -> int:
    """List the paths that the task of this worktree may change."""
    paths = requests.owned(requests.look_around(here.repository()))
    terminal.write("".join(f"{path}\0" for path in paths) if nul else asked_text.owned_text(paths))
    return OK
