"""Plan formats: the text of a plan to a Plan, whatever tool wrote it. A format is one row of `FORMATS`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from git_waves.core.model import Plan
from git_waves.errors import PlanError, PlanProblem
from git_waves.formats.collector import paused_collector
from git_waves.formats.masterplan import is_masterplan, read_masterplan
from git_waves.formats.session_state import is_session_state, read_session_state
from git_waves.formats.source import PlanText

__all__ = ["FORMATS", "Format", "PlanText", "read_plan"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One plan format.

    `is_it` looks at the decoded text. `read` turns it into a Plan, or raises PlanError; it is also given the names of
    the agents git-waves knows, for formats whose plans name agents.
    """

    name: str
    title: str
    is_it: Callable[[str], bool]
    read: Callable[[PlanText, str, frozenset[str]], Plan]


_block_key = re.compile(r"""^(?:version|tasks|"version"|"tasks") *:""", re.MULTILINE).search
_flow_version = re.compile(r"""[{,]\s*(?:version|"version")\s*:\s*"?1\b""").search


def _is_native(decoded: str) -> bool:
    looks_right = _flow_version if decoded.lstrip().startswith("{") else _block_key
    return looks_right(decoded) is not None


def _read_native(text: PlanText, decoded: str, known_agents: frozenset[str]) -> Plan:
    # Imported here because pydantic takes longer to import than a plan of another format takes to read.
    from git_waves.formats.native import read_decoded

    return read_decoded(text, decoded, known_agents)


FORMATS = (
    Format(
        name="session-state",
        title="session-state/v1 (JSON lines)",
        is_it=is_session_state,
        read=lambda text, decoded, _: read_session_state(text, decoded),
    ),
    Format(
        name="masterplan",
        title="masterplan (plan.index.json)",
        is_it=is_masterplan,
        read=lambda text, decoded, _: read_masterplan(text, decoded),
    ),
    Format(name="native", title="git-waves (YAML with 'version: 1')", is_it=_is_native, read=_read_native),
)
"""The formats that are read, in the order they are tried."""


def read_plan(text: PlanText, *, known_agents: frozenset[str]) -> Plan:
    """The plan of a text in any known format. Raises PlanError with every problem, sorted by line."""
    decoded = text.decode()
    for one in FORMATS:
        if one.is_it(decoded):
            with paused_collector():
                return one.read(text, decoded, known_agents)
    titles = ", ".join(one.title for one in FORMATS)
    problem = PlanProblem(0, "this is no plan of a format that is read", f"read today: {titles}")
    raise PlanError(text.source, (problem,), measured=False)
