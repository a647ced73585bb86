"""Ids of other tools made into ids of ours: kept as they are when they can be, else changed as little as possible."""

from __future__ import annotations

import re
from collections.abc import Iterable

from git_waves.formats.names import RESERVED_IDS, name_complaint

_LONGEST = 64
_NOT_ALLOWED = re.compile(r"[^A-Za-z0-9._-]+")
_DOTS = re.compile(r"\.{2,}")


def usable_ids(raws: Iterable[str], what: str = "task") -> dict[str, str]:
    """For each raw id one of ours; the same raw ids always give the same answer, and different ones never meet.

    Two raw ids that a file system could take for one (they differ only in case) are left for the caller's checks.
    """
    known = list(dict.fromkeys(raws))
    taken = {raw.casefold() for raw in known if name_complaint(raw, what) is None}
    counts: dict[str, int] = {}
    found = {}
    for raw in known:
        if name_complaint(raw, what) is None:
            found[raw] = raw
        else:
            found[raw] = _free(_tidied(raw), taken, counts)
            taken.add(found[raw].casefold())
    return found


def slug(text: str, limit: int = 40) -> str:
    """`text` in lower case, with `-` between its words; empty when it holds no ASCII letter or digit."""
    return re.sub(r"[^a-z0-9]+", "-", text[:400].lower()).strip("-")[:limit].strip("-")


def _tidied(raw: str) -> str:
    last = raw.rpartition("/")[2] if _NOT_ALLOWED.sub("", raw.rpartition("/")[2]) else raw
    name = _DOTS.sub(".", _NOT_ALLOWED.sub("-", last)).strip("-._")[:_LONGEST].rstrip("-._")
    if name.lower().endswith(".lock"):
        name = name[:-5] + "-lock"
    return "task" if name == "" else f"{name}-task" if name.lower() in RESERVED_IDS else name


def _free(name: str, taken: set[str], counts: dict[str, int]) -> str:
    """`name`, with the next number behind it that nobody has when it is taken."""
    if name.casefold() not in taken:
        return name
    start = name[: _LONGEST - 6].rstrip("-._")
    folded = start.casefold()
    counts[folded] = counts.get(folded, 1) + 1
    while f"{folded}-{counts[folded]}" in taken:
        counts[folded] += 1
    return f"{start}-{counts[folded]}"
