"""A coordinator that is killed under its agent, and one that meets another. At every event it is killed by tests/soak."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

from tests.support import warm
from tests.support.plans import plan, task, wait_for
from tests.support.processes import Coordinator
from tests.support.repo import ROOT, RepoBuilder, sealed_environment


def make_scene(folder: Path, text: str) -> RepoBuilder:
    """A repository with the plan committed, in a sealed environment of its own."""
    home = folder / "home"
    home.mkdir(parents=True)
    repo = RepoBuilder(folder / "repo", sealed_environment(home))
    repo.commit({"shared.txt": "start\n", ".waves/plan.yaml": text})
    return repo


def drive(repo: RepoBuilder, point: str, number: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the crash driver once, with `run` unless another command is given."""
    environment = {**repo.environment, "PYTHONPATH": str(ROOT)}
    words = (point, str(number), *(arguments or ("run",)))
    return warm.run("tests.crash.driver", words, cwd=repo.folder, environment=environment)


def events_of(repo: RepoBuilder) -> list[dict[str, object]]:
    """The events of the only run."""
    runs = sorted((repo.folder / ".git/waves/runs").glob("*/events.jsonl"))
    assert len(runs) <= 1, "one plan, one run"
    return [json.loads(line) for line in runs[0].read_text().splitlines()] if runs else []


def test_an_agent_outlives_its_coordinator_and_its_result_is_taken(tmp_path: Path) -> None:
    slow = plan(task("a", run="echo $$ >> pids.log; sleep 1; echo a > a.txt", files="{create: [a.txt]}"))
    repo = make_scene(tmp_path, slow)
    repo.commit({".gitignore": "*.log\n"})
    mark = repo.folder.parent / "repo.waves/p/a.1/pids.log"
    with Coordinator(repo) as first:
        while not mark.exists():
            time.sleep(0.02)
        first.kill()
    done = repo.run_waves("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert repo.git("show", "refs/waves/integration/p:a.txt") == "a"
    leases = [event for event in events_of(repo) if event["event"] == "task_leased"]
    assert len(leases) == 1, "the agent was adopted, not started again"


def test_two_coordinators_at_once_and_the_second_is_told_who_holds_it(tmp_path: Path) -> None:
    go = tmp_path / "go"
    repo = make_scene(tmp_path, plan(task("t1", run=f"{wait_for(go)}; echo t1 > t1.txt")))
    with Coordinator(repo, "--verbose") as first:
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
