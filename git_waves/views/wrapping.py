"""Lines that fit the reader's terminal: broken at spaces, never cut. Imports nothing: `status` uses it."""

from __future__ import annotations

from git_waves.views.paint import Paint


def labelled(label: str, text: str, style: str, width: int | None, paint: Paint) -> list[str]:
    """`text` behind a painted label, broken into lines that stand below its first word."""
    first, *rest = wrapped(text, " " * len(label), width)
    return [paint(style, label) + first[len(label) :], *rest]


def wrapped(text: str, start: str, width: int | None) -> list[str]:
    """`text` broken at spaces into lines that begin with `start`; a word that is too long stays whole."""
    if width is None:
        return [start + text]
    lines: list[str] = []
    for word in text.split(" "):
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += " " + word
        else:
            lines.append(start + word)
    return lines
