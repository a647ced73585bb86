"""Attempts that the run makes by itself, agents that fall in for others, and agents that are limited, in real runs."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.run.test_whole_runs import events, merged, start
from tests.support.plans import plan, task
from tests.support.repo import RepoBuilder

LIMITED = json.dumps(
    {
        "type": "result",
        "subtype": "success",
        "is_error": True,
        "api_error_status": 429,
        "result": "rate limit reached",
        "session_id": "s-1",
    }
)


def agents(*commands: str, more: str = "") -> str:
    """A plan of one task, `t`, done by the first command, with the others as its fallback."""
    first, *rest = (json.dumps(command) for command in commands)
    fallback = ", ".join(f"{{run: {command}}}" for command in rest)
    return (
        f"version: 1\nname: p\nagent: {{run: {first}}}\nfallback: [{fallback}]\n{more}"
        "tasks:\n  - {id: t, files: [t.txt], prompt: Write it., verify: grep -q good t.txt}\n"
    )


def ends(repo: RepoBuilder) -> list[str]:
    """What became of the attempts, in order."""
    wanted = ("task_failed", "task_tried_again", "agent_limited", "task_passed")
    return [str(event["event"]) for event in events(repo) if event["event"] in wanted]


def test_a_failed_attempt_is_made_again_from_clean_ground_and_its_agent_knows_why(repo: RepoBuilder) -> None:
    agent = 'cat > "$HOME/told.$WAVES_ATTEMPT"; test ! -e t.txt && if [ $WAVES_ATTEMPT = 2 ]; then echo good; else echo bad; fi > t.txt'
    repo.commit({".waves/plan.yaml": agents(agent, more="attempts: 2\n")})
    printed = repo.waves("run")
    assert "t: gets another attempt, as the plan says\n" in printed
    assert merged(repo) == ["t"]
    assert ends(repo) == ["task_failed", "task_tried_again", "task_passed"]
    home = Path(repo.environment["HOME"])
    assert "tried before" not in (home / "told.1").read_text()
    assert (
        "- attempt 1 failed at verify: verify command 'grep -q good t.txt'" in (home / "told.2").read_text()
    )
    shown = repo.waves("show", "t")
    assert "before    attempt 1 failed at verify: " in shown


def test_an_agent_that_is_limited_burns_no_attempt_and_another_falls_in(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": agents(f"echo '{LIMITED}'; exit 1", "echo good > t.txt")})
    printed = repo.waves("run")
    assert "a rate limit: rate limit reached; agent" in printed
    assert merged(repo) == ["t"]
    assert ends(repo) == ["agent_limited", "task_passed"]
    assert "limited: agent " in repo.waves("status")


@pytest.mark.long
def test_with_nobody_to_fall_in_the_run_waits_and_can_be_stopped(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": agents(f"echo '{LIMITED}'; exit 1")})
    process = start(repo)
    while not any(event["event"] == "agent_limited" for event in events(repo)):
        time.sleep(0.05)
    assert "until " in repo.waves("status")
    repo.waves("stop")
    process.communicate()
    assert process.returncode == 130
    state = json.loads(repo.waves("status", "--json"))
    assert state["limited"][0]["count"] == 1
    assert state["tasks"][0]["state"] == "pending"


@pytest.mark.long
def test_work_that_may_have_had_effects_is_not_repeated_by_the_plans_word_and_that_is_told(
    repo: RepoBuilder,
) -> None:
    text = plan(task("t", run='echo x >> "$HOME/deployed"; exit 1'), head="attempts: 5")
    repo.commit({".waves/plan.yaml": text})
    failed = repo.run_waves("run")
    assert failed.returncode == 1
    assert (Path(repo.environment["HOME"]) / "deployed").read_text() == "x\n"
    note = "note: 'attempts' of the plan does not count for task 't': it runs a command of its own; say it in the task"
    assert note in failed.stdout + failed.stderr
