"""Text of others inside Markdown: inert in a terminal, and nothing it holds becomes a mark, a link or a table's border."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from git_waves.views.safe import clean

_BORDER = re.compile(r"(?<!\\)\|")  # of a table; in code too, so GitHub's Markdown says
# What Markdown would take for a mark: at the beginning of a line, and anywhere. Brackets cannot become a link once the
# opening one is escaped; an underscore inside a word is a letter; an ampersand matters only where it begins an entity.
_AT_START = re.compile(r"^(\d*)([#+>.)-])")
_MARKS = re.compile(r"[\\`*\[<|~]|&(?=#?\w+;)|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")


def plain(text: str) -> str:
    """`text` as words."""
    inert = _MARKS.sub(lambda found: f"\\{found[0]}", clean(text))
    return _AT_START.sub(lambda found: f"{found[1]}\\{found[2]}", inert)


def code(text: str) -> str:
    """`text` as code, in as many backquotes as it takes."""
    inert = clean(text)
    if not inert:
        return ""
    longest = max((len(run) for run in re.findall(r"`+", inert)), default=0)
    fence = "`" * (longest + 1)
    space = " " if inert.startswith("`") or inert.endswith("`") else ""
    return f"{fence}{space}{inert}{space}{fence}"


def codes(texts: Iterable[str], most: int | None = None) -> str:
    """Several, between commas; after `most` only how many more there are."""
    every = list(texts)
    shown = every if most is None or len(every) <= most + 1 else every[:most]
    more = [f"and {len(every) - len(shown)} more"] if len(shown) < len(every) else []
    return ", ".join([*map(code, shown), *more])


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The lines of a table; cells are Markdown already."""
    yield f"| {' | '.join(headings)} |"
    yield f"|{'|'.join('---' for _ in headings)}|"
    for row in rows:
        cells = [_BORDER.sub(r"\\|", cell) for cell in row]
        yield f"| {' | '.join(cells)} |"
