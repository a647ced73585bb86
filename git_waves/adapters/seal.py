"""Digests of the files that decide how git behaves in a task worktree, taken before an agent could touch them.

An agent may write its worktree's administrative folder and, without a sandbox, the hooks too. What it changed there is
found by comparing bytes and modes (reliability R5, F-41, F-42, F-46): git skips a hook that lost its executable bit and
says nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from git_waves.errors import SurroundingsError


class TamperingKind(StrEnum):
    """What happened to a sealed file, in words that end a sentence."""

    MISSING = "is gone"
    REPLACED = "is no longer a plain file"
    CONTENT = "has another content"
    MODE = "has another mode"
    ADDED = "was not there before"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tampering:
    """One difference from the seal."""

    path: Path
    kind: TamperingKind

    def __str__(self) -> str:
        return f"'{self.path}' {self.kind}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedFile:
    """A file as it was: permission bits, size in bytes, SHA-256 of the content in hexadecimal."""

    path: Path
    mode: int
    size: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Seal:
    """The sealed files of one task attempt, and the hook `folder`, in which nothing else may lie."""

    folder: Path
    files: tuple[SealedFile, ...]

    def to_bytes(self) -> bytes:
        """The seal as JSON, for a file outside the worktree."""
        files = [[str(file.path), file.mode, file.size, file.digest] for file in self.files]
        return (
            json.dumps({"version": 1, "folder": str(self.folder), "files": files}, indent=1).encode() + b"\n"
        )

    @classmethod
    def from_bytes(cls, content: bytes) -> Seal:
        """Read what `to_bytes` wrote; raises SurroundingsError for anything else."""
        try:
            written = json.loads(content)
            if written["version"] != 1:
                raise ValueError(f"version {written['version']} is not 1")
            files = tuple(
                SealedFile(path=Path(str(path)), mode=int(mode), size=int(size), digest=str(digest))
                for path, mode, size, digest in written["files"]
            )
            return cls(folder=Path(str(written["folder"])), files=files)
        except (ValueError, KeyError, TypeError) as damage:
            raise SurroundingsError(
                f"the seal of a worktree cannot be read: {damage}",
                hint="a new worktree is made by: git waves retry TASK",
            ) from damage


def seal_files(folder: Path, files: Iterable[Path]) -> Seal:
    """Seal every file of the hook `folder`, and the given ones. Raises SurroundingsError when one is missing."""
    sealed = []
    for path in (*files, *sorted(folder.iterdir())):
        found = look_at(path)
        if isinstance(found, TamperingKind):
            raise SurroundingsError(f"cannot seal the worktree: '{path}' {found}")
        sealed.append(found)
    return Seal(folder=folder, files=tuple(sealed))


def check_seal(seal: Seal) -> tuple[Tampering, ...]:
    """Everything that is not as it was sealed; empty when all is. Safe on whatever was put in a file's place."""
    found = []
    for file in seal.files:
        now = look_at(file.path, limit=file.size)
        if isinstance(now, TamperingKind):
            found.append(Tampering(path=file.path, kind=now))
        elif (now.size, now.digest) != (file.size, file.digest):
            found.append(Tampering(path=file.path, kind=TamperingKind.CONTENT))
        elif now.mode != file.mode:
            found.append(Tampering(path=file.path, kind=TamperingKind.MODE))
    known = {file.path for file in seal.files}
    if seal.folder.is_dir():
        added = sorted(path for path in seal.folder.iterdir() if path not in known)
        found += [Tampering(path=path, kind=TamperingKind.ADDED) for path in added]
    return tuple(found)


def look_at(path: Path, *, limit: int | None = None) -> SealedFile | TamperingKind:
    """The file as it is now, or what is wrong with it; at most `limit` bytes of it are read."""
    # A pipe in the file's place would block an ordinary open, a link would lead elsewhere, a huge file would be read.
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return TamperingKind.MISSING
    except OSError:  # a link, a socket, or not readable any more
        return TamperingKind.REPLACED if path.is_symlink() or not path.is_file() else TamperingKind.MODE
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return TamperingKind.REPLACED
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            content = file.read() if limit is None else file.read(limit + 1)
    finally:
        os.close(descriptor)
    return SealedFile(
        path=path,
        mode=stat.S_IMODE(status.st_mode),
        size=len(content),
        digest=hashlib.sha256(content).hexdigest(),
    )
