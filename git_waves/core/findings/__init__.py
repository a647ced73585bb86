"""Everything a reader of a plan should know: one file per family, gathered here in a stable order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from git_waves.core.findings.background import check_background
from git_waves.core.findings.commands import ProgramUse, check_commands, check_own_commands, programs
from git_waves.core.findings.consolidation import check_consolidation
from git_waves.core.findings.empty import UNMEASURED_CODES, check_empty
from git_waves.core.findings.facts import Facts
from git_waves.core.findings.groups import check_groups
from git_waves.core.findings.handed import check_handoff
from git_waves.core.findings.needs import check_needs
from git_waves.core.findings.overlaps import check_overlaps
from git_waves.core.findings.proof import check_proof
from git_waves.core.findings.prose import check_prose
from git_waves.core.findings.repository import check_repository
from git_waves.core.findings.serialization import check_serialization
from git_waves.core.findings.undeclared import check_undeclared
from git_waves.core.model import Finding, Level, Plan, Schedule, TaskId
from git_waves.core.ownership import OwnershipManifest
from git_waves.core.repository import RepositoryFacts
from git_waves.errors import OK, UNMEASURED, VIOLATION

__all__ = ["ProgramUse", "check_plan", "exit_code", "find_all", "programs"]

_LEVELS = tuple(Level)


def check_plan(
    plan: Plan,
    manifest: OwnershipManifest,
    schedule: Schedule,
    *,
    missing_programs: Iterable[tuple[str, str, int, TaskId | None]] = (),
    repository: RepositoryFacts | None = None,
    facts: Facts | None = None,
) -> tuple[Finding, ...]:
    """All findings: violations first, then warnings, then notes; inside a level by line, code and message.

    `missing_programs` are those of `programs(plan)` that the caller looked for and did not find; `repository` is what it
    found out about the plan's paths, None where there is no commit; `facts` saves deriving again what is derived already.
    """
    facts = facts or Facts(plan=plan, manifest=manifest, schedule=schedule)
    found = (
        *check_overlaps(facts),
        *check_groups(facts),
        *check_needs(facts),
        *check_serialization(facts),
        *check_consolidation(facts),
        *check_prose(facts),
        *check_undeclared(facts),
        *check_background(facts),
        *check_handoff(facts, repository),
        *check_commands(plan, missing_programs),
        *check_own_commands(plan),
        *check_proof(plan),
        *check_empty(plan),
        *(check_repository(facts, repository) if repository is not None else ()),
    )
    return tuple(
        sorted(found, key=lambda each: (_LEVELS.index(each.level), each.line, each.code, each.message))
    )


def find_all(
    plan: Plan,
    *,
    manifest: OwnershipManifest,
    schedule: Schedule,
    look_up: Callable[[str], bool],
    repository: RepositoryFacts | None = None,
    facts: Facts | None = None,
    agents: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Finding, ...]:
    """`check_plan` for a caller that can say of a program's name whether it is there; each name is asked once. `agents` are
    those that are known by name, and the program that each of them is."""
    uses = programs(plan, agents)
    missing = {name for name in dict.fromkeys(use.program for use in uses) if not look_up(name)}
    return check_plan(
        plan,
        manifest,
        schedule,
        missing_programs=[use for use in uses if use.program in missing],
        repository=repository,
        facts=facts,
    )


def exit_code(findings: Iterable[Finding]) -> int:
    """What the shell sees: 1 for a violation, else 2 when nothing could be measured, else 0 (product 2.16)."""
    known = tuple(findings)
    if any(finding.level is Level.VIOLATION for finding in known):
        return VIOLATION
    return UNMEASURED if any(finding.code in UNMEASURED_CODES for finding in known) else OK
