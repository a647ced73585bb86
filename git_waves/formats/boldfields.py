"""Tasks written as a heading and fields in bold (`- **Files**: ...`), as ito and swarm plans have them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from git_waves.formats.markdown import Line

_FIELD = re.compile(r"\s*(?:[-*+]\s+)?\*\*([A-Za-z][A-Za-z0-9 _/-]{0,40}?):?\*\*\s*:?\s*(.*)")
_LONGEST = 20_000


@dataclass(slots=True)
class BoldField:
    """One field: what stands beside its name, and the lines below it that belong to it."""

    line: int
    value: str
    below: list[Line] = field(default_factory=list)

    @property
    def rows(self) -> list[tuple[int, str]]:
        """Every line that says something, with its number, without bullets."""
        own = [(self.line, self.value)] if self.value.strip() else []
        return own + [
            (line.number, line.text.strip().lstrip("-*+ ").strip())
            for line in self.below
            if line.text.strip() and not line.is_code
        ]

    @property
    def text(self) -> str:
        """All of it as one text."""
        return "\n".join(row for _, row in self.rows)


def read_fields(lines: Sequence[Line]) -> dict[str, BoldField]:
    """The fields of a task by their name in lower case with `_` for blanks; the first of a name counts."""
    found: dict[str, BoldField] = {}
    current: BoldField | None = None
    for line in lines:
        named = None if line.is_code or "**" not in line.text[:80] else _FIELD.fullmatch(line.text[:_LONGEST])
        if named and not line.text.startswith((" ", "\t")):
            current = BoldField(line.number, named[2].strip())
            found.setdefault(re.sub(r"[ -]+", "_", named[1].strip().lower()), current)
        elif current is not None:
            current.below.append(line)
    return found
