"""Attended tasks: the run goes on around them and waits at the end; a person opens the worktree and hands the work in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run.test_whole_runs import events, merged
from tests.support.plans import plan, task
from tests.support.repo import RepoBuilder

TEXT = plan(
    task("a"),
    "  - id: draw\n    title: Draw the logo\n    files: {create: [logo.txt]}\n    attended: true\n"
    "    prompt: Draw it.\n    verify: grep -q ink logo.txt\n",
    task("b", needs=("draw",)),
    head="scheduler: ready-set",
)


def folder_of(repo: RepoBuilder, name: str) -> Path:
    """The worktree that a person is told."""
    return Path(repo.waves("open", name, "--print").strip())


def test_a_person_does_a_task_and_the_run_goes_on(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": TEXT})
    halted = repo.run_waves("run")
    assert halted.returncode == 3, halted.stdout + halted.stderr
    assert merged(repo) == ["a"], "everything that needs no person was done"
    assert "draw waits for a person (Draw the logo)\n" in halted.stdout
    assert (
        "next: 'git waves open draw', then 'git waves done draw', then 'git waves run' goes on\n"
        in halted.stdout
    )
    folder = folder_of(repo, "draw")
    (folder / "a.txt").write_text("foreign\n")
    repo.git("add", "a.txt", cwd=folder)
    repo.git("commit", "-qm", "x", cwd=folder, exit=1)  # the same fences as for an agent
    repo.git("rm", "-qf", "--cached", "a.txt", cwd=folder)
    (folder / "a.txt").unlink()
    (folder / "logo.txt").write_text("pencil\n")
    assert repo.waves("done", "draw") == (
        "task 'draw' is handed in; it is checked with the next run\nnext: 'git waves run' goes on\n"
    )
    again = repo.run_waves("run")
    assert again.returncode == 3, "what does not hold is no failure: the person mends it where it is"
    assert "draw waits for a person again, it fell at verify: verify command" in again.stdout
    assert folder_of(repo, "draw") == folder
    (folder / "logo.txt").write_text("ink\n")
    repo.waves("done", "draw")
    repo.waves("run")
    assert merged(repo) == ["a", "draw", "b"]
    assert [event["attempt"] for event in events(repo) if event["event"] == "task_leased"] == [1, 1, 1]


@pytest.mark.long
def test_a_checkpoint_changes_nothing_and_holds_back_what_needs_it(repo: RepoBuilder) -> None:
    text = plan(
        task("a"),
        "  - {id: look, needs: [a], files: [], attended: true, prompt: Is it good?}\n",
        task("b", needs=("look",)),
    )
    repo.commit({".waves/plan.yaml": text})
    assert repo.run_waves("run").returncode == 3
    assert (folder_of(repo, "look") / "a.txt").read_text() == "a\n", "what is to be looked at is there"
    repo.waves("done", "look")
    repo.waves("run")
    assert merged(repo) == ["a", "b"], "there is nothing to merge of it"
    assert repo.waves("status", "--porcelain").count("\tintegrated\t") == 3


@pytest.mark.long
def test_the_shell_of_a_person_knows_the_task_and_may_hand_it_in(repo: RepoBuilder, tmp_path: Path) -> None:
    repo.commit({".waves/plan.yaml": TEXT})
    repo.run_waves("run")
    shell = tmp_path / "shell"
    shell.write_text('#!/bin/sh\necho ink > logo.txt\npwd\necho "$WAVES_TASK"\ngit waves done draw\nexit 7\n')
    shell.chmod(0o755)
    typed = repo.waves("open", "draw", environment={"SHELL": str(shell)})
    assert typed.startswith("task 'draw': Draw the logo\nworktree: ")
    assert f"{tmp_path / 'repo.waves/p/draw.1'}\ndraw\ntask 'draw' is handed in" in typed
    assert typed.endswith("next: 'git waves run' goes on, unless it is at work\n")
    repo.waves("run")
    assert merged(repo) == ["a", "draw", "b"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("open", "b"), "task 'b' has no worktree yet: it is not its turn"),
        (("done", "b"), "task 'b' is pending: it is not its turn yet"),
        (("done", "a"), "task 'a' is integrated: only what waits for a person is handed in"),
        (("open", "a", "--print"), "task 'a' is integrated, and has no worktree any more"),
    ],
)
def test_what_makes_no_sense_is_refused(attended: RepoBuilder, words: tuple[str, ...], says: str) -> None:
    refused = attended.run_waves(*words)
    assert refused.returncode == 2
    assert says in refused.stderr


@pytest.fixture(scope="module")
def attended(tmp_path_factory: pytest.TempPathFactory) -> RepoBuilder:
    """A run that waits for a person."""
    from tests.support.repo import sealed_environment

    folder = tmp_path_factory.mktemp("attended")
    (folder / "home").mkdir()
    repo = RepoBuilder(folder / "repo", sealed_environment(folder / "home"))
    repo.commit({".waves/plan.yaml": TEXT})
    assert repo.run_waves("run").returncode == 3
    return repo
