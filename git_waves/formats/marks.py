"""Plain mappings, lists and texts that remember on which line of the plan they stand, whatever the syntax was."""

from __future__ import annotations


class MarkedMap(dict[str, object]):
    """A mapping; `lines` gives the line of each key, `line` where the mapping starts (1-based).

    `refused` are keys whose value could not be taken (already reported), so that nobody reports them missing.
    """

    __slots__ = ("line", "lines", "refused")

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line
        self.lines: dict[str, int] = {}
        self.refused: set[str] = set()


class MarkedList(list[object]):
    """A list; `lines[i]` is the line of entry `i`, `line` where the list starts (1-based)."""

    __slots__ = ("line", "lines")

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line
        self.lines: list[int] = []


class Quoted(str):
    """A scalar written in quotes or as a block, so that `'null'` can be told from `null`."""

    __slots__ = ()


def kind_of(node: object) -> str:
    """What a person would call `node`, for a message: `text`, `a list`, `a mapping`."""
    if isinstance(node, dict):
        return "a mapping"
    return "a list" if isinstance(node, list) else "text"
