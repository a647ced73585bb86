"""The new lines of a file that somebody else appends to, who may write anything, any amount, and swap the file meanwhile.

Bounded in everything: bytes at one look, the length of a line, and how far it may lag behind; what does not fit is passed
over. Never raises for what lies there.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

_AT_ONCE = 4 << 20  # bytes read at one look
_LONGEST = 8 << 20  # bytes of a line; a longer one is passed over
_BEHIND = 32 << 20  # bytes not yet read; beyond, only the last part of them is


class Tail:
    """Remembers how far it has read. The beginning of a file is always read, whatever its size."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._at = 0
        self._begun = b""  # a line that has no end yet
        self._is_skipping = False

    def lines(self) -> list[str]:
        """The whole lines that are new, without their ends; empty when there are none, or none that can be read."""
        try:
            chunk = self._chunk()
        except OSError:
            return []
        *whole, rest = (self._begun + chunk).split(b"\n")
        if whole and self._is_skipping:
            del whole[0]
            self._is_skipping = False
        if len(rest) > _LONGEST:
            self._is_skipping, rest = True, b""
        self._begun = b"" if self._is_skipping else rest
        return [line.decode("utf-8", "replace").rstrip("\r") for line in whole]

    def rest(self) -> list[str]:
        """Everything that is left, for a file nobody writes any more; a last line without an end counts too."""
        found: list[str] = []
        for _ in range(_BEHIND // _AT_ONCE + 2):  # somebody may write it all the same
            before = self._at
            found += self.lines()
            if self._at == before:
                break
        last, self._begun = self._begun, b""
        return [*found, last.decode("utf-8", "replace")] if last else found

    def _chunk(self) -> bytes:
        # A pipe would block an ordinary open, and a link lead elsewhere.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        descriptor = os.open(self._path, flags)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                return b""
            if status.st_size < self._at:  # cut, or another file: from its beginning
                self._at, self._begun, self._is_skipping = 0, b"", False
            if self._at and status.st_size - self._at > _BEHIND:
                self._at, self._begun, self._is_skipping = status.st_size - _AT_ONCE, b"", True
            chunk = os.pread(descriptor, _AT_ONCE, self._at)
        finally:
            os.close(descriptor)
        self._at += len(chunk)
        return chunk
