"""A process that begins in its caller's terminal and goes on without it: `git waves run --detach`."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path


class Child:
    """In the process that is to go on by itself: it shares its caller's terminal, and its signals, until it leaves."""

    def __init__(self, caller: int) -> None:
        self._caller = caller

    def leave(self, log: Path, message: str) -> None:
        """Go on in a session of its own, with `log` for everything that is printed, and give `message` to the caller,
        who ends with it."""
        sys.stdout.flush()
        sys.stderr.flush()
        written = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        nothing = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        os.setsid()
        for descriptor, number in ((nothing, 0), (written, 1), (written, 2)):
            os.dup2(descriptor, number)
        os.close(written)
        os.close(nothing)
        with suppress(BrokenPipeError):  # the caller was killed
            os.write(self._caller, message.encode())
        os.close(self._caller)


class Caller:
    """In the process that was called."""

    def __init__(self, pid: int, told: int) -> None:
        self._pid = pid
        self._told = told

    def wait(self) -> tuple[int, str]:
        """Wait until the child leaves: exit code 0 and its message; or until it ends, which it has told itself: its exit
        code and no message."""
        earlier = signal.signal(signal.SIGINT, signal.SIG_IGN)  # the child hears it too, and decides
        try:
            with os.fdopen(self._told, "rb") as pipe:
                message = pipe.read().decode()
            if message:
                return 0, message
            _, status = os.waitpid(self._pid, 0)
        finally:
            signal.signal(signal.SIGINT, earlier)
        code = os.waitstatus_to_exitcode(status)
        return code if code >= 0 else 128 - code, ""


def split() -> Child | Caller:
    """Become two processes. To be called before there are threads."""
    sys.stdout.flush()  # or both would print it
    sys.stderr.flush()
    told, tell = os.pipe()
    pid = os.fork()
    os.close(tell if pid else told)
    return Caller(pid, told) if pid else Child(tell)
