"""Processes that a scene left behind, found by the folder they stand in or name."""

from __future__ import annotations

import os
from pathlib import Path

from tests.support.repo import RepoBuilder


def processes_of(repo: RepoBuilder) -> list[str]:
    """Command lines of live processes whose working folder or arguments lie in the scene's temporary folder."""
    return processes_in(repo.folder.parent)


def processes_in(folder: Path) -> list[str]:
    """Command lines of live processes whose working folder lies in `folder`, or whose arguments name something there."""
    place = os.fsencode(folder)
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            stands = os.fsencode(os.readlink(entry / "cwd"))  # noqa: PTH115  # the text, even of a deleted folder
            words = (entry / "cmdline").read_bytes()
            state = (entry / "stat").read_bytes().rpartition(b")")[2].split()[0]
        except OSError:
            continue
        if state != b"Z" and (stands.startswith(place) or place in words):
            found.append(words.replace(b"\0", b" ").decode(errors="replace"))
    return found
