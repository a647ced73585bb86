"""Which run and which task a person means: the newest run, or the newest of a plan, and a task by its id."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from git_waves import control
from git_waves.adapters import locks
from git_waves.adapters.repo import Repository
from git_waves.adapters.rundir import RunDir, latest_run
from git_waves.core.fold import RunState, TaskState
from git_waves.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundRun:
    """A run and its state; `size` is the length of its log's whole lines in bytes."""

    run_dir: RunDir
    state: RunState
    size: int


def find_run(repository: Repository, plan: str | None = None) -> FoundRun:
    """The newest run of the plan of that name, or of any; UsageError when there is none, LogDamagedError as in control."""
    run_dir = newest(repository.common_dir, plan)
    state, size = control.load(run_dir)
    return FoundRun(run_dir=run_dir, state=state, size=size)


def newest(common_dir: Path, plan: str | None) -> RunDir:
    """The newest run of the plan of that name, or of any; UsageError when there is none."""
    run_dir = latest_run(common_dir, plan)
    if run_dir is None and plan is not None:
        raise UsageError(f"plan '{plan}' has no run here", hint="'git waves status' shows the newest run")
    if run_dir is None:
        raise UsageError("nothing has run here yet", hint="git waves run")
    return run_dir


def find_task(found: FoundRun, task_id: str) -> TaskState:
    """The task of that id; UsageError when the run has none, with the ids that look like it."""
    task = found.state.tasks.get(task_id)
    if task is None:
        near = [
            known
            for known in found.state.tasks
            if task_id and known.casefold().startswith(task_id.casefold())
        ]
        names = ", ".join(f"'{known}'" for known in near[:5])
        hint = f"there is {names}" if near else "'git waves status' lists them"
        raise UsageError(f"run '{found.state.run}' has no task '{task_id}'", hint=hint)
    return task


def is_running(repository: Repository, found: FoundRun) -> bool:
    """Whether a coordinator works on the run's plan right now."""
    return locks.is_running(repository.common_dir, found.state.plan)
