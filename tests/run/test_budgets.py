"""Whole runs with limits: who is ended, who is not, what is told, and how it goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.run.test_whole_runs import INTEGRATION, events, merged, read_until, start
from tests.support.jobs import eventually
from tests.support.plans import phase3, plan, task, wait_for
from tests.support.processes import Coordinator, processes_of
from tests.support.repo import RepoBuilder


def used(tokens: int, cost: float = 0) -> str:
    """Words of a shell with which an agent tells what it has used since it told last."""
    return f"""echo '{{"tokens": {tokens}, "cost": {cost}}}' >> "$WAVES_USAGE_FILE"; """


def until_noted(tokens: int) -> str:
    """Words of a shell that end when the log of the run holds so many tokens of some attempt."""
    log = '"$(git rev-parse --git-common-dir)"/waves/runs/*/events.jsonl'
    return f"until grep -q '\"tokens\":{tokens},' {log}; do sleep 0.05; done; "


def told(repo: RepoBuilder, event: str) -> list[dict[str, Any]]:
    """The events of one name."""
    return [one for one in events(repo) if one["event"] == event]


def test_an_agent_over_its_tokens_is_ended_and_its_siblings_are_not(repo: RepoBuilder) -> None:
    over = used(850) + until_noted(850) + used(250) + "setsid sleep 60 & sleep 60"
    text = plan(
        task("greedy", run=over, extra="budget: {tokens: 1k}"),
        task("fine", run=used(5000, 0.25) + until_noted(1100) + "echo fine > fine.txt"),
        task("after", needs=("greedy",)),
        head="on_failure: fail-dependents",
    )
    repo.commit({".waves/plan.yaml": text})
    done = repo.run_waves("run")
    assert done.returncode == 1, done.stdout + done.stderr
    assert merged(repo) == ["fine"]
    reason = "over its limit: 1100 tokens used, and the limit is 1000 tokens"
    assert f"greedy: failed at agent: {reason}" in done.stdout
    assert "attempt 1 of task 'greedy' has used more than 80% of its limit of 1000 tokens" in done.stdout
    assert "1 path changed, 5k tokens, $0.25" in done.stdout
    assert "used: 6.1k tokens, $0.25" in done.stdout
    assert processes_of(repo) == []
    status = json.loads(repo.waves("status", "--json"))
    assert [(one["id"], one["state"], one["spent"]) for one in status["tasks"]] == [
        ("greedy", "failed", {"tokens": 1100, "cost": None}),
        ("fine", "integrated", {"tokens": 5000, "cost": 0.25}),
        ("after", "blocked", {"tokens": None, "cost": None}),
    ]
    assert "spent\tfine\t5000\t0.250000\n" in repo.waves("status", "--porcelain")
    assert "limits    1k tokens\nused      attempt 1: 1.1k tokens" in repo.waves("show", "greedy")


def test_a_retry_with_another_limit_gets_through_and_counts_on(repo: RepoBuilder) -> None:
    text = plan(
        task("t1", run=used(800, 0.5) + "echo t1 > t1.txt", extra="budget: {tokens: 500, cost: 9}"),
        head="budget: {cost: 1.2}",
    )
    repo.commit({".waves/plan.yaml": text})
    assert repo.run_waves("run").returncode == 1, "it ended well, and over its limit all the same"
    assert "with other limits: 2k tokens" in repo.waves("retry", "t1", "--budget", "tokens=2k")
    out = repo.waves("run")
    assert "warning: the run has used more than 80% of its limit of $1.20" in out
    assert merged(repo) == ["t1"]
    shown = repo.waves("show", "t1")
    assert "limits    2k tokens, $9.00" in shown
    assert "used      1.6k tokens, $1.00 in 2 attempts" in shown


def test_a_run_over_its_tokens_ends_its_agents_keeps_what_is_done_and_goes_on_with_more(
    repo: RepoBuilder,
) -> None:
    text = plan(
        task("done", run="echo done > done.txt"),
        task("greedy", needs=("done",), run=used(1200) + "sleep 60"),
        task("slow", needs=("done",), run='test -n "$GO" || sleep 60; echo slow > slow.txt'),
        head="budget: {tokens: 1k}\nscheduler: ready-set\nmax_parallel: 2",
    )
    repo.commit({".waves/plan.yaml": text})
    done = repo.run_waves("run")
    assert done.returncode == 3, done.stdout + done.stderr
    reason = "the run's limit is reached: 1200 tokens used, and the limit is 1000 tokens (task 'greedy': 1200 tokens)"
    assert f"halted: {reason}" in done.stdout
    assert "next: 'git waves run --budget tokens=MORE' goes on with another limit" in done.stdout
    assert merged(repo) == ["done"]
    assert processes_of(repo) == []
    assert told(repo, "run_halted")[-1]["kind"] == "budget"
    leases = len(told(repo, "task_leased"))
    assert repo.run_waves("run").returncode == 3
    assert len(told(repo, "task_leased")) == leases, "nothing is started beyond the limit"
    repo.waves("skip", "greedy", "--reason", "too dear")
    repo.environment["GO"] = "1"
    out = repo.waves("run", "--budget", "tokens=5k")
    assert merged(repo) == ["done", "slow"]
    assert "used: 1.2k tokens" in out
    assert "used: 1.2k of 5k tokens" in repo.waves("status")


def test_work_that_is_done_is_merged_and_published_beyond_the_limit(repo: RepoBuilder) -> None:
    text = plan(
        task("t1", run=used(5000) + "echo t1 > t1.txt"),
        head="budget: {tokens: 1k}\ngates:\n  there: test -s t1.txt",
    )
    repo.commit({".waves/plan.yaml": text})
    repo.waves("run")
    assert merged(repo) == ["t1"]


@pytest.mark.long
def test_a_run_whose_time_is_over_lets_what_is_in_flight_finish_and_halts(repo: RepoBuilder) -> None:
    go = repo.folder.parent / "go"
    slow = phase3(run={"t1": f"{wait_for(go)}; echo t1 > t1.txt"}, head="budget: {wall_clock: 1s}\n")
    repo.commit({".waves/plan.yaml": slow})
    with Coordinator(repo) as process:
        read_until(process, "the run's time limit of 1 s is over")
        go.touch()
        words, _ = process.communicate()
    assert process.returncode == 3
    assert "next: 'git waves run' goes on" in words
    assert [one["task"] for one in told(repo, "task_leased")] == ["t1"]
    assert told(repo, "task_passed"), "what was in flight finished"
    repo.waves("run", "--budget", "wall_clock=none", "--until-group", "1")
    assert merged(repo) == ["t1"]


def test_a_run_in_which_nothing_moves_halts_and_ends_what_is_in_flight(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1", run="sleep 60"), head="budget: {quiet: 1s}")})
    done = repo.run_waves("run")
    assert done.returncode == 3, done.stdout + done.stderr
    assert "halted: nothing in flight printed or changed anything for 1 s" in done.stdout
    assert "next: 'git waves run' goes on" in done.stdout
    assert processes_of(repo) == []
    assert "1 task: 1 pending" in repo.waves("status")


def test_what_no_agent_told_is_a_warning_and_no_success_of_the_limit(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1", extra="budget: {tokens: 10, cost: 1}"))})
    out = repo.waves("run")
    assert "warning: attempt 1 of task 't1' has a limit of tokens, and its agent told none" in out
    assert "warning: attempt 1 of task 't1' has a limit of cost, and its agent told none" in out


def test_an_agent_that_ends_well_and_says_that_it_failed_has_failed(repo: RepoBuilder) -> None:
    says = json.dumps(
        {
            "type": "result",
            "subtype": "success",
            "is_error": True,
            "api_error_status": 429,
            "result": "API Error: 429 too many requests",
            "session_id": "s-1",
            "total_cost_usd": 0.0123,
            "usage": {"input_tokens": 900, "output_tokens": 20},
        }
    )
    repo.commit({".waves/plan.yaml": plan(task("t1", run=f"echo t1 > t1.txt\necho '{says}'"))})
    done = repo.run_waves("run")
    assert done.returncode == 1
    assert "the agent ended well, and speaks of a rate limit: API Error: 429 too many requests" in done.stdout
    assert "used: 920 tokens, $0.01" in done.stdout


def test_what_an_agent_used_while_nobody_looked_is_read_and_judged_by_the_next_coordinator(
    repo: RepoBuilder,
) -> None:
    go = repo.folder.parent / "go"
    run = f"{wait_for(go)}; {used(700)} {used(700)} echo t1 > t1.txt"
    repo.commit({".waves/plan.yaml": plan(task("t1", run=run, extra="budget: {tokens: 1k, wall_clock: 1h}"))})
    runs = repo.folder / ".git/waves/runs"
    with start(repo) as process:
        assert eventually(lambda: list(runs.glob("*/jobs/t1.1.agent/start.json")))
        process.kill()
    (start_file,) = runs.glob("*/jobs/t1.1.agent/start.json")
    identity = json.loads(start_file.read_text())
    start_file.write_text(json.dumps({**identity, "started": identity["started"] - 3000}))  # 50 minutes ago
    with start(repo) as process:
        assert process.stdout is not None
        assert "has used more than 80% of its limit of 3600 s" in process.stdout.readline()
        process.kill()
    go.touch()
    assert eventually(lambda: not processes_of(repo))
    done = repo.run_waves("run")
    assert done.returncode == 1
    assert "1400 tokens used, and the limit is 1000 tokens" in done.stdout
    assert [one["how"] for one in told(repo, "task_taken_up")] == ["adopted", "finished"]


def test_limits_are_not_changed_under_a_run_in_a_persons_name(repo: RepoBuilder, tmp_path: Path) -> None:
    go = tmp_path / "go"
    message = '{"kind": "retry", "task": "t1", "budget": "{\\"tokens\\": null}"}'
    post = f"echo '{message}' > \"$(git rev-parse --git-common-dir)\"/waves/runs/$WAVES_RUN/inbox/1.json"
    text = plan(
        task("t1", run="exit 1", extra="budget: {tokens: 10}"),
        task("t2", run=f"{wait_for(go)}; {post}; sleep 0.5; echo t2 > t2.txt"),
        head="on_failure: fail-dependents",
    )
    repo.commit({".waves/plan.yaml": text})
    with start(repo) as process:
        assert eventually(lambda: told(repo, "task_failed"))
        refused = repo.run_waves("retry", "t1", "--budget", "tokens=5")
        go.touch()
        assert process.stdout is not None
        words = process.stdout.read()
    assert refused.returncode == 2
    assert "limits are changed only while the run rests" in refused.stderr
    assert "task 't1' is not tried again: limits are changed only while the run rests" in words
    assert repo.git("rev-parse", "--verify", "--quiet", f"{INTEGRATION}:t1.txt", exit=None) == ""
