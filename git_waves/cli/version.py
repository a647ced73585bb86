"""`git waves version`."""

from __future__ import annotations

from git_waves import __version__
from git_waves.adapters import terminal
from git_waves.errors import OK


def version() -> int:
    """Print the version."""
    terminal.write(f"git-waves {__version__}\n")
    return OK
