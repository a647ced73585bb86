"""YAML as plans use it: parser events to marked mappings, lists and texts, without anything that shares or executes.

Built straight on the events and not on PyYAML's constructor, because that is ten times as quick on a large plan, keeps
lines, and sees aliases, tags and repeated keys before they mean something. Scalars stay the text the author wrote:
`no`, `01`, `1e3` and `12:30:00` are not guessed at. An empty value, `~` and `null` are refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml
from yaml.reader import ReaderError

from git_waves.errors import PlanProblem
from git_waves.formats.collector import paused_collector
from git_waves.formats.marks import MarkedList, MarkedMap, Quoted, kind_of
from git_waves.formats.names import shorten
from git_waves.formats.problems import Problems
from git_waves.formats.size import MOST_TASKS
from git_waves.formats.yamlproblems import (
    MAX_DEPTH,
    control_characters,
    editor_lines,
    syntax_problem,
    too_deep,
)

MOST_VALUES = 1_500_000
"""Of one document; a plan with as many tasks, needs and paths as are worked out has a million."""

_NULLS = frozenset({"", "~", "null"})
_SURROGATE = re.compile("[\ud800-\udfff]")
_NO_KEYS = frozenset({"", "<<"})
_NO_VALUE = "write a value, or take the line out"
_DROP = Quoted("")  # compared by identity: the key whose value goes nowhere


@dataclass(slots=True)
class Loaded:
    """What could be built. `root` is None when the text stopped being YAML (or nested too deep) part of the way;
    `problems` are in the order they were met."""

    root: object | None = None
    problems: list[PlanProblem] = field(default_factory=Problems)


def load_yaml(text: str) -> Loaded:
    """Read one YAML document; every problem that can be collected is, none is raised."""
    loaded = Loaded()
    if is_endless(text):
        loaded.problems.append(
            PlanProblem(0, f"the plan has more than {MOST_VALUES} values", "split the plan")
        )
        return loaded
    builder = _Builder(editor_lines(text), loaded.problems)
    try:
        with paused_collector():
            loaded.root = builder.build(text)
    except yaml.MarkedYAMLError as error:
        loaded.problems.append(syntax_problem(text, error, builder.lines))
    except ReaderError as error:
        loaded.problems = Problems(control_characters(text) or [PlanProblem(0, f"not YAML: {error.reason}")])
    except _TooManyError as error:
        message = f"a list has more than {MOST_TASKS} parts, and a plan at most as many tasks"
        loaded.problems = Problems([PlanProblem(error.line, message, "split the plan")])
    except _DepthError as error:
        loaded.problems.append(too_deep(error.line))
    return loaded


def is_endless(text: str) -> bool:
    """Whether there are more values than any plan has: each has a line, a comma, a dash or a bracket of its own."""
    if len(text) < 2 * MOST_VALUES:
        return False
    return sum(map(text.count, ("\n", ",", "- ", "[", "{"))) > MOST_VALUES


class _DepthError(Exception):
    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


class _TooManyError(_DepthError):
    """A list of mappings or lists is longer than that of the tasks may be, and no other is that long."""


class _Builder:
    """Turns events into marked values with an explicit stack, so that depth costs no recursion."""

    def __init__(self, lines: Sequence[int], problems: list[PlanProblem]) -> None:
        self.lines = lines
        self.problems = problems

    def build(self, text: str) -> object | None:
        """The root value, None for an empty document; raises yaml.MarkedYAMLError and _DepthError.

        One long function on purpose: it runs once per event, and every call in it would be felt on a large plan.
        """
        parser: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)(text)
        next_event, lines = parser.get_event, self.lines
        scalar = yaml.ScalarEvent
        mapping_start, mapping_end = yaml.MappingStartEvent, yaml.MappingEndEvent
        sequence_start, sequence_end = yaml.SequenceStartEvent, yaml.SequenceEndEvent
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
                if event.style == '"':
                    self._check_escapes(value, line)
                if mapping is None:
                    if event.style:
                        sequence.append(Quoted(value))
                        sequence.lines.append(line)
                    elif value not in _NULLS:
                        sequence.append(value)
                        sequence.lines.append(line)
                    elif sequence is not document:
                        self._refuse(line, "an entry of a list is empty", _NO_VALUE)
                elif key is None:
                    if value in mapping.lines or value in _NO_KEYS:
                        key = self._refuse_key(mapping, value, line, is_plain=not event.style)
                    else:
                        mapping.lines[value] = line
                        key = value
                else:
                    if key is _DROP:
                        pass
                    elif event.style:
                        mapping[key] = Quoted(value)
                    elif value not in _NULLS:
                        mapping[key] = value
                    else:
                        self._refuse_value(mapping, key, line, f"'{shorten(key)}' has no value", _NO_VALUE)
                    key = None
            elif kind is mapping_end or kind is sequence_end:
                mapping, sequence, key = stack.pop()
            elif kind is mapping_start or kind is sequence_start:
                line = lines[event.start_mark.line]
                if event.anchor is not None or event.tag is not None:
                    self._refuse_properties(event, line)
                if len(stack) == MAX_DEPTH:
                    raise _DepthError(line)
                if len(sequence) >= MOST_TASKS and mapping is None:
                    raise _TooManyError(line)
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
                    self._refuse(line, "a second document starts here", "remove the '---': a plan is one")
                return document[0] if document else None
            elif kind is yaml.StreamEndEvent:
                return None

    def _refuse_key(self, mapping: MarkedMap, key: str, line: int, *, is_plain: bool) -> str:
        """Refuse a repeated or odd key; the key to store the value under is then `_DROP`."""
        if key in mapping.lines:
            message = f"'{shorten(key)}' is given twice, first on line {mapping.lines[key]}"
            self._refuse(line, message, "keep one of the two")
        elif key == "":
            self._refuse(line, "a key is empty")
        elif is_plain:
            self._refuse(line, "merge keys ('<<') are not used in a plan", "write the keys out")
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
            message = f"tags ('{shorten(event.tag)}') are not used in a plan"
            self._refuse(line, message, "remove it; a text that starts with '!' needs quotes")

    def _check_escapes(self, value: str, line: int) -> None:
        """Only in double quotes can a text hold what no file may hold and no program can be given."""
        if "\0" in value:
            self._refuse(line, "a text holds a NUL character", "remove the escape")
        if not value.isascii() and _SURROGATE.search(value):  # libyaml sees to this itself
            self._refuse(line, "a text holds half of a character (a lone surrogate)", "remove the escape")

    def _refuse_value(self, mapping: MarkedMap, key: str, line: int, message: str, hint: str) -> None:
        """Refuse a value; its key stays known as written."""
        mapping.refuse(key)
        self._refuse(line, message, hint)

    def _refuse(self, line: int, message: str, hint: str = "") -> None:
        self.problems.append(PlanProblem(line, message, hint))
