"""How a person likes to read: a few quiet colours, all of them off for a file or a pipe, and which advice is wanted.

Imports nothing: `status` uses it.
"""

from __future__ import annotations

ADVICE = {
    "error": "the hints below errors",
    "finding": "the hints below findings of a plan",
    "task": "the hints beside tasks that wait for a person",
    "next": "what to type next, at the end of plan, show, status and run",
    "format": "that a plan of another tool was read with gaps",
}
"""What can be switched off, one by one: `advice.wavesNext` and so on; `advice.waves` is all of it."""

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
    """Puts colour around text, or leaves it alone (`Paint(False)`). `silenced` is the advice nobody wants: names behind
    `advice.waves`, in lower case."""

    __slots__ = ("_silenced", "is_on")

    def __init__(self, is_on: bool, silenced: frozenset[str] = frozenset()) -> None:
        self.is_on = is_on
        self._silenced = silenced

    def advises(self, name: str) -> bool:
        """Whether this kind of advice (one of ADVICE) is wanted."""
        return name not in self._silenced and "" not in self._silenced

    def __call__(self, style: str, text: str) -> str:
        """`text` in a style (`good`, `busy`, `bad`, `odd`, `dim`, `bold`, `hint`); an empty style changes nothing."""
        if not self.is_on or not style or not text:
            return text
        return f"\x1b[{_CODES[style]}m{text}\x1b[m"


PLAIN = Paint(False)
