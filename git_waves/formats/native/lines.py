"""Lines of a plan as it is written: texts, lists and commands under a key."""

from __future__ import annotations

from collections.abc import Sequence

from git_waves.core.model import Command
from git_waves.formats.native.scalars import fits_block, flow, flow_command, inert, scalar

_WIDTH = 100


class Lines:
    """Collects lines; every method writes one value at some indentation."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def line(self, depth: int, text: str) -> None:
        """One line."""
        self.lines.append(" " * depth + text)

    def comment(self, text: str) -> None:
        """A line of comment; what others wrote cannot end it."""
        self.lines.append(f"# {inert(text)}".rstrip())

    def text(self, depth: int, key: str, text: str) -> None:
        """A text that may be long: as a block when that shows it as it is, else in quotes."""
        body, end = text.rstrip("\n"), len(text) - len(text.rstrip("\n"))
        if "\n" not in text or not body or not fits_block(text):
            self.line(depth, f"{key}: {scalar(text)}")
            return
        rows = body.split("\n")
        if any(row and not row.strip() for row in rows):  # blanks that no editor shows
            self.line(depth, f"{key}: {scalar(text)}")
            return
        indent = "2" if rows[0][:1] in (" ", "\t", "") else ""
        self.line(depth, f"{key}: |{indent}{'-' if end == 0 else '' if end == 1 else '+'}")
        self.lines += [" " * (depth + 2) + row if row else "" for row in rows]
        self.lines += [""] * (end - 1)

    def list(self, depth: int, key: str, items: Sequence[str]) -> None:
        """A list of scalars that are written already: on one line when it fits there."""
        line = f"{key}: {flow(items)}"
        if depth + len(line) <= _WIDTH:
            self.line(depth, line)
        else:
            self.line(depth, f"{key}:")
            for item in items:
                self.line(depth + 2, f"- {item}")

    def command(self, depth: int, key: str, command: Command) -> None:
        """One command: a text, or a list that is executed as it is."""
        if command.shell is not None:
            self.text(depth, key, command.shell)
        else:
            self.list(depth, key, [scalar(word) for word in command.argv])

    def commands(self, depth: int, key: str, commands: Sequence[Command]) -> None:
        """One or several commands, where a list is always several."""
        if not commands:
            return
        if len(commands) == 1 and commands[0].shell is not None:
            self.text(depth, key, commands[0].shell)
            return
        self.line(depth, f"{key}:")
        for command in commands:
            self.line(depth + 2, f"- {flow_command(command)}")
