"""Which ignored files of the user's checkout the worktrees of a run are given: the plan's word, and the repository's.

`.worktreeinclude` is read from the commit the run began from: pinned as everything else of a run, so that it means the same
after a crash, and neither an agent nor a checkout that moves on changes what later worktrees get. Only the files themselves
come from the checkout, as they are when a worktree is made.
"""

from __future__ import annotations

from pathlib import Path

from git_waves.adapters.git import Git
from git_waves.adapters.include import Wanted
from git_waves.core.include import FILE_NAME
from git_waves.core.model import Oid, Plan


def wanted_by(git: Git, plan: Plan, base: Oid, *, checkout: Path) -> Wanted:
    """What every worktree of a run that began at `base` is given; `checkout` is the user's own work tree."""
    return Wanted(checkout=checkout, entries=plan.include, shared=git.blob(f"{base}:{FILE_NAME}") or b"")


def is_as_in_base(git: Git, base: Oid, *, checkout: Path) -> bool:
    """Whether the checkout's `.worktreeinclude`, if it has one, is the one that counts."""
    try:
        here = (checkout / FILE_NAME).read_bytes()
    except OSError:
        return True
    return here == (git.blob(f"{base}:{FILE_NAME}") or b"")
