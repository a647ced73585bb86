"""Colour for people: a few quiet styles, all of them off when the reader is a file, a pipe or wants none.

Imports nothing: `status` uses it.
"""

from __future__ import annotations

_CODES = {
    "bold": "1",
    "dim": "2",
    "good": "32",
    "busy": "36",
    "bad": "1;31",
    "odd": "33",
    "hint": "33",
}


class Paint:
    """Puts colour around text, or leaves it alone (`Paint(False)`)."""

    __slots__ = ("is_on",)

    def __init__(self, is_on: bool) -> None:
        self.is_on = is_on

    def __call__(self, style: str, text: str) -> str:
        """`text` in a style (`good`, `busy`, `bad`, `odd`, `dim`, `bold`, `hint`); an empty style changes nothing."""
        if not self.is_on or not style or not text:
            return text
        return f"\x1b[{_CODES[style]}m{text}\x1b[m"


PLAIN = Paint(False)
