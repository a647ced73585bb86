"""`git waves report`."""

from __future__ import annotations

from typing import Annotated

import typer

from git_waves import reporting
from git_waves.adapters import terminal
from git_waves.cli import here
from git_waves.errors import OK
from git_waves.views.report.clock import Clock
from git_waves.views.report.markdown import report_markdown
from git_waves.views.report.page import report_page
from git_waves.views.safe import quoted


def report(
    name: Annotated[
        str | None,
        typer.Argument(metavar="PLAN", help="The plan's name, as --plan would give it.", show_default=False),
    ] = None,
    run: Annotated[
        str | None, typer.Option("--run", metavar="RUN", help="An earlier run; 'status' shows the name.")
    ] = None,
    html: Annotated[
        str | None, typer.Option("--html", metavar="FILE", help="Write one page for a browser.")
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write the Markdown there instead."),
    ] = None,
    plan: here.PlanName = None,
) -> int:
    """Tell a run for the morning: the outcome, what waits for you, and how it went. Markdown on standard output."""
    repository = here.repository()
    found = reporting.report(repository, plan=plan if name is None else name, run=run)
    clock = Clock()
    if html is not None:
        reporting.write(repository.folder, html, report_page(found, clock))
        terminal.write(f"wrote {quoted(html)}\n")
    if output is not None:
        reporting.write(repository.folder, output, report_markdown(found, clock))
        terminal.write(f"wrote {quoted(output)}\n")
    elif html is None:
        terminal.write(report_markdown(found, clock))
    return OK
