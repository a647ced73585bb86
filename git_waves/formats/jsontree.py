"""A plan that is written as JSON, as the same marked tree that YAML gives: for whatever is valid JSON and can be a plan.

JSON is YAML and could be read as such, but Python's own reader is ten times as quick. What it stumbles over, and what a
plan may not hold, is left to the reader of YAML, which has the words for it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import repeat

from git_waves.formats.marks import MarkedList, MarkedMap
from git_waves.formats.yamlproblems import MAX_DEPTH, NOT_PRINTABLE

# What has a line, in the order of the text: texts, other scalars, opening brackets. No text goes over the end of a line.
_TOKENS = re.compile(r'(\n)|"(?:[^"\\]+|\\.)*"|[\[{]|[^\s"\[\]{},:]+')
_SURROGATES = re.compile(r"\\u[dD][89a-fA-F]")
_NO_KEYS = frozenset({"", "<<"})


class _NotOursError(Exception):
    """The text holds something that has to be reported."""


def load_json(text: str) -> MarkedMap | None:
    """The tree of a JSON object; None when the text has to be read as YAML, and be it to hear what is wrong with it."""
    if not text.lstrip().startswith("{") or "\\u0000" in text or NOT_PRINTABLE.search(text):
        return None
    try:
        root = _decode(text)
        if _SURROGATES.search(text):
            json.dumps(root, ensure_ascii=False).encode()  # halves of characters cannot be
        return _marked_map(root, _lines_of(text), 1) if isinstance(root, MarkedMap) else None
    except (ValueError, RecursionError, _NotOursError):
        return None


def _map(pairs: list[tuple[str, object]]) -> MarkedMap:
    found = MarkedMap(0)
    found.update(pairs)
    if len(found) < len(pairs) or not _NO_KEYS.isdisjoint(found):
        raise _NotOursError
    return found


def _constant(name: str) -> object:
    raise _NotOursError(name)


# Numbers stay the text that the author wrote.
_decode = json.JSONDecoder(
    object_pairs_hook=_map, parse_int=str, parse_float=str, parse_constant=_constant
).decode


def _lines_of(text: str) -> Iterator[int]:
    """The line of every token, in their order."""
    return _counted(text) if "\n" in text.strip() else repeat(text.count("\n", 0, text.index("{")) + 1)


def _counted(text: str) -> Iterator[int]:
    line = 1
    for is_break in _TOKENS.findall(text):
        if is_break:
            line += 1
        else:
            yield line


def _marked_map(found: MarkedMap, lines: Iterator[int], depth: int) -> MarkedMap:
    """Fill in the lines of a mapping and of what is in it, which are met in the order in which they are written."""
    found.line = next(lines)
    for key, value in found.items():
        found.lines[key] = next(lines)
        if type(value) is str:  # nearly all are
            next(lines)
        else:
            found[key] = _marked(value, lines, depth)[0]
    return found


def _marked_list(values: list[object], lines: Iterator[int], depth: int) -> MarkedList:
    found = MarkedList(next(lines))
    for value in values:
        marked, line = (value, next(lines)) if type(value) is str else _marked(value, lines, depth)
        found.append(marked)
        found.lines.append(line)
    return found


def _marked(value: object, lines: Iterator[int], depth: int) -> tuple[object, int]:
    """The value as YAML gives it, and the line where it starts."""
    if isinstance(value, MarkedMap | list):
        if depth == MAX_DEPTH:
            raise _NotOursError
        inner = (
            _marked_map(value, lines, depth + 1)
            if isinstance(value, MarkedMap)
            else _marked_list(value, lines, depth + 1)
        )
        return inner, inner.line
    if value is None:
        raise _NotOursError
    return str(value) if isinstance(value, str) else str(value).lower(), next(lines)
