"""What `git waves open` says to a person who comes into a task's worktree, and who leaves it."""

from __future__ import annotations

from pathlib import Path

from git_waves.core import fold
from git_waves.core.fold import RunState, TaskState
from git_waves.views.safe import clean, quoted, shell_word
from git_waves.views.standing import run_again


def welcome_text(task: TaskState, folder: Path, *, is_checkpoint: bool) -> str:
    """Where they are, what the task is, what to type there and afterwards."""
    name = shell_word(task.id)
    title = f": {clean(task.title)}" if task.title else ""
    lines = [f"task {quoted(task.id)}{title}", f"worktree: {clean(str(folder))}"]
    if task.reason:
        lines.append(f"{clean(task.status)}: {clean(task.reason)}")
    lines.append(
        f"'git waves show {name} --prompt' says what is to be done, 'git waves owned' what may be changed"
    )
    if is_checkpoint:
        lines.append("there is nothing to change here: look at it, and say when the run may go on")
    return "\n".join(lines) + f"\n{_handing_in(task)}; 'exit' leaves this shell\n"


def farewell_text(state: RunState, task: TaskState) -> str:
    """What to type next, in the shell they came from; the work may have been handed in meanwhile."""
    if task.handed_in and task.status != fold.AWAITING:
        return f"next: {run_again(state.source)} goes on, unless it is at work\n"
    return f"next: {_handing_in(task)}\n"


def _handing_in(task: TaskState) -> str:
    name = shell_word(task.id)
    if task.status == fold.AWAITING:
        return f"'git waves done {name}' hands it in"
    return f"'git waves retry {name}' gives it another attempt, on clean ground"
