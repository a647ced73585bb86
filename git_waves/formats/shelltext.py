"""Commands as prose and Markdown write them: between backquotes, or in a block of shell text. None is ever executed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from git_waves.core.model import Command
from git_waves.formats.markdown import Line

SHELLS = frozenset({"", "bash", "sh", "shell", "zsh", "console", "terminal"})
"""Languages after a fence that mean shell text."""

_TICKED = re.compile(r"`([^`\n]{1,2000})`")
_BETWEEN = re.compile(r"(?:\s|,|;|\+|&|\band\b|\bthen\b|\.)*")
_PROMPT = re.compile(r"^\$\s+")
# A line that goes on, or that only makes sense together with its neighbours.
_JOINED = re.compile(
    r"\\$|<<|^\s|^(?:if|then|else|elif|fi|for|do|done|while|case|esac|function|set|export|cd|source)\b|[({]$|^[)}]"
)
_MOST_COMMANDS = 50


def ticked(text: str) -> list[str]:
    """Everything between backquotes, in order."""
    return [found[1].strip() for found in _TICKED.finditer(text[:20_000]) if found[1].strip()]


def leading_commands(text: str) -> tuple[list[str], str]:
    """The commands that a line starts with, and the rest of it.

    `` `make a` and `make b` `` is two; of `` `make a` or the nearest test `` the second half is no command but advice.
    """
    text = text[:20_000].strip()
    found: list[str] = []
    at = 0
    while (span := _TICKED.match(text, at)) is not None:
        if span[1].strip():
            found.append(span[1].strip())
        between = _BETWEEN.match(text, span.end())
        assert between is not None  # it may be empty
        at = between.end()
    return found, text[at:].strip()


def block_commands(lines: Sequence[Line]) -> list[Command]:
    """The commands of a block of shell text: one a line when each line is a command alone, else the block as one."""
    rows = [(line.number, _PROMPT.sub("", line.text.rstrip())) for line in lines]
    rows = [(number, row) for number, row in rows if row.strip() and not row.lstrip().startswith("#")]
    if not rows:
        return []
    margin = min(len(row) - len(row.lstrip()) for _, row in rows)
    rows = [(number, row[margin:]) for number, row in rows]
    if len(rows) > _MOST_COMMANDS or any(_JOINED.search(row) for _, row in rows):
        return [Command(shell="\n".join(row for _, row in rows), line=rows[0][0])]
    return [Command(shell=row, line=number) for number, row in rows]
