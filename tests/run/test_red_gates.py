"""Red gates with real git, real gates and real merges: who is named, what is published, and the way out."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from tests.support.plans import plan, task, wait_for
from tests.support.processes import Coordinator
from tests.support.repo import RepoBuilder

pytestmark = pytest.mark.long  # whole runs, a few seconds each

INTEGRATION = "refs/waves/integration/p"

TOGETHER = "gates:\n  fits: '! { test -e left.txt && test -e right.txt; }'\n"
"""Two tasks that are green each by itself, and red together."""
GOOD = "gates:\n  clean: '! grep -ls BAD *.txt'\n"
"""One task of several is bad."""


def events(repo: RepoBuilder) -> list[dict[str, Any]]:
    """The events of the only run."""
    (path,) = (repo.folder / ".git/waves/runs").glob("*/events.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()]


def found(repo: RepoBuilder) -> list[tuple[str, ...]]:
    """What each search named."""
    return [tuple(event["tasks"]) for event in events(repo) if event["event"] == "culprit_found"]


def files(repo: RepoBuilder) -> list[str]:
    """What tasks made, as it is published."""
    names = repo.git("ls-tree", "-r", "--name-only", INTEGRATION).split()
    return [name for name in names if name.endswith(".txt")]


def merged(repo: RepoBuilder) -> list[str]:
    """Tasks in the order they were merged, from history alone."""
    trailer = "--format=%(trailers:key=Waves-Task,valueonly)"
    return repo.git("log", "--first-parent", "--reverse", trailer, INTEGRATION).split()


def assert_gated(repo: RepoBuilder) -> None:
    """P2 from the outside: every published tree was measured, and every gate was green on it."""
    told = events(repo)
    for event in told:
        if event["event"] == "published" and event["new"] != event["old"]:
            tree = repo.git("rev-parse", f"{event['new']}^{{tree}}")
            results = {
                one["gate"]: one["passed"]
                for one in told
                if one["event"] == "gate_finished" and one["tree"] == tree and one["n"] < event["n"]
            }
            assert results and all(results.values()), "what is published was proved on exactly that tree"


def test_two_green_tasks_that_break_each_other_are_named_as_a_pair(repo: RepoBuilder) -> None:
    text = plan(task("one"), task("left"), task("two"), task("right"), head=TOGETHER)
    base = repo.commit({".waves/plan.yaml": text})
    done = repo.run_waves("run")
    assert done.returncode == 3, done.stdout + done.stderr
    assert found(repo) == [("left", "right")]
    said = (
        "halted: gate 'fits' is red at the barrier of group '1': it ended with exit code 1; tasks 'left' and "
        "'right' break it together: it is green with either of them, and red with both ("
    )
    for shown in (done.stdout, repo.waves("status")):
        assert said in " ".join(shown.split())
        assert "left changed 'left.txt'" in shown
        assert "right changed 'right.txt'" in shown
        assert "one changed" not in shown
        assert (
            "next: 'git waves log gate:fits', then 'git waves retry right' or "
            "'git waves skip right --reason WHY', and 'git waves run' goes on"
        ) in " ".join(shown.split())
    assert repo.git("rev-parse", INTEGRATION) == base
    (verdict,) = json.loads(repo.waves("status", "--json"))["culprits"]
    assert (verdict["tasks"], verdict["suspect"]) == (["left", "right"], "right")


def test_one_bad_task_of_five_is_named_and_the_log_is_that_of_the_barrier(repo: RepoBuilder) -> None:
    tasks = [task(name, run=f"echo {'BAD' if name == 'c' else name} > {name}.txt") for name in "abcde"]
    repo.commit({".waves/plan.yaml": plan(*tasks, head=GOOD)})
    done = repo.run_waves("run", "--verbose")
    assert done.returncode == 3
    assert found(repo) == [("c",)]
    assert "task 'c' broke it: what came before is green, and its own branch is red" in done.stdout
    probes = [
        event for event in events(repo) if event["event"] == "gates_started" and event["purpose"] == "culprit"
    ]
    assert 0 < len(probes) <= 5
    assert all(event["trying"] in done.stdout for event in probes)
    assert repo.waves("log", "gate:clean") == "c.txt\n"
    assert repo.waves("log", "gate:clean", "--attempt", str(probes[0]["round"])) == ""
    assert not (repo.folder.parent / "repo.waves/p" / f"gate.{probes[0]['round']}").exists()


@pytest.mark.parametrize("scheduler", ["dag-parallel", "ready-set"])
def test_keep_green_publishes_four_of_five(repo: RepoBuilder, scheduler: str) -> None:
    tasks = [task(name, run=f"echo {'BAD' if name == 'c' else name} > {name}.txt") for name in "abcde"]
    text = plan(*tasks, head=f"on_red: keep-green\nscheduler: {scheduler}\nmax_parallel: 5\n" + GOOD)
    repo.commit({".waves/plan.yaml": text})
    done = repo.run_waves("run")
    assert done.returncode == 3, done.stdout + done.stderr
    assert files(repo) == ["a.txt", "b.txt", "d.txt", "e.txt"]
    assert sorted(merged(repo)) == ["a", "b", "d", "e"]
    assert_gated(repo)
    assert "c parked at gate: gate 'clean' is red: task 'c' broke it" in done.stdout
    assert "next: 'git waves show c', then 'git waves retry c'" in done.stdout
    (hint,) = [line.split("hint: ")[1] for line in done.stdout.splitlines() if "hint: git waves log" in line]
    assert repo.waves(*hint.split()[2:]) == "c.txt\n"
    assert repo.git("for-each-ref", "--contains", repo.git("rev-parse", "waves/p/c/1")), "nothing is lost"
    repo.waves("skip", "c", "--reason", "not worth it")
    repo.waves("run")
    assert "is finished" in repo.waves("status")


def test_a_retry_of_who_was_taken_out_starts_from_the_green_rest(repo: RepoBuilder) -> None:
    run = 'test "$WAVES_ATTEMPT" = 1 && echo BAD > b.txt || cat a.txt > b.txt'
    text = plan(task("a"), task("b", run=run), head="on_red: keep-green\n" + GOOD)
    repo.commit({".waves/plan.yaml": text})
    assert repo.run_waves("run").returncode == 3
    assert files(repo) == ["a.txt"]
    repo.waves("retry", "b")
    repo.waves("run")
    assert repo.git("show", f"{INTEGRATION}:b.txt") == "a"
    assert merged(repo) == ["a", "b"]
    assert_gated(repo)


def test_who_was_cut_from_the_culprits_work_starts_over(repo: RepoBuilder) -> None:
    text = plan(
        task("bad", run="echo BAD > bad.txt", extra="group: g"),
        task("first", extra="group: g"),
        task("later", needs=("first",), run="ls > later.txt", extra="group: g"),
        task("lost", needs=("bad",), extra="group: g"),
        head="groups: [g]\non_red: keep-green\non_failure: fail-dependents\n" + GOOD,
    )
    repo.commit({".waves/plan.yaml": text})
    done = repo.run_waves("run")
    assert done.returncode == 3, done.stdout + done.stderr
    assert files(repo) == ["first.txt", "later.txt"]
    assert repo.git("show", f"{INTEGRATION}:later.txt").split() == ["first.txt", "later.txt"]
    leases = [event["task"] for event in events(repo) if event["event"] == "task_leased"]
    assert leases == ["bad", "first", "later", "lost", "later"]
    assert "first is merged again; later, lost are to start over" in done.stdout
    assert "lost blocked: needs 'bad', which is parked" in done.stdout
    assert_gated(repo)
    archived = repo.git("for-each-ref", "--format=%(refname)", "refs/waves/archive/")
    assert "/later/1" in archived and "/reset-candidate" in archived


def test_when_the_claim_falls_its_culprit_is_named_and_nothing_is_taken_out(repo: RepoBuilder) -> None:
    head = "on_red: keep-green\ngates:\n  clean: {run: '! grep -l BAD *.txt', claim: true}\n"
    base = repo.commit({".waves/plan.yaml": plan(task("a"), task("b", run="echo BAD > b.txt"), head=head)})
    done = repo.run_waves("run")
    assert done.returncode == 3
    assert found(repo) == [("b",)]
    assert "task 'b' broke it" in done.stdout
    assert "2 merged" in done.stdout
    assert repo.git("rev-parse", INTEGRATION) == base


@pytest.mark.parametrize(("word", "rest"), [("retry", ["a", "c", "b"]), ("skip", ["a", "c"])])
def test_a_merged_culprit_is_retried_or_skipped_and_that_is_the_way_out(
    repo: RepoBuilder, word: str, rest: list[str]
) -> None:
    run = 'test "$WAVES_ATTEMPT" = 1 && echo BAD > b.txt || echo b > b.txt'
    repo.commit({".waves/plan.yaml": plan(task("a"), task("b", run=run), task("c"), head=GOOD)})
    assert repo.run_waves("run").returncode == 3
    candidate = repo.git("for-each-ref", "--format=%(objectname)", "refs/waves/p/").split()
    answer = repo.waves("retry", "b") if word == "retry" else repo.waves("skip", "b", "--reason", "no")
    assert "its work is taken out of what is merged; to be merged again: 'c'\n" in answer
    assert "b  " in repo.waves("status")
    repo.waves("run")
    assert sorted(merged(repo)) == sorted(rest)
    assert_gated(repo)
    archived = repo.git("for-each-ref", "--format=%(objectname)", "refs/waves/archive/").split()
    assert set(candidate) & set(archived), "the candidate as it was is kept"
    assert repo.git("fsck", "--no-dangling") == ""
    assert [event["task"] for event in events(repo) if event["event"] == "task_leased"][3:] == (
        ["b"] if word == "retry" else []
    )


def test_a_merged_task_is_not_taken_out_while_the_run_is_under_way(repo: RepoBuilder) -> None:
    tasks = (task("a"), task("b", needs=("a",), run="git waves skip a --reason no || :; echo b > b.txt"))
    repo.commit({".waves/plan.yaml": plan(*tasks)})
    repo.waves("run")
    done = repo.run_waves("skip", "a", "--reason", "no")
    assert done.returncode == 2
    assert "task 'a' is integrated already" in done.stderr


def test_a_gate_that_was_red_before_blames_nobody(repo: RepoBuilder) -> None:
    head = "on_red: keep-green\ngates:\n  never: test -e nowhere\n"
    repo.commit({".waves/plan.yaml": plan(task("a"), head=head)})
    done = repo.run_waves("run")
    assert done.returncode == 3
    assert found(repo) == []
    assert "it was red before the run too, so no task is blamed" in done.stdout
    assert "1 merged" in done.stdout


def test_a_flaky_gate_blames_nobody(repo: RepoBuilder) -> None:
    flag = repo.folder.parent / "flag"
    gate = f"{{run: 'test -e {flag} || ! touch {flag}', retries: 1, baseline: skip}}"
    repo.commit({".waves/plan.yaml": plan(task("a"), head=f"on_red: keep-green\ngates:\n  odd: {gate}\n")})
    done = repo.run_waves("run")
    assert done.returncode == 3
    assert found(repo) == []
    assert "flaky: 1 of 2 runs passed" in done.stdout
    assert "says nothing about who broke it" in done.stdout


def test_a_gate_finds_what_the_gates_before_it_made_also_where_it_is_tried(repo: RepoBuilder) -> None:
    head = "gates:\n  build: make -s made.lst\n  tests: test -s made.lst && ! grep -ls BAD *.txt\n"
    tasks = [task(name, run=f"echo {'BAD' if name == 'b' else name} > {name}.txt") for name in "abc"]
    made = "made.lst:\n\tls > $@\n"
    repo.commit({".waves/plan.yaml": plan(*tasks, head=head), "Makefile": made})
    assert repo.run_waves("run").returncode == 3
    assert found(repo) == [("b",)]


def test_a_search_that_is_stopped_goes_on_where_it_was(repo: RepoBuilder) -> None:
    tasks = [task(name, run=f"echo {'BAD' if name == 'c' else name} > {name}.txt") for name in "abcdef"]
    count, go = repo.folder.parent / "count", repo.folder.parent / "go"
    # Before the run, at the barrier, one tree of the search; the next one waits.
    waits = f'echo >> {count}; test "$(wc -l < {count})" -lt 4 || {wait_for(go)}'
    slow = f"gates:\n  clean: |\n    {waits}\n    ! grep -ls BAD *.txt\n"
    repo.commit({".waves/plan.yaml": plan(*tasks, head=slow)})
    with Coordinator(repo) as first:
        while not count.exists() or count.read_text().count("\n") < 4:
            assert first.poll() is None
            time.sleep(0.05)
        repo.waves("stop")
        go.touch()
        first.communicate()
    assert first.returncode == 130
    before = searched(repo)
    assert before
    assert found(repo) == []
    assert repo.run_waves("run").returncode == 3
    assert found(repo) == [("c",)]
    after = searched(repo)
    assert after[: len(before)] == before
    assert len(after) == len(set(after)), "no tree was tried twice"


def searched(repo: RepoBuilder) -> list[str]:
    """The trees that a search has measured."""
    return [
        event["tree"]
        for event in events(repo)
        if event["event"] == "gate_finished" and event["purpose"] == "culprit"
    ]
