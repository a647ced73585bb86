"""A terminal screen that frames are drawn on, one over the other, without flicker; rich does the drawing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live


class Screen:
    """Takes frames; `width` and `height` are the terminal's columns and lines right now."""

    def __init__(self, console: Console, live: Live) -> None:
        self._console = console
        self._live = live

    @property
    def width(self) -> int:
        """Columns."""
        return self._console.width

    @property
    def height(self) -> int:
        """Lines."""
        return self._console.height

    def draw(self, frame: str) -> None:
        """Show a frame of text, with colour escapes of ours in it, in place of the last one."""
        from rich.text import Text

        self._live.update(Text.from_ansi(frame, no_wrap=True, overflow="crop"), refresh=True)


@contextmanager
def open_screen() -> Iterator[Screen]:
    """The terminal's alternate screen; what was there before comes back at the end."""
    from rich.console import Console
    from rich.live import Live

    console = Console(highlight=False, markup=False, emoji=False)
    with Live(console=console, auto_refresh=False, screen=True) as live:
        yield Screen(console, live)
