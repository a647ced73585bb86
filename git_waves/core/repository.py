"""What a repository itself says about a plan's paths, gathered by `adapters.facts` and judged by `findings.repository`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from git_waves.core.basetree import BaseTree
from git_waves.core.cochange import Habit
from git_waves.core.model import Oid, RepoPath
from git_waves.core.scheduled import ScheduledWrite


@dataclass(frozen=True, slots=True, kw_only=True)
class IgnoreRule:
    """The line of an ignore file that a path falls under; `source` is empty when only git knows."""

    source: str
    line: int
    pattern: str


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """How files change together, from the newest `commits` commits below the base, at most `limit` of them."""

    commits: int
    limit: int
    habits: tuple[Habit, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryFacts:
    """The repository as a plan finds it.

    `base` is the commit the facts are about, `base_name` how people call it, `missing_base` what the plan calls its base
    when there is no such commit. `ignored`, `generated` (which attribute says so) and `lfs` are about claimed paths, as
    the plan writes them. `history` is None when nobody asked for it, or when it could not be read; then `gaps` says why,
    as it does for everything that was looked for in vain: (what, why).
    """

    base: Oid
    base_name: str
    tree: BaseTree
    missing_base: str | None = None
    ignored: Mapping[RepoPath, IgnoreRule]
    generated: Mapping[RepoPath, str]
    lfs: frozenset[RepoPath] = frozenset()
    has_lfs: bool = False
    scheduled: tuple[ScheduledWrite, ...] = ()
    history: History | None = None
    gaps: tuple[tuple[str, str], ...] = ()
