"""What an agent asks from inside its worktree: what is mine, and may I have this path?"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from git_waves import control
from git_waves.adapters import inbox, lease
from git_waves.adapters.repo import Repository
from git_waves.adapters.rundir import RunDir, waves_folder
from git_waves.core.answers import Answer
from git_waves.core.model import PatternKind, RepoPath
from git_waves.core.ownership import OwnershipManifest, owns
from git_waves.core.paths import PathProblem, parse_pattern
from git_waves.errors import VIOLATION, SurroundingsError, UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Inside:
    """The task worktree a command was typed in: its lease, its run, and the run's frozen manifest."""

    lease: lease.LeaseFile
    run_dir: RunDir
    manifest: OwnershipManifest


class OutsideError(UsageError):
    """The command only makes sense inside a task's worktree."""

    exit_code = VIOLATION


def look_around(repository: Repository) -> Inside:
    """The task this worktree belongs to; OutsideError when it belongs to none."""
    found = lease.read_lease(repository.git_dir)
    if found is None:
        raise OutsideError(
            f"'{repository.work_tree}' is not a task's worktree",
            hint="'git waves show TASK' lists what a task owns",
        )
    run_dir = RunDir(waves_folder(repository.common_dir) / "runs" / Path(found.run).name)
    try:
        manifest = control.read_manifest(run_dir)
        manifest.claims(found.task)
    except (SurroundingsError, OSError, ValueError, KeyError, TypeError) as error:
        raise OutsideError(
            f"run '{found.run}', which leased this worktree, is gone", hint="git waves status"
        ) from error
    return Inside(lease=found, run_dir=run_dir, manifest=manifest)


def owned(inside: Inside) -> tuple[str, ...]:
    """What the task may change, as the plan says it, and the paths it was granted."""
    claims = inside.manifest.claims(inside.lease.task)
    patterns = [str(pattern) for pattern in claims.explicit or claims.inferred]
    granted = inside.lease.rules.files - claims.rules.files
    return tuple(dict.fromkeys([*patterns, *sorted(granted)]))


def request(repository: Repository, text: str, reason: str) -> Answer:
    """Ask the coordinator for a path, given from the current folder; say whose it is.

    Raises OutsideError outside of a task's worktree, UsageError for what is no path of a file.
    """
    inside = look_around(repository)
    path = file_path(repository, text)
    task = inside.lease.task
    owners = inside.manifest.owners_of(path)
    answer = Answer(
        path=path,
        task=task,
        owner=next((owner for owner in owners if owner != task), None),
        is_own=task in owners or owns(inside.lease.rules, path),
    )
    if not answer.is_own:
        message = {
            "kind": "request",
            "task": task,
            "attempt": str(inside.lease.attempt),
            "path": path,
            "reason": reason,
            "owner": answer.owner or "",
        }
        inbox.post(inside.run_dir, message, behind=repository.git_dir)
    return answer


def file_path(repository: Repository, text: str) -> RepoPath:
    """The path of one file inside the repository, from what was typed in the current folder; UsageError otherwise."""
    absolute = os.path.normpath(repository.folder / text)
    inside = os.path.relpath(absolute, repository.work_tree.resolve())
    if inside == os.pardir or inside.startswith(os.pardir + os.sep):
        raise UsageError(f"'{text}' is outside of the repository", hint="name a path below '.'")
    try:
        pattern = parse_pattern(inside + "/" if text.endswith("/") else inside)
    except PathProblem as problem:
        raise UsageError(problem.message, hint=problem.hint) from problem
    if pattern.kind is not PatternKind.FILE:
        raise UsageError(f"'{text}' is no single file", hint="name the files one by one")
    return pattern.text
