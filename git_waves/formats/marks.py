"""Plain mappings, lists and texts that remember on which line of the plan they stand, whatever the syntax was."""

from __future__ import annotations


class MarkedMap(dict[str, object]):
    """A mapping; `lines` gives the line of each key, `line` where the mapping starts (1-based).

    `refused` are keys whose value could not be taken (already reported), so that nobody reports them missing.
    """

    __slots__ = ("line", "lines", "refused")

    def __init__(self, line: int) -> None:
        self.line = line
        self.lines: dict[str, int] = {}
        self.refused: frozenset[str] = frozenset()

    def refuse(self, key: str) -> None:
        """Remember that the value of `key` was not taken, and why was said."""
        self.refused |= {key}


class MarkedList(list[object]):
    """A list; `lines[i]` is the line of entry `i`, `line` where the list starts (1-based)."""

    __slots__ = ("line", "lines")

    def __init__(self, line: int) -> None:
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


def line_of(node: MarkedMap, key: str) -> int:
    """The line of a key; where the mapping starts when the key is not there."""
    return node.lines.get(key, node.line)


def entry_lines(node: MarkedMap, key: str) -> list[int]:
    """The lines of the entries of the list under `key`; empty when there is no list."""
    value = node.get(key)
    return value.lines if isinstance(value, MarkedList) else []


def map_under(node: MarkedMap | MarkedList, key: str | int) -> MarkedMap:
    """The mapping under a key or index; an empty one when something else stands there."""
    value: object = None
    if isinstance(node, MarkedMap) and isinstance(key, str):
        value = node.get(key)
    elif isinstance(node, MarkedList) and isinstance(key, int):
        value = node[key]
    return value if isinstance(value, MarkedMap) else MarkedMap(node.line)
