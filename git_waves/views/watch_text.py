"""One frame of `git waves status --watch`: as much of the status as fits the screen, the interesting part of it."""

from __future__ import annotations

from git_waves.core import fold
from git_waves.core.fold import RunState
from git_waves.views.paint import Paint
from git_waves.views.status_text import footer, header, table

_THROUGH = frozenset({fold.INTEGRATED, fold.DONE, fold.SKIPPED, fold.BLOCKED})


def watch_text(
    state: RunState, *, is_running: bool, now: float, width: int, height: int, paint: Paint
) -> str:
    """The frame, at most `height` lines. When not all fits, tasks that are through go first, then those that wait."""
    above = [
        *header(state, is_running=is_running, now=now, width=width, paint=paint),
        progress(state, width, paint),
        "",
    ]
    below = ["", *footer(state, is_running=is_running, width=width, paint=paint)]
    room = max(height - len(above) - len(below), 3)
    return "\n".join(
        [*above, *_fitting(state, table(state, now=now, width=width, paint=paint), room), *below]
    )


def _fitting(state: RunState, lines: list[tuple[str, str]], room: int) -> list[str]:
    if len(lines) <= room:
        return [line for _task, line in lines]
    live = [line for task, line in lines if not task or state.status_of(task) not in _THROUGH]
    if len(live) > room - 1:
        tasks = [
            line for task, line in lines if task and state.status_of(task) not in (*_THROUGH, fold.PENDING)
        ]
        waiting = [line for task, line in lines if task and state.status_of(task) == fold.PENDING]
        live = [lines[0][1], *tasks, *waiting]
    shown = live[: room - 1]
    return [*shown, f"  and {len(lines) - len(shown)} more lines; 'git waves status' has them all"]


def progress(state: RunState, width: int, paint: Paint) -> str:
    """A bar of how much is through: `[#####.....]  5 of 10 integrated`."""
    total = max(len(state.tasks), 1)
    through, live = (
        state.count(fold.INTEGRATED, fold.DONE),
        state.count(fold.LEASED, fold.RUNNING, fold.PASSED, fold.MERGED),
    )
    words = f" {through} of {len(state.tasks)} integrated"
    columns = max(min(width - len(words) - 2, 40), 10)
    full = columns * through // total
    busy = columns * (through + live) // total - full
    rest = columns - full - busy
    return f"[{paint('good', '#' * full)}{paint('busy', '=' * busy)}{paint('dim', '.' * rest)}]{words}"
