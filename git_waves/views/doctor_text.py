"""`git waves doctor` for people, a line a check with the way out below it, and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from git_waves.core.health import Check, Health, is_well
from git_waves.views.paint import Paint
from git_waves.views.safe import clean

_STYLES = {Health.OK: "good", Health.NOTE: "dim", Health.WARNING: "odd", Health.PROBLEM: "bad"}
_WIDE = max(map(len, Health))


def doctor_text(checks: Sequence[Check], *, paint: Paint) -> str:
    """Every check; what is well says nothing more, what is not is followed by `next:`."""
    lines = []
    for check in checks:
        level = paint(_STYLES[check.health], f"{check.health:<{_WIDE}}")
        lines.append(f"{level}  {clean(check.name)}: {clean(check.words)}")
        if check.hint and check.health is not Health.OK:
            lines.append(f"{'':<{_WIDE}}  {paint('hint', 'next:')} {clean(check.hint)}")
    return "\n".join([*lines, "", _sum(checks)]) + "\n"


def _sum(checks: Sequence[Check]) -> str:
    found = [
        f"{number} {health}{'s' * (number != 1)}"
        for health in (Health.PROBLEM, Health.WARNING, Health.NOTE)
        if (number := sum(check.health is health for check in checks))
    ]
    if not found:
        return f"all is well: {len(checks)} checks"
    return f"{', '.join(found)} in {len(checks)} checks" + (
        "" if any(check.health is Health.PROBLEM for check in checks) else "; runs can begin"
    )


def doctor_json(checks: Sequence[Check]) -> dict[str, Any]:
    """One value: `well`, and `checks` with `name`, `level`, `message` and `next` each."""
    return {
        "well": is_well(tuple(checks)),
        "checks": [
            {"name": check.name, "level": str(check.health), "message": check.words, "next": check.hint}
            for check in checks
        ],
    }
