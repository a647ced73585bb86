"""Giving back what runs no longer need: worktrees and branches that are proved merged, and the configuration we changed.

Proof is git's: the attempt's tip is an ancestor of the integration ref. Everything else is kept, and said why.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from git_waves import keeping, refs
from git_waves.adapters import eventlog, hooks, locks, worktrees
from git_waves.adapters.git import Git
from git_waves.adapters.jobs import Job, is_alive
from git_waves.adapters.lease import LEASE_NAME
from git_waves.adapters.repo import Repository
from git_waves.adapters.rundir import RunDir, first_event, run_dirs
from git_waves.adapters.worktree_config import StillInUse, TakenBack
from git_waves.core import fold
from git_waves.core.answers import Tidied
from git_waves.core.fold import RunState, TaskState
from git_waves.core.model import Oid
from git_waves.errors import SurroundingsError, UsageError
from git_waves.handing import kept_trees
from git_waves.keeping import MERGED


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    """How far to go: a rehearsal only tells; with `archives`, unmerged work is saved in a ref and then removed too."""

    is_rehearsal: bool
    archives: bool


def clean(
    repository: Repository, *, plan: str | None = None, is_rehearsal: bool = False, archives: bool = False
) -> tuple[Tidied, ...]:
    """Remove what is proved merged, of one plan or of all, and tell about everything that was looked at.

    A rehearsal (`--dry-run`) only tells. With `archives`, worktrees of tasks that are not merged and not at work go too,
    after everything in them was saved in an archive ref. A plan that is being run is left alone: its coordinator cleans up itself.
    Raises UsageError when the plan never ran.
    """
    runs: dict[str, list[RunDir]] = {}
    for run_dir in run_dirs(repository.common_dir):
        event = first_event(run_dir)
        name = event.get("plan") if event is not None else None
        if isinstance(name, str) and plan in (None, name):
            runs.setdefault(name, []).append(run_dir)
    if plan is not None and not runs:
        raise UsageError(f"plan '{plan}' has no run here", hint="'git waves status' shows the newest run")
    wish = _Wish(is_rehearsal=is_rehearsal, archives=archives)
    found: list[Tidied] = []
    for name, of_plan in sorted(runs.items()):
        if is_rehearsal:
            found += _clean_plan(repository, name, of_plan, wish)
            continue
        is_held = False  # by us: that a coordinator has it is no trouble
        try:
            with locks.coordinator_lock(repository.common_dir, name):
                is_held = True
                found += _clean_plan(repository, name, of_plan, wish)
        except SurroundingsError as error:
            why = error.message
            found.append(Tidied(what="plan", name=name, is_removed=False, reason=why, is_trouble=is_held))
    return tuple(found)


def _clean_plan(repository: Repository, plan: str, of_plan: list[RunDir], wish: _Wish) -> Iterator[Tidied]:
    integration = repository.git.ref(refs.integration_ref(plan))
    branches: list[str] = []
    readable: list[str] = []
    gone: set[str] = set()
    for run_dir in of_plan:
        try:
            events, size = eventlog.read_events(run_dir.events)
        except SurroundingsError as error:
            yield Tidied(
                what="run", name=run_dir.run, is_removed=False, reason=error.message, is_trouble=True
            )
            continue
        readable.append(run_dir.run)
        state = fold.fold(events)
        branches += _branches(events)
        given_up = tuple(_given_up(run_dir, events, state, is_newest=run_dir is of_plan[0]))
        for tidied in _clean_worktrees(repository, run_dir, state, size, integration, wish, given_up):
            if tidied.is_removed:
                gone.add(str(Path(tidied.name).resolve()))
            yield tidied
    yield from keeping.drop_stray_gates(repository, plan, is_rehearsal=wish.is_rehearsal)
    for branch in dict.fromkeys(branches):
        yield from _clean_branch(repository.git, branch, integration, gone, wish)
    yield from keeping.clean_archives(repository.git, readable, integration, is_rehearsal=wish.is_rehearsal)
    yield keeping.kept_record(repository.git, plan, [run_dir.path for run_dir in of_plan])


def _branches(events: tuple[dict[str, Any], ...]) -> Iterator[str]:
    """Every branch a run leased: only these are ever looked at, so nobody else's can be hit."""
    return (str(event["branch"]) for event in events if event["event"] == "task_leased")


def _given_up(
    run_dir: RunDir, events: tuple[dict[str, Any], ...], state: RunState, *, is_newest: bool
) -> Iterator[TaskState]:
    """Attempts that nobody will go on with: those before a task's last one, and in all runs but the plan's newest those
    whose agent runs no more."""
    for event in events:
        if event["event"] != "task_leased":
            continue
        task = state.tasks[event["task"]]
        is_last = event["attempt"] == task.attempt
        agents = run_dir.agent_jobs(task.id, task.attempt)
        is_at_work = is_last and any(is_alive(Job(folder)) for folder in agents)
        if (is_newest and is_last) or is_at_work or task.status in (fold.INTEGRATED, fold.DONE):
            continue
        attempt = TaskState(task.id, "", "", [], task.status if is_last else fold.FAILED)
        attempt.attempt, attempt.branch = event["attempt"], event["branch"]
        attempt.base, attempt.worktree = event["base"], event["worktree"]
        yield attempt


# ---------------------------------------------------------------------- worktrees


def _clean_worktrees(
    repository: Repository,
    run_dir: RunDir,
    state: RunState,
    size: int,
    integration: Oid | None,
    wish: _Wish,
    given_up: tuple[TaskState, ...],
) -> Iterator[Tidied]:
    known = {(task.id, task.attempt) for task in given_up}
    current = [task for task in state.tasks.values() if (task.id, task.attempt) not in known]
    for task in (*current, *given_up):
        folder = Path(task.worktree)
        if not task.worktree or not folder.is_dir():
            continue
        is_given_up = (task.id, task.attempt) in known
        why = _why_keep(repository.git, task, integration, is_given_up=is_given_up)
        is_saved = bool(why) and (is_given_up or task.status in _AT_REST)
        if why and not (wish.archives and is_saved):
            way = "; 'git waves clean --archive' saves its work in a ref and removes it" if is_saved else ""
            yield Tidied(what="worktree", name=str(folder), is_removed=False, reason=why + way)
            continue
        if wish.is_rehearsal:
            reason = f"{why}; its work would be saved in a ref" if why else MERGED
            yield Tidied(what="worktree", name=str(folder), is_removed=True, reason=reason)
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
        kept = kept_trees(repository.git, state, task.id, task.attempt)
        result = worktrees.remove(
            repository.git, lease, integration=integration or lease.base, handed_on=kept
        )
        if isinstance(result, worktrees.Kept):
            yield Tidied(
                what="worktree",
                name=str(folder),
                is_removed=False,
                reason=result.reason,
                is_trouble=result.is_trouble,
            )
            continue
        size += _note_removal(run_dir, state, size, task, result.archive or "")
        worktrees.forget_empty_folders(folder.parent)
        saved = f"; what was not merged is in '{result.archive}'" if result.archive else ""
        yield Tidied(what="worktree", name=str(folder), is_removed=True, reason=(why or MERGED) + saved)


_AT_REST = (fold.FAILED, fold.PARKED, fold.BLOCKED, fold.SKIPPED, fold.PENDING)


def _why_keep(git: Git, task: TaskState, integration: Oid | None, *, is_given_up: bool) -> str:
    """Why a worktree stays; empty when its work is proved merged."""
    if is_given_up:
        return f"attempt {task.attempt} of task '{task.id}' is of an earlier time and not merged"
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
    git: Git, branch: str, integration: Oid | None, gone: set[str], wish: _Wish
) -> Iterator[Tidied]:
    """Nothing to tell when the branch is not there. `gone` are the folders of worktrees that were, or would be, removed."""
    tip = git.ref(branch)
    if tip is None:
        return
    holders = [entry["worktree"] for entry in git.worktrees() if entry.get("branch") == branch]
    holders = [holder for holder in holders if str(Path(holder).resolve()) not in gone]
    if holders:
        why = f"it is checked out in '{holders[0]}'"
    elif integration is None or not git.is_ancestor(tip, integration):
        why = "it has commits that are not in the integration ref"
    elif not wish.is_rehearsal and not git.update_refs([f"delete {branch} {tip}"], message="waves: clean"):
        why = "git would not delete it"
    else:
        why = ""
    yield Tidied(
        what="branch", name=branch.removeprefix("refs/heads/"), is_removed=not why, reason=why or MERGED
    )


# ---------------------------------------------------------------------- configuration


def uninstall_hooks(repository: Repository) -> bool | None:
    """Take back the one setting runs add to the repository's configuration (P5); whether it is byte for byte as it was,
    None when there was nothing to take back.

    Raises SurroundingsError while runs, task worktrees or settings of somebody else depend on it.
    """
    plans = {event["plan"] for run_dir in run_dirs(repository.common_dir) if (event := first_event(run_dir))}
    running = sorted(plan for plan in plans if locks.is_running(repository.common_dir, plan))
    if running:
        raise SurroundingsError(
            f"plan '{running[0]}' is being run and needs the hooks",
            hint=f"git waves stop --plan {running[0]}",
        )
    admin = repository.common_dir / "worktrees"
    leased = sorted(path.parent.name for path in admin.glob(f"*/{LEASE_NAME}"))
    if leased:
        names = ", ".join(f"'{name}'" for name in leased[:3]) + (
            f" and {len(leased) - 3} more" if leased[3:] else ""
        )
        raise SurroundingsError(
            f"task worktrees still need their hooks: {names}",
            hint="'git waves clean' removes those that are merged, 'git waves clean --archive' the others too",
        )
    result = hooks.disable_worktree_config(repository.git, repository.common_dir)
    if isinstance(result, StillInUse):
        raise SurroundingsError(
            f"'{result.files[0]}' holds settings that only count while extensions.worktreeConfig is on",
            hint="move them to the shared configuration, then again",
        )
    return result.is_exact if isinstance(result, TakenBack) else None
