"""What a user may do beside a run, in their own checkout and with their own git, and what collects garbage by itself."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.soak.invariants import INTEGRATION
from tests.soak.world import World

Act = Callable[[World, random.Random], None]
_BRANCH = "refs/heads/waves/p/integration"


def _try(world: World, *arguments: str) -> str:
    """A command of the user's that may as well fail: what it is about need not be there yet."""
    return world.git(*arguments, exit=None)


def _commit_on_the_base(world: World, dice: random.Random) -> None:
    world.commit({f"user-{dice.randrange(100)}.txt": f"by the user {dice.random()}\n"}, message="meanwhile")


def _stash(world: World, dice: random.Random) -> None:
    world.user.write({"shared.txt": f"half an idea {dice.random()}\n"})
    _try(world, "stash", "push", "-q")


def _edit_and_stage(world: World, dice: random.Random) -> None:
    world.user.write({"shared.txt": f"an edit {dice.random()}\n", f"new-{dice.randrange(9)}.txt": "new\n"})
    _try(world, "add", "--all")


def _amend(world: World, _dice: random.Random) -> None:
    world.user.write({"amended.txt": "x\n"})
    _try(world, "add", "amended.txt")
    _try(world, "commit", "-q", "--amend", "-m", "amended")


def _switch(world: World, dice: random.Random) -> None:
    _try(world, "checkout", "-q", "-B", f"topic-{dice.randrange(9)}")


def _move_integration(world: World, _dice: random.Random) -> None:
    _try(world, "update-ref", INTEGRATION, "HEAD")


def _new_on_integration(world: World, _dice: random.Random) -> None:
    tip = _try(world, "rev-parse", "--verify", "-q", INTEGRATION)
    if tip:
        tree = world.git("rev-parse", f"{tip}^{{tree}}")
        commit = world.git("commit-tree", tree, "-p", tip, "-m", "by the user")
        _try(world, "update-ref", INTEGRATION, commit)


def _delete_integration(world: World, _dice: random.Random) -> None:
    _try(world, "update-ref", "-d", INTEGRATION)


def _move_candidate(world: World, _dice: random.Random) -> None:
    for ref in _try(world, "for-each-ref", "--format=%(refname)", "refs/waves/p/").splitlines():
        if ref.endswith("/candidate"):
            _try(world, "update-ref", ref, "HEAD")


def _move_branch(world: World, _dice: random.Random) -> None:
    _try(world, "branch", "-f", "waves/p/integration", "HEAD")


def _delete_branch(world: World, _dice: random.Random) -> None:
    _try(world, "branch", "-q", "-D", "waves/p/integration")


def _check_out_integration(world: World, _dice: random.Random) -> None:
    _try(world, "checkout", "-q", "waves/p/integration")


def _rebase_integration(world: World, dice: random.Random) -> None:
    _commit_on_the_base(world, dice)
    _try(world, "rebase", "-q", "HEAD", "waves/p/integration")
    _try(world, "rebase", "--abort")


def _delete_task_branch(world: World, dice: random.Random) -> None:
    found = _task_branches(world)
    if found:
        ref = dice.choice(found)
        _forget(world, ref)
        _try(world, "update-ref", "-d", ref)


def _move_task_branch(world: World, dice: random.Random) -> None:
    found = _task_branches(world)
    if found:
        ref = dice.choice(found)
        _forget(world, ref)
        _try(world, "update-ref", ref, "HEAD")


def _forget(world: World, ref: str) -> None:
    """Commits that the user takes away themselves are not lost by us."""
    with (world.notes / "forgotten").open("a") as notes:
        notes.write(_try(world, "rev-list", ref, "^main") + "\n")


def _task_branches(world: World) -> list[str]:
    refs = _try(world, "for-each-ref", "--format=%(refname)", "refs/heads/waves/p/").splitlines()
    return [ref for ref in refs if ref != _BRANCH]


def _worktrees(world: World) -> list[Path]:
    return sorted(world.worktrees.glob("*/*"))


def _delete_worktree(world: World, dice: random.Random) -> None:
    found = _worktrees(world)
    if found:
        folder = dice.choice(found)
        shutil.rmtree(folder, ignore_errors=True)
        with (world.notes / "whole").open("a") as notes:  # its half work is lost by the user
            notes.write(f"{folder.name}\n")


def _move_worktree(world: World, dice: random.Random) -> None:
    found = _worktrees(world)
    if found:
        one = dice.choice(found)
        one.rename(world.folder / f"moved-{one.name}-{dice.randrange(1000)}")


def _prune_worktrees(world: World, _dice: random.Random) -> None:
    _try(world, "worktree", "prune", "--expire=now")


def _unlock_and_prune(world: World, dice: random.Random) -> None:
    for folder in _worktrees(world):
        _try(world, "worktree", "unlock", str(folder))
    _delete_worktree(world, dice)
    _prune_worktrees(world, dice)


def _tag_like_a_branch(world: World, _dice: random.Random) -> None:
    _try(world, "tag", "-f", "waves/p/integration")


ACTS: Mapping[str, Act] = {
    act.__name__.strip("_").replace("_", " "): act
    for act in (
        _commit_on_the_base,
        _stash,
        _edit_and_stage,
        _amend,
        _switch,
        _move_integration,
        _new_on_integration,
        _delete_integration,
        _move_candidate,
        _move_branch,
        _delete_branch,
        _check_out_integration,
        _rebase_integration,
        _delete_task_branch,
        _move_task_branch,
        _delete_worktree,
        _move_worktree,
        _prune_worktrees,
        _unlock_and_prune,
        _tag_like_a_branch,
    )
}


def _collect(world: World, _dice: random.Random) -> None:
    refs = _try(world, "for-each-ref", "--format=%(refname)", "refs/waves/", "refs/heads/waves/").split()
    _try(world, "reflog", "expire", "--expire=now", "--expire-unreachable=now", *refs)
    _try(world, "gc", "--quiet", "--prune=now")


def _pack_refs(world: World, _dice: random.Random) -> None:
    _try(world, "pack-refs", "--all", "--prune")


def _maintain(world: World, _dice: random.Random) -> None:
    tasks = ("gc", "commit-graph", "loose-objects", "incremental-repack", "pack-refs")
    _try(world, "maintenance", "run", "--quiet", *(f"--task={task}" for task in tasks))


def _prune(world: World, _dice: random.Random) -> None:
    _try(world, "prune", "--expire=now")


COLLECTIONS: Mapping[str, Act] = {
    act.__name__.strip("_").replace("_", " "): act for act in (_collect, _pack_refs, _maintain, _prune)
}
