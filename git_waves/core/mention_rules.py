"""What a rule of `mentions` is: which words in a command or in a sentence mean that something outside is used."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from git_waves.core.passages import PassageKind


class Thing(Enum):
    """Kinds of things that tasks share without sharing a file; the values are what people call them."""

    DATABASE = "database"
    USER = "user-global state"
    PORT = "port"
    SOCKET = "socket"
    CONTAINER = "containers"
    SERVICE = "external service"


@dataclass(frozen=True, slots=True)
class Rule:
    """`words`, one of which stands in every match (lower case; letters and digits, or `~/`), keep `pattern` from most texts.

    `name` is what is used, with `{}` for the first group that matched. A match does not count when `unless` is found in
    its line.
    """

    thing: Thing
    name: str
    words: frozenset[str]
    pattern: re.Pattern[str]
    where: frozenset[PassageKind]
    unless: re.Pattern[str] | None = None

    def key(self, found: re.Match[str]) -> str | None:
        """What exactly is used; None when this match does not count."""
        if self.unless is not None:
            text = found.string
            start = max(text.rfind("\n", 0, found.start()) + 1, found.start() - _LONGEST_LINE)
            end = text.find("\n", found.end())
            end = len(text) if end < 0 else end
            if self.unless.search(text, start, min(end, found.end() + _LONGEST_LINE)):
                return None
        return self.name.format(next((group for group in found.groups() if group is not None), ""))


_LONGEST_LINE = 500  # characters to either side that are looked at
COMMANDS = frozenset({PassageKind.COMMANDS})
PROSE = frozenset({PassageKind.PROSE})
CODE = frozenset({PassageKind.CODE})
# Where a command may begin: behind a separator, `sudo`, `npx`, or a variable that is set for it.
_START = r"(?:^|[\n;&|({`]|\b(?:sudo|do|then|exec|npx|bunx|run|time)\s|\b[A-Z_]{2,40}=\S{0,200}\s)[ \t]*"


def command(
    thing: Thing, name: str, words: str, pattern: str, *, unless: re.Pattern[str] | None = None
) -> Rule:
    """A program with its words, where a command may begin."""
    compiled = re.compile(_START + pattern, re.MULTILINE)
    return Rule(thing, name, frozenset(words.split()), compiled, COMMANDS, unless)


def anywhere(
    thing: Thing,
    name: str,
    words: str,
    pattern: str,
    *,
    where: frozenset[PassageKind] = COMMANDS,
    unless: re.Pattern[str] | None = None,
) -> Rule:
    """Words that mean it wherever they stand."""
    return Rule(thing, name, frozenset(words.split()), re.compile(pattern), where, unless)


def said(thing: Thing, name: str, words: str, pattern: str, *, unless: re.Pattern[str] | None = None) -> Rule:
    """A sentence that asks for it."""
    return Rule(thing, name, frozenset(words.split()), re.compile(pattern, re.IGNORECASE), PROSE, unless)
