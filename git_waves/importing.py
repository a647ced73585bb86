"""From what other tools planned to one native plan: sources read, put together, written, and read back to be sure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from git_waves.adapters.planfile import read_plan_bytes
from git_waves.adapters.planfolder import read_folder
from git_waves.adapters.repo import Repository
from git_waves.adapters.rundir import write_durably
from git_waves.core.coverage import Coverage, ImportReport, Reading, conflicts, measure
from git_waves.core.model import Plan
from git_waves.errors import PlanError, PlanProblem, UsageError
from git_waves.formats.checks import plan_error
from git_waves.formats.lineless import says_the_same
from git_waves.formats.merging import Merged, combined_error, merge
from git_waves.formats.names import plan_name_complaint, plan_name_from
from git_waves.formats.size import check_size
from git_waves.formats.source import MAX_BYTES, PlanSource, PlanText
from git_waves.formats.sources import as_fragments, is_worth_noting, is_worth_reading, read_source

__all__ = ["Imported", "import_plans", "write_new"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """The native plan as text (None when every task is done already), and the report about it."""

    text: str | None
    report: ImportReport


def import_plans(
    repository: Repository, specs: Sequence[str], *, name: str | None = None, with_done: bool = False
) -> Imported:
    """The plan of everything that `specs` name, in their order: files, folders, `REV:PATH`, or `-`.

    Tasks that are done are left out, unless `with_done`. Executes nothing. Raises PlanError with the problems of all
    sources, UsageError for a `name` that no plan can have.
    """
    complaint = plan_name_complaint(name) if name is not None else None
    if complaint is not None:
        raise UsageError(complaint[0], hint=complaint[1])
    readings = list(_read_all(repository, specs))
    for reading in readings:
        check_size(reading.plan)
    if with_done:
        readings = [replace(reading, plan=_undone(reading.plan)) for reading in readings]
    coverages = tuple(map(measure, readings))
    merged = _one(readings, name)
    check_size(merged.plan)
    return _written(merged, coverages)


def _read_all(repository: Repository, specs: Sequence[str]) -> Iterator[Reading]:
    sources: list[PlanSource] = []
    errors: list[PlanError] = []
    for spec in specs:
        try:
            sources.append(_source(repository, spec))
        except PlanError as error:
            errors.append(error)
    readings: list[Reading] = []
    for source in sources:
        several = len(sources) > 1 or source.is_folder
        try:
            readings += read_source(as_fragments(source) if several else source, known_agents=None)
        except PlanError as error:
            errors.append(error)
    if errors:
        raise combined_error(errors)
    yield from readings


def _source(repository: Repository, spec: str) -> PlanSource:
    folder = None
    if spec != "-":
        folder = read_folder(
            repository, spec, wanted=is_worth_reading, noted=is_worth_noting, limit=MAX_BYTES
        )
    if folder is None:
        found = read_plan_bytes(repository, spec, limit=MAX_BYTES)
        text = PlanText(name_hint=found.path, source=found.source, data=found.data)
        return PlanSource(source=found.source, name_hint=found.path, texts=(text,))
    texts = tuple(PlanText(name_hint=file.path, source=file.source, data=file.data) for file in folder.files)
    return PlanSource(
        source=folder.source,
        name_hint=folder.source,
        texts=texts,
        is_folder=True,
        others=folder.noted,
    )


def _undone(plan: Plan) -> Plan:
    return replace(plan, tasks=tuple(replace(task, is_done=False) for task in plan.tasks))


def _one(readings: Sequence[Reading], name: str | None) -> Merged:
    """One reading as it is, several merged; a fragment's needs are looked up either way."""
    own = name or (readings[0].plan.name if len(readings) == 1 else _shared_name(readings))
    return merge(readings, name=own)


def _shared_name(readings: Sequence[Reading]) -> str:
    """Several plans are called like the folder they all lie in, else like the first."""
    folders = [Path(reading.plan.source).parts[:-1] for reading in readings]
    shared = []
    for parts in zip(*folders, strict=False):
        if len(set(parts)) > 1:
            break
        shared.append(parts[0])
    found = plan_name_from(f"{shared[-1]}.yaml") if shared else ""
    return found if found not in ("", "plan") else readings[0].plan.name


def _written(merged: Merged, coverages: tuple[Coverage, ...]) -> Imported:
    from git_waves.formats.native.expressible import expressible  # needed by this command alone
    from git_waves.formats.native.writer import write_plan

    whole = merged.plan
    plan = expressible(whole)
    left = tuple(task for task in whole.tasks if not task.is_done)
    blocked = tuple((task.id, task.blocker) for task in left if task.blocker is not None)
    text = None
    if plan.tasks:
        remarks = {task: f"blocked where it comes from: {why}" for task, why in blocked} | merged.raw_ids
        text = write_plan(plan, head=_head(merged, coverages), remarks=remarks)
        _check(text, plan, whole.source)
    report = ImportReport(
        name=whole.name,
        coverages=coverages,
        tasks=len(plan.tasks),
        left_out=len(whole.tasks) - len(plan.tasks),
        conflicts=conflicts(whole),
        renamed=tuple(sorted(merged.raw_ids.items())),
        blocked=blocked,
        notes=merged.notes,
    )
    return Imported(text=text, report=report)


def _head(merged: Merged, coverages: tuple[Coverage, ...]) -> list[str]:
    """Where the plan comes from, for whoever reads it."""
    lines = ["Written by `git waves import` from:"]
    lines += [
        f"  {one.source} ({one.format}, {one.tasks} task{'' if one.tasks == 1 else 's'})"
        for one in coverages[:50]
    ]
    done = [task.id for task in merged.plan.tasks if task.is_done]
    if done:
        named = ", ".join(done[:20]) + (f" and {len(done) - 20} more" if len(done) > 20 else "")
        lines.append(f"Left out, because done: {named}")
    if any(one.guessed for one in coverages):
        lines.append(
            "`inferred` files are guessed from prose; move those that are right to create, modify or delete."
        )
    return lines


def _check(text: str, plan: Plan, source: str) -> None:
    """What was written is what was meant; anything else is our bug, and better found here than in a run.

    Raises PlanError when it cannot be read back for its size.
    """
    from git_waves.formats.native import read_native
    from git_waves.formats.yamlevents import is_endless

    written = PlanText(name_hint="", source="the written plan", data=text.encode())
    if len(written.data) > MAX_BYTES or is_endless(text):
        problem = PlanProblem(0, "written as a native plan it is larger than those that are read", "split it")
        raise plan_error(source, [problem], measured=False)
    try:
        read = read_native(written, known_agents=None)
    except PlanError as error:
        first = error.problems[0]
        raise AssertionError(f"line {first.line} of the written plan: {first.message}") from error
    if not says_the_same(replace(read, source=""), plan):
        raise AssertionError("the written plan reads as another one")


def write_new(repository: Repository, path: str, content: str, *, force: bool) -> Path:
    """Write a file (from the current folder) in one step and return it.

    Raises UsageError when something is there already and `force` is not given, or when it cannot be written.
    """
    file = repository.folder / path
    if not force and (file.exists() or file.is_symlink()):
        raise UsageError(f"'{path}' already exists", hint="name another, or write over it with --force")
    if file.is_dir():
        raise UsageError(f"'{path}' is a directory", hint="name a file")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_durably(file, content.encode(), mode=0o644)
    except OSError as error:
        raise UsageError(f"cannot write '{path}': {error.strerror}") from error
    return file
