"""Plan formats: the text of a plan to a Plan, whatever tool wrote it. A format is one row of `FORMATS`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from git_waves.core.coverage import Reading
from git_waves.core.model import Plan
from git_waves.errors import PlanError, PlanProblem
from git_waves.formats import signs
from git_waves.formats.collector import paused_collector
from git_waves.formats.masterplan import is_masterplan, read_masterplan
from git_waves.formats.problems import end_with_enough
from git_waves.formats.session_state import is_session_state, read_session_state
from git_waves.formats.source import MAX_FOREIGN_BYTES, PlanText

__all__ = ["FORMATS", "Format", "PlanText", "format_of", "read_plan", "read_text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One plan format.

    `is_it` looks at the decoded text and, where content leaves a doubt, at the name of its file. `read` turns it into a
    Plan, or raises PlanError; it is also given the names of the agents git-waves knows, for formats whose plans name
    agents. `is_foreign` texts have less room than plans of ours.
    """

    name: str
    title: str
    is_it: Callable[[str, str], bool]
    read: Callable[[PlanText, str, frozenset[str] | None], Reading]
    is_foreign: bool = True


_block_key = re.compile(r"""^(?:version|tasks|"version"|"tasks") *:""", re.MULTILINE).search
_flow_version = re.compile(r"""[{,]\s*(?:version|"version")\s*:\s*"?1\b""").search


def _is_native(decoded: str, name: str) -> bool:  # noqa: ARG001  # every sign has the same two arguments
    looks_right = _flow_version if decoded.lstrip().startswith("{") else _block_key
    return looks_right(decoded) is not None


def _read_native(text: PlanText, decoded: str, known_agents: frozenset[str] | None) -> Reading:
    # Imported here because pydantic takes longer to import than a plan of another format takes to read.
    from git_waves.formats.native import read_decoded

    return Reading(plan=read_decoded(text, decoded, known_agents))


def _later(name: str) -> Callable[[PlanText, str, frozenset[str] | None], Reading]:
    """The reader of a format, loaded when a plan of it is there."""
    return lambda text, decoded, _: _reader(name)(text, decoded)


def _reader(name: str) -> Callable[[PlanText, str], Reading]:
    """One import for each format: a plan is of one, and the others need not be loaded."""
    match name:
        case "masterplan-fragments":
            from git_waves.formats.fragments import read_fragments as read
        case "task-master":
            from git_waves.formats.taskmaster import read_task_master as read
        case "beads":
            from git_waves.formats.beads import read_beads as read
        case "loopdeck":
            from git_waves.formats.loopdeck import read_loopdeck as read
        case "gsd":
            from git_waves.formats.gsd import read_gsd as read
        case "spec-kitty":
            from git_waves.formats.speckitty import read_spec_kitty as read
        case "ito":
            from git_waves.formats.ito import read_ito as read
        case "swarm":
            from git_waves.formats.swarm import read_swarm as read
        case "superpowers":
            from git_waves.formats.superpowers import read_superpowers as read
        case "spec-kit":
            from git_waves.formats.speckit import read_spec_kit as read
        case "kiro":
            from git_waves.formats.kiro import read_kiro as read
        case _:
            from git_waves.formats.openspec import read_checklist as read
    return read


FORMATS = (
    Format(
        name="session-state",
        title="session-state/v1 (JSON lines)",
        is_it=lambda decoded, _: is_session_state(decoded),
        read=lambda text, decoded, _: Reading(plan=read_session_state(text, decoded)),
        is_foreign=False,
    ),
    Format(
        name="masterplan",
        title="masterplan (plan.index.json)",
        is_it=lambda decoded, _: is_masterplan(decoded),
        read=lambda text, decoded, _: Reading(plan=read_masterplan(text, decoded)),
    ),
    Format(
        name="masterplan-fragments",
        title="masterplan (.plan-fragments.json)",
        is_it=signs.is_fragments,
        read=_later("masterplan-fragments"),
    ),
    Format(
        name="task-master",
        title="Task Master (tasks.json)",
        is_it=signs.is_task_master,
        read=_later("task-master"),
    ),
    Format(name="beads", title="beads (issues.jsonl)", is_it=signs.is_beads, read=_later("beads")),
    Format(
        name="loopdeck", title="loopdeck (run-plan.yaml)", is_it=signs.is_loopdeck, read=_later("loopdeck")
    ),
    Format(
        name="spec-kitty",
        title="spec-kitty (work packages)",
        is_it=signs.is_spec_kitty,
        read=_later("spec-kitty"),
    ),
    Format(name="gsd", title="GSD (PLAN.md)", is_it=signs.is_gsd, read=_later("gsd")),
    Format(name="ito", title="ito (tasks.md)", is_it=signs.is_ito, read=_later("ito")),
    Format(name="swarm", title="swarm plans", is_it=signs.is_swarm, read=_later("swarm")),
    Format(
        name="superpowers",
        title="superpowers plans",
        is_it=signs.is_superpowers,
        read=_later("superpowers"),
    ),
    Format(name="spec-kit", title="spec-kit (tasks.md)", is_it=signs.is_spec_kit, read=_later("spec-kit")),
    Format(name="kiro", title="Kiro (tasks.md)", is_it=signs.is_kiro, read=_later("kiro")),
    Format(
        name="openspec",
        title="OpenSpec and other lists of checkboxes",
        is_it=signs.is_checklist,
        read=_later("openspec"),
    ),
    Format(
        name="native",
        title="git-waves (YAML with 'version: 1')",
        is_it=_is_native,
        read=_read_native,
        is_foreign=False,
    ),
)
"""The formats that are read, in the order they are tried: the surer sign first. Markdown comes before our own YAML, whose
keys stand in many a block of code; no YAML is taken for Markdown (see `signs.is_markdown`)."""


def format_of(decoded: str, name: str = "") -> Format | None:
    """The format of a text; `name` is the path of its file. None when it is none that is read."""
    return next((one for one in FORMATS if one.is_it(decoded, name)), None)


def read_plan(text: PlanText, *, known_agents: frozenset[str] | None) -> Plan:
    """The plan of a text in any known format. Raises PlanError with every problem, sorted by line."""
    return read_text(text, known_agents=known_agents).plan


def read_text(text: PlanText, *, known_agents: frozenset[str] | None) -> Reading:
    """As `read_plan`, with what the text says and the plan does not. Raises PlanError with every problem."""
    decoded = text.decode()
    found = format_of(decoded, text.name_hint)
    if found is None:
        titles = ", ".join(one.title for one in FORMATS)
        problem = PlanProblem(0, "this is no plan of a format that is read", f"read today: {titles}")
        raise PlanError(text.source, (problem,), measured=False)
    if found.is_foreign and len(text.data) > MAX_FOREIGN_BYTES:
        most = f"at most {MAX_FOREIGN_BYTES // 1024 // 1024} MiB of a plan of format '{found.name}' are read"
        problem = PlanProblem(
            0, f"the plan has {len(text.data) / 1024 / 1024:.1f} MiB, and {most}", "split it"
        )
        raise PlanError(text.source, (problem,), measured=False)
    with paused_collector(), end_with_enough(text.source):
        return found.read(text, decoded, known_agents)
