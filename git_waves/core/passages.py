"""A prompt, cut into prose, commands and code: what a sentence asks for, a fenced block may only show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

_FENCE = re.compile(r"^[ \t>]{0,12}(`{3,}|~{3,})[ \t]*([A-Za-z0-9_+-]*)", re.MULTILINE)
_SPAN = re.compile(r"`([^`\n]+)`")
_LONGEST_CUE = 200  # characters before a span that are looked at
_CUE = re.compile(
    r"(?:^[\s>*+#.\d)|-]*(?:\[.?\][\s*]*)?|[:(]\s*|\b(?:run|runs|running|rerun|re-run|execute|start|apply|launch|invoke|call|(?<!to )use|using"
    r"|via|with|then|or|and|after)\s+(?:the\s+|a\s+)?)[\"'*]*$",
    re.IGNORECASE,
)
_SHELLS = frozenset({"bash", "console", "fish", "sh", "shell", "shell-session", "terminal", "zsh"})
_PROMPT_SIGN = re.compile(r"^[ \t]*(?:\$|%|>)[ \t]+", re.MULTILINE)


class PassageKind(Enum):
    """PROSE is for people; COMMANDS are for a shell: a fenced block of one, or what stands in backquotes; CODE is a
    fenced block of anything else."""

    PROSE = "prose"
    COMMANDS = "commands"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Passage:
    """`text` as it stands; `line` is how many lines of the whole come before it."""

    kind: PassageKind
    text: str
    line: int


def passages(text: str) -> Iterator[Passage]:
    """The prose between fenced blocks, and the blocks. Prose keeps what stands in single backquotes."""
    at = 0
    lines = 0
    opened: re.Match[str] | None = None
    for found in _FENCE.finditer(text):
        if opened is None:
            yield Passage(PassageKind.PROSE, text[at : found.start()], lines)
            lines += text.count("\n", at, found.start())
            at, opened = found.start(), found
        elif found[1][0] == opened[1][0] and len(found[1]) >= len(opened[1]) and not found[2]:
            yield from _block(text[at : found.start()], opened, lines)
            lines += text.count("\n", at, found.end())
            at, opened = found.end(), None
    if opened is None:
        yield Passage(PassageKind.PROSE, text[at:], lines)
    else:  # never closed: to its end, as every reader of Markdown takes it
        yield from _block(text[at:], opened, lines)


def _block(text: str, opened: re.Match[str], lines: int) -> Iterator[Passage]:
    _, newline, inside = text.partition("\n")
    if newline and opened[2].lower() in _SHELLS:
        yield Passage(PassageKind.COMMANDS, _PROMPT_SIGN.sub("", inside), lines + 1)
    elif newline:
        yield Passage(PassageKind.CODE, inside, lines + 1)


def spans(passage: Passage) -> Iterator[Passage]:
    """What stands in single backquotes in prose and is asked for: `run X`, or X alone after a step's mark or a colon."""
    at = lines = 0
    for found in _SPAN.finditer(passage.text):
        start = max(passage.text.rfind("\n", 0, found.start()) + 1, found.start() - _LONGEST_CUE)
        if _CUE.search(passage.text[start : found.start()]):
            lines += passage.text.count("\n", at, found.start())
            at = found.start()
            yield Passage(PassageKind.COMMANDS, found[1], passage.line + lines)
