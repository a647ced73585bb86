"""Escape sequences that only dress text up (colours, titles), and text without them."""

from __future__ import annotations

import re

# ECMA-48: CSI sequences (`ESC [ parameters intermediates final`), and OSC, DCS, APC, PM, SOS strings up to their end.
SEQUENCE = r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]P_^X][^\x07\x1b]*(?:\x07|\x1b\\)"
_WHOLE = re.compile(SEQUENCE)


def undressed(text: str) -> str:
    """`text` without whole escape sequences, and with every system's line end as a line feed."""
    return _WHOLE.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
