"""Files that prose mentions. Mentions are guesses: they may add a conflict between two tasks, and never excuse one."""

from __future__ import annotations

import re
from collections.abc import Iterable

from git_waves.formats.filenames import PLAIN_NAMES, reads_like_a_library, reads_like_a_path
from git_waves.formats.markdown import Line

MOST = 200
"""Mentions taken from one task; more is a list of files, not prose."""

_LONGEST_TEXT = 60_000
# What can be a path: in backquotes, with a dot or a slash, or a name that is known to need neither. ASCII only: in CJK prose
# words stand right beside a path. A colon ends a word, so a URL leaves `//host/...`, which is no path.
_LETTERS = r"A-Za-z0-9_@\[\]()+\-"
_WORD = re.compile(
    rf"`[^`\n]{{1,300}}`|(?<![{_LETTERS}])(?:[{_LETTERS}]*[./\\][{_LETTERS}./\\]{{1,300}}"
    rf"|(?:{'|'.join(PLAIN_NAMES)})(?![{_LETTERS}./\\]))"
)
_PLAIN = re.compile(r"[A-Za-z0-9_.@\[\]()+/-]+")
_READS = re.compile(
    r"(?:\bfrom|\bper|\bsee|\bvia|\blike|\bmatch|\bmatches|\bmatching|\bmirrors?|\bmirroring|\bfollowing|\breferences?|"
    r"\bread|\breads|\bexisting|\bin line with)\s+$",
    re.IGNORECASE,
)
_LINES = re.compile(r":[0-9][0-9,\u2013-]*$")
_WHERE = re.compile(r"[`.,]?\s+(?:in|at|under|inside|into|within|to)\s+(?:the\s+)?`?", re.IGNORECASE)


def mentioned_paths(text: str) -> list[str]:
    """The files that `text` seems to touch, each once, in order; those it only reads (`per spec.md`) are left out.

    A folder says where (`add io.c in src/core/` is `src/core/io.c`), and is no claim of its own. Wildcards in prose are
    examples more often than claims, so they are not taken.
    """
    text = text[:_LONGEST_TEXT]
    found: dict[str, None] = {}
    bare, bare_end = "", 0
    for word in _WORD.finditer(text):
        path = _path_of(word.group())
        if path is None:
            continue
        if path.endswith("/"):
            if bare and bare_end + 20 > word.start() and _WHERE.fullmatch(text, bare_end, word.start()):
                found.pop(bare, None)
                found[path + bare] = None
            continue
        bare, bare_end = ("", 0) if "/" in path else (path, word.end())
        if path in found or _READS.search(text, max(word.start() - 24, 0), word.start()):
            continue
        found[path] = None
        if len(found) == MOST:
            break
    return list(found)


def mentions_in(lines: Iterable[Line]) -> list[tuple[str, int]]:
    """The files that some lines mention, with the line of the first mention; code is not looked at."""
    found: dict[str, int] = {}
    for line in lines:
        if line.is_code:
            continue
        for path in mentioned_paths(line.text):
            found.setdefault(path, line.number)
        if len(found) >= MOST:
            break
    return list(found.items())[:MOST]


def _path_of(word: str) -> str | None:
    is_code = word.startswith("`")
    path = word.strip("`").strip() if is_code else word.rstrip(".,;:!?")
    if not is_code:
        path = _without_odd_brackets(path)
    path = _LINES.sub("", path).replace("\\", "/").removeprefix("./")
    if not _PLAIN.fullmatch(path) or path.startswith(("/", "@", "-", "..")) or not reads_like_a_path(path):
        return None
    return None if not is_code and reads_like_a_library(path) else path


def _without_odd_brackets(path: str) -> str:
    """Sentence brackets around or behind a word are not part of it; those of `app/(shop)/page.tsx` are."""
    while path[:1] in ("(", "["):
        closing = ")" if path[0] == "(" else "]"
        if closing in path[1:-1]:
            break
        path = path[1:].removesuffix(closing)
    if path[-1:] in (")", "]") and path.count("(") + path.count("[") < path.count(")") + path.count("]"):
        path = path[:-1]
    return path.rstrip(".,;:!?")
