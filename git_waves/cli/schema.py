"""`git waves schema`."""

from __future__ import annotations

from git_waves.adapters import terminal
from git_waves.errors import OK


def schema() -> int:
    """Print the JSON Schema of the plan format, for editors."""
    from git_waves.formats.native import schema_text

    terminal.write(schema_text())
    return OK
