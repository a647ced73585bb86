"""Whose paths a task could be tempted to touch: those of other tasks that its own text names, or that lie beside its own.

A model keeps to a short list that names somebody. A list of the whole repository it forgets, so only what is near is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from git_waves.core.globs import literal_head
from git_waves.core.model import Claim, Origin, PathPattern, PatternKind, Plan, RepoPath, Task, TaskId
from git_waves.core.ownership import compile_rules, owns

MOST = 20
"""How many paths of others are told."""

_WORDS = re.compile(r"[^\s`'\"<>|;,]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A path that belongs to another task, and that task's title."""

    pattern: PathPattern
    task: TaskId
    title: str = ""


def granting(task: Task) -> tuple[Claim, ...]:
    """The claims by which a task owns something: as in core.ownership, what is inferred grants nothing beside the rest."""
    explicit = tuple(claim for claim in task.claims if claim.origin is Origin.EXPLICIT)
    return explicit or task.claims


def neighbours(plan: Plan, task: Task, granted: tuple[RepoPath, ...] = ()) -> tuple[Neighbour, ...]:
    """The near paths of others: those that the task's own text names first, each in the order of the plan.

    What the task owns too, or was granted, is left out. All of them; whoever tells them cuts after `MOST`.
    """
    mine = frozenset(claim.pattern for claim in granting(task))
    rules = compile_rules(mine)
    homes = frozenset(home for pattern in mine for home in _homes(pattern))
    words = _words_of(task)
    named: dict[PathPattern, Neighbour] = {}
    beside: dict[PathPattern, Neighbour] = {}
    for other in plan.tasks:
        if other.id == task.id or other.is_done:
            continue
        for claim in granting(other):
            pattern = claim.pattern
            is_named = pattern.text in words
            if not is_named and homes.isdisjoint(_homes(pattern)):
                continue
            if pattern in mine or pattern.text in granted or owns(rules, pattern.text):
                continue
            found = named if is_named else beside
            found.setdefault(pattern, Neighbour(pattern=pattern, task=other.id, title=other.title))
    return (*named.values(), *beside.values())


def _homes(pattern: PathPattern) -> Iterator[str]:
    """The folders in which a path lies: those where somebody at work would come across it."""
    if pattern.kind is PatternKind.GLOB:
        yield literal_head(pattern.text)
        return
    yield pattern.text.rpartition("/")[0]
    if pattern.kind is PatternKind.DIR:
        yield pattern.text


def _words_of(task: Task) -> frozenset[str]:
    """What in the task's own text could be a path."""
    text = "\n".join((task.title, task.prompt or "", *map(str, task.verify)))
    return frozenset(word.strip("./:()[]*").rstrip("?!") for word in _WORDS.findall(text))
