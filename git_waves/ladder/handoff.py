"""What tasks hand on: given to an attempt before anything of the plan runs in its worktree, taken from it after its last
rung. Neither is part of the attempt's work: such files are left out of its commit, its tree and its merge.
"""

from __future__ import annotations

from git_waves import refs
from git_waves.adapters import handoff
from git_waves.adapters.git import Git
from git_waves.core.model import Oid, RepoPath
from git_waves.ladder.attempt import Climb, Fell


def outside(state: Climb) -> tuple[RepoPath, ...]:
    """The paths in the worktree that are handed on, to the task or by it."""
    return tuple(dict.fromkeys((*state.task.handoff, *(one.path for one in state.received))))


def give(state: Climb) -> Fell | None:
    """Put what the task is given into its worktree, at the same paths."""
    tracked = state.git.files_in(state.lease.base, *outside(state)) if outside(state) else {}
    for path in tracked:
        whose = next((f"by task '{one.producer}'" for one in state.received if one.path == path), "by it")
        return Fell(
            rung="",
            reason=f"'{path}' is handed on {whose}, and its base has a file there already",
            paths=(path,),
            hint="let another file be handed on, one that nobody merges, and begin anew: git waves run --new",
            is_parked=True,
        )
    wanted: dict[Oid, list[RepoPath]] = {}
    for one in state.received:
        if one.tree is not None:
            wanted.setdefault(one.tree, []).append(one.path)
    for tree, paths in wanted.items():
        unfit = handoff.place(state.git, state.lease.folder, tree, paths)
        if unfit is not None:
            return Fell(
                rung="",
                reason=f"it is to be given '{unfit.path}', but {unfit.why}",
                paths=(unfit.path,),
                hint=f"look at it in '{state.lease.folder}', then 'git waves retry {state.task.id}'",
                is_parked=True,
            )
    return None


def hand_on(state: Climb) -> Fell | None:
    """Take what the task promised to hand on, and pin it: its worktree goes, and nothing else holds these files."""
    if not state.task.handoff:
        return None
    index = state.run_dir.path / "index" / f"{state.lease.name}.handoff"
    taken = handoff.take(state.git, state.lease.folder, state.task.handoff, index=index)
    if isinstance(taken, handoff.Unfit):
        return Fell(
            rung="",
            reason=f"it was to hand on '{taken.path}', which {taken.why}",
            paths=(taken.path,),
            hint=state.log_hint(),
        )
    pin = refs.handoff_ref(state.plan.name, state.lease.run, state.task.id, state.lease.attempt)
    if not _is_pinned(state.git, pin, taken):
        return Fell(rung="", reason=f"'{pin}' could not be written", is_parked=True)
    state.handed_on = taken
    return None


def _is_pinned(git: Git, pin: str, tree: Oid) -> bool:
    old = git.ref(pin)
    if old == tree:
        return True
    command = f"create {pin} {tree}" if old is None else f"update {pin} {tree} {old}"
    return git.update_refs([command], message="waves: hand on")
