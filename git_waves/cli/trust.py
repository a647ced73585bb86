"""`git waves trust`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from git_waves import trusting
from git_waves.adapters import terminal
from git_waves.adapters import trust as trusted
from git_waves.cli import here
from git_waves.core.trusted import Stranger
from git_waves.errors import OK, VIOLATION, UsageError
from git_waves.views import trust_text


def trust(
    spec: here.PlanSpec = None,
    content: Annotated[
        str | None,
        typer.Option(
            "--content", metavar="ID", help="Allow it without a question, if its content is still this."
        ),
    ] = None,
    revoke: Annotated[bool, typer.Option("--revoke", help="Take it back.")] = False,
) -> int:
    """Show what a plan that came from elsewhere would execute, and allow exactly that content to run here.

    Exit codes: 0 it may run, 1 it may not.
    """
    if content is not None and revoke:
        raise UsageError("--content and --revoke are each other's opposite", hint="choose one")
    repository = here.repository()
    found = trusting.look(repository, spec)
    if revoke:
        was_there = trusted.revoke(repository.common_dir, found.stranger.blob)
        terminal.write(trust_text.revoked_text(found.stranger, was_there=was_there))
        return OK
    if content is None:
        terminal.write(trust_text.stranger_text(found.stranger, paint=here.paint()))
    if found.may_run and content is None:
        return OK
    if content is None and not _says_yes():
        terminal.write(trust_text.how_to_allow(found.stranger, spec))
        return VIOLATION
    trusting.allow(repository, found.stranger, content)
    terminal.write(trust_text.allowed_text(found.stranger))
    return OK


def ask(stranger: Stranger) -> bool:
    """Show the plan and ask whoever sits at the terminal; False when nobody does, or says no."""
    if not _is_attended():
        return False
    terminal.write(trust_text.stranger_text(stranger, paint=here.paint()))
    return _says_yes()


def _says_yes() -> bool:
    if not _is_attended():
        return False
    terminal.write(trust_text.QUESTION)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _is_attended() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()
