"""What a person asks of a run from another terminal: stop, retry, skip, done; and an agent: request.

Each becomes a message in the run's inbox. The coordinator turns messages into events; when none runs, retry and skip
are applied here and now, under the same lock and by the same code.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from git_waves import resetting
from git_waves.adapters import eventlog, inbox, locks
from git_waves.adapters.rundir import RunDir
from git_waves.core import fold
from git_waves.core.fold import RunState
from git_waves.core.model import PatternKind
from git_waves.core.ownership import OwnershipManifest
from git_waves.core.paths import PathProblem, parse_pattern
from git_waves.core.spending import LIMITS
from git_waves.errors import SurroundingsError, UsageError

_CAN_BE_SKIPPED = (fold.PENDING, fold.BLOCKED, fold.PASSED, fold.AWAITING, *fold.STUCK)
_CAN_BE_RETRIED = (*fold.STUCK, fold.AWAITING, fold.SKIPPED)
_LONGEST_REASON = 1000  # letters of an agent's words
_MOST_REQUESTS = 50  # of one attempt; who asks for more has not understood its task

NO_GRANT = "paths are granted only while the run rests, when no agent can be asking in a person's name"
NO_LIMITS = "limits are changed only while the run rests, when no agent can be asking in a person's name"

Append = Callable[[eventlog.AnyEvent], object]


def load(run_dir: RunDir) -> tuple[RunState, int]:
    """The state of a run from its log, and the size of the log's whole lines in bytes; LogDamagedError otherwise."""
    events, size = eventlog.read_events(run_dir.events)
    return fold.fold(events), size


def read_manifest(run_dir: RunDir) -> OwnershipManifest:
    """The run's frozen manifest. SurroundingsError when it is damaged."""
    try:
        return OwnershipManifest.from_json(json.loads(run_dir.manifest.read_bytes()))
    except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise SurroundingsError(
            f"'{run_dir.manifest}' is damaged: {error}", hint="'git waves run' puts it back as it was"
        ) from error


def check_retry(state: RunState, task: str, grant: tuple[str, ...], manifest: OwnershipManifest) -> None:
    """Raise UsageError when the task cannot be tried again, or a granted path belongs to unfinished work."""
    status = _known(state, task).status
    if status == fold.MERGED:
        _check_rests(state, task)
    elif status not in _CAN_BE_RETRIED:
        raise UsageError(
            f"task '{task}' is {status}; only failed, parked, awaiting and skipped tasks can be tried again",
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


def check_done(state: RunState, task: str) -> None:
    """Raise UsageError when nobody waits for a person to do the task."""
    status = _known(state, task).status
    if status != fold.AWAITING:
        turn = (
            "it is not its turn yet"
            if status == fold.PENDING
            else "only what waits for a person is handed in"
        )
        raise UsageError(f"task '{task}' is {status}: {turn}", hint="git waves status")


def check_skip(state: RunState, task: str) -> None:
    """Raise UsageError when there is nothing to skip, or it is too late or too early to."""
    status = _known(state, task).status
    if status == fold.MERGED:
        _check_rests(state, task)
    elif status in (*fold.IN_TREE, fold.SKIPPED):
        raise UsageError(f"task '{task}' is {status} already", hint="git waves status")
    elif status not in _CAN_BE_SKIPPED:
        raise UsageError(
            f"task '{task}' is {status}; a task at work cannot be skipped",
            hint="wait for its end, or 'git waves stop --now' first",
        )


def _check_rests(state: RunState, task: str) -> None:
    """A merged task is taken out of the candidate only when the run has come to rest: nothing is built on it then."""
    if not state.halted:
        raise UsageError(
            f"task '{task}' is merged, and its barrier is not over",
            hint="wait for its gates, or 'git waves stop' first",
        )


def _known(state: RunState, task: str) -> fold.TaskState:
    if task not in state.tasks:
        raise UsageError(f"run '{state.run}' has no task '{task}'", hint="'git waves status' lists them")
    return state.tasks[task]


def _is_through(state: RunState, task: str) -> bool:
    return state.tasks[task].status in (*fold.IN_TREE, fold.SKIPPED)


def send(common_dir: Path, run_dir: RunDir, message: Mapping[str, str]) -> bool:
    """Leave a message for the coordinator; when none runs, write its event at once. Returns whether one is running."""
    state, _ = load(run_dir)
    if locks.is_running(common_dir, state.plan):
        inbox.post(run_dir, message)
        return True
    if message["kind"] != "stop":
        with locks.coordinator_lock(common_dir, state.plan):
            state, size = load(run_dir)
            log = eventlog.EventLog(run_dir.events, events=state.events, size=size)
            try:
                take_in(run_dir, state, lambda event: state.apply(log.append(event)))
                for event in _events_for(run_dir, state, message, is_at_rest=True):
                    state.apply(log.append(event))
            finally:
                log.close()
    return False


def take_in(run_dir: RunDir, state: RunState, append: Append) -> tuple[dict[str, str], ...]:
    """Turn every waiting message into its event; what no longer makes sense is told, what never did is dropped. Returns
    those taken.

    `append` writes the event and applies it to `state`. A grant is never taken from here: any agent could have left it.
    """
    taken = []
    for path, message in inbox.waiting(run_dir):
        try:
            events = _events_for(run_dir, state, message, is_at_rest=False)
        except (ValueError, TypeError, KeyError, RecursionError, OSError):  # not ours, or the manifest is not
            events = ()
        for event in events:
            append(event)
        if events:
            taken.append(message)
        inbox.discard(path)
    return tuple(taken)


def forget_stops(run_dir: RunDir) -> None:
    """Drop requests to stop that the coordinator they were meant for did not live to see."""
    for path, message in inbox.waiting(run_dir):
        if message.get("kind") == "stop":
            inbox.discard(path)


def _events_for(
    run_dir: RunDir, state: RunState, message: Mapping[str, Any], *, is_at_rest: bool
) -> tuple[eventlog.AnyEvent, ...]:
    """The events of one message; none when it says nothing new (taken before a crash). Errors of all kinds for what is no
    message of ours.

    `is_at_rest`: a person says it, and no coordinator runs. Only then paths are granted, and a merged task is taken out of
    the candidate, which is an event of its own before the one that was asked for.
    """
    kind, task = message.get("kind"), state.tasks.get(message.get("task", ""))
    if kind == "stop":
        return (eventlog.StopRequested(now=message.get("now") == "yes", by=message.get("by", "")),)
    if task is None:
        return ()
    if kind == "request":
        asked = _request(state, task, message) if message.get("attempt") == str(task.attempt) else None
        return () if asked is None else (asked,)
    if kind == "done":
        return _handed_in(task, message)
    if kind not in ("retry", "skip"):
        return ()
    reset: tuple[eventlog.AnyEvent, ...] = ()
    status = task.status
    if status == fold.MERGED and is_at_rest and state.halted:
        hint = f"git waves retry {task.id}"
        reset = (resetting.reset_without(state, task.id, reason="a person took it out", hint=hint),)
        status = fold.PARKED  # which it is then
    event = (
        _skipped(task, status, message)
        if kind == "skip"
        else _retried(run_dir, state, task, status, message, may_grant=is_at_rest)
    )
    if isinstance(event, eventlog.TaskRetried | eventlog.TaskSkipped):
        return (*reset, event)
    return () if event is None else (event,)


def _handed_in(task: fold.TaskState, message: Mapping[str, Any]) -> tuple[eventlog.AnyEvent, ...]:
    """Nothing for an attempt that is over: what was meant is not there any more."""
    if task.status != fold.AWAITING or message.get("attempt") != str(task.attempt):
        return ()
    return (eventlog.TaskHandedIn(task=task.id, attempt=task.attempt, by=message.get("by", "")),)


def _skipped(task: fold.TaskState, status: str, message: Mapping[str, Any]) -> eventlog.AnyEvent | None:
    if status in _CAN_BE_SKIPPED:
        return eventlog.TaskSkipped(task=task.id, reason=message.get("reason", ""))
    return None if status == fold.SKIPPED else _too_late(task, "skipped")


def _retried(
    run_dir: RunDir,
    state: RunState,
    task: fold.TaskState,
    status: str,
    message: Mapping[str, Any],
    *,
    may_grant: bool,
) -> eventlog.AnyEvent | None:
    if status not in _CAN_BE_RETRIED:
        return None if status == fold.PENDING else _too_late(task, "tried again")
    grant = json.loads(message.get("grant", "[]"))
    if not isinstance(grant, list) or not all(isinstance(path, str) and _is_file(path) for path in grant):
        raise ValueError("not a list of files")
    budget = json.loads(message.get("budget", "{}"))
    if not isinstance(budget, dict) or not all(_is_limit(name, value) for name, value in budget.items()):
        raise ValueError("not a set of limits")
    if (grant or budget) and not may_grant:
        why = NO_GRANT if grant else NO_LIMITS
        return eventlog.Warned(message=f"task '{task.id}' is not tried again: {why}")
    if grant:  # whose they are may have changed since it was asked
        try:
            check_retry(state, task.id, tuple(grant), read_manifest(run_dir))
        except (UsageError, SurroundingsError) as refused:
            return eventlog.Warned(message=f"task '{task.id}' is not tried again: {refused.message}")
    return eventlog.TaskRetried(task=task.id, grant=grant, budget=budget)


def _is_limit(name: object, value: object) -> bool:
    return name in LIMITS and (value is None or (isinstance(value, (int, float)) and value > 0))


def _too_late(task: fold.TaskState, what: str) -> eventlog.Warned:
    return eventlog.Warned(message=f"task '{task.id}' cannot be {what} any more, it is {task.status}")


def _request(
    state: RunState, task: fold.TaskState, message: Mapping[str, Any]
) -> eventlog.RequestMade | None:
    path, owner = message.get("path", ""), message.get("owner", "")
    is_known = any(request["path"] == path for request in task.requests)
    if is_known or len(task.requests) >= _MOST_REQUESTS or not _is_file(path):
        return None
    return eventlog.RequestMade(
        task=task.id,
        attempt=task.attempt,
        path=path,
        reason=message.get("reason", "")[:_LONGEST_REASON],
        owner=owner if owner in state.tasks else "",
    )


def _is_file(path: str) -> bool:
    try:
        pattern = parse_pattern(path)
    except PathProblem:
        return False
    return pattern.kind is PatternKind.FILE and pattern.text == path
