"""Judging a repository: what a run would stumble over, and what earlier runs and killed gits have left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from git_waves.core.filesystems import is_shared
from git_waves.core.health import Check, note, ok, problem, warning

_DAY = 86400.0
_SHORT = 1 << 30  # bytes below which worktrees soon fill a disk
_HOW_MANY = 3  # names that a line shows


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """A lock file of git: its path, its age in seconds, and whether nobody can hold it (None: nobody can tell)."""

    path: str
    age: float
    is_dead: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftRun:
    """The newest run of a plan. `damage` is why its log cannot be read; `owed` are writers that it left stopped."""

    run: str
    plan: str
    is_running: bool = False
    is_finished: bool = False
    owed: tuple[str, ...] = ()
    damage: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """Facts about the repository a command was typed in.

    `branch` is None when HEAD is detached; `has_commit` whether it leads to one. `ahead` is by how many seconds the newest
    commit is later than this machine's clock. `plan` is where it is looked for; `plan_trouble` why it cannot be read,
    with `plan_hint`; `plan_tasks` None when there is no plan; `base` what the plan names, `has_base` whether it is there.
    `file_system` is its type, empty when that cannot be seen. `free` is in bytes, `least_free` what a run insists on.
    `hooks_setting` is the user's core.hooksPath, `hooks_folder` whether what git takes hooks from is there, `hooks` whether
    there are any. `extension` says who turned extensions.worktreeConfig on: "us", "others" or "".
    """

    place: str
    branch: str | None
    has_commit: bool
    ahead: float
    plan: str
    plan_tasks: int | None
    plan_trouble: str
    plan_hint: str
    base: str | None
    has_base: bool
    uncommitted: tuple[str, ...]
    file_system: str
    folds_case: bool
    free: int
    least_free: int
    worktrees: str
    worktrees_inside: bool
    worktrees_trouble: str
    hooks_setting: str
    hooks_folder: bool
    hooks: bool
    extension: str
    dormant: tuple[str, ...]
    broken_worktrees: tuple[str, ...]
    locks: tuple[Lock, ...]
    runs: tuple[LeftRun, ...]
    settings_trouble: str
    settings_hint: str


def judge_repository(found: Repository) -> Iterator[Check]:
    """Every check of a repository, in the order in which they should be mended."""
    yield ok("repository", f"'{found.place}'")
    yield from _ways_of_git(found)
    yield from _locks(found.locks)
    yield _base(found)
    if found.ahead > _DAY:
        days = round(found.ahead / _DAY)
        words = f"the newest commit is {days} day{'s' * (days != 1)} ahead of this machine's clock"
        yield warning("clock", words, "set the clock: limits, ages and the order of runs go by it")
    else:
        yield ok("clock", "not behind the newest commit")
    yield _plan(found)
    if found.settings_trouble:
        yield problem("settings", found.settings_trouble, found.settings_hint)
    yield _uncommitted(found.uncommitted)
    yield _hooks(found)
    yield _worktree_config(found)
    yield from _places(found)
    yield from _runs(found.runs)


def _ways_of_git(found: Repository) -> Iterator[Check]:
    for path in found.broken_worktrees:
        words = f"'{path}/commondir' is empty, which stops git in the whole repository"
        yield problem(
            "worktrees", words, f"if no 'git worktree add' is at work: printf '../..\\n' > '{path}/commondir'"
        )


def _locks(locks: Sequence[Lock]) -> Iterator[Check]:
    if not locks:
        yield ok("locks", "none is left over")
    for lock in locks:
        words = f"'{lock.path}' has been there for {_age(lock.age)}"
        if lock.is_dead:
            yield problem(
                "locks", f"{words}, and no git is at work here: one was killed", f"rm '{lock.path}'"
            )
        elif lock.is_dead is None:
            hint = f"if no git is at work in the repository: rm '{lock.path}'"
            yield warning("locks", f"{words}; who holds it cannot be seen here", hint)
        else:
            yield note("locks", f"{words}; a git is at work")


def _age(seconds: float) -> str:
    for unit, size in (("day", _DAY), ("hour", 3600.0), ("minute", 60.0)):
        if seconds >= size:
            number = int(seconds // size)
            return f"{number} {unit}{'s' * (number != 1)}"
    return f"{max(int(seconds), 0)} seconds"


def _base(found: Repository) -> Check:
    if not found.has_commit:
        return problem("base", "the repository has no commit yet", "git commit --allow-empty -m start")
    if found.base is not None and not found.has_base:
        hint = "'git branch --all' lists what there is; mend 'base:' in the plan"
        return problem("base", f"the plan starts from '{found.base}', which does not exist", hint)
    if found.base is not None:
        return ok("base", f"'{found.base}', as the plan says")
    if found.branch is None:
        hint = "name it: git waves run --base REV, or 'base:' in the plan"
        return warning("base", "HEAD is detached, so it is not clear what a run starts from", hint)
    return ok("base", f"'{found.branch}', the branch that is checked out")


def _plan(found: Repository) -> Check:
    if found.plan_trouble:
        return problem("plan", found.plan_trouble, found.plan_hint or "git waves plan")
    if found.plan_tasks is None:
        return note("plan", f"there is none at '{found.plan}'", "'git waves init' writes one to start from")
    number = found.plan_tasks
    return ok("plan", f"'{found.plan}', {number} task{'s' * (number != 1)}", "'git waves plan' judges it")


def _uncommitted(paths: Sequence[str]) -> Check:
    if not paths:
        return ok("work tree", "everything is committed")
    words = f"{_some(paths)} {'is' if len(paths) == 1 else 'are'} not committed: no task will see that"
    return note("work tree", words, "commit what the tasks build on; the rest stays as it is")


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:_HOW_MANY])
    return shown if len(names) <= _HOW_MANY else f"{shown} and {len(names) - _HOW_MANY} more"


def _hooks(found: Repository) -> Check:
    if found.hooks_setting and not found.hooks_folder:
        words = f"core.hooksPath is '{found.hooks_setting}', which is not there: your own hooks do not run"
        return warning("hooks", words, "'git config --show-origin core.hooksPath' says who set it")
    if found.hooks:
        return ok("hooks", "yours run in task worktrees too, before those of git-waves")
    return ok("hooks", "the repository has none of its own")


def _worktree_config(found: Repository) -> Check:
    name = "worktree config"
    if found.dormant:
        words = f"'{found.dormant[0]}' holds settings that are not in use, and would be"
        hint = "remove the file, or put it to use: git config extensions.worktreeConfig true"
        return problem(name, words, hint)
    match found.extension:
        case "us":
            return ok(name, "on, by git-waves", "'git waves hooks uninstall' takes it back")
        case "":
            return ok(name, "off; the first run turns it on, and says so")
        case _:
            return ok(name, "on, and not by git-waves")


def _places(found: Repository) -> Iterator[Check]:
    if is_shared(found.file_system):
        words = (
            f"the repository lies on a network folder ({found.file_system}), where locks cannot be relied on"
        )
        yield warning("file system", words, "work in a clone on a disk of this machine")
    else:
        kind = found.file_system or "cannot see its kind here"
        words = f"{kind}; takes upper and lower case for the same" if found.folds_case else kind
        hint = "'git waves plan' warns of paths that differ only in case" if found.folds_case else ""
        yield (note if found.folds_case or not found.file_system else ok)("file system", words, hint)
    free = f"{found.free // 2**20} MiB are free"
    if found.free < found.least_free:
        yield problem("disk", f"only {free}", f"make at least {found.least_free // 2**20} MiB free")
    elif found.free < _SHORT:
        yield warning("disk", f"only {free}, and every task gets a checkout of its own", "make room")
    else:
        yield ok("disk", free)
    if found.worktrees_trouble:
        hint = "set another place: git config waves.worktreeDir PATH"
        yield problem("worktree folder", f"'{found.worktrees}' {found.worktrees_trouble}", hint)
    elif found.worktrees_inside:
        words = (
            f"'{found.worktrees}' lies in your checkout, where 'git add -A' and 'git clean -ffdx' reach it"
        )
        yield warning(
            "worktree folder", words, "'git config --unset waves.worktreeDir' puts it beside the repository"
        )
    else:
        yield ok("worktree folder", f"'{found.worktrees}'")


def _runs(runs: Sequence[LeftRun]) -> Iterator[Check]:
    if not runs:
        yield ok("runs", "nothing has run here yet")
    for run in runs:
        who = f"run '{run.run}' of plan '{run.plan}'"
        if run.damage:
            yield problem(
                "runs", run.damage, f"'git waves run --new' starts plan '{run.plan}' over; merged work stays"
            )
        elif run.is_running:
            yield ok("runs", f"{who} is at work", f"git waves status --plan {run.plan}")
        elif run.owed:
            words = f"{who} ended and left stopped: {_some(run.owed)}"
            yield problem("runs", words, f"'git waves stop --plan {run.plan}' lets them go on")
        elif not run.is_finished:
            yield note("runs", f"{who} is not finished", f"git waves status --plan {run.plan}")
        else:
            yield ok("runs", f"{who} is finished", "'git waves clean' gives its worktrees back")
