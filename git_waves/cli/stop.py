"""`git waves stop`."""

from __future__ import annotations

from typing import Annotated

import typer

from git_waves import asking
from git_waves.adapters import terminal
from git_waves.cli import here
from git_waves.errors import OK, VIOLATION
from git_waves.views import asked_text


def stop(
    plan: here.PlanName = None,
    now: Annotated[bool, typer.Option("--now", help="End the agents too; their tasks start over.")] = False,
) -> int:
    """Let what is in flight finish, then leave. `git waves run` goes on later.

    When nobody runs the plan, background writers that a crash left stopped go on.
    """
    asked = asking.stop(here.repository(), plan=plan, now=now)
    terminal.write(asked_text.stop_text(asked, now=now))
    return OK if asked.is_done else VIOLATION
