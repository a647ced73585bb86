"""What `stop`, `retry`, `skip`, `done`, `request` and `owned` answer: what was asked, who carries it out, what to type next."""

from __future__ import annotations

from collections.abc import Iterable

from git_waves.core.answers import Answer, Asked
from git_waves.views import amounts
from git_waves.views.safe import clean, quoted
from git_waves.views.standing import run_again

_LOOK_ON = "next: 'git waves status --watch' to look on\n"


def _next(asked: Asked) -> str:
    return _LOOK_ON if asked.is_running else f"next: {run_again(asked.source)} goes on\n"


def stop_text(asked: Asked, *, now: bool) -> str:
    """The answer to `stop`; when nobody ran the plan, what became of the background writers that were left stopped."""
    if not asked.is_running:
        return "".join(f"{clean(line)}\n" for line in asked.told) + _next(asked)
    how = (
        "ends its agents and leaves"
        if now
        else "starts nothing new and leaves when what is in flight has ended"
    )
    return f"the coordinator of plan {quoted(asked.plan)} {how}\n{_LOOK_ON}"


def retry_text(asked: Asked) -> str:
    """The answer to `retry`."""
    granted = f", and may change {', '.join(map(quoted, asked.granted))} too" if asked.granted else ""
    limits = f", with other limits: {amounts.limits(asked.limits)}" if asked.limits else ""
    who = "the coordinator starts it" if asked.is_running else "it starts with the next run"
    said = f"task {quoted(asked.task)} gets another attempt{granted}{limits}; {who}\n"
    return said + _taken_out(asked) + _next(asked)


def skip_text(asked: Asked) -> str:
    """The answer to `skip`."""
    said = f"task {quoted(asked.task)} is skipped; what needs it is blocked\n"
    return said + _taken_out(asked) + _next(asked)


def done_text(asked: Asked) -> str:
    """The answer to `done`."""
    who = "the coordinator checks it now" if asked.is_running else "it is checked with the next run"
    return f"task {quoted(asked.task)} is handed in; {who}\n" + _next(asked)


def _taken_out(asked: Asked) -> str:
    """What becomes of the candidate when the task was merged."""
    if asked.rest is None:
        return ""
    words = "its work is taken out of what is merged"
    for tasks, what in ((asked.rest.again, "to be merged again"), (asked.rest.restart, "to start over")):
        if tasks:
            words += f"; {what}: {', '.join(map(quoted, tasks))}"
    return f"{words}\n"


def request_text(answer: Answer) -> str:
    """The answer to `request`, for an agent: whose the path is, and to stop now."""
    path = quoted(answer.path)
    if answer.is_own:
        return f"{path} is yours already: change it\n"
    whose = f"belongs to task {quoted(answer.owner)}" if answer.owner else "belongs to no task"
    return (
        f"{path} {whose}; your request is noted\n"
        f"stop now and do not change it: task {quoted(answer.task)} is parked until a person has decided\n"
    )


def owned_text(paths: Iterable[str]) -> str:
    """What a task owns, one a line, made printable."""
    return "".join(f"{clean(path)}\n" for path in paths)
