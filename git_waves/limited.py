"""What becomes of an attempt whose agent could not go on: because of a rate limit, or because nobody is logged in.

That is nobody's failure and burns no attempt. The agent is left alone for a time by the whole run; the attempt goes on
with its session, or starts over where that is allowed, with the next agent of the plan's `fallback` if there is one.
"""

from __future__ import annotations

from datetime import UTC, datetime

from git_waves import ladder
from git_waves.adapters import eventlog
from git_waves.core import trying
from git_waves.core.fold import RunState, TaskState


def event_of(
    state: RunState, task: TaskState, attempt: int, outcome: ladder.Unavailable, *, now: float
) -> eventlog.AgentLimited | eventlog.TaskParked:
    """The event; `now` is in seconds since 1970."""
    name = task.agents[task.agent]
    has_another = task.agent + 1 < len(task.agents)
    before = state.limited.get(name)
    count = before.count + 1 if before is not None else 1
    session = "" if has_another else outcome.session
    if outcome.needs_person and not has_another:
        login = f"log in with '{outcome.login}'" if outcome.login else "start it once by hand and log in"
        way_out = f"{login}, then 'git waves retry {task.id}'"
        return _parked(task, attempt, outcome.reason, hint=way_out)
    if not session and not task.is_repeatable:
        why = "it is not started over by itself, for what it did besides its files may not be repeated"
        return _parked(task, attempt, f"{outcome.reason}; {why}")
    if count > trying.MOST_WAITS:
        return _parked(task, attempt, f"{outcome.reason}; for the {count}th time in a row")
    until = ""
    if not outcome.needs_person:
        moment = datetime.fromtimestamp(now + trying.wait_for(count, outcome.wait), UTC)
        until = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return eventlog.AgentLimited(
        task=task.id, attempt=attempt, agent=name, until=until, reason=outcome.reason, session=session
    )


def _parked(task: TaskState, attempt: int, reason: str, *, hint: str = "") -> eventlog.TaskParked:
    return eventlog.TaskParked(
        task=task.id,
        attempt=attempt,
        rung="agent",
        reason=reason,
        paths=[],
        hint=hint or f"git waves log {task.id}",
    )
