"""Reaching files below a folder that others write in: every folder on the way is opened as a folder, never as a link to one."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from git_waves.core.model import RepoPath

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@contextlib.contextmanager
def parent_of(folder: Path, path: RepoPath, *, makes: bool = False) -> Iterator[tuple[int, str]]:
    """The open folder that `path` lies in, reached through no link, and the path's last name there. With `makes`, folders on
    the way that are missing are made. OSError when there is no such way."""
    *above, name = path.split("/")
    parent = os.open(folder, _FOLDER)
    try:
        for part in above:
            if makes:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, dir_fd=parent)
            below = os.open(part, _FOLDER, dir_fd=parent)
            os.close(parent)
            parent = below
        yield parent, name
    finally:
        os.close(parent)
