"""What `git waves init` found out by itself."""

from __future__ import annotations

from collections.abc import Sequence

from git_waves.core.proposals import Proposal
from git_waves.views.safe import quoted


def found_text(base: str, agents: Sequence[str], gates: Sequence[Proposal]) -> str:
    """A line each: the base, the agents, and commands that could be gates."""
    lines = [f"base: {quoted(base)}"]
    if agents:
        lines.append(f"installed: {', '.join(agents)}; name one as 'agent:'")
    lines += [f"gate, if you want it: {quoted(gate.command)}, because {gate.reason}" for gate in gates]
    return "".join(f"  {line}\n" for line in lines)
