"""What an agent is told: its task, what it owns, whose the rest is, how to ask for more, how its work is taken.

Models obey what is short, said as an order, with a reason and a way out, and said again where they decide. So every rule
is one sentence about one deed, what is forbidden names its owner, and the last thing they read is what "done" means.
"""

from __future__ import annotations

from collections.abc import Iterator

from git_waves.core.handoff import Received
from git_waves.core.model import CommitPolicy, Intent, Plan, RepoPath, Task
from git_waves.core.neighbours import MOST, granting, neighbours

_WORDS = {
    Intent.CREATE: "create",
    Intent.MODIFY: "modify",
    Intent.DELETE: "delete",
    Intent.EDIT: "create or modify",
}
_TITLE = 60  # letters of another task's title
ASK = 'git waves request PATH --reason "WHY"'
"""How an agent asks for a path."""


def build_prompt(
    plan: Plan,
    task: Task,
    granted: tuple[RepoPath, ...] = (),
    received: tuple[Received, ...] = (),
    earlier: tuple[str, ...] = (),
) -> str:
    """The text of the prompt file of one task; ends with a newline. `earlier` says how each earlier attempt ended."""
    lines = [
        f"# Task {task.id}: {task.title}" if task.title else f"# Task {task.id}",
        "",
        (task.prompt or "").strip("\n"),
        *_earlier(earlier),
        *_place(plan),
        *_owned(task, granted),
        *_foreign(plan, task, granted),
        *_asking(),
        *_handed_on(task, received),
        *_committing(task),
        *_verified(plan, task),
        *_done(plan, task),
    ]
    return "\n".join(lines) + "\n"


def build_resume_prompt(prompt: str) -> str:
    """What the agent of an interrupted attempt is told, `prompt` being what it was told at first; ends with a newline."""
    return (
        "You were interrupted while you worked on the task below. The worktree is as you left it: look at what is done there,\n"
        "and finish the rest.\n\n" + prompt
    )


def _earlier(earlier: tuple[str, ...]) -> Iterator[str]:
    if earlier:
        yield from ("", "## What went wrong before", "")
        yield "This task was tried before. You start from the beginning, in a new worktree. Do not end in the same way:"
        yield from ("", *(f"- {words}" for words in earlier))


def _place(plan: Plan) -> Iterator[str]:
    yield from (
        "",
        "## Where you are",
        "",
        "You are alone in a git worktree of your own, on a branch of your own. Other agents work on the other tasks of plan",
        f"`{plan.name}` at the same time, each in a worktree of its own. Nobody answers questions while you work: decide what",
        "you can decide, and where you cannot, stop and say why.",
    )


def _owned(task: Task, granted: tuple[RepoPath, ...]) -> Iterator[str]:
    owned = [f"- {_WORDS[claim.intent]} `{claim.pattern}`" for claim in granting(task)]
    owned += [f"- create or modify `{path}` (granted)" for path in granted]
    yield from ("", "## What you may change", "")
    if owned:
        yield from ("Change these paths and no others:", "", *owned)
    else:
        yield "Nothing: this task owns no path. You may read everything."


def _foreign(plan: Plan, task: Task, granted: tuple[RepoPath, ...]) -> Iterator[str]:
    yield from (
        "",
        "## What you must not change",
        "",
        "Everything else in this repository is read-only for you. Read it, but do not create, edit, rename, format or delete",
        "anything there, not even to mend a mistake, a warning or a failing test. A commit that changes such a path is",
        "refused, and all of your work with it.",
    )
    others = neighbours(plan, task, granted)
    if not others:
        return
    yield from ("", "These lie near your work and belong to other tasks:", "")
    for one in others[:MOST]:
        title = f" ({_cut(one.title)})" if one.title else ""
        yield f"- `{one.pattern}`: task {one.task}{title}"
    if len(others) > MOST:
        yield f"- and {len(others) - MOST} more"


def _asking() -> Iterator[str]:
    yield from (
        "",
        "## If you need another path",
        "",
        "Do not change it, and do not work around it (no copy of it elsewhere, no change of what you own to avoid it). Instead:",
        "",
        f"1. Run `{ASK}`.",
        "2. End your work at once, with one sentence that says what is missing.",
        "",
        "A person decides about it. `git waves owned` lists what you own.",
    )


def _committing(task: Task) -> Iterator[str]:
    yield from ("", "## How to commit", "")
    if task.commit is CommitPolicy.AUTO:
        yield "Commit your work when it is done: `git add` the paths you own, then `git commit`. What you own and leave"
        yield "uncommitted is committed for you."
    else:
        yield "Commit your work: `git add` the paths you own, then `git commit`. Only commits are taken; what you leave"
        yield "uncommitted makes the task fail."
    yield "Stay on the branch you are on. Do not push, pull, stash, tag, rebase, switch or touch other branches or worktrees,"
    yield "and do not use `--no-verify`: hooks that refuse something are right, and your work is checked again without them."


def _verified(plan: Plan, task: Task) -> Iterator[str]:
    stages = plan.stages_of(task.id)
    if not task.verify and not stages:
        return
    yield from (
        "",
        "## How your work is checked",
        "",
        "When you end, these run in this worktree, in this order. Each must exit with 0, or the task has failed:",
        "",
        *(f"    {line}" for command in task.verify for line in str(command).strip().split("\n")),
        *(f"    {line}" for stage in stages for line in f"{stage.name}: {stage.command}".strip().split("\n")),
        "",
        "Run what you can of it yourself before you end, and mend what fails in the paths you own. Do not weaken a check.",
    )


def _done(plan: Plan, task: Task) -> Iterator[str]:
    yield from ("", "## When you are done", "")
    if task.allow_empty:
        yield "If nothing has to change, change nothing and say so."
    else:
        yield "Ending without any change is a failure: if the work cannot be done, say why."
    checked = ", its checks pass" if task.verify or plan.stages_of(task.id) else ""
    yield f"You are done when the task above is done{checked} and `git status` shows nothing outside of what you may change:"
    yield "remove the temporary files you made. Then end with a short summary: what you did, and what you left open."


def _cut(title: str) -> str:
    line = " ".join(title.split())
    return line if len(line) <= _TITLE else line[: _TITLE - 3].rstrip() + "..."


def _handed_on(task: Task, received: tuple[Received, ...]) -> Iterator[str]:
    there = [one for one in received if one.tree is not None]
    absent = [one for one in received if one.tree is None]
    if there or absent or task.handoff:
        yield from ("", "## Files that are handed on")
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
