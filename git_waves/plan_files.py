"""Writing plan files: the first one of a repository, and the chosen scheduler into one that is there."""

from __future__ import annotations

import os
import re
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

from git_waves import agents
from git_waves.adapters.planfile import DEFAULT_PLAN, PLAN_SETTING
from git_waves.adapters.repo import Repository
from git_waves.adapters.rundir import write_durably
from git_waves.core.model import Plan, SchedulerName
from git_waves.errors import PlanError, UsageError
from git_waves.formats import read_plan
from git_waves.formats.names import plan_name_from
from git_waves.formats.source import PlanText
from git_waves.formats.template import starting_plan

# Keys at the left margin are the plan's own; what belongs to a block of text is always indented.
_SCHEDULER = re.compile(rb"^scheduler:[ \t]*[^#\r\n]*?(?=[ \t]*(?:#[^\r\n]*)?\r?$)", re.MULTILINE)
_ANCHOR = re.compile(rb"^version:[^\r\n]*(\r?\n|\Z)", re.MULTILINE)


def write_starting_plan(repository: Repository, path: str | None) -> Path:
    """Write a commented plan to `path` (from the current folder), or to the usual place; return the file.

    Raises UsageError when a file is there already, or cannot be written.
    """
    if path is not None:
        file = repository.folder / path
    else:
        setting = repository.git.config_values(PLAN_SETTING)
        file = repository.work_tree / (setting[-1] if setting else DEFAULT_PLAN)
    head = repository.git.symbolic_head()
    text = starting_plan(
        base=head.removeprefix("refs/heads/") if head is not None else "HEAD",
        name=plan_name_from(f"{repository.main_work_tree.name}.yaml"),
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
    return file


def stamp(repository: Repository, text: PlanText, scheduler: SchedulerName) -> bool:
    """Write `scheduler` into the native plan file that `text` was read from; whether that changed anything.

    One line is put in or replaced and nothing else; before it is written, the new text is read, and must be the same
    plan in everything but its scheduler. UsageError for what is no native plan file of the work tree.
    """
    file = repository.work_tree / text.name_hint
    plan = read_plan(text, known_agents=agents.KNOWN)
    if plan.scheduler is scheduler:
        return False
    if text.source != text.name_hint or not file.is_file():
        raise UsageError(f"'{text.source}' is no file of the work tree, so nothing can be written into it")
    if plan.format != "native":
        raise UsageError(
            f"'{text.source}' is a plan of format '{plan.format}', which git-waves reads and does not write"
        )
    stamped = PlanText(name_hint=text.name_hint, source=text.source, data=_stamped(text.data, scheduler))
    if not _is_same_plan(stamped, plan, scheduler):
        raise UsageError(
            f"cannot find the place for the scheduler in '{text.source}'",
            hint=f"write it by hand, at the left margin: scheduler: {scheduler}",
        )
    write_durably(file.resolve(), stamped.data, mode=file.stat().st_mode & 0o777)
    return True


def _stamped(data: bytes, scheduler: SchedulerName) -> bytes:
    line = f"scheduler: {scheduler}".encode()
    if _SCHEDULER.search(data):
        return _SCHEDULER.sub(line, data, count=1)
    return _ANCHOR.sub(
        lambda found: found.group().rstrip(b"\r\n") + _end(data) + line + _end(data), data, count=1
    )


def _end(data: bytes) -> bytes:
    return b"\r\n" if b"\r\n" in data else b"\n"


def _is_same_plan(stamped: PlanText, plan: Plan, scheduler: SchedulerName) -> bool:
    try:
        read = read_plan(stamped, known_agents=agents.KNOWN)
    except PlanError:
        return False
    return _without_lines(read) == _without_lines(replace(plan, scheduler=scheduler))


def _without_lines(value: object) -> object:
    """The value with every line number taken out: a line more moves them all."""
    if is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: _without_lines(getattr(value, field.name))
            for field in fields(value)
            if field.name != "line"
        }
    return [_without_lines(entry) for entry in value] if isinstance(value, tuple) else value
