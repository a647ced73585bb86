"""`git waves explain`."""

from __future__ import annotations

from typing import Annotated

import typer

from git_waves.adapters import terminal
from git_waves.cli import here
from git_waves.core.findings.catalog import CATALOG
from git_waves.core.findings.catalog import explain as look_up
from git_waves.errors import OK, UsageError
from git_waves.views.explain_text import all_codes_text, explain_text


def explain(
    code: Annotated[
        str | None,
        typer.Argument(metavar="CODE", help="A finding's code, such as W101; all codes when left out."),
    ] = None,
) -> int:
    """Say what a finding means and what to do about it."""
    if code is None:
        terminal.write(all_codes_text(CATALOG))
        return OK
    found = look_up(code)
    if found is None:
        raise UsageError(f"there is no finding '{code}'", hint="'git waves explain' lists them all")
    terminal.write(explain_text(code.upper(), found, width=terminal.width(), paint=here.paint()))
    return OK
