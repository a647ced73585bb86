"""Why a text is no YAML for us, in words and lines of the plan's author: the parser's complaints put into problems."""

from __future__ import annotations

import re
from collections.abc import Sequence

import yaml

from git_waves.errors import PlanProblem

MAX_DEPTH = 16
NOT_PRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")
"""What no YAML may hold."""
_ANY_BREAK = re.compile("[\n\x85\u2028\u2029]")
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


def editor_lines(text: str) -> Sequence[int]:
    """From a parser's 0-based line to the line an editor shows.

    YAML also ends lines at U+0085, U+2028 and U+2029, which editors do not; such letters come in with pasted prose.
    """
    if not any(letter in text for letter in "\x85\u2028\u2029"):
        return range(1, text.count("\n") + 3)
    mapped = [1]
    for found in _ANY_BREAK.finditer(text):
        mapped.append(mapped[-1] + (found.group() == "\n"))
    mapped.append(mapped[-1])
    return mapped


def control_characters(text: str) -> list[PlanProblem]:
    """Looked for only after the parser has refused the text: the search costs as much as half of the parsing."""
    return [
        PlanProblem(
            text.count("\n", 0, bad.start()) + 1, f"control character U+{ord(bad.group()):04X}", "remove it"
        )
        for bad in NOT_PRINTABLE.finditer(text)
    ]


def syntax_problem(text: str, error: yaml.MarkedYAMLError, lines: Sequence[int]) -> PlanProblem:
    """What the parser stumbled over, with the way out where its words are known to puzzle people."""
    mark = error.problem_mark or error.context_mark
    if mark is None:
        return PlanProblem(0, f"not YAML: {error.problem}")
    line = lines[min(mark.line, len(lines) - 1)]
    if error.problem == "exceeded maximum nesting depth":
        return too_deep(line)
    start = text.rfind("\n", 0, mark.index) + 1
    if "\t" in text[start : mark.index + 1] and not text[start : mark.index].strip():
        return PlanProblem(line, "a tab in the indentation", "YAML is indented with spaces only")
    what = " ".join(part for part in (error.context, error.problem) if part)
    hint = next((hint for words, hint in _HINTS if words in what), "")
    return PlanProblem(line, f"not YAML: {error.problem}, column {mark.column + 1}", hint)


def too_deep(line: int) -> PlanProblem:
    """Something is nested deeper than any plan needs."""
    return PlanProblem(line, f"nested deeper than {MAX_DEPTH} levels", "a plan needs at most 5")
