"""Giving back what runs no longer need: worktrees and branches that are proved merged, and the configuration we changed.

Proof is git's: the attempt's tip is an ancestor of the integration ref. Everything else is kept, and said why.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from git_waves import refs
from git_waves.adapters import eventlog, hooks, locks, worktrees
from git_waves.adapters.git import Git
from git_waves.adapters.lease import LEASE_NAME
from git_waves.adapters.repo import Repository
from git_waves.adapters.rundir import RunDir, first_event, run_dirs
from git_waves.adapters.worktree_config import StillInUse, TakenBack
from git_waves.core import fold
from git_waves.core.answers import Tidied
from git_waves.core.fold import RunState, TaskState
from git_waves.core.model import Oid
from git_waves.errors import SurroundingsError, UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class _Attempt:
    """One lease of one run, as its log tells it."""

    run: str
    task: str
    attempt: int
    branch: str
    base: Oid
    folder: Path


def clean(
    repository: Repository, *, plan: str | None = None, is_rehearsal: bool = False
) -> tuple[Tidied, ...]:
    """Remove what is proved merged, of one plan or of all, and tell about everything that was looked at.

    A rehearsal (`--dry-run`) only tells. A plan that is being run is left alone: its coordinator cleans up itself.
    Raises UsageError when the plan never ran.
    """
    runs: dict[str, list[RunDir]] = {}
    for run_dir in run_dirs(repository.common_dir):
        event = first_event(run_dir)
        if event is not None and plan in (None, event["plan"]):
            runs.setdefault(event["plan"], []).append(run_dir)
    if plan is not None and not runs:
        raise UsageError(f"plan '{plan}' has no run here", hint="'git waves status' shows the newest run")
    found: list[Tidied] = []
    for name, of_plan in sorted(runs.items()):
        if is_rehearsal:
            found += _clean_plan(repository, name, of_plan, is_rehearsal=True)
            continue
        try:
            with locks.coordinator_lock(repository.common_dir, name):
                found += _clean_plan(repository, name, of_plan, is_rehearsal=False)
        except SurroundingsError as error:
            found.append(Tidied(what="plan", name=name, is_removed=False, reason=error.message))
    return tuple(found)


def _clean_plan(
    repository: Repository, plan: str, of_plan: list[RunDir], *, is_rehearsal: bool
) -> Iterator[Tidied]:
    integration = repository.git.ref(refs.integration_ref(plan))
    attempts: list[_Attempt] = []
    for run_dir in of_plan:
        try:
            events, size = eventlog.read_events(run_dir.events)
        except SurroundingsError as error:
            yield Tidied(what="run", name=run_dir.run, is_removed=False, reason=error.message)
            continue
        state = fold.fold(events)
        attempts += _attempts(state, events)
        yield from _clean_worktrees(repository, run_dir, state, size, integration, is_rehearsal=is_rehearsal)
    for attempt in attempts:
        yield from _clean_branch(repository.git, attempt, integration, is_rehearsal=is_rehearsal)


def _attempts(state: RunState, events: tuple[dict[str, object], ...]) -> Iterator[_Attempt]:
    for event in events:
        if event["event"] == "task_leased":
            yield _Attempt(
                run=state.run,
                task=str(event["task"]),
                attempt=int(str(event["attempt"])),
                branch=str(event["branch"]),
                base=Oid(str(event["base"])),
                folder=Path(str(event["worktree"])),
            )


# ---------------------------------------------------------------------- worktrees


def _clean_worktrees(
    repository: Repository,
    run_dir: RunDir,
    state: RunState,
    size: int,
    integration: Oid | None,
    *,
    is_rehearsal: bool,
) -> Iterator[Tidied]:
    for task in state.tasks.values():
        folder = Path(task.worktree)
        if not task.worktree or not folder.is_dir():
            continue
        why = _why_keep(repository.git, task, integration)
        if why or is_rehearsal or integration is None:
            yield Tidied(what="worktree", name=str(folder), is_removed=not why, reason=why or _MERGED)
            continue
        lease = worktrees.Lease(
            plan=state.plan,
            run=state.run,
            task=task.id,
            attempt=task.attempt,
            branch=task.branch,
            base=Oid(task.base),
            folder=folder,
            index=run_dir.index(task.id, task.attempt),
        )
        result = worktrees.remove(repository.git, lease, integration=integration)
        if isinstance(result, worktrees.Kept):
            yield Tidied(what="worktree", name=str(folder), is_removed=False, reason=result.reason)
            continue
        size += _note_removal(run_dir, state, size, task, result.archive or "")
        worktrees.forget_empty_folders(folder.parent)
        saved = f"; what was left uncommitted is in '{result.archive}'" if result.archive else ""
        yield Tidied(what="worktree", name=str(folder), is_removed=True, reason=_MERGED + saved)


_MERGED = "its work is in the integration ref"


def _why_keep(git: Git, task: TaskState, integration: Oid | None) -> str:
    """Why a worktree stays; empty when its work is proved merged."""
    if task.status not in (fold.INTEGRATED, fold.DONE):
        return f"task '{task.id}' is {task.status}"
    tip = git.ref(task.branch)
    if integration is None or tip is None:
        return "its branch or the integration ref is gone, so nothing can be proved"
    return "" if git.is_ancestor(tip, integration) else "it has commits that are not in the integration ref"


def _note_removal(run_dir: RunDir, state: RunState, size: int, task: TaskState, archive: str) -> int:
    """Tell the run's log; returns how many bytes the log grew."""
    event = eventlog.WorktreeRemoved(task=task.id, attempt=task.attempt, archive=archive)
    log = eventlog.EventLog(run_dir.events, events=state.events, size=size)
    try:
        state.apply(log.append(event))
    finally:
        log.close()
    return run_dir.events.stat().st_size - size


# ---------------------------------------------------------------------- branches


def _clean_branch(
    git: Git, attempt: _Attempt, integration: Oid | None, *, is_rehearsal: bool
) -> Iterator[Tidied]:
    """Only branches that a log of ours names are looked at, so nobody else's can be hit."""
    tip = git.ref(attempt.branch)
    if tip is None:
        return
    name = attempt.branch.removeprefix("refs/heads/")
    holder = next(
        (entry["worktree"] for entry in git.worktrees() if entry.get("branch") == attempt.branch), None
    )
    if holder is not None and not (is_rehearsal and Path(holder) == attempt.folder.resolve()):
        why = f"it is checked out in '{holder}'"
    elif integration is None or not git.is_ancestor(tip, integration):
        why = "it has commits that are not in the integration ref"
    else:
        why = ""
    if (
        not why
        and not is_rehearsal
        and not git.update_refs([f"delete {attempt.branch} {tip}"], message="waves: clean")
    ):
        why = "git would not delete it"
    yield Tidied(
        what="branch", name=name, is_removed=not why, reason=why or "its work is in the integration ref"
    )


# ---------------------------------------------------------------------- configuration


def uninstall_hooks(repository: Repository) -> bool | None:
    """Take back the one setting runs add to the repository's configuration (P5); whether it is byte for byte as it was,
    None when there was nothing to take back.

    Raises SurroundingsError while task worktrees or settings of somebody else depend on it.
    """
    admin = repository.common_dir / "worktrees"
    leased = sorted(path.parent.name for path in admin.glob(f"*/{LEASE_NAME}"))
    if leased:
        names = ", ".join(f"'{name}'" for name in leased[:3]) + (
            f" and {len(leased) - 3} more" if leased[3:] else ""
        )
        raise SurroundingsError(
            f"task worktrees still need their hooks: {names}",
            hint="finish the run or skip its tasks, then 'git waves clean', then again",
        )
    result = hooks.disable_worktree_config(repository.git, repository.common_dir)
    if isinstance(result, StillInUse):
        raise SurroundingsError(
            f"'{result.files[0]}' holds settings that only count while extensions.worktreeConfig is on",
            hint="move them to the shared configuration, then again",
        )
    return result.is_exact if isinstance(result, TakenBack) else None
