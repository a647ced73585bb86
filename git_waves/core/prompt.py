"""What an agent is told: its task, what it owns, how to ask for more, how its work is taken."""

from __future__ import annotations

from collections.abc import Iterator

from git_waves.core.handoff import Received
from git_waves.core.model import CommitPolicy, Intent, Origin, Plan, RepoPath, Task

_WORDS = {
    Intent.CREATE: "create",
    Intent.MODIFY: "modify",
    Intent.DELETE: "delete",
    Intent.EDIT: "create or modify",
}


def build_prompt(
    plan: Plan, task: Task, granted: tuple[RepoPath, ...] = (), received: tuple[Received, ...] = ()
) -> str:
    """The text of the prompt file of one task; ends with a newline."""
    # As in core.ownership: inferred claims grant nothing beside explicit ones.
    explicit = tuple(claim for claim in task.claims if claim.origin is Origin.EXPLICIT)
    owned = [f"- {_WORDS[claim.intent]} `{claim.pattern}`" for claim in explicit or task.claims]
    owned += [f"- create or modify `{path}` (granted)" for path in granted]
    commit = (
        "Commit your work if you can; what you leave uncommitted is committed for you, in owned paths only."
        if task.commit is CommitPolicy.AUTO
        else "Commit your work: only commits are taken."
    )
    lines = [
        f"# Task {task.id}: {task.title}" if task.title else f"# Task {task.id}",
        "",
        task.prompt or "",
        "",
        "## Rules of this worktree",
        "",
        f"Other agents work on plan '{plan.name}' at the same time, each in a worktree of its own.",
        "You may change these paths and no others:",
        "",
        *(owned or ["- nothing: this task owns no path"]),
        "",
        "A change anywhere else is refused. If you need another path, do not edit it: run",
        '`git waves request PATH --reason "why"` and stop. `git waves owned` lists what you own.',
        commit,
        "Stay on the branch you are on. Do not push, stash, tag, or touch other branches.",
    ]
    lines += _handed_on(task, received)
    if task.verify:
        lines += ["", "Your work is checked with:", "", *(f"    {command}" for command in task.verify)]
    stages = plan.stages_of(task.id)
    if stages:
        lines += ["", "Your work is also checked with:" if task.verify else "Your work is checked with:", ""]
        lines += [f"    {stage.name}: {stage.command}" for stage in stages]
    return "\n".join(lines) + "\n"


def build_resume_prompt(prompt: str) -> str:
    """What the agent of an interrupted attempt is told, `prompt` being what it was told at first; ends with a newline."""
    return (
        "You were interrupted while you worked on the task below. The worktree is as you left it: look at what is done there,\n"
        "and finish the rest.\n\n" + prompt
    )


def _handed_on(task: Task, received: tuple[Received, ...]) -> Iterator[str]:
    there = [one for one in received if one.tree is not None]
    absent = [one for one in received if one.tree is None]
    if there:
        yield from (
            "",
            "Tasks before yours hand these files on to you. They lie in your worktree and git ignores them:",
            "",
        )
        yield from (f"- `{one.path}` (from task {one.producer})" for one in there)
    if absent:
        yield from ("", "These were to be handed on to you as well, and nobody has them any more:", "")
        yield from (f"- `{one.path}` (from task {one.producer})" for one in absent)
    if task.handoff:
        yield from (
            "",
            "Hand these files on to the tasks after yours: leave them here when you end, uncommitted:",
            "",
        )
        yield from (f"- `{path}`" for path in task.handoff)
