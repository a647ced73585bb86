"""`git waves plan`."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from typing import Annotated

import typer

from git_waves import plan_files, planning
from git_waves.adapters import terminal
from git_waves.adapters.repo import Repository
from git_waves.cli import here
from git_waves.core.analysis import Analysis
from git_waves.core.findings import exit_code
from git_waves.errors import OK, PlanError, UsageError
from git_waves.formats.source import PlanText
from git_waves.views.coverage_text import loss_note
from git_waves.views.hoist_text import hoist_text
from git_waves.views.manifest_text import manifest_text
from git_waves.views.plan_github import findings_github, plan_error_github
from git_waves.views.plan_json import plan_error_json, plan_json
from git_waves.views.plan_text import plan_text
from git_waves.views.promote_text import promote_text


class Format(StrEnum):
    """How `plan` answers."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"


def plan(
    spec: here.PlanSpec = None,
    max_parallel: Annotated[
        int | None, typer.Option("--max", metavar="N", min=1, help="How many tasks may run at once.")
    ] = None,
    form: Annotated[
        Format, typer.Option("--format", help="For people, programs, or pull requests.")
    ] = Format.TEXT,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format=json.")] = False,
    manifest: Annotated[bool, typer.Option("--manifest", help="Only who owns which path.")] = False,
    no_history: Annotated[
        bool, typer.Option("--no-history", help="Leave out which files changed together so far.")
    ] = False,
    stamp: Annotated[bool, typer.Option("--stamp", help="Write the chosen scheduler into the plan.")] = False,
    hoist: Annotated[
        list[str] | None,
        typer.Option(
            "--hoist", metavar="PATH", help="Print the plan with PATH given to one last task; repeatable."
        ),
    ] = None,
    write: Annotated[bool, typer.Option("--write", help="With --hoist: change the plan's file.")] = False,
    promote: Annotated[
        bool,
        typer.Option("--promote", help="Write orders that only the text asks for as needs into the plan."),
    ] = False,
) -> int:
    """Show groups, ownership and everything wrong with a plan. Executes nothing.

    Exit codes: 0 clean, 1 a violation, 2 nothing could be measured.
    """
    form = Format.JSON if as_json else form
    if write and not hoist:
        raise UsageError("--write goes with --hoist", hint="git waves plan --hoist PATH --write")
    if hoist and (manifest or stamp or form is not Format.TEXT):
        raise UsageError(
            "--hoist prints a plan, and goes with no other form", hint="git waves plan --hoist PATH"
        )
    if promote and (hoist or manifest or stamp or form is not Format.TEXT):
        raise UsageError(
            "--promote changes a plan, and goes with nothing else", hint="git waves plan --promote"
        )
    repository = here.repository()
    try:
        text = planning.read_text(repository, spec)
        if hoist:
            return _hoist(repository, text, hoist, is_written=write)
        if promote:
            return _promote(repository, text)
        reading = planning.read_whole(text, repository)
        analysis = planning.analyse(
            reading.plan, repository=repository, max_parallel=max_parallel, with_history=not no_history
        )
    except PlanError as error:
        if form is Format.JSON:
            terminal.write(json.dumps(plan_error_json(error), indent=2) + "\n")
        elif form is Format.GITHUB:
            terminal.write(plan_error_github(error))
        raise
    if stamp:
        plan_files.stamp(repository, text, analysis.schedule.scheduler)
    terminal.write(_answer(analysis, form, spec, is_manifest=manifest))
    if form is Format.TEXT and here.paint().advises("format"):
        sys.stderr.write(loss_note(reading, spec))
    return exit_code(analysis.findings)


def _hoist(repository: Repository, text: PlanText, paths: list[str], *, is_written: bool) -> int:
    """The new plan on standard output and what it brings on the other, or the plan's file changed."""
    plan = planning.read(text, repository)
    result, hoisted = plan_files.hoisted(text, plan, paths)
    told = hoist_text(
        hoisted, before=planning.rounds_of(plan), after=planning.rounds_of(planning.read(result, repository))
    )
    if is_written:
        plan_files.write(repository, result)
        terminal.write(told)
    else:
        terminal.write(result.data.decode())
        sys.stderr.write(told)
    return OK


def _promote(repository: Repository, text: PlanText) -> int:
    result, needs = plan_files.promoted(text, planning.read(text, repository))
    if needs:
        plan_files.write(repository, result)
    terminal.write(promote_text(needs, source=text.source))
    return OK


def _answer(analysis: Analysis, form: Format, spec: str | None, *, is_manifest: bool) -> str:
    if is_manifest and form is Format.JSON:
        return json.dumps(analysis.manifest.to_json(), indent=2) + "\n"
    if is_manifest:
        return manifest_text(analysis.manifest)
    match form:
        case Format.JSON:
            return json.dumps(plan_json(analysis), indent=2) + "\n"
        case Format.GITHUB:
            return findings_github(analysis.findings, source=analysis.plan.source)
        case Format.TEXT:
            return plan_text(analysis, spec=spec, width=terminal.width(), paint=here.paint())
