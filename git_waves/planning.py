"""From what a person names as the plan to all that can be said about it, without executing anything (P7)."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable

from git_waves import agents
from git_waves.adapters.durations import past_durations
from git_waves.adapters.facts import gather
from git_waves.adapters.planfile import read_plan_bytes
from git_waves.adapters.repo import Repository
from git_waves.core.analysis import Analysis
from git_waves.core.bounds import measure
from git_waves.core.coverage import Reading
from git_waves.core.findings import find_all
from git_waves.core.findings.facts import SHARED_THRESHOLD, Facts
from git_waves.core.model import Plan
from git_waves.core.ownership import OwnershipManifest, build_manifest, collisions_of
from git_waves.core.schedule import build_schedule, lay_out
from git_waves.core.shellwords import first_program
from git_waves.core.speedup import estimate_speedup
from git_waves.core.weights import weigh
from git_waves.errors import UsageError
from git_waves.formats import read_text as read_any
from git_waves.formats.collector import paused_collector
from git_waves.formats.size import check_size
from git_waves.formats.source import MAX_BYTES, PlanText
from git_waves.settings import read_agents

__all__ = ["Analysis", "analyse", "read", "read_text", "read_whole", "rounds_of"]

_THRESHOLD = "waves.sharedThreshold"

LookUp = Callable[[str], bool]
"""Whether a program of that name can be started."""


def read_text(repository: Repository, spec: str | None) -> PlanText:
    """The text of the plan that `spec` names (see adapters.planfile); PlanError when there is nothing to read."""
    found = read_plan_bytes(repository, spec, limit=MAX_BYTES)
    return PlanText(name_hint=found.path, source=found.source, data=found.data)


def read(text: PlanText, repository: Repository) -> Plan:
    """The plan that the text says; PlanError with all its problems. It may name the agents of whoever works in
    `repository`."""
    return read_whole(text, repository).plan


def read_whole(text: PlanText, repository: Repository) -> Reading:
    """As `read`, with what the text says and the plan does not."""
    reading = read_any(text, known_agents=agents.KNOWN | read_agents(repository.git).keys())
    check_size(reading.plan)
    return reading


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
    with paused_collector():
        return _analyse(
            plan, repository=repository, max_parallel=max_parallel, base=base, with_history=with_history
        )


def _analyse(
    plan: Plan, *, repository: Repository, max_parallel: int | None, base: str | None, with_history: bool
) -> Analysis:
    manifest = build_manifest(plan)
    layout = lay_out(plan, manifest.collisions())
    schedule = build_schedule(plan, max_parallel=max_parallel, manifest=manifest, layout=layout)
    in_repository = gather(repository, plan, base=base, with_history=with_history)
    facts = Facts(
        plan=plan,
        manifest=manifest,
        schedule=schedule,
        shared_threshold=_shared_threshold(repository, manifest),
    )
    findings = find_all(
        plan,
        manifest=manifest,
        schedule=schedule,
        look_up=program_finder(repository),
        repository=in_repository,
        facts=facts,
        agents=_programs_of_agents(repository),
    )
    return Analysis(
        plan=plan,
        manifest=manifest,
        schedule=schedule,
        findings=findings,
        bounds=measure(schedule),
        speedup=estimate_speedup(
            schedule,
            layout.problem,
            weigh(plan, past_durations(repository.common_dir, plan.name)),
        ),
        costs=facts.costs,
        repository=in_repository,
    )


def _programs_of_agents(repository: Repository) -> dict[str, str]:
    """The agents that are known by name here, and the program that each of them is, as far as that is sure."""
    own = read_agents(repository.git)
    sure = {name: first_program(command.shell or "") for name, command in own.items()}
    presets = {name: preset.program for name, preset in agents.PRESETS.items() if name not in own}
    return {**presets, **{name: program for name, program in sure.items() if program is not None}}


def _shared_threshold(repository: Repository, manifest: OwnershipManifest) -> float:
    """`waves.sharedThreshold`: the share of the tasks from which on a shared path is worth a warning.

    Not asked for where nothing is shared. UsageError for what is neither a percentage nor a fraction.
    """
    setting = repository.git.config_values(_THRESHOLD) if manifest.collisions() else ()
    if not setting:
        return SHARED_THRESHOLD
    found = re.fullmatch(r"(\d+(?:\.\d+)?)%|([01](?:\.\d+)?)", setting[-1])
    share = 0.0 if found is None else float(found[1]) / 100 if found[1] else float(found[2])
    if found is None or share > 1:
        raise UsageError(
            f"'{_THRESHOLD}' is no share of the tasks: '{setting[-1]}'", hint=f"git config {_THRESHOLD} 25%"
        )
    return share


def rounds_of(plan: Plan) -> int:
    """How many rounds the plan takes: groups, where the author wrote none."""
    return lay_out(plan, collisions_of(plan)).rounds


def program_finder(repository: Repository) -> LookUp:
    """Looks programs up the way a task's worktree will find them: PATH, or a path from the top of the work tree."""

    def is_there(program: str) -> bool:
        if "/" in program:
            return shutil.which(str(repository.work_tree / program)) is not None
        return shutil.which(program) is not None

    return is_there
