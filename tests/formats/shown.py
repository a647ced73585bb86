"""Problems as a person would see them, and expected outputs that lie in files (`GOLDEN=1` writes those anew)."""

from __future__ import annotations

import os
from pathlib import Path

from git_waves.core.model import Command, Plan
from git_waves.errors import PlanError
from git_waves.formats import PlanText, read_plan

DATA = Path(__file__).parent.parent / "data" / "formats"
AGENTS = frozenset({"claude", "codex"})


def plan_text(content: str | bytes, *, path: str = "plan.yaml") -> PlanText:
    """A plan's text as the command line would hand it over."""
    data = content.encode() if isinstance(content, str) else content
    return PlanText(name_hint=path, source=path, data=data)


def shell(text: str, line: int) -> Command:
    """A command for the shell."""
    return Command(shell=text, line=line)


def read(content: str | bytes, *, path: str = "plan.yaml") -> Plan:
    """Read a plan of any format."""
    return read_plan(plan_text(content, path=path), known_agents=AGENTS)


def refused(content: str | bytes, *, path: str = "plan.yaml") -> str:
    """What is wrong with a plan, as `file:line: message` with the hint below, and the exit code last."""
    try:
        plan = read(content, path=path)
    except PlanError as error:
        return shown(error)
    raise AssertionError(f"the plan should have been refused: {plan}")


def shown(error: PlanError) -> str:
    """Every problem of an error, and the exit code."""
    lines = []
    for problem in error.problems:
        lines.append(f"{error.source}:{problem.line}: {problem.message}")
        if problem.hint:
            lines.append(f"  hint: {problem.hint}")
    return "\n".join([*lines, f"exit {error.exit_code}"])


def same_as_file(text: str, path: Path) -> None:
    """Compare `text` with an expected output; with `GOLDEN=1` in the environment write it instead."""
    if os.environ.get("GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"differs from {path.name}; `make golden` writes it anew"
