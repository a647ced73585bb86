"""`git waves doctor`: facts about this machine and this repository gathered, and judged by `core/health`.

It only looks. Nothing is written, and nothing of the repository is executed: no hook, no filter, no program that lies in it.
"""

from __future__ import annotations

import platform
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from git_waves import __version__, planning, preflight
from git_waves.adapters import admins, dead_locks, glance, hooks, machine_locks, worktree_config
from git_waves.adapters.filesystem import file_system
from git_waves.adapters.git import MINIMUM_VERSION, Git, GitError, Place, discover, version
from git_waves.adapters.machine import find_programs, folds_case, is_writable, manual_page
from git_waves.adapters.planfile import DEFAULT_PLAN, PLAN_SETTING, shown
from git_waves.adapters.repo import Repository, open_repository
from git_waves.adapters.rundir import first_event, run_dirs, waves_folder
from git_waves.adapters.sandbox import sandbox_facts
from git_waves.agents.programs import PROGRAMS
from git_waves.control import load
from git_waves.core import health
from git_waves.core.ecosystems import Suggestion, suggest
from git_waves.core.health import Check
from git_waves.core.health.machine import Machine, judge_machine
from git_waves.core.health.repository import LeftRun, judge_repository
from git_waves.core.health.repository import Repository as RepositoryFacts
from git_waves.core.include import FILE_NAME
from git_waves.core.model import RepoPath
from git_waves.errors import PlanError, SurroundingsError, UsageError
from git_waves.formats.source import MAX_BYTES
from git_waves.settings import read_settings

_MOST_LACKING = 8  # suggestions for what worktrees will lack


def examine(folder: Path) -> tuple[Check, ...]:
    """Every check of this machine, and of the repository around `folder` where there is one."""
    found = _git_version()
    place = discover(folder) if found is not None else None
    checks = [*judge_machine(_machine(found, place)), *_fences(place)]
    if place is not None and found is not None and found >= MINIMUM_VERSION:
        checks += _repository_checks(folder, place)
    elif place is None:
        hint = "'git status' says what git thinks of it; 'git waves -C PATH doctor' looks elsewhere"
        checks.append(health.note("repository", f"'{folder}' is in none, or in one git will not open", hint))
    return tuple(checks)


def _git_version() -> tuple[int, ...] | None:
    try:
        return version()
    except SurroundingsError:
        return None


# ---------------------------------------------------------------------- the machine


def _machine(git: tuple[int, ...] | None, place: Place | None) -> Machine:
    inside = [] if place is None else [place.work_tree or place.common_dir, place.common_dir.parent]
    has_man, manual = manual_page("git-waves", repositories=inside)
    state_folder = machine_locks.folder().parent
    return Machine(
        system=platform.system(),
        git=git,
        least_git=MINIMUM_VERSION,
        python=sys.version_info[:3],
        version=__version__,
        agents=find_programs(PROGRAMS.values(), repositories=inside),
        known_agents=tuple(PROGRAMS),
        has_man=has_man,
        manual=manual,
        identity="" if git is None or place is None else Git(place.common_dir).identity_problem() or "",
        hooks=_has_hook_files(),
        state_folder=str(state_folder),
        is_state_writable=is_writable(state_folder),
    )


def _fences(place: Place | None) -> Iterator[Check]:
    """Which fences of the kernel plans can have here; none is needed."""
    inside = [] if place is None else [place.work_tree or place.common_dir, place.common_dir.parent]
    for fact in sandbox_facts(repositories=inside):
        name = f"sandbox {fact.kind}"
        if fact.is_available:
            yield health.ok(name, f"{fact.level}; {fact.leaves}")
        else:
            yield health.note(name, f"not to be had: {fact.reason}", fact.hint)


def _has_hook_files() -> bool:
    try:
        hooks.hooks_folder()
    except SurroundingsError:
        return False
    return True


# ---------------------------------------------------------------------- the repository


def _repository_checks(folder: Path, place: Place) -> Iterator[Check]:
    if (
        place.is_bare and (place.common_dir / "index").is_file()
    ):  # a checkout that somebody's test made a bare one of
        words = f"core.bare is true in '{place.common_dir / 'config'}', and there is a checkout"
        hint = f"git config --file '{place.common_dir / 'config'}' core.bare false"
        yield health.problem("repository", words, hint)
        return
    try:
        repository = open_repository(folder)
        facts = _facts(repository)
    except SurroundingsError as error:
        yield health.problem("repository", error.message, error.hint)
        return
    yield from judge_repository(facts)
    yield from _lacking(repository)


def _lacking(repository: Repository) -> Iterator[Check]:
    """What worktrees will lack of what lies in this checkout, as what the plan could say."""
    here = Git(repository.git_dir, work_tree=repository.work_tree)
    head = here.resolve("HEAD")
    if head is None:
        return
    try:
        plan = planning.read(planning.read_text(repository, None), repository)
        said = [*(str(command) for command in plan.setup), *(one.pattern for one in plan.include)]
    except PlanError:  # which was said
        said = []
    try:
        tracked = here.modes_in(head)
        shared = here.small_blobs(head, [RepoPath(FILE_NAME)], limit=MAX_BYTES)
    except GitError as error:  # a clone that lacks trees, and nothing is fetched here
        yield health.note("environment", f"cannot see what worktrees will lack: {error.message}")
        return
    said += [content.decode(errors="replace") for content in shared.values()]
    found = suggest(tracked, here.ignored_there(), said="\n".join(said))
    for one in found[:_MOST_LACKING]:
        words = f"worktrees will lack '{one.missing}': {one.why}"
        yield health.note("environment", words, f"in the plan: {one.key}: {_as_value(one)}")

    if len(found) > _MOST_LACKING:
        yield health.note("environment", f"and {len(found) - _MOST_LACKING} more files and folders")


def _as_value(one: Suggestion) -> str:
    return f"[{one.value}]" if one.key == "include" else one.value


def _facts(repository: Repository) -> RepositoryFacts:
    git, common_dir = repository.git, repository.common_dir
    here = Git(repository.git_dir, work_tree=repository.work_tree)
    head = here.resolve("HEAD")
    broken = admins.broken(common_dir)
    plan, tasks, base, trouble, plan_hint = _plan(repository)
    settings_trouble, settings_hint = _settings(git)
    hooks_folder = None if broken else _hooks_folder(repository)  # to find it, git is asked for its worktrees
    branch = here.symbolic_head()
    worktrees = preflight.worktree_folder(repository)
    return RepositoryFacts(
        place=str(repository.work_tree),
        branch=branch.removeprefix("refs/heads/") if branch is not None else None,
        has_commit=head is not None,
        ahead=git.commit_time(head) - time.time() if head is not None else 0.0,
        plan=plan,
        plan_tasks=tasks,
        plan_trouble=trouble,
        plan_hint=plan_hint,
        base=base,
        has_base=base is not None and here.resolve(base) is not None,
        uncommitted=_uncommitted(here, plan) if head is not None else (),
        file_system=file_system(common_dir),
        folds_case=folds_case(repository.main_work_tree, ".git") if common_dir.name == ".git" else False,
        free=shutil.disk_usage(common_dir).free,
        least_free=preflight.ROOM,
        worktrees=str(worktrees),
        worktrees_inside=worktrees.resolve().is_relative_to(repository.main_work_tree.resolve()),
        worktrees_trouble="" if is_writable(worktrees) else "cannot be made or written",
        hooks_setting=_hooks_setting(git),
        hooks_folder=hooks_folder is not None,
        hooks=_has_hooks(hooks_folder),
        extension=_extension(git, common_dir),
        dormant=()
        if worktree_config.is_enabled(git, common_dir)
        else tuple(map(str, worktree_config.dormant_files(common_dir))),
        broken_worktrees=tuple(map(str, broken)),
        locks=tuple(dead_locks.look(common_dir, repository.git_dir, repository.main_work_tree)),
        runs=tuple(_runs(common_dir)),
        settings_trouble=settings_trouble,
        settings_hint=settings_hint,
    )


def _uncommitted(here: Git, plan: str) -> tuple[RepoPath, ...]:
    """A run keeps its plan, committed or not."""
    return tuple(path for path in here.uncommitted_paths() if path != plan)


def _plan(repository: Repository) -> tuple[str, int | None, str | None, str, str]:
    """Where the plan is looked for, how many tasks it has, its base; why it cannot be read, and the way out."""
    setting = repository.git.config_values(PLAN_SETTING)
    file = repository.work_tree / (setting[-1] if setting else DEFAULT_PLAN)
    name = shown(repository, file)
    if not file.exists():
        return name, None, None, "", ""
    try:
        plan = planning.read(planning.read_text(repository, None), repository)
    except PlanError as error:
        first = error.problems[0]
        where = f"{error.source}:{first.line}" if first.line else error.source
        more = f" (and {len(error.problems) - 1} more)" if len(error.problems) > 1 else ""
        return name, None, None, f"'{where}': {first.message}{more}", "'git waves plan' shows it all"
    return name, len(plan.tasks), plan.base, "", ""


def _settings(git: Git) -> tuple[str, str]:
    try:
        read_settings(git)
    except UsageError as error:
        return error.message, error.hint
    return "", ""


def _hooks_setting(git: Git) -> str:
    """The user's own word, not the one with which every call of ours turns hooks off."""
    values = [
        value
        for scope, value in git.config_scoped("core.hooksPath", is_path=True)
        if scope in ("system", "global", "local")
    ]
    return values[-1] if values else ""


def _hooks_folder(repository: Repository) -> Path | None:
    return hooks.user_hooks(repository.git, common_dir=repository.common_dir, worktree=repository.work_tree)


def _has_hooks(folder: Path | None) -> bool:
    return folder is not None and any(
        path.is_file() and path.suffix != ".sample" for path in folder.iterdir()
    )


def _extension(git: Git, common_dir: Path) -> str:
    if not worktree_config.is_enabled(git, common_dir):
        return ""
    return "us" if worktree_config.was_enabled_by_us(common_dir) else "others"


def _runs(common_dir: Path) -> Iterator[LeftRun]:
    """The newest run of each plan."""
    seen = set()
    for run_dir in run_dirs(common_dir):
        event = first_event(run_dir)
        plan = str(event.get("plan")) if event is not None else ""
        if plan in seen:
            continue
        seen.add(plan)
        try:
            state, _ = load(run_dir)
        except SurroundingsError as error:
            yield LeftRun(run=run_dir.run, plan=plan, damage=error.message)
            continue
        yield LeftRun(
            run=run_dir.run,
            plan=plan,
            is_running=glance.is_held(str(waves_folder(common_dir) / f"{plan}.lock")),
            is_finished=state.finished,
            owed=tuple(state.quiesced),
        )
