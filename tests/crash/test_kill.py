"""`kill -9` of the coordinator at every event and around every writing git command, then run again (P3, P4)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support import warm
from tests.support.plans import plan, task, wait_for
from tests.support.processes import processes_of
from tests.support.repo import ROOT, RepoBuilder, sealed_environment

SIX = plan(
    task("a"),
    task("b", run="printf 'b\\n' > b.txt; git add b.txt; git commit -qm 'by the agent'"),
    task("c", needs=("a",)),
    task("d", needs=("a", "b"), run="mkdir -p deep; echo d > deep/d.txt", files="{create: [deep/]}"),
    task("e", needs=("c",), files="{modify: [shared.txt]}", run="sleep 0.05; echo e >> shared.txt"),
    task("f", needs=("c", "d", "e")),
    head="gates:\n  first-file: test -s a.txt\n",
)


def make_scene(folder: Path, text: str = SIX) -> RepoBuilder:
    """A repository with the plan committed, in a sealed environment of its own."""
    home = folder / "home"
    home.mkdir(parents=True)
    repo = RepoBuilder(folder / "repo", sealed_environment(home))
    repo.commit({"shared.txt": "start\n", ".waves/plan.yaml": text})
    return repo


def drive(repo: RepoBuilder, point: str, number: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the crash driver once."""
    environment = {**repo.environment, "PYTHONPATH": str(ROOT)}
    words = (point, str(number), "run", *arguments)
    return warm.run("tests.crash.driver", words, cwd=repo.folder, environment=environment)


def events_of(repo: RepoBuilder) -> list[dict[str, object]]:
    """The events of the only run."""
    runs = sorted((repo.folder / ".git/waves/runs").glob("*/events.jsonl"))
    assert len(runs) <= 1, "one plan, one run"
    return [json.loads(line) for line in runs[0].read_text().splitlines()] if runs else []


def assert_whole(repo: RepoBuilder, tree: str) -> None:
    """The invariants after any crash and one more run: same tree, each task once, nothing lost, nothing left."""
    integration = "refs/waves/integration/p"
    assert repo.git("rev-parse", f"{integration}^{{tree}}") == tree
    assert repo.git("rev-parse", "refs/heads/waves/p/integration") == repo.git("rev-parse", integration)
    merged = repo.git(
        "log", "--first-parent", "--format=%(trailers:key=Waves-Task,valueonly,separator=%x2C)", integration
    )
    tasks = [line for line in merged.splitlines() if line]
    assert sorted(tasks) == ["a", "b", "c", "d", "e", "f"], "each task is merged exactly once"
    assert repo.git("worktree", "list", "--porcelain").count("worktree ") == 1
    assert not (repo.folder.parent / "repo.waves").exists()
    assert repo.git("fsck", "--strict", "--no-dangling") == ""
    assert repo.git("status", "--porcelain") == ""
    assert processes_of(repo) == []
    # whatever any attempt committed is reachable from some ref
    tips = {str(event["tip"]) for event in events_of(repo) if event["event"] == "task_passed"}
    for tip in tips:
        assert repo.git("for-each-ref", "--contains", tip, "--format=%(refname)"), f"{tip} hangs on no ref"


def run_again_until_done(repo: RepoBuilder) -> None:
    done = drive(repo, "none", 0)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, int, int]:
    """The tree of a run nobody disturbed, and how many events and writing git commands it has."""
    repo = make_scene(tmp_path_factory.mktemp("undisturbed"))
    done = drive(repo, "none", 0)
    assert done.returncode == 0, done.stdout + done.stderr
    tree = repo.git("rev-parse", "refs/waves/integration/p^{tree}")
    assert_whole(repo, tree)
    words = done.stdout.splitlines()[-1].split()
    return tree, int(words[1]), int(words[2])


def crash_and_resume(folder: Path, tree: str, point: str, number: int) -> bool:
    """One scenario; False when the run was over before the point came."""
    repo = make_scene(folder)
    first = drive(repo, point, number)
    assert first.returncode in (0, -9), first.stdout + first.stderr
    run_again_until_done(repo)
    assert_whole(repo, tree)
    before = events_of(repo)
    again = drive(repo, "none", 0)
    assert again.returncode == 0, again.stdout + again.stderr
    assert events_of(repo) == before, "running a finished plan again changes nothing"
    return first.returncode == -9


def sweep(folder: Path, undisturbed: tuple[str, int, int], point: str, *, step: int) -> None:
    tree, events, writes = undisturbed
    last = writes if point.startswith("git") else events
    struck = 0
    for number in range(1, last + 1, step):
        struck += crash_and_resume(folder / f"{point}-{number}", tree, point, number)
    assert struck >= last // step - 2, f"only {struck} of {last // step} points were met"


@pytest.mark.parametrize(("point", "step"), [("after", 23), ("git-after", 67)])
def test_a_killed_run_goes_on_to_the_same_tree_at_sampled_points(
    tmp_path: Path, undisturbed: tuple[str, int, int], point: str, step: int
) -> None:
    sweep(tmp_path, undisturbed, point, step=step)


@pytest.mark.long
@pytest.mark.timeout(1500)
@pytest.mark.parametrize(
    ("point", "step"),
    # A share: test_soak and `make soak` kill everything at every event.
    [("after", 4), ("torn", 6), ("git-before", 9), ("git-after", 9)],
)
def test_a_killed_run_goes_on_to_the_same_tree_at_many_points(
    tmp_path: Path, undisturbed: tuple[str, int, int], point: str, step: int
) -> None:
    sweep(tmp_path, undisturbed, point, step=step)


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
