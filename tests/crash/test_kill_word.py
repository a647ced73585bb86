"""`kill -9` of a command that takes a merged task out of a halted run: said again, it is done."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.crash.test_kill import drive, make_scene
from tests.support.plans import plan, task
from tests.support.repo import RepoBuilder

INTEGRATION = "refs/waves/integration/p"
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


@pytest.mark.long
@pytest.mark.parametrize(
    ("word", "point", "number"),
    [("retry", "torn", 1), ("retry", "after", 1), ("skip", "before", 2), ("skip", "after", 2)],
)
def test_a_killed_retry_or_skip_of_a_merged_task_can_be_said_again(
    tmp_path: Path, halted: RepoBuilder, word: str, point: str, number: int
) -> None:
    command = (word, "b") if word == "retry" else (word, "b", "--reason", "no")
    folder = tmp_path / "copy"
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
