"""Paths as people and other tools write them in lists of files: in quotes, with a remark or a line number behind."""

from __future__ import annotations

import re

_is_clean = re.compile(r"[A-Za-z0-9_./-]+").fullmatch  # nearly every path
_REMARK = re.compile(r"\s+\(.*\)$")  # only after white space: `app/(shop)/page.tsx` is a path
_LINES = re.compile(r":[0-9]+(?:-[0-9]+)?$")


def clean_path(text: str) -> str:
    """The path that `text` means: `` `src\\a.py:10-20` (new) `` is `src/a.py`. It is not judged here."""
    if _is_clean(text):
        return text
    text = text.strip().strip("`'\"").strip()
    text = _REMARK.sub("", text).strip("`'\"")
    return _LINES.sub("", text).replace("\\", "/")
