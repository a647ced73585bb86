"""Findings as a compiler would print them: where, how bad, what, and the way out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from git_waves.core.model import Finding, Level
from git_waves.views.paint import PLAIN, Paint
from git_waves.views.safe import brief, clean
from git_waves.views.wrapping import labelled, wrapped

STYLE = {Level.VIOLATION: "bad", Level.WARNING: "odd", Level.NOTE: "dim"}


def findings_lines(
    findings: Iterable[Finding], *, source: str, width: int | None = None, paint: Paint = PLAIN
) -> list[str]:
    """Each finding in the order given: `source:line: level: message [code]`, its evidence, its hint, an empty line."""
    lines = []
    for finding in findings:
        where = f"{clean(source)}:{finding.line}" if finding.line else clean(source)
        first, *rest = wrapped(
            f"{where}: {finding.level}: {brief(finding.message)} [{finding.code}]", "", width
        )
        label = f"{where}: {finding.level}:"
        if first.startswith(label):
            painted = paint("bold", f"{where}:") + " " + paint(STYLE[finding.level], f"{finding.level}:")
            first = painted + first[len(label) :]
        lines += [first, *rest]
        for evidence in finding.evidence:
            lines += wrapped(brief(evidence), "    ", width)
        if finding.hint and paint.advises("finding"):
            lines += labelled("hint: ", brief(finding.hint), "hint", width, paint)
        lines.append("")
    return lines


def findings_summary(findings: Sequence[Finding]) -> str:
    """`2 violations, 1 warning`, or `no findings`."""
    numbers = Counter(finding.level for finding in findings)
    words = [
        f"{numbers[level]} {level}{'s' if numbers[level] != 1 else ''}" for level in Level if numbers[level]
    ]
    return ", ".join(words) or "no findings"
