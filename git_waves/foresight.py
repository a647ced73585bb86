"""Early warning: the tips of tasks under way, merged in memory against the candidate and against each other.

It changes nothing: merges are written to a quarantine of their own, which is thrown away. A conflict that will come is
an event, and so is one that is gone again.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from git_waves.adapters import eventlog
from git_waves.adapters.git import Git, GitError, MergeConflict
from git_waves.adapters.merge import attributes_of
from git_waves.core.fold import LIVE, PASSED, RunState
from git_waves.core.model import Oid, RepoPath
from git_waves.core.treenames import TreeNames

MERGED = ""
"""The other side of a conflict with what is in the candidate already."""

Foreseen = dict[tuple[str, str], tuple[RepoPath, ...]]
"""(task, the other one) to the paths that would conflict. The task is the one that is merged later."""

Pair = tuple[str, str, Oid, Oid]
"""A task, the other one, the other's commit, the task's tip."""

MOST_MERGES = 50  # of one look: sixteen tasks that all touch the same file are news enough
RESTS = (
    20  # times as long as a look took nothing is looked at again: a large repository must not be kept busy
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What is looked at: the candidate, and the branch tip and first commit of every task under way, in merge order."""

    candidate: Oid
    tips: Mapping[str, Oid]
    bases: Mapping[str, Oid]


@dataclass(frozen=True, slots=True)
class Seen:
    """What a look saw, and how many seconds it took."""

    conflicts: Foreseen
    seconds: float


class Foresight:
    """When to look again. `interval` is in seconds; 0 never looks."""

    def __init__(self, git: Git, interval: float, scratch: Path) -> None:
        self._git = git
        self._interval = interval
        self._scratch = scratch
        self._next = time.monotonic() + interval
        self._last: Look | None = None
        self._is_looking = False

    def due(self, state: RunState) -> Callable[[], Seen] | None:
        """What to do in a worker, when it is time and something has moved; `learn` takes what it returns."""
        if not self._interval or self._is_looking or time.monotonic() < self._next:
            return None
        self._next = time.monotonic() + self._interval
        look = self._what_moves(state)
        if look is None or look == self._last:
            return None
        self._last, self._is_looking = look, True

        def work() -> Seen:
            began = time.monotonic()
            return Seen(foresee(self._git, look, self._scratch), time.monotonic() - began)

        return work

    def learn(self, seen: Seen, state: RunState) -> list[eventlog.ConflictForeseen]:
        """Take in what a look saw; the events for what is new in it, and for what is no more."""
        self._is_looking = False
        self._next = time.monotonic() + max(self._interval, RESTS * seen.seconds)
        return [
            eventlog.ConflictForeseen(
                task=task.id, attempt=task.attempt, other=other, paths=now.get(other, [])
            )
            for task in state.tasks.values()
            if task.status in (*LIVE, PASSED)
            for now in [_beside(task.id, seen.conflicts)]
            for other in {**task.foreseen, **now}
            if task.foreseen.get(other) != now.get(other)
        ]

    def _what_moves(self, state: RunState) -> Look | None:
        under_way = [task for task in state.tasks.values() if task.status in (*LIVE, PASSED) and task.branch]
        if not under_way:
            return None
        branches = self._git.refs(*(task.branch for task in under_way))
        tips = {
            task.id: Oid(task.tip or branches.get(task.branch, task.base))
            for task in under_way
            if (task.tip or branches.get(task.branch, task.base)) != task.base
        }
        bases = {task.id: Oid(task.base) for task in under_way if task.id in tips}
        return Look(candidate=Oid(state.candidate), tips=tips, bases=bases) if tips else None


def _beside(task: str, conflicts: Foreseen) -> dict[str, list[str]]:
    return {other: [*map(str, paths)] for (name, other), paths in conflicts.items() if name == task}


def foresee(git: Git, look: Look, scratch: Path) -> Foreseen:
    """Every conflict that merging in order would meet. A tip that git cannot merge at all is left out: its own rungs
    judge it."""
    folder = Path(tempfile.mkdtemp(prefix="foresight-", dir=scratch))
    try:
        quarantined = Git(git.git_dir, objects=folder)
        pairs = _worth_a_try(quarantined, look)[:MOST_MERGES]
        return _conflicts(quarantined, look.candidate, pairs, folder) if pairs else {}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _conflicts(git: Git, candidate: Oid, pairs: list[Pair], scratch: Path) -> Foreseen:
    names = TreeNames()
    tree = git.tree_of(candidate)
    names.read(tree, git.paths_in(tree))
    found: Foreseen = {}
    with attributes_of(git, candidate, names.attribute_files, scratch) as attributes:
        for task, other, one, two in pairs:
            try:
                merged = git.merge_tree(one, two, attributes=attributes)
            except GitError:
                continue
            if isinstance(merged, MergeConflict):
                found[task, other] = merged.paths
    return found


def _worth_a_try(git: Git, look: Look) -> list[Pair]:
    """The pairs whose changes meet."""
    changed: dict[str, frozenset[str]] = {}
    pairs: list[Pair] = []
    for task, tip in look.tips.items():
        try:
            changed[task] = frozenset(change.path for change in git.changes(look.bases[task], tip))
            merged = frozenset(change.path for change in git.changes(look.bases[task], look.candidate))
        except GitError:
            continue
        if _meet(changed[task], merged):
            pairs.append((task, MERGED, look.candidate, tip))
    pairs += [
        (task, other, look.tips[other], look.tips[task])
        for other, task in combinations(changed, 2)
        if _meet(changed[other], changed[task])
    ]
    return pairs


def _meet(one: frozenset[str], two: frozenset[str]) -> bool:
    """Whether a path of one is a path of the other, or a folder above one."""
    return not (
        one.isdisjoint(two) and one.isdisjoint(_folders_above(two)) and two.isdisjoint(_folders_above(one))
    )


def _folders_above(paths: frozenset[str]) -> frozenset[str]:
    folders = set()
    for path in paths:
        while "/" in path:
            path = path.rpartition("/")[0]
            folders.add(path)
    return frozenset(folders)
