"""What workers hand back to the deciding thread, and the event each outcome becomes."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from functools import partial
from typing import assert_never

from git_waves import ladder, limited
from git_waves.adapters import eventlog, worktrees
from git_waves.adapters.machine_locks import Taken
from git_waves.core.fold import RunState, TaskState
from git_waves.foresight import Seen


@dataclass(frozen=True, slots=True)
class RungReached:
    """An attempt begins a rung."""

    task: str
    attempt: int
    rung: str


@dataclass(frozen=True, slots=True)
class Told:
    """An attempt tells something while it climbs."""

    task: str
    attempt: int
    what: ladder.Told


@dataclass(frozen=True, slots=True)
class Climbed:
    """An attempt has ended."""

    task: str
    attempt: int
    outcome: ladder.Outcome


@dataclass(frozen=True, slots=True)
class Waits:
    """An attempt that was taken over waits for a machine-wide resource; None: not any more."""

    task: str
    taken: Taken | None


@dataclass(frozen=True, slots=True)
class WriterDone:
    """The quiesce or resume command of a background writer has ended; `problem` is empty when it ended well."""

    name: str
    is_resume: bool
    problem: str


@dataclass(frozen=True, slots=True)
class GateDone:
    """One gate has ended, or left something to be told."""

    event: eventlog.GateFinished | eventlog.Warned


@dataclass(frozen=True, slots=True)
class GatesOver:
    """The gates of a barrier have ended, or were stopped."""


@dataclass(frozen=True, slots=True)
class WorktreeGone:
    """A worktree was removed, or kept for a reason."""

    task: str
    attempt: int
    result: worktrees.Removed | worktrees.Kept


@dataclass(frozen=True, slots=True)
class Looked:
    """A look ahead at the coming merges has ended."""

    seen: Seen


@dataclass(frozen=True, slots=True)
class Broken:
    """A worker met something nobody expected."""

    error: BaseException


News = (
    RungReached | Told | Climbed | Waits | WriterDone | GateDone | GatesOver | WorktreeGone | Looked | Broken
)


def event_of(
    state: RunState, task: TaskState, attempt: int, outcome: ladder.Outcome, *, now: float
) -> eventlog.AnyEvent:
    """The event for how an attempt ended, at `now` (seconds since 1970). A task that asked for a foreign path waits for a person, whatever it did."""
    if task.requests and not isinstance(outcome, ladder.Interrupted):
        return _asked(task, attempt)
    match outcome:
        case ladder.Passed():
            return eventlog.TaskPassed(
                task=task.id,
                attempt=attempt,
                tip=outcome.tip,
                paths=list(outcome.paths),
                handed_on=outcome.handed_on or "",
            )
        case ladder.Awaits():
            return eventlog.TaskAwaited(task=task.id, attempt=attempt)
        case ladder.Interrupted() if task.handed_in:  # a person's work is never started over for them
            return eventlog.TaskAwaited(
                task=task.id, attempt=attempt, reason=outcome.reason, hint=f"git waves done {task.id}"
            )
        case ladder.Interrupted():
            return eventlog.TaskInterrupted(
                task=task.id, attempt=attempt, reason=outcome.reason, session=outcome.session
            )
        case ladder.Fell() if (
            task.handed_in and not outcome.is_parked
        ):  # mended where it is, and handed in again
            return eventlog.TaskAwaited(
                task=task.id,
                attempt=attempt,
                rung=outcome.rung,
                reason=outcome.reason,
                paths=list(outcome.paths),
                hint=_log_hint(outcome) or f"git waves open {task.id}",
            )
        case ladder.Fell():
            fell = (
                eventlog.TaskParked
                if outcome.is_parked
                else partial(eventlog.TaskFailed, final=outcome.is_final)
            )
            return fell(
                task=task.id,
                attempt=attempt,
                rung=outcome.rung,
                reason=outcome.reason,
                paths=list(outcome.paths),
                hint=outcome.hint or f"git waves retry {task.id}",
            )
        case ladder.Unavailable():
            return limited.event_of(state, task, attempt, outcome, now=now)
        case _:
            assert_never(outcome)


def _log_hint(fell: ladder.Fell) -> str:
    """Where to look for what a check said; other hints speak of another attempt."""
    return fell.hint if fell.hint.startswith("git waves log") and "--rung" in fell.hint else ""


def _asked(task: TaskState, attempt: int) -> eventlog.TaskParked:
    asked = task.requests[0]
    whose = f"belongs to task '{asked['owner']}'" if asked["owner"] else "belongs to no task"
    return eventlog.TaskParked(
        task=task.id,
        attempt=attempt,
        rung="agent",
        reason=f"it asks for '{asked['path']}', which {whose}: {asked['reason']}",
        paths=[request["path"] for request in task.requests],
        hint=f"git waves retry {task.id} --grant {shlex.quote(asked['path'])}",
    )
