"""How files of a repository change together, read from its newest commits and kept until the base moves.

<common>/waves/cache/habits.json   what was found for which files below which commit; may be deleted at any time
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import Any, NamedTuple

from git_waves.adapters.git import Git
from git_waves.adapters.rundir import waves_folder
from git_waves.core import cochange
from git_waves.core.cochange import Habit, find_habits
from git_waves.core.model import Oid, RepoPath
from git_waves.core.repository import History
from git_waves.errors import UsageError

LIMIT_SETTING = "waves.historyLimit"
DEFAULT_LIMIT = 5000
"""Commits that are read when the setting does not say: 0.3 s on a machine of 2026, and old habits are no evidence."""

_RULES = [
    1,
    cochange.LEAST,
    cochange.WINDOW,
    cochange.SHARE,
    cochange.BULK,
]  # what is found by others is not ours
_MOST_FILES = 20_000  # that the cache remembers; a plan with more pushes the files of other plans out


class _Kept(NamedTuple):
    """What the cache holds for one commit and limit."""

    commits: int
    files: frozenset[RepoPath]
    habits: tuple[Habit, ...]


def history_limit(git: Git) -> int:
    """How many commits may be read (`waves.historyLimit`); 0 is none at all. UsageError for what is no number."""
    values = git.config_values(LIMIT_SETTING)
    if not values:
        return DEFAULT_LIMIT
    if not re.fullmatch(r"[0-9]{1,9}", values[-1]):
        raise UsageError(
            f"'{LIMIT_SETTING}' is no number of commits: '{values[-1]}'",
            hint=f"git config {LIMIT_SETTING} {DEFAULT_LIMIT}",
        )
    return int(values[-1])


def read_history(git: Git, *, tip: Oid, files: Set[RepoPath], limit: int) -> History:
    """The habits of these files below `tip`, from the cache when it knows all of them, else from git. GitError when the
    history cannot be read."""
    cache = waves_folder(git.git_dir) / "cache" / "habits.json"
    kept = _load(cache, tip, limit)
    if kept is None or not files <= kept.files:
        # Files of other plans are looked up again together with ours, so that two plans do not take turns.
        others = kept.files if kept is not None and len(kept.files | files) <= _MOST_FILES else frozenset()
        wanted = frozenset(files | others)
        counted = _Counted(git.changed_paths(tip, limit=limit))
        kept = _Kept(habits=find_habits(counted, wanted), commits=counted.commits, files=wanted)
        _store(cache, tip, limit, kept)
    return History(
        commits=kept.commits,
        limit=limit,
        habits=tuple(habit for habit in kept.habits if habit.file in files),
    )


class _Counted:
    """Commits, and how many of them were asked for."""

    def __init__(self, commits: Iterable[Sequence[RepoPath]]) -> None:
        self._of_git = commits
        self.commits = 0

    def __iter__(self) -> Iterator[Sequence[RepoPath]]:
        for paths in self._of_git:
            self.commits += 1
            yield paths


def _load(cache: Path, tip: Oid, limit: int) -> _Kept | None:
    """What the cache holds, when it is about this commit and limit; None otherwise, and for what is no such file."""
    try:
        found: Any = json.loads(cache.read_bytes())
        if [found["rules"], found["tip"], found["limit"]] != [_RULES, tip, limit]:
            return None
        habits = (
            Habit(RepoPath(str(file)), RepoPath(str(companion)), int(together), int(commits))
            for file, companion, together, commits in found["habits"]
        )
        files = frozenset(RepoPath(str(file)) for file in found["files"])
        return _Kept(commits=int(found["commits"]), files=files, habits=tuple(habits))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _store(cache: Path, tip: Oid, limit: int, kept: _Kept) -> None:
    """Write the cache anew, in one step. Without a place for it everything works, only slower."""
    value = {
        "rules": _RULES,
        "tip": tip,
        "limit": limit,
        "commits": kept.commits,
        "files": sorted(kept.files),
        "habits": [[one.file, one.companion, one.together, one.commits] for one in kept.habits],
    }
    temporary = cache.with_name(f".{cache.name}.{token_hex(4)}")
    try:
        cache.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary.write_text(json.dumps(value), encoding="ascii")
        temporary.replace(cache)
    except OSError:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
