"""`git waves request`."""

from __future__ import annotations

from typing import Annotated

import typer

from git_waves import requests
from git_waves.adapters import terminal
from git_waves.cli import here
from git_waves.errors import OK
from git_waves.views import asked_text


def request(
    path: Annotated[str, typer.Argument(metavar="PATH", help="The file that is needed.", show_default=False)],
    reason: Annotated[str, typer.Option("--reason", metavar="WHY", help="What it is needed for.")],
) -> int:
    """Ask for a path that the task of this worktree does not own, and stop."""
    terminal.write(asked_text.request_text(requests.request(here.repository(), path, reason)))
    return OK
