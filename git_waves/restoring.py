"""Bringing back what was archived: found by task and attempt, put on a branch of its own, never into anybody's checkout."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from git_waves import refs
from git_waves.adapters.git import GitError
from git_waves.adapters.locks import worktree_lock
from git_waves.adapters.repo import Repository
from git_waves.adapters.rundir import first_event, run_dirs
from git_waves.core.answers import Archived, Restored
from git_waves.core.archived import PREFIX, ArchiveName, archive_name
from git_waves.core.model import Oid
from git_waves.errors import SurroundingsError, UsageError


def archived(
    repository: Repository, name: str | None = None, *, plan: str | None = None, attempt: int | None = None
) -> tuple[Archived, ...]:
    """What was archived, the newest run first: all of it, of the task of that name, or under the ref of that name.

    `plan` and `attempt` leave out the others, and of a task what another of its archives holds as well. UsageError when
    nothing is left.
    """
    plans = _plans(repository)
    found = [
        _looked_at(repository, one, oid, plans.get(one.run, ""))
        for one, oid in _names(repository)
        if (name in (None, one.ref) or (name == one.task and one.task))
        and plan in (None, plans.get(one.run))
        and attempt in (None, one.attempt)
    ]
    if not found and name is not None:
        raise _nothing(repository, name, attempt)
    if name is not None:
        found = [one for one in found if not _is_in_another(repository, one, found)]
    return tuple(sorted(found, key=lambda one: one.run, reverse=True))


def _is_in_another(repository: Repository, one: Archived, found: list[Archived]) -> bool:
    """Whether another archive holds all of it and more, or the same and stands before it."""
    place = found.index(one)
    return any(
        repository.git.is_ancestor(one.commit, other.commit)
        and (other.commit != one.commit or number < place)
        for number, other in enumerate(found)
        if number != place
    )


def _names(repository: Repository) -> Iterator[tuple[ArchiveName, Oid]]:
    for ref, oid in repository.git.refs(PREFIX).items():
        name = archive_name(ref)
        if name is not None:
            yield name, oid


def _plans(repository: Repository) -> dict[str, str]:
    events = ((run_dir.run, first_event(run_dir)) for run_dir in run_dirs(repository.common_dir))
    return {run: str(event["plan"]) for run, event in events if event is not None}


def _looked_at(repository: Repository, name: ArchiveName, commit: Oid, plan: str) -> Archived:
    git = repository.git
    integration = git.ref(refs.integration_ref(plan)) if plan else None
    bases = git.merge_bases(integration, commit) if integration is not None else git.parents(commit)[:1]
    changes = git.changes(bases[0], commit) if bases else ()
    return Archived(
        ref=name.ref,
        run=name.run,
        plan=plan,
        task=name.task,
        attempt=name.attempt,
        name=name.short,
        commit=commit,
        at=git.committed_at(commit),
        paths=tuple(change.path for change in changes),
    )


def _nothing(repository: Repository, name: str, attempt: int | None) -> UsageError:
    which = f"attempt {attempt} of task '{name}'" if attempt is not None else f"task '{name}'"
    branches = [
        ref.removeprefix("refs/heads/")
        for ref in repository.git.refs("refs/heads/waves/")
        if ref.split("/")[4:5] == [name] and attempt in (None, _number(ref))
    ]
    hint = (
        f"its work is in branch '{branches[-1]}'" if branches else "'git waves restore' lists what there is"
    )
    return UsageError(f"nothing of {which} was archived", hint=hint)


def _number(ref: str) -> int | None:
    last = ref.rpartition("/")[2]
    return int(last) if last.isascii() and last.isdigit() else None


def restore(repository: Repository, what: Archived, *, branch: str | None, worktree: str | None) -> Restored:
    """Put the archived work on a branch, `restored/<name>` when none is named, and check it out in a new worktree when one
    is asked for. The archive stays. UsageError when the branch or the folder is somebody else's."""
    if os.environ.get("WAVES_RUN"):
        raise UsageError(
            "this is for the people who watch a run, not for its agents",
            hint="git waves request PATH --reason WHY",
        )
    git, name = repository.git, branch or f"restored/{what.name}"
    if not git.is_branch_name(name) or name.startswith("waves/"):
        raise UsageError(f"'{name}' cannot be the name of a branch for people", hint="--to rescue/my-task")
    folder = (repository.folder / worktree).resolve() if worktree is not None else None
    if folder is not None and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"'{folder}' is there already", hint="--worktree with a folder that is new")
    ref = f"refs/heads/{name}"
    there = git.ref(ref)
    if there not in (None, what.commit):
        raise UsageError(f"branch '{name}' is there already and holds something else", hint="--to ANOTHER")
    if there is None and not git.update_refs(
        [f"create {ref} {what.commit}"], message=f"waves: restore {what.ref}"
    ):
        raise UsageError(f"branch '{name}' could not be created", hint="--to ANOTHER")
    if folder is not None:
        _check_out(repository, folder, name)
    return Restored(
        archived=what, branch=name, worktree=str(folder) if folder is not None else None, is_new=there is None
    )


def _check_out(repository: Repository, folder: Path, branch: str) -> None:
    try:
        with worktree_lock(repository.common_dir):
            repository.git.add_checkout(folder, branch=branch)
    except GitError as error:
        raise SurroundingsError(
            f"branch '{branch}' holds the work, but '{folder}' could not be made: {error.stderr}",
            hint=f"git worktree add {folder} {branch}",
        ) from error
