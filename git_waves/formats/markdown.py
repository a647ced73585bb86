"""Markdown as plans use it: lines with their headings, code blocks and checkboxes. No rendering, no nesting rules.

Fences are followed by their length, since plans quote whole plans inside longer fences; what stands in a fence or in a
comment is code here and never structure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from git_waves.errors import PlanProblem

MOST_LINES = 200_000
LONGEST_LINE = 20_000
"""Letters of a line that are looked at for structure."""

_FENCE = re.compile(r"[ \t]*(?:[-*+][ \t]+)?(`{3,200}|~{3,200})([^\n]*)")
_HEADING = re.compile(r"(#{1,6})[ \t]+(.*?)[ \t]*#*")
_CHECKBOX = re.compile(r"([ \t]*)(?:[-*+]|[0-9]{1,4}[.)])[ \t]+\[([^\]\n])\](\*?)[ \t]*(.*)")


@dataclass(frozen=True, slots=True)
class Line:
    """One line; `number` is 1-based in the file. `level` is 1 to 6 for a heading, whose words are `title`."""

    number: int
    text: str
    is_code: bool = False
    level: int = 0
    title: str = ""


@dataclass(frozen=True, slots=True)
class Checkbox:
    """`- [x] text`: how far it is indented, the letter in the box, whether a star marks it as optional, and its text."""

    indent: int
    mark: str
    is_starred: bool
    text: str

    @property
    def is_done(self) -> bool:
        """Whether the box is ticked."""
        return self.mark in "xX"


@dataclass(frozen=True, slots=True)
class Document:
    """The lines of a text; `unclosed` is the line of a fence or comment that never ends (0 for none)."""

    lines: tuple[Line, ...]
    unclosed: int = 0


def read_markdown(decoded: str, *, first: int = 1) -> Document | PlanProblem:
    """The document that `decoded` is; `first` is the number of its first line. A problem when it has too many lines."""
    rows = decoded.split("\n")
    if len(rows) > MOST_LINES:
        return PlanProblem(0, f"the document has more than {MOST_LINES} lines", "split the plan")
    lines: list[Line] = []
    fence = ""
    in_comment = False
    opened = 0
    for number, row in enumerate(rows, start=first):
        start = row[:LONGEST_LINE]
        if in_comment:
            lines.append(Line(number, row, is_code=True))
            in_comment = "-->" not in row
            continue
        found = _FENCE.match(start) if "```" in start or "~~~" in start else None
        if fence:
            lines.append(Line(number, row, is_code=True))
            if found and found[1].startswith(fence) and not found[2].strip():
                fence = ""
            continue
        if found and not (found[1][0] == "`" and "`" in found[2]):
            fence, opened = found[1], number
            lines.append(Line(number, row, is_code=True))
            continue
        if start.lstrip().startswith("<!--") and "-->" not in start:
            in_comment, opened = True, number
            lines.append(Line(number, row, is_code=True))
            continue
        heading = _HEADING.fullmatch(start) if start.startswith("#") else None
        if heading:
            lines.append(Line(number, row, level=len(heading[1]), title=heading[2]))
        else:
            lines.append(Line(number, row))
    return Document(tuple(lines), opened if fence or in_comment else 0)


def checkbox(line: Line) -> Checkbox | None:
    """The checkbox that a line is; None for any other line, and for all code."""
    if line.is_code or "[" not in line.text.lstrip()[:12]:
        return None
    found = _CHECKBOX.fullmatch(line.text[:LONGEST_LINE])
    if found is None:
        return None
    return Checkbox(len(found[1].expandtabs(4)), found[2], found[3] == "*", found[4])


def without_box(line: Line) -> str:
    """The words of a line that is a checkbox or a heading, without what makes it one."""
    box = checkbox(line)
    if box is not None:
        return box.text.strip()
    return line.title if line.level else line.text.strip().lstrip("-*+ ")


def join(lines: Sequence[Line]) -> str:
    """The text of some lines, without blank lines around it."""
    return "\n".join(line.text for line in lines).strip("\n").rstrip()


def sections(
    lines: Sequence[Line], is_start: Callable[[Line], bool]
) -> Iterator[tuple[Line, tuple[Line, ...]]]:
    """Each heading that `is_start` accepts, and the lines below it up to the next such heading, or one as high."""
    start: Line | None = None
    body: list[Line] = []
    for line in lines:
        if line.level and (is_start(line) or (start is not None and line.level <= start.level)):
            if start is not None:
                yield start, tuple(body)
            start, body = (line, []) if is_start(line) else (None, [])
        elif start is not None:
            body.append(line)
    if start is not None:
        yield start, tuple(body)


def blocks_of_code(lines: Sequence[Line]) -> Iterator[tuple[str, list[Line]]]:
    """Each fenced block: the language after its fence (lower case) and its lines without the fences."""
    inside: list[Line] = []
    language, fence = "", ""
    for line in lines:
        found = _FENCE.match(line.text[:LONGEST_LINE]) if line.is_code else None
        if not fence:
            if found:
                fence, language, inside = found[1], found[2].strip().split(" ")[0].lower(), []
        elif found and found[1].startswith(fence) and not found[2].strip():
            yield language, inside
            fence = ""
        else:
            inside.append(line)
