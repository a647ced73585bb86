"""Which program each agent is, by the name that a plan calls it: what `init` and `doctor` look for on a machine."""

from __future__ import annotations

from git_waves.agents import PRESETS

PROGRAMS = {name: preset.program for name, preset in PRESETS.items()}
"""Name of the agent to name of its program."""
