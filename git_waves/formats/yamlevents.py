"""YAML as plans use it: parser events to marked mappings, lists and texts, without anything that shares or executes.

Built straight on the events and not on PyYAML's constructor, because that is ten times as quick on a large plan, keeps
lines, and sees aliases, tags and repeated keys before they mean something. Scalars stay the text the author wrote:
`no`, `01`, `1e3` and `12:30:00` are not guessed at. An empty value, `~` and `null` are refused.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import yaml

from git_waves.errors import PlanProblem
from git_waves.formats.marks import MarkedList, MarkedMap, Quoted, kind_of

MAX_DEPTH = 16
_NULLS = frozenset({"", "~", "null"})
_NOT_PRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff\ufffe\uffff]")
_OTHER_BREAKS = re.compile("[\x85\u2028\u2029]")
_ANY_BREAK = re.compile("[\n\x85\u2028\u2029]")
_NO_VALUE = "write a value, or take the line out"
_DROP = Quoted("")  # compared by identity: the key whose value goes nowhere
_HINTS = (
    ("alias", "a text that starts with '*' needs quotes"),
    ("anchor", "a text that starts with '&' needs quotes"),
    ("cannot start any token", "a text that starts with '@', '`' or '%' needs quotes"),
    ("mapping values are not allowed", "a text with ': ' in it needs quotes"),
    ("',' or ']'", "inside [...] a text with brackets, braces or commas needs quotes"),
    ("',' or '}'", "inside {...} a text with brackets, braces or commas needs quotes"),
    ("expected <block end>", "look at the indentation of this line and the one before"),
    ("block mapping", "look at the indentation of this line and the one before"),
    ("block collection", "look at the indentation of this line and the one before"),
    ("quoted scalar", "a quote is not closed"),
    ("expected ':'", "look for a missing ': ' on this line or the one before"),
)


@dataclass(slots=True)
class Loaded:
    """What could be built. `root` is None when the text stopped being YAML (or nested too deep) part of the way;
    `problems` are in the order they were met."""

    root: object | None = None
    problems: list[PlanProblem] = field(default_factory=list)


@contextmanager
def paused_collector() -> Iterator[None]:
    """Keep Python's cyclic collector from running: it makes building a large tree superlinear, and finds nothing."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def load_yaml(text: str) -> Loaded:
    """Read one YAML document; every problem that can be collected is, none is raised."""
    loaded = Loaded()
    loaded.problems.extend(
        PlanProblem(text.count("\n", 0, bad.start()) + 1, f"control character U+{ord(bad.group()):04X}", "remove it")
        for bad in _NOT_PRINTABLE.finditer(text)
    )
    if loaded.problems:
        return loaded
    builder = _Builder(_editor_lines(text), loaded.problems)
    try:
        with paused_collector():
            loaded.root = builder.build(text)
    except yaml.MarkedYAMLError as error:
        loaded.problems.append(_syntax_problem(text, error, builder.lines))
    except _TooDeep as error:
        loaded.problems.append(_too_deep(error.line))
    return loaded


class _TooDeep(Exception):
    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


class _Builder:
    """Turns events into marked values with an explicit stack, so that depth costs no recursion."""

    def __init__(self, lines: Sequence[int], problems: list[PlanProblem]) -> None:
        self.lines = lines
        self.problems = problems

    def build(self, text: str) -> object | None:
        """The root value, None for an empty document; raises yaml.MarkedYAMLError and _TooDeep.

        One long function on purpose: it runs once per event, and every call in it would be felt on a large plan.
        """
        parser: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)(text)
        next_event, lines = parser.get_event, self.lines
        scalar, mapping_start, sequence_start = yaml.ScalarEvent, yaml.MappingStartEvent, yaml.SequenceStartEvent
        mapping_end, sequence_end = yaml.MappingEndEvent, yaml.SequenceEndEvent
        document = sequence = MarkedList(1)
        mapping: MarkedMap | None = None  # where values go, else into `sequence`
        key: str | None = None  # the key of `mapping` that waits for its value
        stack: list[tuple[MarkedMap | None, MarkedList, str | None]] = []
        while True:
            event = next_event()
            kind = type(event)
            if kind is scalar:
                line = lines[event.start_mark.line]
                if event.anchor is not None or event.tag is not None:
                    self._refuse_properties(event, line)
                value: str = event.value
                if mapping is None:
                    if event.style:
                        sequence.append(Quoted(value))
                        sequence.lines.append(line)
                    elif value not in _NULLS:
                        sequence.append(value)
                        sequence.lines.append(line)
                    elif sequence is not document:
                        self._refuse(line, "an entry of a list is empty", "write the entry, or take the line out")
                elif key is None:
                    key = self._key(mapping, value, line, is_plain=not event.style)
                else:
                    if key is _DROP:
                        pass
                    elif event.style:
                        mapping[key] = Quoted(value)
                    elif value not in _NULLS:
                        mapping[key] = value
                    else:
                        self._refuse_value(mapping, key, mapping.lines[key], f"'{key}' has no value", _NO_VALUE)
                    key = None
            elif kind is mapping_end or kind is sequence_end:
                mapping, sequence, key = stack.pop()
            elif kind is mapping_start or kind is sequence_start:
                line = lines[event.start_mark.line]
                if event.anchor is not None or event.tag is not None:
                    self._refuse_properties(event, line)
                if len(stack) == MAX_DEPTH:
                    raise _TooDeep(line)
                node = MarkedMap(line) if kind is mapping_start else MarkedList(line)
                if mapping is None:
                    sequence.append(node)
                    sequence.lines.append(line)
                elif key is None:
                    self._refuse(line, f"a key must be text, not {kind_of(node)}", "put quotes around it")
                    key = _DROP
                else:
                    if key is not _DROP:
                        mapping[key] = node
                    key = None
                stack.append((mapping, sequence, key))
                key = None
                if isinstance(node, MarkedMap):
                    mapping = node
                else:
                    mapping, sequence = None, node
            elif kind is yaml.AliasEvent:
                key = self._alias(mapping, key, event.anchor, lines[event.start_mark.line])
            elif kind is yaml.DocumentEndEvent:
                if not parser.check_event(yaml.StreamEndEvent):
                    line = lines[parser.peek_event().start_mark.line]
                    self._refuse(line, "a second document starts here", "a plan is one document: remove the '---'")
                return document[0] if document else None
            elif kind is yaml.StreamEndEvent:
                return None

    def _key(self, mapping: MarkedMap, key: str, line: int, *, is_plain: bool) -> str:
        """The key to store the next value under, or `_DROP`."""
        if is_plain and key == "<<":
            self._refuse(line, "merge keys ('<<') are not used in a plan", "write the keys out")
        elif is_plain and key == "":
            self._refuse(line, "a key is missing before ':'")
        elif key in mapping.lines:
            self._refuse(line, f"'{key}' is given twice, first on line {mapping.lines[key]}", "keep one of the two")
        else:
            mapping.lines[key] = line
            return key
        return _DROP

    def _alias(self, mapping: MarkedMap | None, key: str | None, name: str, line: int) -> str | None:
        """Refuse an alias in any place; the key that waits after it."""
        message = f"aliases ('*{name}') are not used in a plan"
        hint = "write the value out; a text that starts with '*' needs quotes"
        if key is _DROP:
            return None
        if mapping is None or key is None:
            self._refuse(line, message, hint)
            return None if mapping is None else _DROP
        self._refuse_value(mapping, key, line, message, hint)
        return None

    def _refuse_properties(self, event: Any, line: int) -> None:
        if event.anchor is not None:
            message = f"anchors ('&{event.anchor}') are not used in a plan"
            self._refuse(line, message, "remove it; a text that starts with '&' needs quotes")
        if event.tag is not None:
            message = f"tags ('{event.tag}') are not used in a plan"
            self._refuse(line, message, "remove it; a text that starts with '!' needs quotes")

    def _refuse_value(self, mapping: MarkedMap, key: str, line: int, message: str, hint: str) -> None:
        mapping.refused.add(key)
        self._refuse(line, message, hint)

    def _refuse(self, line: int, message: str, hint: str = "") -> None:
        self.problems.append(PlanProblem(line, message, hint))


def _editor_lines(text: str) -> Sequence[int]:
    """From a parser's 0-based line to the line an editor shows.

    YAML also ends lines at U+0085, U+2028 and U+2029, which editors do not; such letters come in with pasted prose.
    """
    lines = range(1, text.count("\n") + 3)
    if not _OTHER_BREAKS.search(text):
        return lines
    mapped = [1]
    for found in _ANY_BREAK.finditer(text):
        mapped.append(mapped[-1] + (found.group() == "\n"))
    mapped.append(mapped[-1])
    return mapped


def _syntax_problem(text: str, error: yaml.MarkedYAMLError, lines: Sequence[int]) -> PlanProblem:
    mark = error.problem_mark or error.context_mark
    if mark is None:
        return PlanProblem(0, f"not YAML: {error.problem}")
    line = lines[min(mark.line, len(lines) - 1)]
    if error.problem == "exceeded maximum nesting depth":
        return _too_deep(line)
    start = text.rfind("\n", 0, mark.index) + 1
    if "\t" in text[start : mark.index + 1] and not text[start : mark.index].strip():
        return PlanProblem(line, "a tab in the indentation", "YAML is indented with spaces only")
    what = " ".join(part for part in (error.context, error.problem) if part)
    hint = next((hint for words, hint in _HINTS if words in what), "")
    return PlanProblem(line, f"not YAML: {error.problem}, column {mark.column + 1}", hint)


def _too_deep(line: int) -> PlanProblem:
    return PlanProblem(line, f"nested deeper than {MAX_DEPTH} levels", "a plan needs at most 5")
