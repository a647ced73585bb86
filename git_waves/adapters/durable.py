"""What was written reaches the disk itself: files, the names in folders, and git's objects, which git leaves half done.

Git syncs the files it writes (`core.fsync`) and never a folder, so after a power cut the name of a synced file may be gone.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterable
from pathlib import Path

# What is older than this, the system has long written back by itself.
_WRITTEN_BACK = 15 * 60.0
_TICK = 0.05  # seconds in which two changes of a folder may bear the same time


def sync(descriptor: int) -> None:
    """Bring a file or folder to the disk itself; plain fsync stops at the drive's cache on macOS."""
    if hasattr(fcntl, "F_FULLFSYNC"):
        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
    else:
        os.fsync(descriptor)


def sync_path(path: Path) -> None:
    """The same for what lies at a path; nothing when nothing does."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except (FileNotFoundError, NotADirectoryError):
        return
    try:
        sync(descriptor)
    finally:
        os.close(descriptor)


def sync_names(files: Iterable[Path], *, below: Path) -> None:
    """Sync the folders of these files, and those above them up to and with `below`."""
    folders = {below}
    for file in files:
        for folder in file.parents:
            if folder == below or below not in folder.parents:
                break
            folders.add(folder)
    for folder in folders:
        sync_path(folder)


def sync_recent_files(folder: Path) -> None:
    """Sync the files of a folder that the system may not have written back yet."""
    now = time.time()
    for file in folder.iterdir() if folder.is_dir() else ():
        try:
            age = now - file.stat().st_mtime
        except FileNotFoundError:
            continue
        if age < _WRITTEN_BACK:
            sync_path(file)


class ObjectFolders:
    """The folders of a repository's objects, and up to when the names in each are known to be safe."""

    def __init__(self, objects: Path) -> None:
        self._objects = objects
        self._safe: dict[str, int] = {}

    def sync(self) -> None:
        """Make the names of all objects safe that came since this was last asked, whoever wrote them."""
        if not self._objects.is_dir():
            return
        now = time.time()
        with os.scandir(self._objects) as entries:
            folders = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
        for folder in (*folders, str(self._objects)):  # a new folder, then its name
            try:
                changed = os.stat(folder).st_mtime_ns  # noqa: PTH116  # hundreds of them, each time
            except FileNotFoundError:  # a collector has packed all that was in there
                continue
            age = now - changed / 1e9
            if self._safe.get(folder) != changed and age < _WRITTEN_BACK:
                sync_path(Path(folder))
            if age > _TICK:
                self._safe[folder] = changed
