"""Extra rungs between verify and merge, and the integration review at a barrier: what they read, and what red ones do."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Any

import pytest

from tests.support.plans import plan, task
from tests.support.repo import ROOT, RepoBuilder

INTEGRATION = "refs/waves/integration/p"


def events(repo: RepoBuilder) -> list[dict[str, Any]]:
    """The events of the only run."""
    (path,) = (repo.folder / ".git/waves/runs").glob("*/events.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()]


def rungs(repo: RepoBuilder, name: str) -> list[str]:
    """The rungs of a task that took time, in order."""
    return [
        event["rung"] for event in events(repo) if event["event"] == "rung_reached" and event["task"] == name
    ]


def test_stages_come_after_verify_in_the_plans_order_and_read_what_the_task_changed(
    repo: RepoBuilder,
) -> None:
    note = 'echo "$WAVES_STAGE $WAVES_TASK" >> ../../told; grep ^+++ "$WAVES_DIFF_FILE" >> ../../told'
    head = f"""stages:
  zeal: '{note}'
  care: {{run: '{note}', tasks: [b]}}
"""
    text = plan(
        task("a", extra="verify: test -s a.txt"),
        task("b", needs=("a",), run="git mv README moved; echo b > b.txt", files="[README, moved, b.txt]"),
        head=head,
    )
    repo.commit({".waves/plan.yaml": text, "README": "x\n" * 50})
    repo.waves("run")
    assert rungs(repo, "a") == ["agent", "verify", "zeal"]
    assert rungs(repo, "b") == ["agent", "zeal", "care"]
    told = (repo.folder.parent / "repo.waves/told").read_text().splitlines()
    changed = ["+++ /dev/null", "+++ b/b.txt", "+++ b/moved"]
    assert told == ["zeal a", "+++ b/a.txt", "zeal b", *changed, "care b", *changed]
    (repo.folder.parent / "repo.waves/told").unlink()
    shown = repo.waves("show", "b")
    assert "zeal" in shown and "care" in shown
    assert repo.waves("log", "a", "--rung", "zeal") == ""


def test_a_red_stage_fails_the_task_at_that_rung_and_says_how_to_look(repo: RepoBuilder) -> None:
    head = "stages:\n  risk: echo too risky; exit 3\n  never: echo never > ../../never\n"
    repo.commit({".waves/plan.yaml": plan(task("a"), head=head)})
    done = repo.run_waves("run")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "a failed at risk: stage 'risk' ended with exit code 3" in done.stdout
    assert "hint: git waves log a --rung risk" in done.stdout
    assert repo.waves("log", "a", "--rung", "risk") == "too risky\n"
    assert not (repo.folder.parent / "repo.waves/never").exists()
    assert "risk" in repo.waves("status")


def test_a_stage_over_its_time_limit_is_red(repo: RepoBuilder) -> None:
    head = "stages:\n  slow: {run: sleep 60, timeout: 0.3}\n"
    repo.commit({".waves/plan.yaml": plan(task("a"), head=head)})
    done = repo.run_waves("run")
    assert done.returncode == 1
    assert "a failed at slow: stage 'slow' was ended: over its time limit after" in done.stdout


@pytest.mark.long
def test_a_stage_outlives_its_coordinator_and_its_result_is_taken(repo: RepoBuilder) -> None:
    head = "stages:\n  slow: echo $$ >> ../../mark; sleep 1.5\n"
    repo.commit({".waves/plan.yaml": plan(task("a"), head=head)})
    first = subprocess.Popen(
        [sys.executable, "-m", "git_waves", "run"],
        cwd=repo.folder,
        env={**repo.environment, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    mark = repo.folder.parent / "repo.waves/mark"
    while not mark.exists() or rungs(repo, "a")[-1] != "slow":
        assert first.poll() is None
        time.sleep(0.02)
    first.kill()
    first.wait()
    repo.waves("run")
    assert len(mark.read_text().split()) == 1, "it was waited for, not run again"
    assert [event["attempt"] for event in events(repo) if event["event"] == "task_leased"] == [1]
    mark.unlink()


def test_an_agent_is_told_which_stages_wait_for_it(repo: RepoBuilder) -> None:
    head = "agent: {run: cat > a.txt}\nstages:\n  risk: ./risk.sh\n  meta: {run: test -s b.txt, tasks: [b]}\n"
    text = plan(
        "  - id: a\n    files: [a.txt]\n    prompt: Do it.\n    verify: test -s a.txt\n",
        task("b"),
        head=head,
    )
    repo.commit({".waves/plan.yaml": text, "risk.sh": "#!/bin/sh\ntest -s a.txt -o -s b.txt\n"})
    (repo.folder / "risk.sh").chmod(0o755)
    repo.commit({})
    repo.waves("run")
    told = repo.git("show", f"{INTEGRATION}:a.txt")
    assert "\n    test -s a.txt\n    risk: ./risk.sh\n" in told
    assert "meta" not in told


def test_the_review_reads_what_the_barrier_would_publish_after_all_other_gates(repo: RepoBuilder) -> None:
    store = repo.folder.parent / "store"
    store.mkdir()
    reader = f'cat > "{store}/$WAVES_GROUP.stdin"; cp "$WAVES_DIFF_FILE" "{store}/$WAVES_GROUP.file"; test -s a.txt'
    text = plan(
        task("a"),
        task("b", needs=("a",), run="echo b > b.txt; echo more >> a.txt", files="[a.txt, b.txt]"),
        head=f"review: '{reader}'\ngates: {{unit: test -s a.txt}}\n",
    )
    base = repo.commit({".waves/plan.yaml": text})
    repo.waves("run")
    order = [
        event["gate"]
        for event in events(repo)
        if event["event"] == "gate_finished" and event["purpose"] == "barrier"
    ]
    assert order == ["unit", "review"] * 2
    tips = [event["new"] for event in events(repo) if event["event"] == "published"]
    for group, old, new in (("1", base, tips[0]), ("2", tips[0], tips[1])):
        expected = repo.git("diff-tree", "-r", "-p", old, new) + "\n"
        assert (store / f"{group}.stdin").read_text() == expected
        assert (store / f"{group}.file").read_text() == expected


def test_a_review_that_is_red_halts_and_its_words_are_a_gates_log(repo: RepoBuilder) -> None:
    head = "review: {run: 'echo this will not do; false', timeout: 1m}\n"
    base = repo.commit({".waves/plan.yaml": plan(task("a"), head=head)})
    done = repo.run_waves("run")
    assert done.returncode == 3
    assert "gate 'review' is red at the barrier of group '1': it ended with exit code 1" in done.stdout
    assert repo.waves("log", "gate:review") == "this will not do\n"
    assert repo.git("rev-parse", INTEGRATION) == base
