"""Hurting a command at one chosen step: what it changes in the world is counted, and at one number something happens.

A step is a file opened for writing, renamed, linked, removed or cut, a folder made or removed, a sync, a write to the
event log, a process started. Counted in the command's own process, all its threads, by Python's audit events, which come
before the step; steps of the programs it starts are `tests/soak/disk.py`'s subject.
"""

from __future__ import annotations

import errno
import mmap
import os
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_PATHS = frozenset({"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate"})

Deed = Callable[["Strike"], None]


class Counter:
    """A number in memory that a child shares with its parent, so that the parent can read it of a dead child."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, 8)

    def __call__(self) -> int:
        return int(struct.unpack("q", self._memory[:8])[0])

    def add(self) -> int:
        """One more; the new number."""
        number = self() + 1
        self._memory[:8] = struct.pack("q", number)
        return number


class Strike:
    """What is to happen in one command, at step `number` (0: nothing, the steps are only counted).

    `deed` is one of the functions below. Call `arm` in the child. `counted()` are the steps so far, `met()` is 1 when
    the moment came.
    """

    def __init__(self, folder: Path, number: int, deed: Deed | None, *, lasts: bool = False) -> None:
        self.counted = Counter()
        self.met = Counter()
        self.is_spawn = False  # the step is a process that is about to start
        self.data = b""  # what is about to be written to the event log
        self.file = -1  # the event log, when the step is a write to it
        self._folder = str(folder)
        self._number = number
        self._deed = deed
        self._lasts = lasts
        self._lock = threading.RLock()
        self._is_at_it = False
        self._write, self._fsync = os.write, os.fsync

    def arm(self) -> None:
        """From now on, count."""
        sys.addaudithook(self._hear)
        os.write = self._counted_write
        os.fsync = self._counted_fsync  # type: ignore[assignment]  # only ever given a descriptor here

    def _step(self) -> None:
        with self._lock:
            if self._is_at_it:  # what the deed itself does is no step
                return
            number = self.counted.add()
            if self._deed is None or not self.is_due(number):
                return
            self._is_at_it = True
            try:
                self.met.add()
                self._deed(self)
            finally:
                self._is_at_it = False

    def is_due(self, number: int) -> bool:
        """Whether the deed is done at this step: at the chosen one and, when it lasts, at every later one."""
        return number == self._number or (self._lasts and number > self._number > 0)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if isinstance(flags, int) and flags & _WRITES and self._is_ours(path):
                self._step()
        elif event in _PATHS:
            if self._is_ours(arguments[0]):
                self._step()
        elif event == "subprocess.Popen":
            self.is_spawn = True
            try:
                self._step()
            finally:
                self.is_spawn = False

    def _is_ours(self, path: object) -> bool:
        return isinstance(path, (str, bytes, os.PathLike)) and os.fsdecode(path).startswith(self._folder)

    def _counted_write(self, descriptor: int, data: Any) -> int:
        if self._name_of(descriptor).endswith("events.jsonl"):
            self.file, self.data = descriptor, bytes(data)
            try:
                self._step()
            finally:
                self.file = -1
        return self._write(descriptor, data)

    def _counted_fsync(self, descriptor: int) -> None:
        if self._name_of(descriptor).startswith(self._folder):
            self._step()
        self._fsync(descriptor)

    def _name_of(self, descriptor: int) -> str:
        try:
            return os.readlink(f"/proc/self/fd/{descriptor}")  # noqa: PTH115  # the text, also of what is gone
        except OSError:
            return ""

    def write_part(self) -> None:
        """Half of what is about to be written to the event log."""
        if self.file >= 0:
            self._write(self.file, self.data[: len(self.data) // 2])


# ---------------------------------------------------------------------- deeds


def die(strike: Strike) -> None:
    """`kill -9`; a write to the event log is torn."""
    strike.write_part()
    os.kill(os.getpid(), signal.SIGKILL)


def die_before(_strike: Strike) -> None:
    """`kill -9`, and nothing of the step has happened."""
    os.kill(os.getpid(), signal.SIGKILL)


def die_behind_a_child(strike: Strike) -> None:
    """`kill -9` just after a process was started, which goes on alone."""
    if not strike.is_spawn:
        os.kill(os.getpid(), signal.SIGKILL)
    begin = subprocess.Popen._execute_child  # type: ignore[attr-defined]  # the step behind the audit event

    def begin_and_die(*arguments: Any) -> None:
        begin(*arguments)
        os.kill(os.getpid(), signal.SIGKILL)

    subprocess.Popen._execute_child = begin_and_die  # type: ignore[attr-defined]  # as above


def pause(_strike: Strike) -> None:
    """Stop, until the parent has done what it wants to do in the middle of this command."""
    os.kill(os.getpid(), signal.SIGSTOP)


def signalled(*numbers: int) -> Deed:
    """Send these signals to ourselves, one a step. A deed that lasts."""
    left = list(numbers)

    def deed(_strike: Strike) -> None:
        if left:
            os.kill(os.getpid(), left.pop(0))

    return deed


def refused(number: int) -> Deed:
    """The system refuses the step with this error number."""

    def deed(strike: Strike) -> None:
        if number == errno.ENOSPC:
            strike.write_part()
        raise OSError(number, os.strerror(number))

    return deed
