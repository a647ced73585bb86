"""How a task's work is started: what to execute, with which prompt. Presets of agent programs are files in this room."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from git_waves.core.model import Command, Plan, Task

KNOWN: frozenset[str] = frozenset()
"""Names that `agent: NAME` may use. This version ships none: a plan gives a command."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """What to execute in the worktree; `stdin` is a file, None is the end of file at once."""

    argv: tuple[str, ...]
    stdin: Path | None


def argv_of(command: Command) -> tuple[str, ...]:
    """A list is executed as it is; a text goes to the shell as one argument, and nothing is ever put into it."""
    return command.argv if command.shell is None else ("/bin/sh", "-c", command.shell)


def invocation(plan: Plan, task: Task, prompt: Path) -> Invocation | None:
    """How to start the task: its own `run`, else its agent's command or the plan's. None when there is nothing to run."""
    if task.run is not None:
        return Invocation(argv=argv_of(task.run), stdin=None)
    agent = task.agent or plan.agent
    if agent is None or agent.command is None:
        return None
    return Invocation(argv=argv_of(agent.command), stdin=prompt)


def resumption(plan: Plan, task: Task, prompt: Path) -> Invocation | None:
    """How an interrupted attempt of the task goes on; None when its agent has no way to."""
    agent = task.agent or plan.agent
    if task.run is not None or agent is None or agent.resume is None:
        return None
    return Invocation(argv=argv_of(agent.resume), stdin=prompt)
