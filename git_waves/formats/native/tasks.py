"""What the tasks of a native plan mean. One pass, once per task: a plan may have ten thousand of them."""

from __future__ import annotations

from collections.abc import Sequence

from git_waves.core.model import Claim, CommitPolicy, Intent, Origin, PathPattern, RepoPath, Task, TaskId
from git_waves.formats.checks import (
    Placed,
    TaskNeeds,
    check_names,
    check_needs,
    check_once,
    read_claims,
    read_files,
    read_path,
)
from git_waves.formats.marks import MarkedList, MarkedMap, entry_lines, line_of, map_under
from git_waves.formats.names import shorten
from git_waves.formats.native import shapes
from git_waves.formats.native.reader import NO_LIMITS, Reader

_FILE_KEYS = (
    *((str(intent), intent, Origin.EXPLICIT) for intent in Intent),
    (str(Origin.INFERRED), Intent.EDIT, Origin.INFERRED),
)


def read_tasks(
    reader: Reader, shape: shapes.PlanShape, tree: MarkedMap, commit: CommitPolicy
) -> tuple[Task, ...]:
    """All tasks in the order they are written; groups and resources must have been read. `commit` is the default."""
    section = tree["tasks"]
    assert isinstance(section, MarkedList)
    tasks = []
    ids: list[Placed] = []
    needs: list[TaskNeeds] = []
    for entry, marks in zip(shape.tasks, section, strict=True):
        assert isinstance(marks, MarkedMap)
        task = _read_task(reader, entry, marks, commit)
        tasks.append(task)
        ids.append((task.id, line_of(marks, "id")))
        needs.append((task.id, entry.needs or (), entry_lines(marks, "needs") if entry.needs else ()))
    check_names(ids, "task", reader.problems)
    reader.names["tasks"] = tuple(task for task, _ in ids)
    check_needs(needs, reader.problems, is_fragment=reader.is_fragment)
    return tuple(tasks)


def _read_task(reader: Reader, shape: shapes.Task, marks: MarkedMap, commit: CommitPolicy) -> Task:
    owner = f"task '{shorten(shape.id)}'"
    _check_work(reader, shape, marks, owner)
    if shape.group is not None:
        reader.check_known([shape.group], [line_of(marks, "group")], "groups", "group", owner)
    # Absent keys are asked about here and not in the reader: most tasks have few, and calls would add up.
    return Task(
        id=TaskId(shape.id),
        title=shape.title or "",
        needs=tuple(map(TaskId, dict.fromkeys(shape.needs))) if shape.needs else (),
        group=shape.group,
        claims=_claims(reader, shape.files, marks, owner) if shape.files is not None else (),
        resources=_resources(reader, shape.resources, marks, owner) if shape.resources else (),
        prompt=shape.prompt,
        run=reader.command(shape.run, "run", marks, owner) if shape.run is not None else None,
        agent=reader.agent(shape.agent, marks, owner) if shape.agent is not None else None,
        attempts=reader.attempts(shape.attempts, marks, owner) if shape.attempts is not None else None,
        fallback=reader.fallback(shape.fallback, marks, owner) if shape.fallback is not None else None,
        verify=reader.commands(shape.verify, "verify", marks, owner) if shape.verify is not None else (),
        budget=reader.budget(shape.budget, map_under(marks, "budget"), owner) if shape.budget else NO_LIMITS,
        reads=_reads(reader, shape.reads, marks, owner) if shape.reads else (),
        handoff=_handoff(reader, shape.handoff, marks, owner) if shape.handoff else (),
        attended=shape.attended is not None and reader.flag(shape.attended, "attended", marks, owner),
        commit=(shape.commit and reader.choice(CommitPolicy, shape.commit, "commit", marks)) or commit,
        allow_empty=shape.allow_empty is not None
        and reader.flag(shape.allow_empty, "allow_empty", marks, owner),
        sandbox=reader.sandbox(shape.sandbox, marks, owner) if shape.sandbox is not None else None,
        estimate=reader.seconds(shape.estimate, "estimate", marks, owner)
        if shape.estimate is not None
        else None,
        line=marks.line,
        prompt_line=_text_line(shape.prompt, marks) if shape.prompt is not None else 0,
    )


def _text_line(text: str, marks: MarkedMap) -> int:
    """Where a prompt's text begins: a text of several lines is a block, as a rule, and starts below its key."""
    return line_of(marks, "prompt") + ("\n" in text.rstrip("\n"))


def _check_work(reader: Reader, shape: shapes.Task, marks: MarkedMap, owner: str) -> None:
    if shape.prompt is None:
        return
    if shape.run is not None:
        line = max(line_of(marks, "run"), line_of(marks, "prompt"))
        hint = "a task is done by its command or by an agent: keep one of the two"
        reader.refuse(line, f"{owner} has both 'run' and 'prompt'", hint)
    if not shape.prompt.strip():
        reader.refuse(
            line_of(marks, "prompt"), f"the prompt of {owner} is empty", "write it, or take the line out"
        )


def _resources(reader: Reader, names: Sequence[str], marks: MarkedMap, owner: str) -> tuple[str, ...]:
    lines = entry_lines(marks, "resources")
    reader.check_known(names, lines, "resources", "resource", owner)
    check_once(names, lines, f"'resources' of {owner}", reader.problems)
    return tuple(dict.fromkeys(names))


def _reads(reader: Reader, paths: Sequence[str], marks: MarkedMap, owner: str) -> tuple[PathPattern, ...]:
    lines = entry_lines(marks, "reads")
    if not reader.is_sparse:
        hint = "write 'sparse: true' at the plan's top, or take it out: worktrees hold everything"
        reader.refuse(
            line_of(marks, "reads"), f"{owner} says what it reads, and the plan is not 'sparse'", hint
        )
    check_once(paths, lines, f"'reads' of {owner}", reader.problems)
    patterns = (
        read_path(path, line, owner, reader.problems) for path, line in zip(paths, lines, strict=True)
    )
    return tuple(one for one in patterns if one is not None)


def _handoff(reader: Reader, paths: Sequence[str], marks: MarkedMap, owner: str) -> tuple[RepoPath, ...]:
    lines = entry_lines(marks, "handoff")
    check_once(paths, lines, f"'handoff' of {owner}", reader.problems)
    return read_files(paths, lines, owner, reader.problems)


def _claims(
    reader: Reader, files: list[str] | shapes.Files, marks: MarkedMap, owner: str
) -> tuple[Claim, ...]:
    what = f"'files' of {owner}"
    if isinstance(files, list):
        lines = entry_lines(marks, "files")
        check_once(files, lines, what, reader.problems)
        return read_claims(files, lines, Intent.EDIT, owner, reader.problems)
    inner = map_under(marks, "files")
    claims: list[Claim] = []
    all_paths: list[str] = []
    all_lines: list[int] = []
    for key, intent, origin in _FILE_KEYS:
        paths = getattr(files, key)
        if paths:
            lines = entry_lines(inner, key)
            claims += read_claims(paths, lines, intent, owner, reader.problems, origin)
            all_paths += paths
            all_lines += lines
    check_once(all_paths, all_lines, what, reader.problems)
    return tuple(claims)
