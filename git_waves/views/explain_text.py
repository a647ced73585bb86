"""`git waves explain`: what a finding means and what to do about it, wrapped for reading."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

from git_waves.core.findings.explanation import Explanation
from git_waves.views.paint import PLAIN, Paint

_WIDEST = 80  # columns; longer lines are hard to read


def explain_text(code: str, found: Explanation, *, width: int | None = None, paint: Paint = PLAIN) -> str:
    """One finding: its title, what it means, and the remedy."""
    columns = min(width or _WIDEST, _WIDEST)
    text, remedy = (textwrap.fill(part, columns) for part in (found.text, found.remedy))
    return (
        f"{paint('bold', f'{code}: {found.title}')}\n\n{text}\n\n{paint('hint', 'What to do')}\n\n{remedy}\n"
    )


def all_codes_text(catalog: Mapping[str, Explanation]) -> str:
    """Every code with its title, one a line."""
    return "".join(f"{code}  {found.title}\n" for code, found in catalog.items())
