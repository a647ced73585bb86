"""What a person asks of a run from another terminal: stop, retry, skip; and an agent: request.

Each becomes a message in the run's inbox. The coordinator turns messages into events; when none runs, retry and skip
are applied here and now, under the same lock and by the same code.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from git_waves.adapters import eventlog, inbox, locks
from git_waves.adapters.rundir import RunDir
from git_waves.core import fold
from git_waves.core.fold import RunState
from git_waves.core.ownership import OwnershipManifest
from git_waves.errors import UsageError

Append = Callable[[eventlog.AnyEvent], object]


def load(run_dir: RunDir) -> tuple[RunState, int]:
    """The state of a run from its log, and the size of the log's whole lines in bytes; LogDamagedError otherwise."""
    events, size = eventlog.read_events(run_dir.events)
    return fold.fold(events), size


def read_manifest(run_dir: RunDir) -> OwnershipManifest:
    """The run's frozen manifest."""
    return OwnershipManifest.from_json(json.loads(run_dir.manifest.read_bytes()))


def check_retry(state: RunState, task: str, grant: tuple[str, ...], manifest: OwnershipManifest) -> None:
    """Raise UsageError when the task cannot be tried again, or a granted path belongs to unfinished work."""
    status = _known(state, task).status
    if status not in (*fold.STUCK, fold.SKIPPED):
        raise UsageError(
            f"task '{task}' is {status}; only failed, parked and skipped tasks can be tried again",
            hint="git waves status",
        )
    for path in grant:
        busy = [
            owner for owner in manifest.owners_of(path) if owner != task and not _is_through(state, owner)
        ]
        if busy:
            raise UsageError(
                f"'{path}' belongs to task '{busy[0]}', which is not through yet",
                hint=f"wait for '{busy[0]}', or 'git waves skip {busy[0]}'",
            )


def check_skip(state: RunState, task: str) -> None:
    """Raise UsageError when there is nothing to skip."""
    status = _known(state, task).status
    if status in (*fold.IN_TREE, fold.SKIPPED):
        raise UsageError(f"task '{task}' is {status} already", hint="git waves status")


def _known(state: RunState, task: str) -> fold.TaskState:
    if task not in state.tasks:
        raise UsageError(f"run '{state.run}' has no task '{task}'", hint="'git waves status' lists them")
    return state.tasks[task]


def _is_through(state: RunState, task: str) -> bool:
    return state.tasks[task].status in (*fold.IN_TREE, fold.SKIPPED)


def send(common_dir: Path, run_dir: RunDir, message: Mapping[str, str]) -> bool:
    """Leave a message; when no coordinator runs, take it in at once. Returns whether one is running."""
    state, _ = load(run_dir)
    inbox.post(run_dir, message)
    if locks.is_running(common_dir, state.plan):
        return True
    if message["kind"] != "stop":
        with locks.coordinator_lock(common_dir, state.plan):
            state, size = load(run_dir)
            log = eventlog.EventLog(run_dir.events, events=state.events, size=size)
            try:
                take_in(run_dir, state, lambda event: state.apply(log.append(event)))
            finally:
                log.close()
    return False


def take_in(run_dir: RunDir, state: RunState, append: Append) -> tuple[dict[str, str], ...]:
    """Turn every waiting message into its event; messages that no longer make sense are dropped. Returns those taken.

    `append` writes the event and applies it to `state`.
    """
    taken = []
    for path, message in inbox.waiting(run_dir):
        event = _event_for(state, message)
        if event is not None:
            append(event)
            taken.append(message)
        path.unlink(missing_ok=True)
    return tuple(taken)


def _event_for(state: RunState, message: Mapping[str, Any]) -> eventlog.AnyEvent | None:
    """The event of one message; None when it says nothing new (taken before a crash) or nothing sensible."""
    kind, task_id = message.get("kind"), message.get("task", "")
    if kind == "stop":
        return eventlog.StopRequested(now=message.get("now") == "yes", by=message.get("by", ""))
    task = state.tasks.get(task_id)
    if task is None:
        return None
    if kind == "retry" and task.status in (*fold.STUCK, fold.SKIPPED):
        return eventlog.TaskRetried(task=task.id, grant=json.loads(message.get("grant", "[]")))
    if kind == "skip" and task.status in (fold.PENDING, fold.BLOCKED, *fold.STUCK):
        return eventlog.TaskSkipped(task=task.id, reason=message.get("reason", ""))
    if kind == "request" and message.get("attempt") == str(task.attempt):
        path = message.get("path", "")
        if any(request["path"] == path for request in task.requests):
            return None
        return eventlog.RequestMade(
            task=task.id,
            attempt=task.attempt,
            path=path,
            reason=message.get("reason", ""),
            owner=message.get("owner", ""),
        )
    return None
