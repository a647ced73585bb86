"""Findings as GitHub workflow commands, which annotate the plan's lines in a pull request."""

from __future__ import annotations

from collections.abc import Iterable

from git_waves.core.model import Finding, Level
from git_waves.errors import PlanError
from git_waves.views.safe import clean

_COMMAND = {Level.VIOLATION: "error", Level.WARNING: "warning", Level.NOTE: "notice"}


def findings_github(findings: Iterable[Finding], *, source: str) -> str:
    """One `::error file=…,line=…,title=…::message` a finding; empty without findings."""
    return "".join(
        _annotation(
            _COMMAND[finding.level],
            source,
            finding.line,
            finding.code,
            [finding.message, *finding.evidence, *_hint(finding.hint)],
        )
        for finding in findings
    )


def plan_error_github(error: PlanError) -> str:
    """One annotation for each problem of a plan that could not be read."""
    return "".join(
        _annotation("error", error.source, problem.line, "plan", [problem.message, *_hint(problem.hint)])
        for problem in error.problems
    )


def _hint(hint: str) -> list[str]:
    return [f"hint: {hint}"] if hint else []


def _annotation(command: str, source: str, line: int, title: str, texts: list[str]) -> str:
    where = f",line={line}" if line else ""
    message = "%0A".join(_data(clean(text)) for text in texts)
    return f"::{command} file={_property(clean(source))}{where},title={_property(title)}::{message}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
