"""Who owns which path: the manifest derived from a plan, and the rules that the guard and the merge both obey.

Only what the plan says itself grants ownership. What a reader inferred (from prose, say) grants it only to a task that
has nothing better: such a task could otherwise do nothing at all, and the fence still refuses what was not inferred.
Inferred claims always count as conflicts. A task without any claim owns nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from git_waves.core.collision import Collision, Overlap
from git_waves.core.globs import glob_regex, is_glob
from git_waves.core.model import Intent, Origin, PathPattern, PatternKind, Plan, RepoPath, Rules, Task, TaskId
from git_waves.core.overlaps import find_collisions
from git_waves.core.paths import compiled, folders_of

_INFERRED = str(Origin.INFERRED)
_LISTS = (*map(str, Intent), _INFERRED)
"""The lists of a task's claims: by what it does to a path, and what is only guessed. Not as members of enumerations,
which are slow as keys: a plan may have 100,000 paths."""
VERSION = 1
"""Of the manifest's JSON form; a reader refuses any other."""


def owns(rules: Rules, path: str) -> bool:
    """Whether these rules allow a change at `path`, letter for letter."""
    return (
        path in rules.files
        or path.startswith(rules.dirs)
        or any(compiled(regex).fullmatch(path) for regex in rules.globs)
    )


def foreign_paths(rules: Rules, paths: Iterable[RepoPath]) -> tuple[RepoPath, ...]:
    """Those of `paths` that the rules do not allow, in the order given."""
    return tuple(path for path in paths if not owns(rules, path))


def compile_rules(patterns: Iterable[PathPattern]) -> Rules:
    """Rules that allow what any of the patterns matches."""
    wanted = tuple(patterns)
    files = [p.text for p in wanted if p.kind is PatternKind.FILE]
    if len(files) == len(wanted):
        return Rules(files=frozenset(files))
    return Rules(
        files=frozenset(files),
        dirs=tuple(sorted({f"{p.text}/" for p in wanted if p.kind is PatternKind.DIR})),
        globs=tuple(sorted({glob_regex(p.text) for p in wanted if p.kind is PatternKind.GLOB})),
    )


def rules_to_json(rules: Rules) -> dict[str, list[str]]:
    """Rules as JSON: sorted lists `files`, `dirs`, `globs`."""
    return {"files": sorted(rules.files), "dirs": list(rules.dirs), "globs": list(rules.globs)}


def rules_from_json(data: Mapping[str, Any]) -> Rules:
    """The rules `rules_to_json` wrote; KeyError when a list is missing."""
    return Rules(
        files=frozenset(map(RepoPath, data["files"])), dirs=tuple(data["dirs"]), globs=tuple(data["globs"])
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskClaims:
    """What one task claims, sorted, as the plan says it; `inferred` is what the plan's reader guessed; and its rules."""

    task: TaskId
    create: tuple[PathPattern, ...] = ()
    modify: tuple[PathPattern, ...] = ()
    delete: tuple[PathPattern, ...] = ()
    edit: tuple[PathPattern, ...] = ()
    inferred: tuple[PathPattern, ...] = ()
    rules: Rules

    @property
    def explicit(self) -> tuple[PathPattern, ...]:
        """What the plan itself claims, whatever for."""
        return (*self.create, *self.modify, *self.delete, *self.edit)


@dataclass(frozen=True, kw_only=True)  # without slots: the indexes below are computed on first use and kept
class OwnershipManifest:
    """Every task's claims and rules, sorted by task id; the same plan always gives the same value."""

    plan: str
    tasks: tuple[TaskClaims, ...]

    def claims(self, task_id: TaskId) -> TaskClaims:
        """What the task claims; KeyError for a task the plan does not have."""
        return self._by_task[task_id]

    def rules(self, task_id: TaskId) -> Rules:
        """What the task may touch; KeyError for a task the plan does not have."""
        return self._by_task[task_id].rules

    def owners_of(self, path: str) -> tuple[TaskId, ...]:
        """The tasks that may change `path`, by id; letter for letter, as the rules say."""
        owners = set(self._by_file.get(path, ()))
        for folder in folders_of(path):
            owners.update(self._by_folder.get(f"{folder}/", ()))
        owners.update(task for regex, task in self._by_glob if compiled(regex).fullmatch(path))
        return tuple(sorted(owners))

    def collisions(self) -> tuple[Collision, ...]:
        """Every collision between claims of different tasks, whether or not something orders them; found once."""
        return self._collisions

    def find_overlaps(self) -> tuple[Overlap, ...]:
        """The collisions as pairs of tasks, by path. Quadratic where many tasks share a path; then use `collisions`."""
        return tuple(
            Overlap(first=a, second=b, path=collision.path, kind=collision.kind)
            for collision in self._collisions
            for a, b in collision.pairs()
        )

    def rivals(self) -> dict[TaskId, frozenset[TaskId]]:
        """For each task that collides with another, all those it collides with.

        Tasks in the same collisions share one set, which may hold the task itself; so this stays small where pairs
        would not.
        """
        sides: dict[TaskId, list[tuple[int, bool]]] = {}
        for number, collision in enumerate(self._collisions):
            for task in collision.first:
                sides.setdefault(task, []).append((number, True))
            for task in collision.second:
                sides.setdefault(task, []).append((number, False))
        known: dict[tuple[tuple[int, bool], ...], frozenset[TaskId]] = {}
        rivals = {}
        for task, places in sides.items():
            key = tuple(places)
            if key not in known:
                known[key] = frozenset(
                    rival
                    for number, is_first in key
                    for rival in (
                        self._collisions[number].second if is_first else self._collisions[number].first
                    )
                )
            rivals[task] = known[key]
        return rivals

    def to_json(self) -> dict[str, Any]:
        """The manifest as JSON: `version`, `plan`, `tasks` by id, each with its claims as written and its rules."""
        return {
            "version": VERSION,
            "plan": self.plan,
            "tasks": {
                claims.task: {
                    **{name: _texts(getattr(claims, name)) for name in _LISTS},
                    "rules": rules_to_json(claims.rules),
                }
                for claims in self.tasks
            },
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> OwnershipManifest:
        """The manifest that `to_json` wrote. Rules are taken as they were frozen, not compiled anew.

        Raises ValueError for another version, KeyError or TypeError for anything else that is no manifest.
        """
        if data["version"] != VERSION:
            raise ValueError(f"manifest has version {data['version']!r}, this git-waves reads {VERSION}")
        return cls(
            plan=data["plan"],
            tasks=tuple(
                TaskClaims(
                    task=TaskId(task),
                    **{name: tuple(map(_pattern_of, claims[name])) for name in _LISTS},
                    rules=rules_from_json(claims["rules"]),
                )
                for task, claims in sorted(data["tasks"].items())
            ),
        )

    @cached_property
    def _by_task(self) -> dict[TaskId, TaskClaims]:
        return {claims.task: claims for claims in self.tasks}

    @cached_property
    def _by_file(self) -> dict[str, list[TaskId]]:
        return _inverted((file, claims.task) for claims in self.tasks for file in claims.rules.files)

    @cached_property
    def _by_folder(self) -> dict[str, list[TaskId]]:
        return _inverted((folder, claims.task) for claims in self.tasks for folder in claims.rules.dirs)

    @cached_property
    def _by_glob(self) -> tuple[tuple[str, TaskId], ...]:
        return tuple((regex, claims.task) for claims in self.tasks for regex in claims.rules.globs)

    @cached_property
    def _collisions(self) -> tuple[Collision, ...]:
        return find_collisions(
            (claims.task, pattern, is_explicit)
            for claims in self.tasks
            for is_explicit, patterns in ((True, claims.explicit), (False, claims.inferred))
            for pattern in patterns
        )


def build_manifest(plan: Plan) -> OwnershipManifest:
    """The ownership manifest of a plan: every task to every path it creates, modifies, deletes."""
    return OwnershipManifest(
        plan=plan.name, tasks=tuple(sorted(map(_claims_of, plan.tasks), key=lambda c: c.task))
    )


def collisions_of(plan: Plan) -> tuple[Collision, ...]:
    """The collisions of the plan's manifest, for whoever needs nothing else of it."""
    return find_collisions(
        (task.id, claim.pattern, claim.origin is Origin.EXPLICIT)
        for task in plan.tasks
        for claim in task.claims
    )


def _claims_of(task: Task) -> TaskClaims:
    lists: dict[str, list[PathPattern]] = {}
    for claim in task.claims:
        name = _INFERRED if claim.origin is Origin.INFERRED else str(claim.intent)
        if name in lists:
            lists[name].append(claim.pattern)
        else:
            lists[name] = [claim.pattern]
    ordered = {name: _ordered(patterns) for name, patterns in lists.items()}
    guessed = ordered.get(_INFERRED, ())
    explicit = [pattern for name, patterns in ordered.items() if name != _INFERRED for pattern in patterns]
    return TaskClaims(task=task.id, **ordered, rules=compile_rules(explicit or guessed))


def _ordered(patterns: list[PathPattern]) -> tuple[PathPattern, ...]:
    """Sorted as they are written, each once."""
    if len(patterns) < 2:
        return tuple(patterns)
    by_text = dict(zip(_texts(patterns), patterns, strict=True))
    return tuple(by_text[text] for text in sorted(by_text))


def _texts(patterns: Sequence[PathPattern]) -> list[str]:
    is_file = PatternKind.FILE
    return [p.text if p.kind is is_file else str(p) for p in patterns] if patterns else []


def _pattern_of(text: str) -> PathPattern:
    if text.endswith("/"):
        return PathPattern(kind=PatternKind.DIR, text=RepoPath(text[:-1]))
    return PathPattern(kind=PatternKind.GLOB if is_glob(text) else PatternKind.FILE, text=RepoPath(text))


def _inverted(pairs: Iterable[tuple[str, TaskId]]) -> dict[str, list[TaskId]]:
    index: dict[str, list[TaskId]] = {}
    for path, task in pairs:
        index.setdefault(path, []).append(task)
    return index
