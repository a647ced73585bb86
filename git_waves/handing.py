"""What the tasks of one run hand on to each other: who is given which file, and which of these files are kept anyway."""

from __future__ import annotations

from collections.abc import Iterator

from git_waves import refs
from git_waves.adapters.git import Git
from git_waves.core import fold
from git_waves.core.fold import RunState, TaskState
from git_waves.core.handoff import Received, producers_of
from git_waves.core.model import Oid, Plan, TaskId


def received(git: Git, plan: Plan, state: RunState, task: TaskState) -> tuple[Received, ...]:
    """The files that the task is given. A producer that was done before this run may have handed them on in an earlier
    one; where nobody has them any more, they are named without a tree."""
    handoffs = {one.id: one.handoff for one in plan.tasks if one.handoff}
    if not handoffs:
        return ()
    needs = [TaskId(one) for one in state.tasks if one in task.needs]  # in the order in which they run
    found = []
    for path, producer in producers_of(needs, handoffs).items():
        tree = _tree_of(git, state, producer)
        if tree is not None and path not in git.files_in(tree, path):
            tree = None
        found.append(Received(path=path, producer=producer, tree=tree))
    return tuple(found)


def _tree_of(git: Git, state: RunState, producer: TaskId) -> Oid | None:
    task = state.tasks[producer]
    if task.handed_on:
        return Oid(task.handed_on)
    return refs.handed_on_before(git, state.plan, producer) if task.status == fold.DONE else None


def lacking(files: tuple[Received, ...], task: str) -> Iterator[str]:
    """A warning for each file that the task is to be given and that nobody has."""
    for one in files:
        if one.tree is None:
            yield (
                f"task '{task}' starts without '{one.path}': task '{one.producer}' was done before this run, "
                "and nothing that it handed on is left"
            )


def kept_trees(git: Git, state: RunState, task: str, attempt: int) -> tuple[Oid, ...]:
    """The trees of files that lie in the attempt's worktree and are kept by refs: what it handed on and was given."""
    own = git.ref(refs.handoff_ref(state.plan, state.run, task, attempt))
    given = (state.tasks[need].handed_on for need in state.tasks[task].needs)
    return tuple(dict.fromkeys(Oid(tree) for tree in (own, *given) if tree))
