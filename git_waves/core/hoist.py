"""Takes paths out of the tasks that share them and gives them to one last wiring task: the plan as it would be then."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from git_waves.core.model import (
    Claim,
    Intent,
    PathPattern,
    PatternKind,
    Plan,
    RepoPath,
    SharedPaths,
    Task,
    TaskId,
)

_INTENTS = tuple(Intent)
_LONGEST_ID = 40
_MOST_NAMES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Hoisted:
    """The plan with `wiring` as its last task; `sharers` gave up a claim, and `emptied` have none left."""

    plan: Plan
    wiring: Task
    sharers: tuple[TaskId, ...]
    emptied: tuple[TaskId, ...]


def hoist(plan: Plan, paths: Sequence[RepoPath]) -> Hoisted:
    """Hoist these files to one final task that needs everybody who shared them.

    Tasks that are done keep their claims. A task that shares a path by a folder or a glob keeps that; the last task
    then waits for it as for any other claim. Raises ValueError when no task to do claims one of the files, or when one
    of them is to be deleted: then there is nothing to hand over.
    """
    wanted = {PathPattern(kind=PatternKind.FILE, text=path) for path in paths}
    given = {
        task.id: tuple(claim for claim in task.claims if claim.pattern in wanted)
        for task in sharers_of(plan, wanted)
    }
    claims = [claim for each in given.values() for claim in each]
    missing = wanted - {claim.pattern for claim in claims}
    if missing or not wanted:
        raise ValueError(f"no task to do claims '{min(map(str, missing), default='')}'")
    deleted = [claim.pattern for claim in claims if claim.intent is Intent.DELETE]
    if deleted:
        raise ValueError(f"'{deleted[0]}' is to be deleted, so no last task can write it")
    intents = {path: _intent(claims, path) for path in paths}
    if (
        Intent.EDIT in intents.values()
    ):  # a plan says for all of a task's files what is done to them, or for none
        intents = dict.fromkeys(paths, Intent.EDIT)
    wiring = Task(
        id=wiring_id(plan, paths),
        title=f"Wire up {_listed(paths)}",
        needs=tuple(given),
        claims=tuple(
            Claim(pattern=PathPattern(kind=PatternKind.FILE, text=path), intent=intent)
            # in the order in which a plan is read: what is created first, then what is modified
            for path, intent in sorted(intents.items(), key=lambda item: _INTENTS.index(item[1]))
        ),
        prompt=wiring_prompt(paths, tuple(given)),
    )
    tasks = tuple(_without(task, wanted) if task.id in given else task for task in plan.tasks)
    return Hoisted(
        plan=replace(plan, tasks=(*tasks, wiring), shared_paths=_fewer_expected(plan.shared_paths, wanted)),
        wiring=wiring,
        sharers=tuple(given),
        emptied=tuple(task.id for task in tasks if task.id in given and not task.claims),
    )


def without_claims(plan: Plan, patterns: Iterable[PathPattern]) -> Plan:
    """The plan where no task to do claims these patterns any more, and nobody claims them instead."""
    dropped = set(patterns)
    sharers = {task.id for task in sharers_of(plan, dropped)}
    return replace(
        plan, tasks=tuple(_without(task, dropped) if task.id in sharers else task for task in plan.tasks)
    )


def sharers_of(plan: Plan, patterns: set[PathPattern]) -> Iterator[Task]:
    """The tasks to do that claim one of the patterns, exactly as it is written."""
    return (
        task
        for task in plan.tasks
        if not task.is_done and any(claim.pattern in patterns for claim in task.claims)
    )


def wiring_prompt(paths: Sequence[RepoPath], sharers: Sequence[TaskId]) -> str:
    """What the last task is told: two lines, whatever the number of tasks."""
    names = ", ".join(sharers[:_MOST_NAMES])
    more = f" and {len(sharers) - _MOST_NAMES} more" if len(sharers) > _MOST_NAMES else ""
    return (
        f"Write {_listed(paths)} for the tasks before this one ({names}{more}):\n"
        "look at what they added, register it there, and change nothing else.\n"
    )


def wiring_id(plan: Plan, paths: Sequence[RepoPath]) -> TaskId:
    """A name for the last task that no other task has, also after case folding: `wire-kbuild`, `wire-kbuild-2`."""
    names = {PurePosixPath(path).name.strip(".").split(".")[0] for path in paths}
    slug = re.sub(r"[^a-z0-9]+", "-", names.pop().lower()).strip("-") if len(names) == 1 else ""
    stem = f"wire-{slug or 'up'}"[:_LONGEST_ID].rstrip("-")
    taken = {task.id.casefold() for task in plan.tasks}
    number, name = 1, stem
    while name in taken:
        number += 1
        name = f"{stem}-{number}"
    return TaskId(name)


def _fewer_expected(expected: SharedPaths | None, gone: set[PathPattern]) -> SharedPaths | None:
    """What is hoisted is shared no more, so it is not to be expected either."""
    if expected is None or expected.count is not None:
        return expected and replace(expected, count=max((expected.count or 0) - len(gone), 0))
    left = tuple(pattern for pattern in expected.patterns if pattern not in gone)
    return replace(expected, patterns=left) if left or not expected.patterns else None


def _intent(claims: Iterable[Claim], path: RepoPath) -> Intent:
    """What the sharers do to the path together: make it if one of them does, else change it."""
    intents = {claim.intent for claim in claims if claim.pattern.text == path}
    return next(intent for intent in (Intent.CREATE, Intent.MODIFY, Intent.EDIT) if intent in intents)


def _without(task: Task, patterns: set[PathPattern]) -> Task:
    kept = tuple(claim for claim in task.claims if claim.pattern not in patterns)
    return task if len(kept) == len(task.claims) else replace(task, claims=kept)


def _listed(paths: Sequence[RepoPath]) -> str:
    return " and ".join(filter(None, (", ".join(paths[:-1]), *paths[-1:])))
