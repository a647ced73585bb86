"""`git waves status`. `quick` answers the plain question before this file is ever loaded."""

from __future__ import annotations

from typing import Annotated

import typer

from git_waves import quick
from git_waves.cli import here
from git_waves.errors import UsageError


def status(
    plan: here.PlanName = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON value.")] = False,
    porcelain: Annotated[bool, typer.Option("--porcelain", help="One record a line, for scripts.")] = False,
    nul: Annotated[bool, typer.Option("-z", help="End porcelain records with NUL.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Look on until the run ends.")] = False,
) -> int:
    """Show every task, why it waits, and what to type next."""
    common_dir = str(here.repository().common_dir)
    if watch and (json or porcelain or nul):
        raise UsageError(
            "--watch draws for people and goes with no other form", hint="git waves status --watch"
        )
    if watch:
        from git_waves.cli.watching import watch as look_on

        return look_on(common_dir, plan)
    form = "porcelain" if porcelain or nul else "json" if json else "text"
    return quick.show_status(common_dir, quick.StatusOptions(form=form, nul=nul, plan=plan))
