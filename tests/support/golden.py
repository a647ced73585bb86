"""Whole output compared with a file below tests/golden; `make golden` writes the files anew, and the diff is read like code."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

GOLDEN = Path(__file__).resolve().parents[1] / "golden"


def check_golden(name: str, text: str, *, replace: Mapping[str, str] | None = None) -> None:
    """`text`, with each key of `replace` put in place by its value (temporary folders, ids), is what the file holds."""
    for old, new in sorted((replace or {}).items(), key=lambda pair: -len(pair[0])):
        text = text.replace(old, new)
    path = GOLDEN / name
    if os.environ.get("GOLDEN") == "1":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    expected = path.read_text(encoding="utf-8") if path.is_file() else ""
    assert text == expected, f"'{path}' holds something else; when the new text is right: make golden"
