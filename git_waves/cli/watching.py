"""`git waves status --watch`: look at the run's log again and again and draw it, until nothing more happens."""

from __future__ import annotations

import sys
import time

from git_waves import quick
from git_waves.adapters import glance
from git_waves.errors import OK, UsageError
from git_waves.views.paint import Paint
from git_waves.views.screen import Screen, open_screen
from git_waves.views.standing import RUNNING, STOPPING, standing
from git_waves.views.watch_text import watch_text

_PAUSE = 0.5  # seconds between two frames


def watch(common_dir: str, plan: str | None) -> int:
    """Draw until the run ends, halts or the reader presses Ctrl-C; then print the whole status once."""
    if not sys.stdout.isatty():
        raise UsageError("--watch draws on a terminal, and standard output is none", hint="git waves status")
    paint = quick.terminal_paint()
    try:
        with open_screen() as screen:
            while _draw(screen, common_dir, plan, paint):
                time.sleep(_PAUSE)
    except KeyboardInterrupt:
        return OK  # the one way to leave early, and nothing of the run was interrupted
    return quick.show_status(common_dir, quick.StatusOptions(plan=plan))


def _draw(screen: Screen, common_dir: str, plan: str | None, paint: Paint) -> bool:
    """Draw a frame; whether there will be another."""
    run = glance.newest_run(common_dir, plan)
    if run is None or standing(run.state, is_running=run.is_running) not in (RUNNING, STOPPING):
        return False
    frame = watch_text(
        run.state,
        is_running=run.is_running,
        now=time.time(),
        width=screen.width,
        height=screen.height,
        paint=paint,
    )
    screen.draw(frame)
    return True
