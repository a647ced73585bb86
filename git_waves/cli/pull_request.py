"""`git waves pull-request`."""

from __future__ import annotations

from typing import Annotated

import typer

from git_waves import converging, lookup
from git_waves.adapters import terminal
from git_waves.adapters.repo import Repository
from git_waves.cli import here
from git_waves.errors import OK
from git_waves.views import pull_request_text


def pull_request(
    plan: here.PlanName = None,
    per_task: Annotated[
        bool, typer.Option("--per-task", help="One for each integrated task instead of one for all.")
    ] = False,
    ready: Annotated[bool, typer.Option("--ready", help="Open it for review; else it is a draft.")] = False,
    base: Annotated[
        str | None,
        typer.Option("--base", metavar="BRANCH", help="Merge into this; else where the run began."),
    ] = None,
    remote: Annotated[
        str | None,
        typer.Option("--remote", metavar="NAME", help="Push there; else waves.remote, else the usual one."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", "-n", help="Write the body, say what would be typed, push nothing.")
    ] = False,
) -> int:
    """Push the integration branch and open a draft pull request for it, with gh or glab.

    Without one of these programs it writes the body to a file and says what to type.
    """
    repository = here.repository()
    wanted = converging.Wanted(
        is_per_task=per_task, is_draft=not ready, base=base or "", remote=remote or "", is_dry=dry_run
    )
    terminal.write(proposed(repository, plan, wanted))
    return OK


def proposed(repository: Repository, plan: str | None, wanted: converging.Wanted) -> str:
    """Do it, and the words for how it went."""
    found = lookup.find_run(repository, plan)
    words = converging.Words(
        title=pull_request_text.title_of,
        body=pull_request_text.body_of,
        task_title=pull_request_text.task_title,
        task_body=pull_request_text.task_body,
    )
    return pull_request_text.proposed_text(
        converging.propose(repository, found.run_dir, found.state, wanted, words)
    )
