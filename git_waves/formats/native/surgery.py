"""Takes entries out of YAML lists and mappings as text, so that everything else stays byte for byte what it was.

Comments stay, except those that stand on a line that goes, or between entries of one flow list that both go. What cannot
be cut cleanly is refused, and the caller reads the result again before it believes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

Node = Any
"""A node of PyYAML, which has no types: `start_mark` and `end_mark` give its place in the text, in characters."""

_BREAK = re.compile(r"\r\n|\n|\r")
_BLANK = re.compile(r"(?:\s+|(?<=\s)#[^\r\n]*)*")  # white space and comments
_NOTHING = re.compile(r"[ \t]*")
_DASH = re.compile(r"[ \t]*-[ \t]+")
_UNDER_A_KEY = re.compile(r"[ \t]*(?:-[ \t]+|[^\s#]+[ \t]*:[ \t]+)?")
_COLON = re.compile(r"[ \t]*:")
_REST_OF_LINE = re.compile(r"[ \t]*(?:(?<=[ \t])#[^\r\n]*)?(?=\r\n|\n|\r|\Z)")


class CannotRewriteError(Exception):
    """The text is not written in a way that an entry can be taken out of; `line` is where (1-based)."""

    def __init__(self, line: int) -> None:
        super().__init__(f"line {line}")
        self.line = line


def compose(text: str) -> Node:
    """The nodes of a text with their places; yaml.YAMLError when it is no YAML."""
    return yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def value_of(mapping: Node, key: str) -> Node | None:
    """The node under `key` of a mapping; None when there is none."""
    pairs: list[tuple[Node, Node]] = mapping.value if isinstance(mapping, yaml.MappingNode) else []
    return next((value for name, value in pairs if name.value == key), None)


@dataclass(slots=True)
class Surgery:
    """Cuts and insertions in one text, carried out together by `result`."""

    text: str
    _edits: list[tuple[int, int, str]] = field(default_factory=list)

    def insert(self, place: int, text: str) -> None:
        """Put `text` at `place` of the original."""
        self._edits.append((place, place, text))

    def replace(self, node: Node, text: str) -> None:
        """Put `text` in the place of a scalar."""
        self._edits.append((*_span(node), text))

    def append_flow(self, sequence: Node, text: str) -> None:
        """Put `text` behind the last entry of a flow list, on a line of its own when that has one."""
        start, stop = _span(sequence.value[-1])
        line = self._line_start(start)
        lead = self.text[line:start]
        gap = line_break(self.text) + lead if not lead.strip() else " "
        comma = self._skip(stop)
        if self.text[comma] == ",":
            self.insert(comma + 1, f"{gap}{text}")
        else:
            self.insert(stop, f",{gap}{text}")

    def append_block(self, sequence: Node, lines: Sequence[str]) -> None:
        """Put an entry of these lines, the first with its `-`, behind the last entry of a block list.

        Before it stands an empty line when there is one between the last two entries.
        """
        last = sequence.value[-1]
        place = end_of(last)
        if place > self._line_start(place):
            place = self._line_end(place)
        above = self._line_start(last.start_mark.index)
        is_airy = len(sequence.value) > 1 and self.text[:above].rstrip(" \t").endswith(
            ("\n\n", "\r\n\r\n", "\r\r")
        )
        indent, end = " " * sequence.start_mark.column, line_break(self.text)
        self.insert(place, (end if is_airy else "") + "".join(f"{indent}{line}{end}" for line in lines))

    def append_entries(self, sequence: Node, lines: Sequence[str]) -> None:
        """Put these lines behind the last entry of a block list of scalars, each with its `-`."""
        place = sequence.value[-1].end_mark.index
        if _REST_OF_LINE.match(self.text, place) is None:
            raise CannotRewriteError(self._line(place))
        self._insert_lines(place, [" " * sequence.start_mark.column + line for line in lines])

    def add_pair(self, mapping: Node, behind: str, key: str, value: str) -> None:
        """Put a key and the text of its value behind another key, whose value is a scalar."""
        name, scalar = next(pair for pair in mapping.value if pair[0].value == behind)
        place = scalar.end_mark.index
        if mapping.flow_style:
            quote = '"' if name.style == '"' else ""
            self.insert(place, f", {quote}{key}{quote}: {value}")
            return
        if not isinstance(scalar, yaml.ScalarNode) or _REST_OF_LINE.match(self.text, place) is None:
            raise CannotRewriteError(self._line(place))
        self._insert_lines(place, [f"{' ' * name.start_mark.column}{key}: {value}"])

    def _insert_lines(self, place: int, lines: Sequence[str]) -> None:
        """Put lines behind the one that `place` is on, which may be the last and have no line break."""
        end, stop = line_break(self.text), self._line_end(place)
        if self.text[:stop].endswith(("\n", "\r")):
            self.insert(stop, "".join(f"{line}{end}" for line in lines))
        else:
            self.insert(stop, "".join(f"{end}{line}" for line in lines))

    def result(self) -> str:
        """The text with every edit made."""
        out, end = [], 0
        for start, stop, new in sorted(self._edits):
            if start < end:  # inside something that goes anyway
                stop = max(stop, end)
                start = end
            out += [self.text[end:start], new]
            end = stop
        return "".join((*out, self.text[end:]))

    def remove_entries(self, sequence: Node, gone: set[int]) -> None:
        """Take entries out of a list; at least one stays."""
        spans = [_span(node) for node in sequence.value]
        if sequence.flow_style:
            self._cut_flow(spans, gone)
            return
        for number in sorted(gone):
            self._cut_lines(spans[number], lead=_DASH)

    def remove_pairs(self, mapping: Node, gone: set[int]) -> None:
        """Take keys and all that is under them out of a mapping; at least one stays."""
        if mapping.flow_style:
            self._cut_flow(
                [(key.start_mark.index, value.end_mark.index) for key, value in mapping.value], gone
            )
            return
        for number in sorted(gone):
            key, value = mapping.value[number]
            self._cut_lines(_span(key), lead=_NOTHING, rest=_COLON)
            for leaf, rest in _leaves(value):
                self._cut_lines(_span(leaf), lead=_UNDER_A_KEY, rest=rest)

    def _cut_lines(
        self, span: tuple[int, int], *, lead: re.Pattern[str], rest: re.Pattern[str] = _REST_OF_LINE
    ) -> None:
        """Take out the lines that `span` stands on; before it stands `lead` and nothing else, behind it `rest`."""
        start, stop = self._line_start(span[0]), span[1]
        if lead.fullmatch(self.text, start, span[0]) is None or rest.match(self.text, stop) is None:
            raise CannotRewriteError(self._line(span[0]))
        self._edits.append((start, self._line_end(stop), ""))

    def _cut_flow(self, spans: Sequence[tuple[int, int]], gone: set[int]) -> None:
        """Take entries out of `[a, b]` or `{a: b}`, each with one comma; at least one stays."""
        last = len(spans) - 1
        while last in gone:
            last -= 1
        for number in sorted(gone):
            if number < last:
                self._edits.append((spans[number][0], spans[number + 1][0], ""))
        if last == len(spans) - 1:
            return
        kept, start, stop = spans[last][1], spans[last + 1][0], spans[-1][1]
        comma, after = self._skip(kept), self._skip(stop)
        if self.text[comma] != ",":
            raise CannotRewriteError(self._line(comma))
        if self.text[after] == ",":  # a comma may stand behind the last entry: then it stays so
            kept, stop = comma + 1, after + 1
        if not self.text[kept:start].replace(",", "", 1).strip():
            self._edits.append((kept, stop, ""))
            return
        if kept <= comma:
            self._edits.append((comma, comma + 1, ""))
        line = self._line_start(start)
        if self.text[line:start].strip() or _REST_OF_LINE.match(self.text, stop) is None:
            raise CannotRewriteError(self._line(start))
        self._edits.append((line, self._line_end(stop), ""))

    def _skip(self, place: int) -> int:
        """Where the next thing stands that is no white space and no comment."""
        found = _BLANK.match(self.text, place)
        return place if found is None else found.end()

    def _line_start(self, place: int) -> int:
        return max(self.text.rfind("\n", 0, place), self.text.rfind("\r", 0, place)) + 1

    def _line_end(self, place: int) -> int:
        """Behind the line break that follows."""
        found = _BREAK.search(self.text, place)
        return len(self.text) if found is None else found.end()

    def _line(self, place: int) -> int:
        return len(_BREAK.findall(self.text, 0, place)) + 1


def line_break(text: str) -> str:
    """How the lines of the text end."""
    found = _BREAK.search(text)
    return "\n" if found is None else found.group()


def _span(node: Node) -> tuple[int, int]:
    return node.start_mark.index, node.end_mark.index


def _leaves(node: Node) -> Iterator[tuple[Node, re.Pattern[str]]]:
    """Scalars and flow collections: the nodes whose end is where their text ends, and what may stand behind each."""
    if isinstance(node, yaml.ScalarNode) or node.flow_style:
        yield node, _REST_OF_LINE
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield key, _COLON
            yield from _leaves(value)
    else:
        for each in node.value:
            yield from _leaves(each)


def end_of(node: Node) -> int:
    """Where the text of a node ends, without the white space and comments that PyYAML counts in."""
    ends: list[int] = [leaf.end_mark.index for leaf, _ in _leaves(node)]
    return max(ends)
