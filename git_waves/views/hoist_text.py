"""What became of a plan whose paths were hoisted, in one line."""

from __future__ import annotations

from git_waves.core.hoist import Hoisted
from git_waves.views.safe import clean, quoted


def hoist_text(hoisted: Hoisted, *, before: int, after: int) -> str:
    """`hoisted tests/kunit/Kbuild into 'wire-kbuild': 12 waves become 2`; numbers are of the schedule before and after."""
    paths = " and ".join(clean(str(claim.pattern)) for claim in hoisted.wiring.claims)
    unit = "round" if hoisted.plan.groups else "wave"
    counted = f"{before} {unit}{'' if before == 1 else 's'}"
    change = f"{counted} become {after}" if before != after else f"{counted} stay {after}"
    return f"hoisted {paths} into {quoted(hoisted.wiring.id)}: {change}\n"
