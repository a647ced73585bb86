"""Worktrees for gates: at one commit, with nothing in them that is worth keeping."""

from __future__ import annotations

from pathlib import Path

from git_waves.adapters import admins
from git_waves.adapters.git import Git, GitError
from git_waves.adapters.locks import worktree_lock
from git_waves.adapters.worktrees import admin_folder, is_taken, registered, remove_if_empty
from git_waves.core.model import Oid
from git_waves.errors import SurroundingsError

_THROWAWAY = "git-waves: gates"


def make(git: Git, folder: Path, commit: Oid, run: str) -> None:
    """A detached worktree at `commit` for gates: nothing in it is worth keeping, `drop` removes it."""
    with worktree_lock(git.git_dir):
        admins.repair(git, folder)
        if _is_throwaway(registered(git, folder)) and folder.exists():
            git.remove_worktree(folder)
        elif is_taken(folder):
            raise SurroundingsError(
                f"the worktree folder '{folder}' already exists and is not ours",
                hint="move it away, or set another place: git config waves.worktreeDir PATH",
            )
        folder.parent.mkdir(parents=True, exist_ok=True)
        git.add_worktree(folder, branch=None, commit=commit, reason=f"{_THROWAWAY} of run {run}")
    Git(admin_folder(folder), work_tree=folder).reset_hard(commit)


def drop(git: Git, folder: Path) -> str:
    """Remove a worktree made by `make`, and no other. Why git would not; empty when it is gone."""
    with worktree_lock(git.git_dir):
        try:
            entry = registered(git, folder)
            if _is_throwaway(entry) and folder.exists():
                git.remove_worktree(folder)
            elif _is_throwaway(entry):
                admins.drop(git, folder)
            elif entry is None and is_taken(folder):  # a power cut may have left its files alone
                return "git does not know it as a worktree"
            elif entry is None:  # a `git worktree add` that was killed got as far as its folder
                remove_if_empty(folder)
        except GitError as error:  # a gate may leave what only its own user can remove
            return error.stderr or error.message
        remove_if_empty(folder.parent)
    return ""


def gates_in(git: Git, folder: Path) -> list[Path]:
    """The worktrees of gates in a plan's folder: what lies there, and what git believes to lie there."""
    known = {place for place in admins.places(git) if place.parent in (folder, folder.resolve())}
    return sorted({*folder.glob("gate.*"), *(place for place in known if place.match("gate.*"))})


def _is_throwaway(entry: dict[str, str] | None) -> bool:
    return entry is not None and entry.get("locked", "").startswith(f"{_THROWAWAY} of run ")
