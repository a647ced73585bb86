"""Whether a filled submodule of a task's worktree may go with it: when nothing in it would be lost.

Agents can write in it, so nothing of it is started or believed beyond its objects and refs: its content is read into an index and
an object folder of ours, as the worktree's own is.
"""

from __future__ import annotations

import stat
import tempfile
from pathlib import Path

from git_waves.adapters.git import Git, GitError
from git_waves.core.model import Oid


def is_expendable(git: Git, folder: Path, *, scratch: Path) -> bool:
    """Whether the submodule filled at `folder` has no commit that its remotes did not have, and no file that is not committed;
    False also for what is no submodule of a worktree, and for what cannot be read. Ignored files do not count. `scratch` is a
    folder of ours."""
    try:
        store = _store_of(git, folder)
        if store is None:
            return False
        theirs = Git(store)
        head = theirs.resolve("HEAD")
        if head is None or theirs.has_unpublished_commits() or _has_filled_links(theirs, head, folder):
            return False
        with tempfile.TemporaryDirectory(dir=scratch, prefix="submodule-") as place:
            objects = Path(place, "objects")
            objects.mkdir()
            placed = Git(git.git_dir, objects=objects)
            return placed.write_work_tree(folder, index=Path(place, "index")) == theirs.tree_of(head)
    except (GitError, OSError, UnicodeError):
        return False


def _store_of(git: Git, folder: Path) -> Path | None:
    """Where the submodule's objects and refs lie, if that is the place that goes with its worktree."""
    link = folder / ".git"
    if not stat.S_ISREG(link.lstat().st_mode):
        return None
    text = link.read_text("utf-8", "surrogateescape")
    store = (folder / text.removeprefix("gitdir:").strip()).resolve()
    worktrees = (git.git_dir / "worktrees").resolve()
    inside = store.relative_to(worktrees).parts if store.is_relative_to(worktrees) else ()
    return store if len(inside) > 2 and inside[1] == "modules" else None


def _has_filled_links(theirs: Git, head: Oid, folder: Path) -> bool:
    """Whether it has submodules in turn that are filled."""
    modes = theirs.modes_in(head)
    return any(mode == "160000" and (folder / path / ".git").exists() for path, mode in modes.items())
