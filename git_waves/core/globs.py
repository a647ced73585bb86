"""The glob language of plans: what `*`, `?` and `**` match, and whether two globs can match one path.

`*` and `?` stay inside a segment. `**` alone between slashes spans any number of segments, at the end at least one.
`[`, `]`, `(`, `)`, `{` and `}` are ordinary letters: routes such as `[id]` and `(group)` are file names in real plans.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import count, groupby

SPAN = "**"
_STARS = re.compile(r"\*{2,}")


def is_glob(text: str) -> bool:
    """Whether the text holds a wildcard at all."""
    return "*" in text or "?" in text


@lru_cache(maxsize=8192)
def segments_of(text: str) -> tuple[str, ...]:
    """The segments of a glob in their simplest form.

    A `**` at the end becomes `**`, `*`: what lies below a folder, never the folder itself. Repeated `**` are one, and
    stars that run together inside a segment (`a**b`) are a plain `*`.
    """
    plain = (part if part == SPAN else _STARS.sub("*", part) for part in text.split("/"))
    simple = [part for part, run in groupby(plain) for part in ((part,) if part == SPAN else tuple(run))]
    if simple[-1] == SPAN:
        simple.append("*")
    return tuple(simple)


@lru_cache(maxsize=8192)
def literal_head(text: str) -> str:
    """The folders every match lies below: the segments before the first wildcard, joined; empty when there are none."""
    head: list[str] = []
    for part in text.split("/"):
        if is_glob(part):
            break
        head.append(part)
    return "/".join(head)


def literal_tail(text: str) -> str:
    """The letters every match ends with: what stands after the last wildcard, without a leading slash."""
    return re.split(r"[*?]", text)[-1].lstrip("/")


@lru_cache(maxsize=8192)
def glob_regex(text: str) -> str:
    """A regular expression for `re.fullmatch` that accepts exactly the paths the glob matches.

    Plain syntax, no flags, one path per match, newlines included. Two stars could make a backtracking matcher try every
    split, and paths are named by agents; so what stands between two stars is matched once, at the first place it fits
    (a lookahead with a back reference keeps it there). That is enough, because a star accepts whatever follows; the
    standard library's `fnmatch` rests on the same argument.
    """
    numbers = count(1)
    runs: list[list[str]] = [[]]
    for part in segments_of(text):
        if part == SPAN:
            runs.append([])
        else:
            runs[-1].append(part)

    def once(make: Callable[[], str]) -> str:
        name = f"g{next(numbers)}"
        return f"(?=(?P<{name}>{make()}))(?P={name})"

    def segment(part: str) -> str:
        if part == "*":
            return "[^/]+"
        first, *others = (
            "".join("[^/]" if c == "?" else re.escape(c) for c in text) for text in part.split("*")
        )
        if not others:
            return first
        *middle, last = others
        return first + "".join(once(lambda p=piece: f"[^/]*?{p}") for piece in middle) + f"[^/]*{last}"  # type: ignore[misc]  # mypy cannot type a lambda's default

    def joined(run: Sequence[str]) -> str:
        return "/".join(segment(part) for part in run)

    if len(runs) == 1:
        return joined(runs[0])
    head, *middle, last = runs
    return (
        (joined(head) + "/" if head else "")
        + "".join(once(lambda r=run: f"(?:[^/]+/)*?{joined(r)}/") for run in middle)  # type: ignore[misc]  # as above
        + f"(?:[^/]+/)*{joined(last)}"
    )


def can_meet(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether some path matches both lists of segments (see `segments_of`). Exact; time is the product of lengths."""
    return _meet(a, b, SPAN, _segments_meet)


@lru_cache(maxsize=65536)
def _segments_meet(a: str, b: str) -> bool:
    if not is_glob(a) and not is_glob(b):
        return a == b
    return _meet(a, b, "*", lambda x, y: x == y or x == "?" or y == "?")


def _meet(a: Sequence[str], b: Sequence[str], star: str, is_same: Callable[[str, str], bool]) -> bool:
    """Whether one text is matched by both patterns, where `star` stands for any number of items.

    `row[j]` says whether the items of `a` read so far and the first j of `b` can match one text.
    """
    row = [True]
    for y in b:
        row.append(row[-1] and y == star)
    for x in a:
        next_row = [row[0] and x == star]
        for j, y in enumerate(b):
            if x == star or y == star:
                next_row.append(row[j + 1] or next_row[j])
            else:
                next_row.append(row[j] and is_same(x, y))
        if not any(next_row):
            return False
        row = next_row
    return row[-1]
