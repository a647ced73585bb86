"""`kill -9` while a gate is red: in the search, while a task is taken out, while the rest is merged again, in the way out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.crash.test_kill import events_of, make_scene
from tests.support.plans import plan, task
from tests.support.processes import processes_of
from tests.support.repo import ROOT, RepoBuilder

INTEGRATION = "refs/waves/integration/p"
HEAD = """groups: [g, h]
on_red: keep-green
on_failure: fail-dependents
gates:
  clean: '! grep -ls BAD *.txt'
  apart: '! { test -e left.txt && test -e right.txt; }'
"""
MIXED = plan(
    task("left", extra="group: g"),
    task("bad", run="echo BAD > bad.txt", extra="group: g"),
    task("right", extra="group: g"),
    task("later", needs=("left",), extra="group: g"),
    task("lost", needs=("bad",), extra="group: g"),
    task("last", needs=("later",), extra="group: h"),
    head=HEAD,
)
"""One bad task, a pair that does not fit, tasks that have to start over, and one behind the barrier."""
GREEN = ["last", "later", "left"]


def drive(repo: RepoBuilder, point: str, number: int, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command with the crash driver once."""
    return subprocess.run(
        [sys.executable, "-m", "tests.crash.driver", point, str(number), *command],
        cwd=repo.folder,
        env={**repo.environment, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def assert_green_rest(repo: RepoBuilder, tree: str) -> None:
    """What holds whenever the run has come to its halt: the same tree, proved, nothing lost, nobody merged twice."""
    assert repo.git("rev-parse", f"{INTEGRATION}^{{tree}}") == tree
    told = events_of(repo)
    for event in told:
        if event["event"] == "published":
            published = repo.git("rev-parse", f"{event['new']}^{{tree}}")
            results = [
                one["passed"] for one in told if one["event"] == "gate_finished" and one["tree"] == published
            ]
            assert len(results) >= 2 and all(results)
    trailer = "--format=%(trailers:key=Waves-Task,valueonly)"
    assert sorted(repo.git("log", "--first-parent", trailer, INTEGRATION).split()) == GREEN
    candidate = repo.git("for-each-ref", "--format=%(objectname)", "refs/waves/p/*/candidate")
    assert candidate == repo.git("rev-parse", INTEGRATION)
    for event in told:
        if event["event"] == "task_passed":
            tip = str(event["tip"])
            assert repo.git("for-each-ref", "--contains", tip), f"{event['task']} hangs on no ref"
    assert repo.git("fsck", "--strict", "--no-dangling") == ""
    assert repo.git("status", "--porcelain") == ""
    assert processes_of(repo) == []
    assert not list((repo.folder.parent / "repo.waves/p").glob("gate.*"))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, int, int]:
    """The tree of a run nobody disturbed, and how many events and writing git commands it has."""
    repo = make_scene(tmp_path_factory.mktemp("undisturbed"), MIXED)
    done = drive(repo, "none", 0, "run")
    assert done.returncode == 3, done.stdout + done.stderr
    tree = repo.git("rev-parse", f"{INTEGRATION}^{{tree}}")
    assert_green_rest(repo, tree)
    words = done.stdout.splitlines()[-1].split()
    return tree, int(words[1]), int(words[2])


def sweep(folder: Path, undisturbed: tuple[str, int, int], point: str, *, first: int, step: int) -> None:
    tree, events, writes = undisturbed
    last = writes if point.startswith("git") else events
    for number in range(first, last + 1, step):
        repo = make_scene(folder / f"{point}-{number}", MIXED)
        died = drive(repo, point, number, "run")
        assert died.returncode in (3, -9), died.stdout + died.stderr
        done = drive(repo, "none", 0, "run")
        assert done.returncode == 3, done.stdout + done.stderr
        assert_green_rest(repo, tree)


@pytest.mark.parametrize(("point", "first", "step"), [("after", 34, 20), ("git-before", 80, 60)])
def test_a_killed_search_goes_on_to_the_same_green_rest_at_sampled_points(
    tmp_path: Path, undisturbed: tuple[str, int, int], point: str, first: int, step: int
) -> None:
    sweep(tmp_path, undisturbed, point, first=first, step=step)


@pytest.mark.long
@pytest.mark.timeout(1500)
@pytest.mark.parametrize(("point", "step"), [("after", 3), ("torn", 8), ("git-before", 9), ("git-after", 9)])
def test_a_killed_search_goes_on_to_the_same_green_rest_at_many_points(
    tmp_path: Path, undisturbed: tuple[str, int, int], point: str, step: int
) -> None:
    sweep(tmp_path, undisturbed, point, first=1, step=step)


HALTING = plan(
    task("a"),
    task("b", run='test "$WAVES_ATTEMPT" = 1 && echo BAD > b.txt || echo b > b.txt'),
    task("c"),
    head="gates:\n  clean: '! grep -ls BAD *.txt'\n",
)


@pytest.fixture(scope="module")
def halted(tmp_path_factory: pytest.TempPathFactory) -> RepoBuilder:
    """A run that has halted at its red gate, to be copied."""
    repo = make_scene(tmp_path_factory.mktemp("halted"), HALTING)
    assert drive(repo, "none", 0, "run").returncode == 3
    return repo


@pytest.mark.parametrize("word", ["retry", pytest.param("skip", marks=pytest.mark.long)])
def test_a_killed_retry_or_skip_of_a_merged_task_can_be_said_again(
    tmp_path: Path, halted: RepoBuilder, word: str
) -> None:
    command = (word, "b") if word == "retry" else (word, "b", "--reason", "no")
    for point, number in (("torn", 1), ("after", 1), ("before", 2), ("after", 2)):
        folder = tmp_path / f"{point}-{number}"
        subprocess.run(["cp", "-a", str(halted.folder.parent), str(folder)], check=True)
        repo = RepoBuilder(folder / "repo", halted.environment)
        repo.git("worktree", "repair", *map(str, sorted((folder / "repo.waves/p").iterdir())))
        assert drive(repo, point, number, *command).returncode == -9
        said = drive(repo, "none", 0, *command)
        assert said.returncode == (2 if number == 2 and point == "after" else 0), said.stdout + said.stderr
        done = drive(repo, "none", 0, "run")
        assert done.returncode == 0, done.stdout + done.stderr
        names = repo.git("ls-tree", "-r", "--name-only", INTEGRATION).split()
        wanted = ["a.txt", "b.txt", "c.txt"] if word == "retry" else ["a.txt", "c.txt"]
        assert [name for name in names if name.endswith(".txt")][: len(wanted)] == wanted
