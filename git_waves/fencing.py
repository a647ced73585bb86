"""Which fence the commands of a run get, whether this machine can put it up, and what may be written behind it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from git_waves import agents
from git_waves.adapters import sandbox
from git_waves.adapters.jobs import Fence
from git_waves.agents.home import WRITES
from git_waves.core import sandboxing
from git_waves.core.model import Command, Plan, Sandbox, Task
from git_waves.errors import SurroundingsError, UsageError


def check(kinds: Iterable[Sandbox]) -> None:
    """Raise SurroundingsError when this machine cannot put up one of these fences: nothing weaker is taken instead."""
    for kind in dict.fromkeys(kinds):
        fact = sandbox.fact_of(kind)
        if not fact.is_available:
            raise SurroundingsError(
                f"'sandbox: {kind}' is asked for, and {fact.reason}",
                hint=f"{fact.hint}; 'git waves run --sandbox none' runs without a fence",
            )


def check_plan(plan: Plan, *, kept_out: Iterable[Path]) -> None:
    """Refuse what would leave no fence standing. `kept_out` are the folders that nothing fenced may write."""
    home = Path.home()
    steering = (home / ".gitconfig", home / ".config/git", home / ".ssh")
    closed = [folder.resolve() for folder in (*kept_out, *steering)]
    specs = [one for one in (plan.sandbox, *(task.sandbox for task in plan.tasks)) if one is not None]
    for text in dict.fromkeys(path for spec in specs for path in spec.writes):
        path = expanded(text).resolve()
        hit = next((one for one in closed if one.is_relative_to(path) or path.is_relative_to(one)), None)
        if hit is None and home.resolve().is_relative_to(path):
            hit = home
        if hit is not None:
            raise UsageError(
                f"'{text}' under 'writes' of the sandbox would open '{hit}' to every task",
                hint="name folders that hold neither a repository, nor its worktrees, nor what steers git for you",
            )


def expanded(text: str) -> Path:
    """A path of the plan's list as it is meant here."""
    return Path.home() / text[2:] if text.startswith("~/") else Path(text)


def fence_of(kind: Sandbox, plan: Plan, task: Task | None = None) -> Fence | None:
    """The fence around commands of a task, or of gates, with what the plan lets them write besides; None for none."""
    if kind is Sandbox.NONE:
        return None
    writes = tuple(map(expanded, sandboxing.writes_of(plan, task)))
    return Fence(kind=str(kind), writes=writes, program=sandbox.fact_of(kind).program)


def home_of(plan: Plan, task: Task, own: Mapping[str, Command]) -> tuple[Path, ...]:
    """What the task's agent needs to write below the home folder; `own` are the user's own agents."""
    agent = agents.resolve(plan, task.agent or plan.agent, own)
    if task.run is not None or agent is None or agent.name is None:
        return ()
    return sandbox.home_paths(WRITES.get(agent.name, ()))


def words(kinds: Mapping[str, Sandbox]) -> str:
    """What people are told of a run's fences, by task; empty when there is none."""
    behind: dict[str, list[str]] = {}
    for task, kind in kinds.items():
        behind.setdefault(level(kind) or "no fence", []).append(task)
    if set(behind) <= {"no fence"}:
        return ""
    if len(behind) == 1:
        return f"tasks run behind the kernel's fence: {next(iter(behind))}"
    return "the kernel's fence: " + "; ".join(
        f"{name} around {len(tasks)} task{'s' * (len(tasks) != 1)}" for name, tasks in behind.items()
    )


def level(kind: Sandbox) -> str:
    """What is in force with this fence on this machine, in words; empty for none."""
    return "" if kind is Sandbox.NONE else sandbox.fact_of(kind).level
