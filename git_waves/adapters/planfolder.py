"""The files of a folder that may hold plans: found by their names, read in a stable order, never followed out of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from git_waves.adapters.planfile import PlanBytes, shown, unreadable
from git_waves.adapters.repo import Repository

MOST_ENTRIES = 50_000
_DEEPEST = 16
_NOT_ENTERED = frozenset({".git", "node_modules", ".venv", "venv", "__pycache__", "target", "dist", "build"})

Choose = Callable[[str], bool]
"""Says of a path, counted from the folder, whether its file matters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderBytes:
    """What was read of a folder, by path; `noted` are paths that were only seen. `source` names the folder."""

    source: str
    files: tuple[PlanBytes, ...]
    noted: frozenset[str]


def read_folder(
    repository: Repository, spec: str, *, wanted: Choose, noted: Choose, limit: int
) -> FolderBytes | None:
    """The files of the folder `spec` (from the current folder) that `wanted` chooses; None when it is no folder.

    Symbolic links are not followed, and folders of built or fetched things not entered. Raises PlanError (could not
    measure) when there is too much: more than 50,000 entries, or than `limit` bytes in the chosen files.
    """
    top = repository.folder / spec
    if not top.is_dir():
        return None
    source = shown(repository, top)
    files: list[PlanBytes] = []
    seen: set[str] = set()
    size = 0
    for path in _walk(top, source):
        inside = path.relative_to(top).as_posix()
        name = shown(repository, path)
        if noted(inside):
            seen.add(name)
        elif wanted(inside):
            data = _read(path, name, limit - size)
            size += len(data)
            if size > limit:
                most = f"the plans in this folder have more than {limit // 1024 // 1024} MiB"
                raise unreadable(source, most, "name a smaller folder, or a file")
            files.append(PlanBytes(source=name, path=name, data=data))
    return FolderBytes(source=source, files=tuple(files), noted=frozenset(seen))


def _walk(top: Path, source: str) -> Iterator[Path]:
    """Every regular file below `top`, by path."""
    count = 0
    waiting = [(top, 0)]
    while waiting:
        folder, depth = waiting.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            if folder == top:
                raise unreadable(source, f"the folder cannot be read: {error.strerror}", "") from error
            continue
        count += len(entries)
        if count > MOST_ENTRIES:
            raise unreadable(
                source, f"the folder has more than {MOST_ENTRIES} entries", "name a smaller folder"
            )
        yield from (Path(entry.path) for entry in entries if entry.is_file(follow_symlinks=False))
        waiting += [
            (Path(entry.path), depth + 1)
            for entry in reversed(entries)
            if depth < _DEEPEST and entry.is_dir(follow_symlinks=False) and entry.name not in _NOT_ENTERED
        ]


def _read(path: Path, name: str, limit: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(max(limit, 0) + 1)
    except OSError as error:
        raise unreadable(name, f"the plan cannot be read: {error.strerror}", "") from error
