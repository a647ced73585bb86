"""Puts the manual pages into a wheel: those written by hand, and a page for each command, which is made of the first."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Pages(BuildHookInterface[Any]):
    """Called by hatchling, which finds it in this file."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002  # their names
        """Write the pages below `build/man`, and have them installed where `man` looks."""
        root = Path(self.root)
        sys.path.insert(0, self.root)
        from git_waves.views.manual import MAIN, command_pages

        written = {name: (root / "man" / name).read_text(encoding="utf-8") for name in MAIN}
        folder = root / "build" / "man"
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in {**written, **command_pages(written[MAIN[0]])}.items():
            (folder / name).write_text(text, encoding="utf-8")
            build_data["shared_data"][str(folder / name)] = f"share/man/man{name[-1]}/{name}"
