"""The terminal on standard output: printing, colour or not, how wide. Imports next to nothing: `status` uses it."""

from __future__ import annotations

import os
import sys

from git_waves.adapters.preferences import Preferences
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


def wants_colour(preferences: Preferences) -> bool:
    """Whether people look at standard output (a terminal, or a pager) and want colour; or want it anyway."""
    if preferences.is_always_coloured or preferences.is_never_coloured:
        return preferences.is_always_coloured
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return preferences.is_pager_coloured if _is_in_pager() else sys.stdout.isatty()


def _is_in_pager() -> bool:
    return os.environ.get("GIT_PAGER_IN_USE") == "true"


def width() -> int | None:
    """The columns of the terminal that standard output is, or that its pager has; None when there is none, and then
    nothing is cut."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except OSError:
        columns = os.environ.get("COLUMNS", "") if _is_in_pager() else ""
        return int(columns) if columns.isdecimal() else None
