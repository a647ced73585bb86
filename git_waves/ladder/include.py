"""Ignored files that an attempt is given before anything of the plan runs in its worktree. They are no work of anybody: a commit
that holds one is refused as a foreign path is.
"""

from __future__ import annotations

import os

from git_waves.adapters import include, worktrees
from git_waves.adapters.rundir import write_durably
from git_waves.core.model import RepoPath
from git_waves.core.ownership import foreign_paths
from git_waves.ladder.attempt import Climb, Fell, Noticed
from git_waves.ladder.handoff import outside
from git_waves.ladder.jobs import variables


def bring_along(state: Climb) -> Fell | None:
    """Copy, link and fill in what the plan and the repository want, and write down what that was."""
    if not state.include:
        return None
    brought = include.bring(
        state.git,
        state.include,
        folder=state.lease.folder,
        commit=state.lease.base,
        scratch=state.run_dir.path / "index",
        variables=variables(state),
    )
    if brought.unfit:
        return Fell(
            rung="",
            reason=brought.unfit,
            hint=f"put it right, then 'git waves retry {state.task.id}'",
            is_parked=True,
        )
    for words in brought.notes[:_MOST_NOTES]:
        state.tell(Noticed(words))
    if len(brought.notes) > _MOST_NOTES:
        state.tell(Noticed(f"{len(brought.notes) - _MOST_NOTES} more files could not be brought"))
    note = state.run_dir.included(state.task.id, state.lease.attempt)
    write_durably(note, os.fsencode("\0".join(brought.paths)))
    return None


_MOST_NOTES = 5


def given(state: Climb) -> frozenset[RepoPath]:
    """The ignored files that the attempt was given."""
    if not state.include:
        return frozenset()
    try:
        content = state.run_dir.included(state.task.id, state.lease.attempt).read_bytes()
    except FileNotFoundError:
        return frozenset()
    return frozenset(RepoPath(path) for path in os.fsdecode(content).split("\0") if path)


def refuse_unclean(state: Climb) -> Fell | None:
    """Before the agent starts: what set-up changed would be taken for the agent's own, and refused after all its work."""
    if not state.plan.setup and not state.include:
        return None
    _, left = worktrees.uncommitted(state.git, state.lease, state.lease.base, without=outside(state))
    foreign = foreign_paths(state.rules, [change.path for change in left])
    if not foreign:
        return None
    return Fell(
        rung="",
        reason="its set-up changed files that are not ignored and that it does not own",
        paths=foreign,
        hint=f"let set-up leave them alone, or ignore them, then 'git waves retry {state.task.id}'",
        is_parked=True,
    )
