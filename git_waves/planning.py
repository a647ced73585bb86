"""From what a person names as the plan to all that can be said about it, without executing anything (P7)."""

from __future__ import annotations

import shutil
from collections.abc import Callable

from git_waves import agents
from git_waves.adapters.facts import gather
from git_waves.adapters.planfile import read_plan_bytes
from git_waves.adapters.repo import Repository
from git_waves.core.analysis import Analysis
from git_waves.core.bounds import measure
from git_waves.core.findings import find_all
from git_waves.core.model import Plan
from git_waves.core.ownership import build_manifest
from git_waves.core.schedule import build_schedule
from git_waves.formats import read_plan
from git_waves.formats.source import MAX_BYTES, PlanText

__all__ = ["Analysis", "analyse", "read", "read_text"]

LookUp = Callable[[str], bool]
"""Whether a program of that name can be started."""


def read_text(repository: Repository, spec: str | None) -> PlanText:
    """The text of the plan that `spec` names (see adapters.planfile); PlanError when there is nothing to read."""
    found = read_plan_bytes(repository, spec, limit=MAX_BYTES)
    return PlanText(name_hint=found.path, source=found.source, data=found.data)


def read(text: PlanText) -> Plan:
    """The plan that the text says; PlanError with all its problems."""
    return read_plan(text, known_agents=agents.KNOWN)


def analyse(
    plan: Plan,
    *,
    repository: Repository,
    max_parallel: int | None = None,
    base: str | None = None,
    with_history: bool = False,
) -> Analysis:
    """Everything that follows from the plan and the repository it is for.

    `max_parallel` and `base` (a revision) None leave it to the plan; `with_history` also looks at how files changed
    together, which takes longer than all the rest.
    """
    manifest = build_manifest(plan)
    schedule = build_schedule(plan, max_parallel=max_parallel, manifest=manifest)
    facts = gather(repository, plan, base=base, with_history=with_history)
    return Analysis(
        plan=plan,
        manifest=manifest,
        schedule=schedule,
        findings=find_all(
            plan, manifest=manifest, schedule=schedule, look_up=program_finder(repository), repository=facts
        ),
        bounds=measure(schedule),
        repository=facts,
    )


def program_finder(repository: Repository) -> LookUp:
    """Looks programs up the way a task's worktree will find them: PATH, or a path from the top of the work tree."""

    def is_there(program: str) -> bool:
        if "/" in program:
            return shutil.which(str(repository.work_tree / program)) is not None
        return shutil.which(program) is not None

    return is_there
