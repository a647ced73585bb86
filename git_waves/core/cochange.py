"""Habits of a history: which files nearly always change together with a given one.

The thresholds were measured on the histories of five public projects, by predicting their own commits
(docs/decisions/0013): stricter than this finds little more truth, laxer makes noise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field

from git_waves.core.model import RepoPath

LEAST = 10
"""Commits that must touch a file before anything is said about it."""
WINDOW = 50
"""The newest commits of a file that count: old habits are no evidence, and what is kept stays small."""
SHARE = 90
"""In how many of a hundred of those commits the other file must have changed too."""
BULK = 30
"""Commits that touch more files than this are formatting, renaming, licences: they say nothing about habits."""
_MISSES = WINDOW - WINDOW * SHARE // 100


@dataclass(frozen=True, slots=True, order=True)
class Habit:
    """In `together` of the newest `commits` commits that touch `file`, `companion` changes too."""

    file: RepoPath
    companion: RepoPath
    together: int
    commits: int


@dataclass(slots=True)
class _Seen:
    commits: int = 0
    together: dict[RepoPath, int] = field(default_factory=dict)

    def add(self, paths: Sequence[RepoPath], file: RepoPath) -> None:
        self.commits += 1
        for path in paths:
            if path in self.together:
                self.together[path] += 1
            elif self.commits <= _MISSES + 1 and path != file:
                self.together[path] = 1
        # Who was absent more often than a whole window allows can never make it; so few are kept for each file.
        if self.commits > _MISSES:
            self.together = {
                path: count for path, count in self.together.items() if self.commits - count <= _MISSES
            }


def find_habits(history: Iterable[Sequence[RepoPath]], files: Set[RepoPath]) -> tuple[Habit, ...]:
    """The habits of `files`, from the paths of each commit, newest commit first; sorted.

    Reads no further than it has to: not at all without files, and not on once all of them have a whole window.
    """
    seen = {file: _Seen() for file in files}
    waiting = len(seen)
    for paths in history if waiting else ():
        if len(paths) > BULK:
            continue
        for file in seen.keys() & paths:
            one = seen[file]
            if one.commits < WINDOW:
                one.add(paths, file)
                waiting -= one.commits == WINDOW
        if not waiting:
            break
    return tuple(
        sorted(
            Habit(file, companion, together, one.commits)
            for file, one in seen.items()
            if one.commits >= LEAST
            for companion, together in one.together.items()
            if 100 * together >= SHARE * one.commits
        )
    )
