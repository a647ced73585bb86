"""How an agent came through, told from its exit code, from what it printed, and from whether it changed anything.

An exit code alone says little: the same 0 is given by programs whose every tool was refused, that ran out of turns, or whose
model answered that it would not do it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from git_waves.agents.usage import Trouble, Usage

_LONGEST_WAIT = 7 * 86400.0  # seconds; whoever names a longer one is not believed


class AgentVerdict(StrEnum):
    """What to make of an agent that has ended; what to do differs from one to the next."""

    DONE = "done"
    NOTHING_DONE = "nothing-done"  # it ended well, and nothing changed
    TURN_LIMIT = "turn-limit"  # a limit of its own: of turns, money or context
    REFUSED = "refused"  # the model would not do it
    RATE_LIMITED = "rate-limited"  # later it may work
    NOT_LOGGED_IN = "not-logged-in"  # a person must see to it
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What was made of it. `retry_after` is in seconds from now, None when the agent named no time; only a rate limit has
    one. `message` are the agent's own words, or empty."""

    kind: AgentVerdict
    message: str = ""
    retry_after: float | None = None


_BY_TROUBLE = {
    Trouble.LIMIT: AgentVerdict.TURN_LIMIT,
    Trouble.RATE_LIMIT: AgentVerdict.RATE_LIMITED,
    Trouble.LOGIN: AgentVerdict.NOT_LOGGED_IN,
    Trouble.REFUSAL: AgentVerdict.REFUSED,
    Trouble.ERROR: AgentVerdict.FAILED,
}


def judge(told: Usage, *, ended_well: bool, now: float) -> Verdict:
    """The verdict on an agent that has ended by itself, before anybody looked at its work. `ended_well` is exit code 0,
    `now` the time in seconds since 1970."""
    if told.trouble is None:
        return Verdict(kind=AgentVerdict.DONE if ended_well else AgentVerdict.FAILED)
    kind = _BY_TROUBLE[told.trouble]
    return Verdict(
        kind=kind,
        message=" ".join(told.message.split()),
        retry_after=_wait(told, now) if kind is AgentVerdict.RATE_LIMITED else None,
    )


def nothing_done(told: Usage) -> Verdict:
    """The verdict on an agent that ended well and changed nothing: what it was refused, else its last words."""
    if told.denied:
        return Verdict(kind=AgentVerdict.NOTHING_DONE, message=f"it was refused {', '.join(told.denied)}")
    return Verdict(kind=AgentVerdict.NOTHING_DONE, message=" ".join(told.answer.split()))


def _wait(told: Usage, now: float) -> float | None:
    named = told.retry_after or (told.retry_at - now if told.retry_at else 0.0)
    return min(named, _LONGEST_WAIT) if named > 0 else None
