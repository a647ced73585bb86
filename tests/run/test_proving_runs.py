"""Whole runs whose gates have to prove something: before the first task, at a barrier, and after somebody interfered."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.run.test_whole_runs import INTEGRATION, events, merged
from tests.support.digest import digest_of_users_things
from tests.support.plans import plan, task
from tests.support.processes import Coordinator
from tests.support.repo import RepoBuilder


def finished(repo: RepoBuilder) -> list[str]:
    """How each gate ended, in order: `baseline door red`, `control door proved`."""
    return [
        f"{event['purpose']} {event['gate']} {event['verdict'] or ('green' if event['passed'] else 'red')}"
        for event in events(repo)
        if event["event"] == "gate_finished"
    ]


def left_over(repo: RepoBuilder) -> list[str]:
    """Scratch worktrees that are still there."""
    return [str(path) for path in (repo.folder.parent / "repo.waves").glob("*/gate.*")]


def test_a_gate_is_measured_before_the_run_proved_and_proved_again_without_what_the_group_changed(
    repo: RepoBuilder,
) -> None:
    head = (
        "gates:\n"
        "  door: {run: test -s t1.txt && grep -qx ok lib.txt, guards: [t1.txt],"
        " control: 'echo broken > lib.txt'}\n"
        "  lib: {run: grep -qx ok lib.txt, control: {patch: break.patch}}\n"
    )
    patch = "--- a/lib.txt\n+++ b/lib.txt\n@@ -1 +1 @@\n-ok\n+broken\n"
    text = plan(task("t1"), task("t2", needs=["t1"]), head=head)
    repo.commit({".waves/plan.yaml": text, "lib.txt": "ok\n", "break.patch": patch})
    before = digest_of_users_things(repo)
    told = repo.waves("run")
    assert finished(repo) == [
        "baseline door red",
        "baseline lib green",
        "control lib proved",
        "barrier door green",
        "barrier lib green",
        "control door proved",
        "mutation door proved",
        "barrier door green",
        "barrier lib green",
        "mutation door inapplicable",
    ]
    assert merged(repo) == ["t1", "t2"]
    assert "gate door: red before the run" in told
    assert "proof of gate door: nothing to prove: group '2' changed nothing that it guards" in told
    assert left_over(repo) == []
    assert digest_of_users_things(repo) == before


def test_a_gate_that_its_control_leaves_green_halts_before_any_agent_starts(repo: RepoBuilder) -> None:
    head = "gates:\n  door: {run: test -e lib.txt, control: 'echo broken > lib.txt'}\n"
    base = repo.commit({".waves/plan.yaml": plan(task("t1"), head=head), "lib.txt": "ok\n"})
    told = repo.waves("run", exit=3)
    assert "halted: gate 'door' is blind: with its control in place it stays green" in told
    assert "next: 'git waves log gate:door'" in told
    assert "**Halted: a gate proves nothing.**" in repo.waves("report")
    assert not any(event["event"] == "task_leased" for event in events(repo))
    assert repo.git("rev-parse", INTEGRATION) == base
    assert repo.git("for-each-ref", "refs/heads/waves/p/t1") == ""
    assert left_over(repo) == []


@pytest.mark.long
def test_a_run_that_requires_a_green_gate_does_not_begin_and_does_once_it_is_green(repo: RepoBuilder) -> None:
    place = repo.folder.parent / "open"
    head = f"gates:\n  door: {{run: test -e {place}, baseline: require}}\n"
    repo.commit({".waves/plan.yaml": plan(task("t1"), head=head)})
    told = repo.waves("run", exit=3)
    assert "gate 'door' was red before the run, and the plan requires it to be green" in told
    place.touch()
    repo.waves("run")
    assert finished(repo) == ["baseline door red", "baseline door green", "barrier door green"]
    assert merged(repo) == ["t1"]


@pytest.mark.long
def test_known_failures_are_tolerated_at_every_barrier_and_a_new_one_halts(repo: RepoBuilder) -> None:
    head = "gates:\n  tests: {run: sh tests.sh, baseline: tolerate, failures: '^FAILED (.+)'}\n"
    script = "for f in *.bad; do echo FAILED $f; done; test ! -e old.bad\n"
    bad = task("t2", needs=["t1"], run="echo > new.bad", files="{create: [new.bad]}")
    repo.commit({".waves/plan.yaml": plan(task("t1"), bad, head=head), "tests.sh": script, "old.bad": ""})
    told = repo.waves("run", exit=3)
    assert "gate tests: green after 0s, tolerated: 1 known failure" in told
    assert "it ended with exit code 1; not tolerated: new: 'new.bad'" in told
    assert merged(repo) == ["t1"]
    status = json.loads(repo.waves("status", "--json"))
    assert status["baseline"][0]["failures"] == ["old.bad"]
    assert [gate["tolerated"] for gate in status["gates"]] == [["old.bad"], []]


@pytest.mark.long
@pytest.mark.parametrize("scheduler", ["sequential", "dag-parallel", "ready-set"])
def test_when_the_claim_falls_the_plan_stops_and_says_so(repo: RepoBuilder, scheduler: str) -> None:
    head = (
        f"scheduler: {scheduler}\non_failure: fail-dependents\n"
        "gates:\n  claim: {run: test ! -e t1.txt, claim: true}\n"
    )
    repo.commit({".waves/plan.yaml": plan(task("t1"), task("t2", needs=["t1"]), head=head)})
    told = repo.waves("run", exit=3)
    assert "the plan's claim 'claim' fell at the barrier of group '1': it ended with exit code 1" in told
    assert "'git waves log gate:claim'" in told
    assert merged(repo) == []


@pytest.mark.long
def test_a_stop_while_the_base_is_measured_gives_no_result_and_the_next_run_measures_it(
    repo: RepoBuilder,
) -> None:
    mark = repo.folder.parent / "at-work"
    script = f"test -e {mark} && exit 0\ntouch {mark}\nsleep 600\n"
    text = plan(task("t1"), head="gates: {slow: sh slow.sh}\n")
    repo.commit({".waves/plan.yaml": text, "slow.sh": script})
    with Coordinator(repo) as process:
        while not mark.exists():
            time.sleep(0.02)
        repo.waves("stop", "--now")
        assert process.wait(timeout=60) == 130
    assert finished(repo) == []
    assert left_over(repo) == []
    repo.waves("run")
    assert finished(repo) == ["baseline slow green", "barrier slow green"]


@pytest.mark.long
def test_a_flaky_gate_halts_and_says_how_flaky_it_is(repo: RepoBuilder) -> None:
    calls = repo.folder.parent / "calls"
    gate = f"echo x >> {calls}; test $(wc -l < {calls}) -ne 2"
    repo.commit(
        {".waves/plan.yaml": plan(task("t1"), head=f"gates:\n  door: {{run: '{gate}', retries: 2}}\n")}
    )
    told = repo.waves("run", exit=3)
    assert "flaky: 2 of 3 runs passed; it ended with exit code 1" in told
    assert merged(repo) == []
    assert repo.waves("log", "gate:door") == ""
    repo.waves("run")
    assert merged(repo) == ["t1"]


@pytest.mark.long
def test_the_log_of_a_gate_is_that_of_what_halted_the_run(repo: RepoBuilder) -> None:
    head = "gates:\n  door: {run: cat lib.txt && test -s lib.txt, control: 'echo broken > lib.txt'}\n"
    repo.commit({".waves/plan.yaml": plan(task("t1"), head=head), "lib.txt": "ok\n"})
    repo.waves("run", exit=3)
    assert repo.waves("log", "gate:door") == "broken\n"


@pytest.mark.long
def test_what_a_coordinator_left_of_a_proof_is_gone_after_the_next_one(repo: RepoBuilder) -> None:
    head = "gates:\n  door: {run: test -s lib.txt, control: 'rm lib.txt', retries: 3}\n"
    repo.commit({".waves/plan.yaml": plan(task("t1"), head=head), "lib.txt": "ok\n"})
    with Coordinator(repo) as process:
        while len(list(Path(repo.folder / ".git/waves/runs").glob("*/jobs/gate:2*"))) < 2:
            time.sleep(0.02)
        process.kill()
        process.wait()
    repo.waves("run")
    assert merged(repo) == ["t1"]
    assert left_over(repo) == []
    assert repo.git("worktree", "list").count("\n") == 0
