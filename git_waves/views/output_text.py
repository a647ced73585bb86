"""The output of agents and gates, made inert on its way to a terminal: colours go, tricks show.

Escape sequences that only dress text up are dropped; any other control character is shown as an escape, so that no output
can move the cursor, set a title or write into the clipboard. Line ends of every system end a line.
"""

from __future__ import annotations

import codecs
import re

from git_waves.core.dress import SEQUENCE, undressed
from git_waves.views.safe import clean_lines

# A sequence that may go on, and a carriage return whose line feed may still come, dress between them or not.
_UNFINISHED = re.compile(rf"(?:\r(?:{SEQUENCE})*)?(?:\x1b(?:\[[0-?]*[ -/]*|[\]P_^X][^\x07\x1b]*\x1b?)?)?\Z")
_LONGEST = 4096  # letters; an escape sequence that is longer is none, and is shown


class Inert:
    """Takes output piece by piece, wherever it was cut, and gives text that is safe to print."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._held = ""

    def feed(self, piece: bytes) -> str:
        """The printable text of `piece`; what may be the beginning of a sequence waits for the next piece."""
        text = self._held + self._decoder.decode(piece)
        unfinished = _UNFINISHED.search(text[-_LONGEST:])  # always found, if only as nothing at the end
        self._held = unfinished.group() if unfinished is not None else ""
        return _inert(text[: len(text) - len(self._held)])

    def end(self) -> str:
        """The printable text of what still waits."""
        rest, self._held = self._held + self._decoder.decode(b"", final=True), ""
        return _inert(rest)


def _inert(text: str) -> str:
    return clean_lines(undressed(text))
