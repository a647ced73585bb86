"""Files that a task hands on: taken out of its worktree into a tree of their own, and placed into others.

Both folders belong to agents, so no path in them is believed: every folder on the way is opened as a folder and not as a
link to one, and only plain files are read. Content goes through open files, byte for byte, however much it is.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from git_waves.adapters.git import Git
from git_waves.adapters.nofollow import parent_of
from git_waves.core.model import Oid, RepoPath

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
# A pipe in the file's place must not block us.
_THERE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NOT_THERE = (errno.ENOENT, errno.ENOTDIR)
_IN_THE_WAY = (errno.ELOOP, errno.EEXIST, errno.EISDIR, errno.ENOTDIR, errno.ENOTEMPTY, errno.EPERM)


@dataclass(frozen=True, slots=True)
class Unfit:
    """A path at which nothing can be taken or placed, and why, to follow its name."""

    path: RepoPath
    why: str


def take(git: Git, folder: Path, paths: Iterable[RepoPath], *, index: Path) -> Oid | Unfit:
    """Store the files at `paths` below `folder`; the tree that holds them, or the first that is not to be had.

    `index` is a file of ours. Nothing keeps the tree yet. Raises GitError when it cannot be stored.
    """
    files: dict[RepoPath, tuple[str, Oid]] = {}
    for path in paths:
        try:
            with parent_of(folder, path) as (parent, name):
                descriptor = os.open(name, _THERE, dir_fd=parent)
        except OSError as error:
            if error.errno in _NOT_THERE:
                return Unfit(path, "is not there")
            if error.errno == errno.ELOOP:
                return Unfit(path, "is a symbolic link")
            return Unfit(path, f"cannot be read: {error.strerror}")
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                return Unfit(path, "is no plain file")
            mode = "100755" if status.st_mode & stat.S_IXUSR else "100644"
            files[path] = (mode, git.hash_file(descriptor))
        finally:
            os.close(descriptor)
    return git.tree_of_files(files, index=index)


def place(git: Git, folder: Path, tree: Oid, paths: Iterable[RepoPath]) -> Unfit | None:
    """Write the files of a stored tree at `paths` below `folder`, where no agent has worked yet; the first that something
    is in the way of. Safe to repeat. Raises GitError or OSError when it cannot be written."""
    stored = git.files_in(tree)
    for path in paths:
        mode, blob = stored[path]
        try:
            with parent_of(folder, path, makes=True) as (parent, name):
                with contextlib.suppress(FileNotFoundError):  # of a coordinator that was killed here
                    os.unlink(name, dir_fd=parent)
                descriptor = os.open(name, _NEW, 0o777 if mode == "100755" else 0o666, dir_fd=parent)
        except OSError as error:
            if error.errno in _IN_THE_WAY:
                return Unfit(path, "something is in its way there")
            raise
        try:
            git.copy_blob(blob, descriptor)
        finally:
            os.close(descriptor)
    return None
