"""`git waves skip`."""

from __future__ import annotations

from typing import Annotated

import typer

from git_waves import asking
from git_waves.adapters import terminal
from git_waves.cli import here
from git_waves.errors import OK
from git_waves.views import asked_text


def skip(
    task: Annotated[
        str, typer.Argument(metavar="TASK", help="A task that is not integrated yet.", show_default=False)
    ],
    reason: Annotated[str, typer.Option("--reason", metavar="WHY", help="Why; the report repeats it.")],
    plan: here.PlanName = None,
) -> int:
    """Go on without a task. What needs it is blocked, and its work so far is kept."""
    asked = asking.skip(here.repository(), task, plan=plan, reason=reason)
    terminal.write(asked_text.skip_text(asked))
    return OK
