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

import yaml

from git_waves.errors import PlanProblem
from git_waves.formats.marks import MarkedList, MarkedMap, Quoted

MAX_DEPTH = 16
_NULLS = frozenset({"", "~", "null"})
_NOT_PRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff\ufffe\uffff]")
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
        """The root value, None for an empty document; raises yaml.MarkedYAMLError and _TooDeep."""
        parser = getattr(yaml, "CBaseLoader", yaml.BaseLoader)(text)
        next_event, lines = parser.get_event, self.lines
        scalar, mapping_end, sequence_end = yaml.ScalarEvent, yaml.MappingEndEvent, yaml.SequenceEndEvent
        root = MarkedList(1)  # the document, as a list of one
        into: MarkedMap | MarkedList = root
        key: str | None = None  # the key of `into` that waits for its value
        stack: list[tuple[MarkedMap | MarkedList, str | None]] = []
        while True:
            event = next_event()
            kind = type(event)
            if kind is scalar:
                line = lines[event.start_mark.line]
                if event.anchor is not None or event.tag is not None:
                    self._refuse_properties(event, line)
                value: str = event.value
                if type(into) is MarkedMap:
                    if key is None:
                        key = self._key(into, value, line, is_plain=not event.style)
                    elif key is _DROP:
                        key = None
                    else:
                        if event.style:
                            into[key] = Quoted(value)
                        elif value in _NULLS:
                            self._refuse_null(into, key, into.lines[key])
                        else:
                            into[key] = value
                        key = None
                elif event.style:
                    into.append(Quoted(value))
                    into.lines.append(line)  # type: ignore[attr-defined]  # a MarkedList: the map was handled above
                elif value not in _NULLS:
                    into.append(value)
                    into.lines.append(line)
                elif into is not root:
                    self._refuse(line, "an entry of a list has nothing in it", "write the entry, or take the line out")
            elif kind is mapping_end or kind is sequence_end:
                into, key = stack.pop()
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                line = lines[event.start_mark.line]
                if event.anchor is not None or event.tag is not None:
                    self._refuse_properties(event, line)
                if len(stack) == MAX_DEPTH:
                    raise _TooDeep(line)
                new = MarkedMap(line) if kind is yaml.MappingStartEvent else MarkedList(line)
                key = self._place(into, key, new, line)
                stack.append((into, key))
                into, key = new, None
            elif kind is yaml.AliasEvent:
                key = self._refuse_alias(into, key, event.anchor, lines[event.start_mark.line])
            elif kind is yaml.DocumentEndEvent:
                if not parser.check_event(yaml.StreamEndEvent):
                    line = lines[parser.peek_event().start_mark.line]
                    self._refuse(line, "a second document starts here", "a plan is one document: remove the '---' line")
                return root[0] if root else None
