"""Fields of records in foreign formats, taken by type: every wrong one is a problem with its line, none stops the rest.

`null` counts as absent, and keys nobody asks for are left alone: the format belongs to somebody else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from git_waves.core.model import Command
from git_waves.errors import PlanProblem
from git_waves.formats.commands import one_command
from git_waves.formats.names import shorten

_Value = TypeVar("_Value")


@dataclass(slots=True)
class Record:
    """One object of a foreign plan; `owner` is what messages call it (`task '3'`)."""

    values: dict[str, object]
    owner: str
    line: int
    line_of: Callable[[str], int]
    problems: list[PlanProblem]

    def refuse(self, key: str, message: str, hint: str = "") -> None:
        """Add a problem on the line of `key`."""
        self.problems.append(PlanProblem(self.line_of(key), message, hint))

    def required(self, key: str, take: Callable[[str], _Value | None]) -> _Value | None:
        """What `take` makes of `key`; a problem when the key is absent, null or a blank text."""
        value = self.values.get(key)
        if value is None or (isinstance(value, str) and not value.strip()):
            self.refuse(key, f"{self.owner} has no '{key}'")
            return None
        return take(key)

    def text(self, key: str) -> str | None:
        """A text; None when absent or of another type."""
        value = self.values.get(key)
        if value is None or isinstance(value, str):
            return value
        self.refuse(key, f"'{key}' of {self.owner} must be text")
        return None

    def whole_number(self, key: str) -> int | None:
        """A whole number of at least 0; None when absent or something else."""
        value = self.values.get(key)
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1_000_000_000:
            return value
        self.refuse(key, f"'{key}' of {self.owner} must be a whole number of at least 0")
        return None

    def identity(self, key: str) -> str | None:
        """An id, written as text or as a number."""
        value = self.values.get(key)
        if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
            return str(value)
        if value is not None:
            self.refuse(key, f"'{key}' of {self.owner} must be text or a number")
        return None

    def identities(self, key: str) -> tuple[str, ...]:
        """A list of ids, repeated ones once."""
        value = self.values.get(key)
        if value is None:
            return ()
        if isinstance(value, list) and all(
            isinstance(one, str | int) and not isinstance(one, bool) for one in value
        ):
            return tuple(dict.fromkeys(map(str, value)))
        self.refuse(key, f"'{key}' of {self.owner} must be a list of ids")
        return ()

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts."""
        value = self.values.get(key)
        if value is None:
            return ()
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            return tuple(value)
        self.refuse(key, f"'{key}' of {self.owner} must be a list of texts")
        return ()

    def shell_commands(self, key: str) -> tuple[Command, ...]:
        """A text or a list of texts, each a shell command."""
        value = self.values.get(key)
        texts = (value,) if isinstance(value, str) else self.texts(key)
        line = self.line_of(key) if texts else 0
        what = f"'{key}' of {self.owner}"
        commands = (one_command(text, line=line, what=what, problems=self.problems) for text in texts)
        return tuple(command for command in commands if command is not None)

    def command(self, key: str) -> Command | None:
        """One command: a text for the shell, or a list that is executed as it is."""
        value = self.values.get(key)
        if value is None:
            return None
        written = value if isinstance(value, str) else list(self.texts(key))
        if not isinstance(value, str | list) or (value and not written):
            return None  # said by texts()
        what = f"'{key}' of {self.owner}"
        return one_command(written, line=self.line_of(key), what=what, problems=self.problems)


def title_of(text: str) -> str:
    """The first line of a longer text, cut to 80 letters."""
    first = text.strip().split("\n", 1)[0]
    return shorten(first, 80)
