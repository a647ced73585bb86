"""`git waves restore`: archived work on a branch of its own, and the list of what there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Waves
from tests.support.digest import digest_of_users_things
from tests.support.golden import check_golden
from tests.support.plans import plan, task
from tests.support.repo import RepoBuilder

LEAVES = "echo 'try $WAVES_ATTEMPT' > t1.txt; echo more > more.txt; echo noise > x.log; exit 3"


@pytest.fixture
def failed(repo: RepoBuilder, waves: Waves) -> RepoBuilder:
    """After a run whose task failed twice; both attempts were archived."""
    tries = LEAVES.replace("'try $WAVES_ATTEMPT'", '"try $WAVES_ATTEMPT"')
    repo.commit(
        {
            ".waves/plan.yaml": plan(
                task("t1", run=tries, files="{create: [t1.txt, more.txt]}"), task("t2", needs=["t1"])
            ),
            ".gitignore": "*.log\n",
        }
    )
    waves("run", exit=1)
    waves("retry", "t1")
    waves("run", exit=1)
    waves("clean", "--archive")
    return repo


def names(repo: RepoBuilder) -> dict[str, str]:
    """What paths and ids in the output stand for."""
    run = next((repo.folder / ".git/waves/runs").iterdir()).name
    tips = repo.git("for-each-ref", "--format=%(objectname:short=10)", "refs/waves/archive").split()
    return {str(repo.folder.parent): "<place>", run: "<run>", **dict.fromkeys(tips, "<commit>")}


def test_what_failed_comes_back_on_a_branch_and_nothing_else_moves(failed: RepoBuilder, waves: Waves) -> None:
    before = digest_of_users_things(failed)
    refs = failed.git("for-each-ref").splitlines()
    out = waves("restore", "t1", "--attempt", "2").out
    check_golden("restore/restored.txt", out, replace=names(failed))
    assert failed.git("show", "restored/t1.2:t1.txt") == "try 2"
    assert failed.git("ls-tree", "--name-only", "restored/t1.2").split() == [
        ".gitignore",
        ".waves",
        "more.txt",
        "t1.txt",
    ], "ignored files are build output and not saved"
    after = digest_of_users_things(failed)
    assert {name for name in after if after[name] != before[name]} <= {"refs", "reflogs"}
    now = failed.git("for-each-ref").splitlines()
    assert [line.split()[2] for line in now if line not in refs] == ["refs/heads/restored/t1.2"]
    assert "holds already" in waves("restore", "t1", "--attempt", "2").out


def test_of_several_archives_each_is_listed_with_what_to_type(failed: RepoBuilder, waves: Waves) -> None:
    told = waves("restore", "t1", exit=2)
    check_golden("restore/several.txt", told.out + told.err, replace=names(failed))
    assert waves("restore").out == told.out, "without a task everything there is"
    ref = told.out.split("git waves restore ")[1].split()[0]
    assert "branch 'restored/t1.1' holds task 't1' attempt 1" in waves("restore", ref).out


def test_a_branch_and_a_folder_of_ones_own_choice(failed: RepoBuilder, waves: Waves, tmp_path: Path) -> None:
    place = tmp_path / "look here"
    out = waves("restore", "t1", "--attempt", "1", "--to", "rescue/t1", "--worktree", str(place)).out
    assert f"it is checked out in '{place}'" in out
    assert (place / "t1.txt").read_text() == "try 1\n"
    assert failed.git("branch", "--show-current", cwd=place) == "rescue/t1"
    assert failed.git("branch", "--show-current") == "main"
    again = waves("restore", "t1", "--attempt", "2", "--worktree", str(place), exit=2)
    assert f"'{place}' is there already" in again.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("t9",), "nothing of task 't9' was archived"),
        (("t1", "--attempt", "7"), "nothing of attempt 7 of task 't1' was archived"),
        (("t1", "--attempt", "1", "--to", "-x"), "'-x' cannot be the name of a branch for people"),
        (("t1", "--attempt", "1", "--to", "a..b"), "'a..b' cannot be the name of a branch for people"),
        (("t1", "--attempt", "1", "--to", "waves/p/x"), "'waves/p/x' cannot be the name of a branch"),
        (("t1", "--attempt", "1", "--to", "main"), "branch 'main' is there already and holds something else"),
        (("t1", "--attempt", "1", "--to", "main/x"), "branch 'main/x' could not be created"),
        (("t1", "--plan", "q"), "nothing of task 't1' was archived"),
    ],
)
@pytest.mark.usefixtures("failed")
def test_what_cannot_be_is_told(waves: Waves, words: tuple[str, ...], says: str) -> None:
    assert says in waves("restore", *words, exit=2).err


def test_work_that_is_in_its_branch_is_said_to_be_there(repo: RepoBuilder, waves: Waves) -> None:
    assert waves("restore").out == "nothing is archived\n"
    repo.commit({".waves/plan.yaml": plan(task("t1"))})
    waves("run")
    assert "hint: its work is in branch 'waves/p/t1/1'" in waves("restore", "t1", exit=2).err


def test_an_agent_restores_nothing(
    failed: RepoBuilder, waves: Waves, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAVES_RUN", "some-run")
    assert "not for its agents" in waves("restore", "t1", "--attempt", "1", exit=2).err
    assert failed.git("branch", "--list", "restored/*") == ""


def test_clean_says_how_an_archive_comes_back_and_drops_what_was_merged_since(
    failed: RepoBuilder, waves: Waves
) -> None:
    check_golden("tidy/archives.txt", waves("clean").out, replace=names(failed))
    waves("restore", "t1", "--attempt", "1")
    failed.git("update-ref", "refs/waves/integration/p", "restored/t1.1")
    out = waves("clean").out
    assert "/t1/1': its work is in the integration ref" in out
    assert "removed archive 'refs/waves/archive/" in out
    assert "kept archive 'refs/waves/archive/" in out
