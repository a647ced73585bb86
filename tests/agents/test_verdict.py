"""What is made of an agent that has ended: done is told apart from everything that only looks like it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from git_waves.agents.usage import Trouble, Usage, wait_in
from git_waves.agents.usage_any import AnyReader
from git_waves.agents.verdict import AgentVerdict, Verdict, judge, nothing_done
from tests.agents.test_usage import claude_result

NOW = 1_800_000_000.0


def told_by(*lines: dict[str, Any]) -> Usage:
    """What a program told last."""
    reader = AnyReader()
    told = Usage()
    for line in lines:
        told = reader.read(json.dumps(line)) or told
    return told


def test_an_agent_that_says_nothing_is_judged_by_its_exit_code() -> None:
    assert judge(Usage(), ended_well=True, now=NOW).kind is AgentVerdict.DONE
    assert judge(Usage(), ended_well=False, now=NOW).kind is AgentVerdict.FAILED


@pytest.mark.parametrize(
    ("trouble", "kind"),
    [
        (Trouble.LIMIT, AgentVerdict.TURN_LIMIT),
        (Trouble.RATE_LIMIT, AgentVerdict.RATE_LIMITED),
        (Trouble.LOGIN, AgentVerdict.NOT_LOGGED_IN),
        (Trouble.REFUSAL, AgentVerdict.REFUSED),
        (Trouble.ERROR, AgentVerdict.FAILED),
    ],
)
@pytest.mark.parametrize("ended_well", [True, False])
def test_what_an_agent_says_of_itself_outranks_its_exit_code(
    trouble: Trouble, kind: AgentVerdict, ended_well: bool
) -> None:
    told = Usage(trouble=trouble, message=" several\nlines ", retry_after=5)
    verdict = judge(told, ended_well=ended_well, now=NOW)
    assert verdict.kind is kind
    assert verdict.message == "several lines"
    assert (verdict.retry_after is not None) == (kind is AgentVerdict.RATE_LIMITED)


def test_a_rate_limit_names_the_time_to_wait_when_the_agent_does() -> None:
    def waits(retry_after: float = 0, retry_at: float = 0) -> float | None:
        told = Usage(trouble=Trouble.RATE_LIMIT, retry_after=retry_after, retry_at=retry_at)
        return judge(told, ended_well=False, now=NOW).retry_after

    assert waits() is None
    assert waits(retry_after=20) == 20
    assert waits(retry_at=NOW + 90) == 90
    assert waits(retry_at=NOW - 90) is None, "it is over"
    assert waits(retry_after=10**9) == 7 * 86400


def test_claudes_account_limit_ends_at_the_moment_that_it_tells() -> None:
    told = told_by(
        {"type": "rate_limit_event", "rate_limit_info": {"status": "rejected", "resetsAt": NOW + 600}},
        claude_result(1, 1, 0.1, is_error=True, result="You've hit your limit"),
    )
    assert judge(told, ended_well=False, now=NOW) == Verdict(
        kind=AgentVerdict.RATE_LIMITED, message="You've hit your limit", retry_after=600
    )


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("Rate limit reached. Please try again in 20s.", 20),
        ("please try again in 1.5 min", 90),
        ("retry-after: 7", 7),
        ("Please retry after 30 seconds", 30),
        ("try again in 250ms", 0.25),
        ("Please retry in 2h", 7200),
        ("try again later", 0),
        ("10 tries again", 0),
    ],
)
def test_the_time_to_wait_is_read_from_messages(words: str, seconds: float) -> None:
    assert wait_in(words) == seconds


def test_who_did_nothing_says_what_it_was_refused_or_its_last_words() -> None:
    denied = [{"tool_name": "Write", "tool_input": {}}, {"tool_name": "Bash"}, {"tool_name": "Write"}, 7]
    told = told_by(claude_result(1, 1, 0.1, permission_denials=denied, result="I could not write."))
    assert told.denied == ("Write", "Bash")
    assert nothing_done(told).message == "it was refused Write, Bash"
    told = told_by(claude_result(1, 1, 0.1, result="I cannot help\nwith that."))
    assert nothing_done(told) == Verdict(kind=AgentVerdict.NOTHING_DONE, message="I cannot help with that.")
    assert nothing_done(Usage()).message == ""
