"""`git waves review`."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from git_waves import reviewing
from git_waves.adapters import terminal
from git_waves.cli import here
from git_waves.core.review import Word
from git_waves.errors import OK, UsageError
from git_waves.views.review_json import recorded_json, review_json
from git_waves.views.review_text import recorded_text, review_text


def review(
    spec: here.PlanSpec = None,
    word: Annotated[
        Word | None, typer.Option("--record", help="Record a verdict on the plan's content as it is now.")
    ] = None,
    by: Annotated[str | None, typer.Option("--by", metavar="NAME", help="Who gives the verdict.")] = None,
    note: Annotated[str | None, typer.Option("--note", metavar="TEXT", help="Why; a run repeats it.")] = None,
    content: Annotated[
        str | None,
        typer.Option(
            "--content", metavar="ID", help="What was read; refused when the plan has changed since."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON value.")] = False,
) -> int:
    """Print a sheet for a second reader of the plan, or record the verdict. Executes nothing."""
    repository = here.repository()
    if word is None:
        if by is not None or note is not None or content is not None:
            raise UsageError("--by, --note and --content go with a verdict", hint="--record approve|revise")
        found = reviewing.look(repository, spec)
        terminal.write(_json(review_json(found)) if as_json else review_text(found, spec=spec))
        return OK
    if by is None:
        raise UsageError("a verdict needs the name of who gives it", hint="--by NAME")
    done = reviewing.record(repository, spec, word=word, by=by, note=note or "", content=content)
    terminal.write(_json(recorded_json(done)) if as_json else recorded_text(done))
    return OK


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2) + "\n"
