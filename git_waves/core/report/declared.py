"""Where the plan and the work disagree: claimed and never touched, touched and not owned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from git_waves.core.model import RepoPath, TaskId
from git_waves.core.ownership import OwnershipManifest, TaskClaims, compile_rules, foreign_paths, owns
from git_waves.core.report.model import Declarations, Foreign, TaskReport, Untouched

_JUDGED = frozenset({"commit", "ownership", "merge"})
"""Rungs at which a path that is not owned ends an attempt."""


def compare(
    tasks: Sequence[TaskReport], manifest: OwnershipManifest, granted: frozenset[tuple[str, str]]
) -> Declarations:
    """Hold what the tasks did against what the manifest says they would; `granted` are pairs of a task and a path."""
    claims = {one.task: one for one in manifest.tasks}
    known = [task for task in tasks if TaskId(task.id) in claims]
    passed = [(task.id, attempt.changed) for task in known if (attempt := task.passed) is not None]
    untouched = (
        Untouched(task=task, paths=paths)
        for task, changed in passed
        if (paths := tuple(_untouched(claims[TaskId(task)], changed)))
    )
    return Declarations(
        untouched=tuple(untouched),
        foreign=tuple(
            found for task in known for found in _foreign(task, claims[TaskId(task.id)], manifest, granted)
        ),
        checked=len(passed),
    )


def _untouched(claims: TaskClaims, changed: Iterable[str]) -> Iterator[str]:
    """What was guessed counts only for a task that has nothing better, as in ownership."""
    touched = tuple(changed)
    for pattern in dict.fromkeys(claims.explicit or claims.inferred):
        rules = compile_rules([pattern])
        if not any(owns(rules, path) for path in touched):
            yield str(pattern)


def _foreign(
    task: TaskReport, claims: TaskClaims, manifest: OwnershipManifest, granted: frozenset[tuple[str, str]]
) -> Iterator[Foreign]:
    """What has the same owners, and the same answer, is told together."""
    for attempt in task.attempts:
        if attempt.rung not in _JUDGED:
            continue
        together: dict[tuple[tuple[str, ...], bool], list[str]] = {}
        for path in foreign_paths(claims.rules, map(RepoPath, attempt.paths)):
            owners = tuple(owner for owner in manifest.owners_of(path) if owner != task.id)
            together.setdefault((owners, (task.id, path) in granted), []).append(path)
        for (others, is_granted), paths in together.items():
            yield Foreign(
                task=task.id,
                attempt=attempt.number,
                paths=tuple(paths),
                owners=others,
                is_granted=is_granted,
            )
