"""`kill -9` at every event, and a sample of every other fault that tests/soak knows, then run again (P3, P4)."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.soak import disks, kinds, power
from tests.support.plans import plan, task, wait_for
from tests.support.repo import ROOT, RepoBuilder, sealed_environment

ALL_KINDS = sorted({*kinds.KINDS, *power.KINDS, *disks.KINDS} - {"every event"})


def soak(*arguments: str) -> str:
    """Let scenarios happen in a process of their own, for they fork; what was printed. Fails when a rule was broken, skips
    when this machine does not let us."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.soak", "--seed", "1", *arguments],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.stdout.startswith("left out"):
        pytest.skip(done.stdout.splitlines()[0])
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_few_kills_of_the_coordinator_and_of_everything_change_nothing() -> None:
    told = soak("--scenarios", "4", "--kinds", "killed", "machine gone", "--scripts", "red dag-parallel")
    assert re.search(r"scenarios run +4\b", told)


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "script", ["mixed sequential", "mixed dag-parallel", "mixed ready-set", "everything dag-parallel"]
)
def test_everything_dies_at_every_event_and_the_end_is_the_same(script: str) -> None:
    told = soak("--scenarios", "1", "--kinds", "every event", "--scripts", script)
    met = re.search(r"every event +(\d+) scenarios, +(\d+) hurt", told)
    assert met and met[1] == met[2] and int(met[1]) > 25, told


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", ALL_KINDS)
def test_a_sample_of_every_kind_of_fault_changes_nothing(kind: str) -> None:
    told = soak("--scenarios", "2", "--kinds", kind, "--scripts", "red dag-parallel")
    assert re.search(r"scenarios run +([2-9]|\d\d)\b", told), told


def make_scene(folder: Path, text: str) -> RepoBuilder:
    """A repository with the plan committed, in a sealed environment of its own."""
    home = folder / "home"
    home.mkdir(parents=True)
    repo = RepoBuilder(folder / "repo", sealed_environment(home))
    repo.commit({"shared.txt": "start\n", ".waves/plan.yaml": text})
    return repo


def events_of(repo: RepoBuilder) -> list[dict[str, object]]:
    """The events of the only run."""
    runs = sorted((repo.folder / ".git/waves/runs").glob("*/events.jsonl"))
    assert len(runs) <= 1, "one plan, one run"
    return [json.loads(line) for line in runs[0].read_text().splitlines()] if runs else []


def test_an_agent_outlives_its_coordinator_and_its_result_is_taken(tmp_path: Path) -> None:
    slow = plan(task("a", run="echo $$ >> pids.log; sleep 1; echo a > a.txt", files="{create: [a.txt]}"))
    repo = make_scene(tmp_path, slow)
    repo.commit({".gitignore": "*.log\n"})
    first = subprocess.Popen(
        [sys.executable, "-m", "git_waves", "run", "--verbose"],
        cwd=repo.folder,
        env={**repo.environment, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert first.stdout is not None
    for line in first.stdout:
        if line.rstrip().endswith(": agent"):
            break
    mark = repo.folder.parent / "repo.waves/p/a.1/pids.log"
    while not mark.exists():  # the line is printed before the agent starts
        time.sleep(0.02)
    first.kill()
    first.wait()
    first.stdout.close()
    done = repo.run_waves("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert repo.git("show", "refs/waves/integration/p:a.txt") == "a"
    leases = [event for event in events_of(repo) if event["event"] == "task_leased"]
    assert len(leases) == 1, "the agent was adopted, not started again"


def test_two_coordinators_at_once_and_the_second_is_told_who_holds_it(tmp_path: Path) -> None:
    go = tmp_path / "go"
    repo = make_scene(tmp_path, plan(task("t1", run=f"{wait_for(go)}; echo t1 > t1.txt")))
    environment = {**repo.environment, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-m", "git_waves", "run", "--verbose"],
        cwd=repo.folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    ) as first:
        assert first.stdout is not None
        for line in first.stdout:
            if line.rstrip().endswith(": agent"):
                break
        second = repo.run_waves("run")
        go.touch()
        assert second.returncode == 4
        assert f"process {first.pid} on '{os.uname().nodename}' since " in second.stderr
        assert "hint: " in second.stderr
        first.stdout.read()
        assert first.wait() == 0
