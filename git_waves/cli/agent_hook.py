"""`git waves agent-hook`."""

from __future__ import annotations

from git_waves import quick


def agent_hook() -> int:
    """Answer an agent program that asks before an edit: JSON on standard input, exit code 2 refuses."""
    return quick.agent_hook()
