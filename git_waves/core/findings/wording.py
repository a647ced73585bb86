"""How findings count and list things, so that no plan makes a message of ten thousand names."""

from __future__ import annotations

import re
from collections.abc import Iterable

MOST_NAMES = 3
MOST_LINES = 8
_PLAIN = re.compile(r"[\w./+@%:,=*?-]+")


def count(number: int, noun: str) -> str:
    """`1 task`, `2 tasks`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def quoted(names: Iterable[str]) -> str:
    """`'a'`, `'a' and 'b'`, `'a', 'b', 'c' and 9 more`."""
    shown = [f"'{name}'" for name in names]
    if len(shown) > MOST_NAMES:
        shown = [*shown[:MOST_NAMES], f"{len(shown) - MOST_NAMES} more"]
    return joined(shown)


def joined(words: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    every = tuple(words)
    return " and ".join(filter(None, (", ".join(every[:-1]), *every[-1:])))


def named(path: str) -> str:
    """A path as git prints it: bare when it could be typed so, else in quotes."""
    return path if _PLAIN.fullmatch(path) else f"'{path}'"


def listed(lines: Iterable[str]) -> tuple[str, ...]:
    """Lines of evidence, cut with `and 4 more` when there are many."""
    every = tuple(lines)
    if len(every) <= MOST_LINES + 1:
        return every
    return (*every[:MOST_LINES], f"and {len(every) - MOST_LINES} more")
