"""What became of a plan whose sentences were written down as needs, in one line."""

from __future__ import annotations

from collections.abc import Iterable

from git_waves.core.model import TaskId
from git_waves.views.safe import quoted

_MOST = 5


def promote_text(needs: Iterable[tuple[TaskId, TaskId]], *, source: str) -> str:
    """`wrote 2 needs into 'p.yaml': '9' needs '7', 'b' needs 'a'`; or that there was nothing to write."""
    pairs = tuple(needs)
    if not pairs:
        return (
            f"nothing to promote: every order that a sentence of {quoted(source)} asks for is in the plan\n"
        )
    counted = f"{len(pairs)} need{'' if len(pairs) == 1 else 's'}"
    shown = [f"{quoted(task)} needs {quoted(on)}" for task, on in pairs[:_MOST]]
    more = [f"and {len(pairs) - _MOST} more"] if len(pairs) > _MOST else []
    return f"wrote {counted} into {quoted(source)}: {', '.join((*shown, *more))}\n"
