"""What commands find out and views put into words: plain values that pass between the rooms."""

from __future__ import annotations

from dataclasses import dataclass, field

from git_waves.core.chain import Rest
from git_waves.core.fold import RunState, TaskState
from git_waves.core.model import Oid, RepoPath
from git_waves.core.ownership import TaskClaims


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was asked of which plan, read from `source`, and whether a coordinator is there to hear it (else it is done, or
    as far as it could be: then `told` says how far). `rest` is what is left of the candidate when the task was merged and is
    taken out of it."""

    plan: str
    source: str
    task: str
    is_running: bool
    granted: tuple[RepoPath, ...] = ()
    told: tuple[str, ...] = ()
    is_done: bool = True
    limits: dict[str, float | None] = field(default_factory=dict)
    rest: Rest | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What became of an agent's request: the `path`, who owns it (None for nobody), whether the task owns it already."""

    path: RepoPath
    task: str
    owner: str | None
    is_own: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Tidied:
    """One worktree, branch, run or plan (`what`) that was looked at: removed, or kept for a `reason`, which may be that
    something went wrong."""

    what: str
    name: str
    is_removed: bool
    reason: str
    is_trouble: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RungTime:
    """One rung of one attempt: when it began, and when the next thing happened to the task (empty: it still goes on)."""

    attempt: int
    rung: str
    began: str
    ended: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One task: `limits` are those of its next attempt, `tip` is its branch now (None when gone), `stat` git's diff stat of
    the newest attempt (or empty), `given` the files that others hand on to it, each with its producer, and `handed_on` those
    it hands on."""

    state: RunState
    task: TaskState
    claims: TaskClaims
    limits: dict[str, float | None]
    rungs: tuple[RungTime, ...]
    tip: Oid | None
    stat: str
    given: tuple[tuple[RepoPath, str], ...]
    handed_on: tuple[RepoPath, ...]
    is_running: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Archived:
    """Work that was saved before a worktree went: the `ref` that keeps `commit`, saved `at` (ISO 8601), with the `paths` in
    which it differs from what is integrated. `name` is short for it; `task` is empty for a place of an integration ref, and
    `plan` where nobody knows it any more."""

    ref: str
    run: str
    plan: str
    task: str
    attempt: int
    name: str
    commit: Oid
    at: str
    paths: tuple[RepoPath, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """Archived work on a `branch`, which is new or was there already, and in a `worktree` when one was asked for."""

    archived: Archived
    branch: str
    worktree: str | None
    is_new: bool
