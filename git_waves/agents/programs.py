"""Which program each agent is, by the name that a plan calls it: what `init` and `doctor` look for on a machine."""

from __future__ import annotations

PROGRAMS = {
    "claude": "claude",
    "codex": "codex",
    "gemini": "gemini",
    "opencode": "opencode",
    "aider": "aider",
    "mini-swe-agent": "mini",
}
"""Name of the agent to name of its program."""
