"""File systems of our own, in a mount namespace of our own: one that can be filled to the brim, one whose power goes off.

Needs root, and for the second a loop device. Where that is not to be had, these scenarios are left out, and said so.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import shutil
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_CLONE_NEWNS = 0x00020000
_EXT4_SHUTDOWN = 0x8004587D
_NO_LOG_FLUSH = 2  # what the journal has not written is gone
_SIZE = 128 << 20  # bytes: a run wants 64 MiB free before it begins


def leave_the_mounts_of_others() -> bool:
    """Go into a mount namespace of this process's own; whether that was allowed."""
    if os.geteuid() != 0 or ctypes.CDLL(None).unshare(_CLONE_NEWNS) != 0:
        return False
    return _run("mount", "--make-rprivate", "/")


def _run(*words: str) -> bool:
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def can_mount_ext4(folder: Path) -> bool:
    """Whether an image can be made and mounted here."""
    if shutil.which("mkfs.ext4") is None:
        return False
    place, image = folder / "probe", folder / "probe.img"
    try:
        with ext4(place, image):
            return True
    except OSError:
        return False
    finally:
        image.unlink(missing_ok=True)


@contextmanager
def small(place: Path, *, size: int = _SIZE, files: int = 20_000) -> Iterator[None]:
    """An empty file system at `place` with room for so many bytes and files."""
    place.mkdir(exist_ok=True)
    options = f"size={size},nr_inodes={files},mode=0755"
    if not _run("mount", "-t", "tmpfs", "-o", options, "waves", str(place)):
        raise OSError(f"cannot mount at '{place}'")
    try:
        yield
    finally:
        _unmount(place)


@contextmanager
def ext4(place: Path, image: Path) -> Iterator[None]:
    """An ext4 file system in `image`, new if there is none, mounted at `place`."""
    if not image.exists():
        with image.open("wb") as file:
            file.truncate(_SIZE)
        if not _run("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", str(image)):
            raise OSError("cannot make an ext4 file system")
    place.mkdir(exist_ok=True)
    if not _run("mount", "-o", "loop", str(image), str(place)):
        raise OSError(f"cannot mount at '{place}'")
    try:
        yield
    finally:
        _unmount(place)


def _unmount(place: Path) -> None:
    for _ in range(200):  # the last process to stand there may need another moment to be gone
        if _run("umount", str(place)):
            return
    raise OSError(f"cannot unmount '{place}'")


def sync(place: Path) -> None:
    """Bring all of a file system to its disk."""
    _run("sync", "--file-system", str(place))


def switch_off(place: Path) -> None:
    """The power of this ext4 goes off: nothing is written any more, and what the journal had not written is lost."""
    descriptor = os.open(place, os.O_RDONLY)
    try:
        fcntl.ioctl(descriptor, _EXT4_SHUTDOWN, struct.pack("I", _NO_LOG_FLUSH))
    finally:
        os.close(descriptor)


def fill(place: Path, *, slack: int) -> Path:
    """Take all the room but `slack` bytes with one file; where it lies."""
    filler = place / "filler"
    free = os.statvfs(place)
    with filler.open("wb") as file:
        room = free.f_bavail * free.f_frsize - slack
        if room > 0:
            os.posix_fallocate(file.fileno(), 0, room)
    return filler


def use_up_files(place: Path, *, slack: int) -> Path:
    """Make empty files until no more than `slack` can be made; the folder they lie in."""
    folder = place / "many"
    folder.mkdir()
    number = 0
    try:
        while True:
            (folder / str(number)).touch()
            number += 1
    except OSError:
        for last in range(max(number - slack, 0), number):
            (folder / str(last)).unlink()
    return folder
