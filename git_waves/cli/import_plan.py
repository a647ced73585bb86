"""`git waves import`."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from git_waves import importing
from git_waves.adapters import terminal
from git_waves.cli import here
from git_waves.errors import OK, PlanError, PlanProblem
from git_waves.views.coverage_json import coverage_json
from git_waves.views.coverage_text import coverage_text
from git_waves.views.safe import as_command, quoted, shell_word


def import_plan(
    sources: Annotated[
        list[str],
        typer.Argument(metavar="SOURCE...", help="Plans of other tools: files, folders, REV:PATH, or -."),
    ],
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Where; else standard output.")
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="The plan's name; else from the source.")
    ] = None,
    with_done: Annotated[
        bool, typer.Option("--with-done", help="Tasks that are done too, as work to do.")
    ] = False,
    report: Annotated[
        str | None,
        typer.Option("--report", metavar="FILE", help="The report goes here; else to standard error."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="The report as JSON; on standard output when the plan is not.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", "-f", help="Write over files that are there.")] = False,
) -> int:
    """Turn plans of other tools into one native plan, and say what is lost. Executes nothing.

    Exit codes: 0 written, 1 the sources contradict themselves, 2 nothing could be read or nothing is left to do.
    """
    repository = here.repository()
    imported = importing.import_plans(repository, sources, name=name, with_done=with_done)
    if output is not None and imported.text is not None:
        importing.write_new(repository, output, imported.text, force=force)
    elif imported.text is not None:
        terminal.write(imported.text)
    told = (
        json.dumps(coverage_json(imported.report), indent=2) + "\n"
        if as_json
        else coverage_text(imported.report)
    )
    if report is not None:
        importing.write_new(repository, report, told, force=force)
    elif as_json and output is not None:
        terminal.write(told)
    else:
        sys.stdout.flush()
        sys.stderr.write(told)
    if imported.text is None:
        problem = PlanProblem(
            0,
            "every task is done, so nothing is left to import",
            "import them as work to do with --with-done",
        )
        raise PlanError(", ".join(sources), (problem,), measured=False)
    if output is not None and not as_json:
        typed = as_command(f"git waves plan {shell_word(output)}")
        sys.stderr.write(f"wrote {quoted(output)}\nnext: {typed}\n")
    return OK
