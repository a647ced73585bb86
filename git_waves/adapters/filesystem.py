"""What a folder lies on: the kind of file system, and whether it is full."""

from __future__ import annotations

import os
import re
from pathlib import Path

_MOUNTS = Path("/proc/self/mountinfo")
_LITTLE = 64 * 1024  # bytes: less, and a log, a result and an object no longer fit
_FEW = 4  # files


def file_system(folder: Path) -> str:
    """The kind of file system a folder lies on, in the kernel's word (`ext4`, `nfs4`); empty where that cannot be seen."""
    try:
        lines = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return ""
    place, best, kind = folder.resolve(), Path(), ""
    for line in lines:
        mount, _, about = line.partition(" - ")
        point = Path(re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), mount.split(" ")[4]))
        if place.is_relative_to(point) and len(point.parts) >= len(
            best.parts
        ):  # of two on one place, the later one counts
            best, kind = point, about.split(" ")[0]
    return kind


def is_full(folder: Path) -> bool:
    """Whether there is next to no room for bytes or for files; False where nobody can tell. A quota is not seen."""
    try:
        found = os.statvfs(folder)
    except OSError:
        return False
    return found.f_bavail * found.f_frsize < _LITTLE or (found.f_files > 0 and found.f_favail < _FEW)
