"""The YAML between `---` lines at the top of a Markdown file, read leniently: the format belongs to somebody else.

Values stay the text they are (`01`, `no`), an empty value counts as absent, and what cannot be taken is said once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from git_waves.errors import PlanProblem
from git_waves.formats.marks import MarkedList, MarkedMap, line_of
from git_waves.formats.yamlevents import load_yaml

_HARMLESS = ("has no value", "is empty")  # what people leave blank, they have nothing to say about


@dataclass(frozen=True, slots=True)
class Front:
    """`keys` with their lines; `problems` are values that could not be taken; `body` is the text below, which begins on
    line `body_line`. Without frontmatter `keys` is empty and `body` is everything. `is_there` tells the two apart."""

    keys: MarkedMap
    body: str
    body_line: int
    is_there: bool
    problems: tuple[PlanProblem, ...] = field(default=())


def split_front(decoded: str) -> Front:
    """The frontmatter of a text and what stands below it."""
    rows = decoded.split("\n")
    if rows[0].strip() != "---":
        return Front(MarkedMap(1), decoded, 1, is_there=False)
    end = next((at for at, row in enumerate(rows[1:2000], start=1) if row.strip() == "---"), None)
    if end is None:
        return Front(MarkedMap(1), decoded, 1, is_there=False)
    keys, problems = lenient_yaml("\n".join(["", *rows[1:end]]))
    return Front(
        keys or MarkedMap(1), "\n".join(rows[end + 1 :]), end + 2, is_there=True, problems=tuple(problems)
    )


def lenient_yaml(text: str) -> tuple[MarkedMap | None, list[PlanProblem]]:
    """The mapping that a text is (None when it is none), and the problems worth telling."""
    loaded = load_yaml(text)
    problems = [
        problem for problem in loaded.problems if not any(words in problem.message for words in _HARMLESS)
    ]
    return (loaded.root if isinstance(loaded.root, MarkedMap) else None), problems


def text_under(keys: MarkedMap, key: str) -> str:
    """The text under a key; empty when there is none."""
    value = keys.get(key)
    return str(value).strip() if isinstance(value, str) else ""


def texts_under(keys: MarkedMap, key: str) -> list[tuple[str, int]]:
    """The texts of the list under a key with their lines; a single text counts as a list of one, other things as none.

    `[]` written in quotes is an empty list that went through a template.
    """
    value = keys.get(key)
    if isinstance(value, str):
        return [] if value.strip() in ("", "[]", "none", "None") else [(value.strip(), line_of(keys, key))]
    if not isinstance(value, MarkedList):
        return []
    entries: Sequence[tuple[object, int]] = list(zip(value, value.lines, strict=False))
    return [(str(one).strip(), line) for one, line in entries if isinstance(one, str) and str(one).strip()]


def maps_under(keys: MarkedMap, key: str) -> list[MarkedMap]:
    """The mappings in the list under a key."""
    value = keys.get(key)
    return [one for one in value if isinstance(one, MarkedMap)] if isinstance(value, MarkedList) else []
