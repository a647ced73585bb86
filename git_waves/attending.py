"""Attended tasks: where a person does one, and with what around them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from git_waves import control, inheriting, lookup
from git_waves.adapters import ports
from git_waves.adapters.git import clean_environment
from git_waves.adapters.repo import Repository
from git_waves.climbing import climb_of
from git_waves.core import fold
from git_waves.core.fold import RunState, TaskState
from git_waves.core.model import TaskId
from git_waves.errors import UsageError
from git_waves.holding import lender_name
from git_waves.ladder.jobs import variables
from git_waves.setting import Setting

_OF_AGENTS = "WAVES_RUN"
"""By this variable `retry`, `skip` and `done` know an agent of the run, whom they refuse. A person may type them there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The worktree of a task, for a person: `environment` is everything a program there is to find. `is_checkpoint`: there
    is nothing to change."""

    state: RunState
    task: TaskState
    folder: Path
    environment: dict[str, str]
    is_checkpoint: bool


def place_of(repository: Repository, task_id: str, *, plan: str | None) -> Place:
    """Where a person works on the task; UsageError when there is no worktree, or its agent is at work in it."""
    found = lookup.find_run(repository, plan)
    task = lookup.find_task(found, task_id)
    _check(task)
    pinned = inheriting.pinned_plan(found.run_dir)
    folder = Path(task.worktree)
    setting = Setting(
        git=repository.git,
        main_work_tree=repository.main_work_tree,
        worktree_folder=folder.parent,
        run_dir=found.run_dir,
        plan=pinned,
        manifest=control.read_manifest(found.run_dir),
        conflicts={},
        resources={},
    )
    climb = climb_of(
        setting,
        found.state,
        task,
        is_inherited=True,
        hold=tuple,
        lend=lambda wish: ports.lend(lender_name(setting, task.id), wish=wish),  # until the shell is left
        received=(),
        tell=lambda _: None,
    )
    given = {name: value for name, value in variables(climb).items() if name != _OF_AGENTS}
    return Place(
        state=found.state,
        task=task,
        folder=folder,
        environment={**clean_environment(), **given},
        is_checkpoint=pinned.task(TaskId(task.id)).is_checkpoint,
    )


def state_now(repository: Repository, place: Place) -> RunState:
    """How the run stands when the person comes back: they may have handed the work in where they were."""
    return lookup.find_run(repository, place.state.plan).state


def _check(task: TaskState) -> None:
    if task.status in fold.LIVE:
        raise UsageError(f"task '{task.id}' is at work", hint=f"'git waves log {task.id} -f' to look on")
    if task.status == fold.PENDING:
        raise UsageError(
            f"task '{task.id}' has no worktree yet: it is not its turn", hint="'git waves status' says why"
        )
    if not task.worktree or not Path(task.worktree).is_dir():
        again = task.status in (*fold.STUCK, fold.AWAITING)
        raise UsageError(
            f"task '{task.id}' is {task.status}, and has no worktree any more",
            hint=f"git waves retry {task.id}" if again else f"git waves show {task.id}",
        )
