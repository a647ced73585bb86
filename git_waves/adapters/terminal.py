"""The terminal on standard output: printing, colour or not, how wide. Imports nothing: `status` uses it."""

from __future__ import annotations

import os
import sys

from git_waves.errors import SurroundingsError


class ReaderLeftError(Exception):
    """Nobody reads standard output any more. No OSError, which the command line library would make an exit code of."""


def write(text: str) -> None:
    """Print text as it is; bytes of paths that are no UTF-8 come out as the bytes they were.

    Raises ReaderLeftError when the pipe is closed, SurroundingsError when it cannot be written for another reason.
    """
    data = memoryview(text.encode(errors="surrogateescape"))
    try:
        while data:
            data = data[os.write(sys.stdout.fileno(), data) :]
    except BrokenPipeError as error:
        raise ReaderLeftError from error
    except OSError as error:
        raise SurroundingsError(f"cannot write to standard output: {error.strerror}") from error


def wants_colour() -> bool:
    """Whether people look at standard output and want colour: a terminal, or the pager git started for us."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return sys.stdout.isatty() or os.environ.get("GIT_PAGER_IN_USE") == "true"


def width() -> int | None:
    """The columns of the terminal that standard output is; None when it is none, and then nothing is cut."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except OSError:
        return None
