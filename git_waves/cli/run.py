"""`git waves run`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from git_waves import converging, fencing, rehearsal, starting
from git_waves.adapters import terminal
from git_waves.adapters.detached import Caller, Child, split
from git_waves.adapters.rundir import RunDir
from git_waves.cli import here
from git_waves.cli.pull_request import proposed
from git_waves.cli.trust import ask
from git_waves.core.fold import RunState
from git_waves.core.model import OnFailure, Sandbox, SchedulerName
from git_waves.errors import OK, SurroundingsError, UsageError, WavesError
from git_waves.formats.limits import read_limits
from git_waves.settings import PullRequests, read_settings
from git_waves.views.detached_text import detached_text
from git_waves.views.paint import PLAIN
from git_waves.views.rehearsal_text import begins_text, goes_on_text
from git_waves.views.run_lines import end_summary, line_for
from git_waves.views.safe import clean_lines

if TYPE_CHECKING:
    from git_waves.core.fold import Event  # only there for checkers


def run(
    spec: here.PlanSpec = None,
    max_parallel: Annotated[
        int | None,
        typer.Option(
            "--max", metavar="N", min=1, help="How many tasks may run at once; else the plan's word, else 4."
        ),
    ] = None,
    scheduler: Annotated[
        SchedulerName | None, typer.Option("--scheduler", help="Instead of the plan's or the derived one.")
    ] = None,
    on_failure: Annotated[
        OnFailure | None, typer.Option("--on-failure", help="What a failed task does to the others.")
    ] = None,
    budget: here.Limits = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", "-n", help="Check everything, say every step, do nothing.")
    ] = False,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="TASK", help="Only this task; may be repeated.")
    ] = None,
    start_from: Annotated[
        str | None, typer.Option("--from", metavar="TASK", help="Leave out the groups before this task's.")
    ] = None,
    until_group: Annotated[
        str | None, typer.Option("--until-group", metavar="GROUP", help="Stop after this group's barrier.")
    ] = None,
    new: Annotated[
        bool, typer.Option("--new", help="Begin anew instead of going on; merged work stays in its refs.")
    ] = False,
    base: Annotated[
        str | None,
        typer.Option(
            "--base", metavar="REV", help="Where a new run starts; else the plan's word, else HEAD."
        ),
    ] = None,
    accept: Annotated[
        bool, typer.Option("--accept", help="Go on from where somebody moved the integration ref.")
    ] = False,
    restore: Annotated[
        bool, typer.Option("--restore", help="Put the integration ref back where it was.")
    ] = False,
    sandbox: Annotated[
        Sandbox | None,
        typer.Option(
            "--sandbox", help="The kernel's fence around what a new run executes, whatever the plan says."
        ),
    ] = None,
    pull_request_too: Annotated[
        bool,
        typer.Option("--pull-request", help="Open a draft pull request at the end (see waves.pullRequest)."),
    ] = False,
    detach: Annotated[
        bool, typer.Option("--detach", "-d", help="Go on without this terminal, once it has begun.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only the last words.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Also the rungs that take time.")] = False,
) -> int:
    """Start the plan's tasks, or go on where the last run ended.

    Exit codes: 0 all integrated, 1 a task failed, 3 halted for a person to decide, 4 the surroundings, 130 interrupted.
    """
    if accept and restore:
        raise UsageError("--accept and --restore are each other's opposite", hint="choose one")
    if detach and dry_run:
        raise UsageError("--dry-run does nothing that could go on by itself", hint="leave --detach out")
    child = split() if detach else None
    if isinstance(child, Caller):
        code, message = child.wait()
        terminal.write(message)
        return code
    progress = _Progress(is_quiet=quiet, is_verbose=verbose)
    options = starting.RunOptions(
        directory=Path.cwd(),
        plan=spec,
        max_parallel=max_parallel,
        scheduler=scheduler,
        on_failure=on_failure,
        budget=read_limits(budget or ()),
        base=base,
        only=tuple(task for text in only or () for task in text.split(",")),
        start_from=start_from,
        until_group=until_group,
        is_new=new,
        accept=accept,
        restore=restore,
        sandbox=sandbox,
        may_run=ask,
        begins=lambda run_dir: _leave(child, run_dir, progress) if child is not None else None,
    )
    if dry_run:
        terminal.write(_rehearsed(rehearsal.rehearse(options)))
        return OK
    code = starting.run_plan(options, progress.tell, progress.say)
    progress.end()
    if code == OK and progress.is_finished:
        return _propose(pull_request_too, progress)
    return code


def _leave(child: Child, run_dir: RunDir, progress: _Progress) -> None:
    child.leave(
        run_dir.words, detached_text(run_dir.run, pid=os.getpid(), plan=progress.plan, log=str(run_dir.words))
    )
    progress.go_plain()


def _propose(is_asked: bool, progress: _Progress) -> int:
    """The pull requests that the command or the setting asks for; the run is finished whatever becomes of them."""
    repository = here.repository()
    settings = read_settings(repository.git)
    if not is_asked and settings.pull_requests is PullRequests.NONE:
        return OK
    wanted = converging.Wanted(
        is_per_task=settings.pull_requests is PullRequests.PER_TASK, remote=settings.remote
    )
    try:
        progress.say(proposed(repository, progress.plan, wanted).rstrip("\n"))
    except WavesError as error:
        progress.say(f"warning: no pull request: {error.message}")
        progress.say(f"hint: {error.hint}")
        return error.exit_code
    return OK


def _rehearsed(found: rehearsal.Rehearsal) -> str:
    if found.unfinished is not None:
        return goes_on_text(found.unfinished)
    assert found.beginning is not None, "one of the two is set"
    beginning = found.beginning
    return begins_text(
        beginning.analysis,
        base=beginning.base,
        base_name=beginning.base_name,
        done=beginning.done,
        worktrees=beginning.worktree_folder,
        notice=beginning.notice,
        fence=fencing.words(beginning.sandboxes),
    )


class _Progress:
    """Prints what happens. When nobody reads any more (a closed pipe or terminal), the run goes on in silence."""

    def __init__(self, *, is_quiet: bool, is_verbose: bool) -> None:
        self._is_quiet = is_quiet
        self._is_verbose = is_verbose
        self._is_heard = True
        self._state: RunState | None = None
        self._paint = here.paint()

    def tell(self, event: Event, state: RunState) -> None:
        """Print the line of an event, if it has one."""
        self._state = state
        line = (
            None if self._is_quiet else line_for(event, state, is_verbose=self._is_verbose, paint=self._paint)
        )
        if line is not None:
            self._write(line + "\n")

    def say(self, text: str) -> None:
        """Print lines that are no event's."""
        self._write(clean_lines(text) + "\n")

    def go_plain(self) -> None:
        """What follows goes to a file."""
        self._paint = PLAIN

    @property
    def is_finished(self) -> bool:
        """Whether the run came to its end just now."""
        return self._state is not None and self._state.finished

    @property
    def plan(self) -> str | None:
        """The name of the plan that runs, once it is known."""
        return None if self._state is None else self._state.plan

    def end(self) -> None:
        """Print the last words."""
        if self._state is not None:
            self._write("\n" + end_summary(self._state, paint=self._paint))

    def _write(self, text: str) -> None:
        if self._is_heard:
            try:
                terminal.write(text)
            except (terminal.ReaderLeftError, SurroundingsError):
                self._is_heard = False
