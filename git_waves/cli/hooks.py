"""`git waves hooks uninstall`."""

from __future__ import annotations

import typer

from git_waves import tidy
from git_waves.adapters import terminal
from git_waves.cli import here
from git_waves.cli.command import Command, Group
from git_waves.errors import OK
from git_waves.views import tidy_text

app = typer.Typer(
    cls=Group,
    help="Take back what runs changed in the repository's configuration.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback()
def hooks() -> None:
    """Take back what runs changed in the repository's configuration."""


@app.command(cls=Command)
def uninstall() -> int:
    """Take extensions.worktreeConfig back, which runs need for their hooks."""
    terminal.write(tidy_text.uninstall_text(is_exact=tidy.uninstall_hooks(here.repository())))
    return OK
