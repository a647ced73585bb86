"""Writing plan files: the first one of a repository, the chosen scheduler into one that is there, paths hoisted."""

from __future__ import annotations

import codecs
import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from git_waves import agents
from git_waves.adapters.git import Git
from git_waves.adapters.planfile import DEFAULT_PLAN, PLAN_SETTING
from git_waves.adapters.repo import Repository
from git_waves.adapters.rundir import write_durably
from git_waves.agents.programs import PROGRAMS
from git_waves.core.findings.prose import missing_needs
from git_waves.core.hoist import Hoisted, hoist
from git_waves.core.model import CommitPolicy, PatternKind, Plan, RepoPath, SchedulerName, TaskId
from git_waves.core.paths import PathProblem, parse_pattern
from git_waves.core.proposals import READ, SEEN, Proposal, propose_gates, propose_setup
from git_waves.errors import PlanError, UsageError
from git_waves.formats import read_plan
from git_waves.formats.lineless import says_the_same
from git_waves.formats.names import plan_name_from
from git_waves.formats.source import PlanText
from git_waves.formats.template import starting_plan

# Keys at the left margin are the plan's own; what belongs to a block of text is always indented.
_SCHEDULER = re.compile(rb"^scheduler:[ \t]*[^#\r\n]*?(?=[ \t]*(?:#[^\r\n]*)?\r?$)", re.MULTILINE)
_HOIST_BY_HAND = "put each path of 'files' on a line of its own, or hoist by hand"
_NEEDS_BY_HAND = "put 'id' and each entry of 'needs' on a line of its own, or write the needs by hand"
Needs = tuple[tuple[TaskId, TaskId], ...]
"""Pairs of a task and one that it needs."""

_ANCHOR = re.compile(rb"^version:[^\r\n]*(\r?\n|\Z)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """A plan that was written: its file, and what was found out for it."""

    file: Path
    base: str
    agents: tuple[str, ...]
    gates: tuple[Proposal, ...]


def write_starting_plan(repository: Repository, path: str | None) -> Start:
    """Write a commented plan to `path` (from the current folder), or to the usual place.

    Where it starts from, which agents are installed and how the repository is tested is found out, and executed nothing.
    Raises UsageError when a file is there already, or cannot be written.
    """
    if path is not None:
        file = repository.folder / path
    else:
        setting = repository.git.config_values(PLAN_SETTING)
        file = repository.work_tree / (setting[-1] if setting else DEFAULT_PLAN)
    base, found = _base(repository), _files_at_the_top(repository)
    known = tuple(
        name for name, program in PROGRAMS.items() if name in agents.KNOWN and shutil.which(program)
    )
    gates = propose_gates(found)
    text = starting_plan(
        base=base,
        name=plan_name_from(f"{repository.main_work_tree.name}.yaml"),
        agents=known,
        gates=gates,
        setup=propose_setup(found),
    )
    try:
        if not file.parent.is_dir():
            file.parent.mkdir(parents=True)
        with file.open("x", encoding="utf-8") as new:
            new.write(text)
    except OSError as error:
        if os.path.lexists(file):
            raise UsageError(
                f"'{path or file}' already exists", hint="'git waves plan' shows what is in it"
            ) from error
        raise UsageError(f"cannot write '{path or file}': {error.strerror}") from error
    return Start(file=file, base=base, agents=known, gates=gates)


def _base(repository: Repository) -> str:
    """The branch that is checked out; with a detached HEAD the one that clones begin with, where it is here."""
    git = Git(repository.git_dir)
    head = git.symbolic_head()
    if head is not None:
        return head.removeprefix("refs/heads/")
    origin = (git.symbolic_ref("refs/remotes/origin/HEAD") or "").removeprefix("refs/remotes/origin/")
    return next(
        (name for name in (origin, "main", "master") if name and git.ref(f"refs/heads/{name}")), "HEAD"
    )


def _files_at_the_top(repository: Repository) -> dict[str, str]:
    """What proposals are made from; of a file that is too large for one of its kind, only that it is there."""
    found = {}
    for name in (*READ, *SEEN):
        file = repository.work_tree / name
        if file.is_file() and not file.is_symlink():
            is_read = name in READ and file.stat().st_size <= _LARGEST
            found[name] = file.read_text(encoding="utf-8", errors="replace") if is_read else ""
    return found


_LARGEST = 1 << 20  # bytes


def stamp(repository: Repository, text: PlanText, scheduler: SchedulerName) -> bool:
    """Write `scheduler` into the native plan file that `text` was read from; whether that changed anything.

    One line is put in or replaced and nothing else; before it is written, the new text is read, and must be the same
    plan in everything but its scheduler. UsageError for what is no native plan file of the work tree.
    """
    plan = read_plan(text, known_agents=None)
    if plan.scheduler is scheduler:
        return False
    file = _file_of(repository, text)
    _refuse_other_formats(plan)
    stamped = PlanText(name_hint=text.name_hint, source=text.source, data=_stamped(text.data, scheduler))
    if not _is_plan(stamped, replace(plan, scheduler=scheduler)):
        raise UsageError(
            f"cannot find the place for the scheduler in '{text.source}'",
            hint=f"write it by hand, at the left margin: scheduler: {scheduler}",
        )
    _write(file, stamped)
    return True


def hoisted(text: PlanText, plan: Plan, paths: Sequence[str]) -> tuple[PlanText, Hoisted]:
    """The native plan's text with these files given to one last task; nothing else in it changes by a byte.

    The result was read again and is that plan. UsageError when a path is no file that tasks share, when a task would be
    left without any, when the plan is of another format, or its text is laid out in a way that is not understood.
    """
    from git_waves.formats.native.hoisting import hoist_text
    from git_waves.formats.native.surgery import CannotRewriteError

    _refuse_other_formats(plan)
    if not text.data.endswith(
        (b"\n", b"\r")
    ):  # it ends the last task's text, and another task comes behind it
        text = replace(text, data=text.data + _end(text.data))
        plan = read_plan(text, known_agents=None)
    patterns = [_path_to_hoist(path) for path in dict.fromkeys(paths)]
    try:
        wanted = hoist(plan, patterns)
    except ValueError as error:
        raise UsageError(str(error), hint="'git waves plan --manifest' shows who claims what") from error
    if wanted.emptied:
        raise UsageError(
            f"task '{wanted.emptied[0]}' claims nothing but what is hoisted, so nothing would be left of it",
            hint=f"let the last task do the work of '{wanted.emptied[0]}' too, or give it files of its own",
        )
    bom = codecs.BOM_UTF8 if text.data.startswith(codecs.BOM_UTF8) else b""
    try:
        rewritten = hoist_text(text.data.removeprefix(bom).decode(), wanted)
    except CannotRewriteError as error:
        raise _not_understood(text, error.line) from error
    result = PlanText(name_hint=text.name_hint, source=text.source, data=bom + rewritten.encode())
    if not any(_is_plan(result, _with_policy(wanted, policy)) for policy in CommitPolicy):
        raise _not_understood(text, 0)
    return result, wanted


def _with_policy(wanted: Hoisted, policy: CommitPolicy) -> Plan:
    """The plan when the last task commits as the plan says for tasks that say nothing, which a Plan does not tell."""
    return replace(wanted.plan, tasks=(*wanted.plan.tasks[:-1], replace(wanted.wiring, commit=policy)))


def promoted(text: PlanText, plan: Plan) -> tuple[PlanText, Needs]:
    """The native plan's text with the needs that its sentences ask for, and those needs; nothing else changes by a byte.

    The result was read again and is the plan with these needs, and it asks for no more. UsageError when the plan is of
    another format, or its text is laid out in a way that is not understood.
    """
    from git_waves.formats.native.promoting import promote_text
    from git_waves.formats.native.surgery import CannotRewriteError

    _refuse_other_formats(plan)
    pairs = missing_needs(plan)
    needs: dict[TaskId, list[TaskId]] = {}
    for task, on in pairs:
        needs.setdefault(task, []).append(on)
    if not needs:
        return text, pairs
    bom = codecs.BOM_UTF8 if text.data.startswith(codecs.BOM_UTF8) else b""
    try:
        rewritten = promote_text(text.data.removeprefix(bom).decode(), needs)
    except CannotRewriteError as error:
        raise _not_understood(text, error.line, hint=_NEEDS_BY_HAND) from error
    result = PlanText(name_hint=text.name_hint, source=text.source, data=bom + rewritten.encode())
    tasks = tuple(replace(task, needs=(*task.needs, *needs.get(task.id, ()))) for task in plan.tasks)
    wanted = replace(plan, tasks=tasks)
    if not _is_plan(result, wanted) or missing_needs(wanted):
        raise _not_understood(text, 0, hint=_NEEDS_BY_HAND)
    return result, pairs


def write(repository: Repository, text: PlanText) -> None:
    """Put the text in the place of the file it was read from; UsageError for what is no file of the work tree."""
    _write(_file_of(repository, text), text)


def _path_to_hoist(path: str) -> RepoPath:
    try:
        pattern = parse_pattern(path)
    except PathProblem as problem:
        raise UsageError(problem.message, hint=problem.hint) from problem
    if pattern.kind is not PatternKind.FILE:
        raise UsageError(
            f"'{path}' is no single file, so no last task can write it",
            hint="name the files in it that the tasks share",
        )
    return pattern.text


def _file_of(repository: Repository, text: PlanText) -> Path:
    file = repository.work_tree / text.name_hint
    if text.source != text.name_hint or not file.is_file():
        raise UsageError(f"'{text.source}' is no file of the work tree, so nothing can be written into it")
    return file


def _refuse_other_formats(plan: Plan) -> None:
    if plan.format != "native":
        raise UsageError(
            f"'{plan.source}' is a plan of format '{plan.format}', which git-waves reads and does not write"
        )


def _not_understood(text: PlanText, line: int, *, hint: str = _HOIST_BY_HAND) -> UsageError:
    where = f"{text.source}:{line}" if line else text.source
    return UsageError(f"'{where}' is laid out in a way that cannot be rewritten", hint=hint)


def _write(file: Path, text: PlanText) -> None:
    write_durably(file.resolve(), text.data, mode=file.stat().st_mode & 0o777)


def _stamped(data: bytes, scheduler: SchedulerName) -> bytes:
    line = f"scheduler: {scheduler}".encode()
    if _SCHEDULER.search(data):
        return _SCHEDULER.sub(line, data, count=1)
    return _ANCHOR.sub(
        lambda found: found.group().rstrip(b"\r\n") + _end(data) + line + _end(data), data, count=1
    )


def _end(data: bytes) -> bytes:
    return b"\r\n" if b"\r\n" in data else b"\n"


def _is_plan(text: PlanText, plan: Plan) -> bool:
    """Whether the text says exactly this plan, whatever its lines."""
    try:
        read = read_plan(text, known_agents=None)
    except PlanError:
        return False
    return says_the_same(read, plan)
