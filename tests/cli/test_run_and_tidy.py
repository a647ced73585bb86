"""`git waves run` as typed: its options, its voice, its rehearsal; then `clean` and `hooks uninstall` after real runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from git_waves.adapters import terminal
from git_waves.adapters.locks import coordinator_lock
from git_waves.adapters.terminal import ReaderLeftError
from tests.cli.conftest import Waves
from tests.support.golden import check_golden
from tests.support.plans import phase3, plan, task
from tests.support.repo import RepoBuilder

PLAN = ".waves/plan.yaml"
MIXED = plan(
    task("good"),
    task("bad", run="echo x > bad.txt; echo y > not-mine.txt"),
    head="on_failure: fail-dependents\nscheduler: ready-set",
)


def lines_of(text: str) -> list[str]:
    """The progress lines without their times."""
    return [line[10:] for line in text.splitlines() if line[:10].strip() and line[8:10] == "  "]


# ---------------------------------------------------------------------- run


def test_a_rehearsal_says_every_step_and_changes_nothing(repo: RepoBuilder, waves: Waves) -> None:
    base = repo.commit({PLAN: phase3()})
    text = waves("run", "--dry-run").out
    check_golden("run/dry-run.txt", text, replace={base[:10]: "<base>", str(repo.folder.parent): "<place>"})
    assert not (repo.folder / ".git/waves/runs").exists()
    assert repo.git("for-each-ref", "--format=%(refname)") == "refs/heads/main"


def test_a_rehearsal_obeys_the_options(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: phase3()})
    text = waves("run", "-n", "--only", "t1,t2", "--max", "2", "--scheduler", "ready-set").out
    assert "ready-set, up to 2 at once, on failure fail-dependents" in text
    assert "would not run 't3': left out by --only" in text
    assert "each task would start as soon as its needs are integrated" in text
    assert "  t2: branch 'waves/p/t2/1'" in text
    assert "  t3: branch" not in text


def test_a_rehearsal_refuses_what_a_run_would_refuse(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: plan(task("t1", run="surely-no-such-program"))})
    assert "W501" in waves("run", "--dry-run", exit=1).err
    assert "the base 'nowhere' does not exist" in _err(waves, repo, "run", "-n", "--base", "nowhere")


def _err(waves: Waves, repo: RepoBuilder, *words: str) -> str:
    repo.commit({PLAN: plan(task("t1"))})
    return waves(*words, exit=2).err


def test_opposites_are_refused(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: phase3()})
    assert waves("run", "--accept", "--restore", exit=2).err == (
        "fatal: --accept and --restore are each other's opposite\nhint: choose one\n"
    )


def test_a_run_speaks_plainly_and_its_last_words_lead_on(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: plan(task("t1"))})
    out = waves("run").out
    told = [re.sub(r"after [0-9]+s", "after 0s", line) for line in lines_of(out)]
    assert told[0] == "plan p: 1 task in 1 group, sequential, up to 4 at once, from 'main'"
    assert told[1:4] == [
        "t1: attempt 1 starts",
        "t1: passed after 0s, 1 path changed",
        "t1: merged into the candidate",
    ]
    assert "note: set extensions.worktreeConfig in this repository" in out
    tip = repo.git("rev-parse", "waves/p/integration")[:10]
    assert out.endswith(
        "\nplan 'p' is finished: 1 integrated\n"
        f"integration: branch 'waves/p/integration' at {tip}\n"
        "next: 'git merge waves/p/integration' to take the work in\n"
        "report: 'git waves report p', as one page with '--html FILE'\n"
    )
    again = waves("run", "--dry-run").out
    assert again.startswith("run '")
    assert again.endswith("is finished: 1 integrated; nothing is to do\n")


def test_quiet_leaves_only_the_last_words_and_verbose_tells_the_rungs(
    repo: RepoBuilder, waves: Waves
) -> None:
    repo.commit({PLAN: plan(task("t1"))})
    assert lines_of(waves("run", "--quiet").out) == []
    assert "t1: agent" in lines_of(waves("run", "--new", "-v").out)


def test_a_run_goes_on_when_nobody_reads_it_any_more(
    repo: RepoBuilder, waves: Waves, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit({PLAN: plan(task("t1"))})
    written = []

    def leave(text: str) -> None:
        written.append(text)
        raise ReaderLeftError

    with monkeypatch.context() as patched:
        patched.setattr(terminal, "write", leave)
        waves("run")
    assert len(written) == 1, "after the first refusal nothing more is said"
    assert "is finished" in waves("status").out


def test_a_second_coordinator_is_refused_with_the_holder(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: plan(task("t1"))})
    with coordinator_lock(repo.folder / ".git", "p"):
        err = waves("run", exit=4).err
    assert "plan 'p' is already being run by process " in err
    assert "'git waves status --watch' shows it, 'git waves stop' ends it" in err


# ---------------------------------------------------------------------- clean and uninstall


@pytest.fixture
def halted(repo: RepoBuilder, waves: Waves) -> RepoBuilder:
    """After a run in which `good` was integrated and `bad` failed with work that nobody merged."""
    repo.commit({PLAN: MIXED})
    waves("run", exit=1)
    return repo


def places(repo: RepoBuilder) -> dict[str, str]:
    """What paths and ids in the output stand for."""
    run = next((repo.folder / ".git/waves/runs").iterdir()).name
    return {str(repo.folder.parent): "<place>", run: "<run>"}


def test_clean_removes_what_is_proved_merged_and_says_why_it_keeps_the_rest(
    halted: RepoBuilder, waves: Waves
) -> None:
    rehearsed = waves("clean", "--dry-run").out
    cleaned = waves("clean").out
    check_golden("tidy/clean.txt", cleaned, replace=places(halted))
    assert rehearsed.replace("would remove", "removed").replace("would keep", "kept") == cleaned
    assert halted.git("branch", "--list", "waves/p/good/*") == ""
    assert (halted.folder.parent / "repo.waves/p/bad.1/not-mine.txt").is_file()
    kept = [line for line in cleaned.splitlines() if line.startswith("kept ")]
    assert waves("clean").out.splitlines() == kept, "cleaning twice keeps the same"


def test_clean_with_archive_saves_first_and_then_nothing_is_left(halted: RepoBuilder, waves: Waves) -> None:
    assert "its work would be saved in a ref" in waves("clean", "-n", "--archive").out
    check_golden("tidy/archive.txt", waves("clean", "--archive").out, replace=places(halted))
    (saved,) = halted.git("for-each-ref", "--format=%(refname)", "refs/waves/archive").splitlines()
    assert halted.git("show", f"{saved}:not-mine.txt") == "y"
    assert not (halted.folder.parent / "repo.waves").exists()
    kept = [line.split("'")[0] for line in waves("clean").out.splitlines()]
    assert kept == ["kept archive ", "kept record of plan "]
    waves("retry", "bad")
    assert "bad: attempt 2 starts" in lines_of(waves("run", exit=1).out), (
        "what was cleaned can be tried again"
    )


@pytest.mark.long
def test_clean_that_could_not_save_something_keeps_it_and_ends_with_an_error(
    halted: RepoBuilder, waves: Waves
) -> None:
    (run,) = (halted.folder / ".git/waves/runs").iterdir()
    in_the_way = halted.folder / f".git/refs/waves/archive/{run.name}/bad/1.lock"
    in_the_way.parent.mkdir(parents=True)
    in_the_way.touch()
    told = waves("clean", "--archive", exit=4)
    worktree = halted.folder.parent / "repo.waves/p/bad.1"
    assert told.out.startswith("kept plan 'p': ") and f"is locked by '{in_the_way}'" in told.out
    assert (worktree / "not-mine.txt").read_text() == "y\n"
    in_the_way.unlink()
    assert f"removed worktree '{worktree}'" in waves("clean", "--archive").out


def test_clean_leaves_a_plan_that_is_being_run_alone(halted: RepoBuilder, waves: Waves) -> None:
    with coordinator_lock(halted.folder / ".git", "p"):
        out = waves("clean", "--archive").out
    assert out.startswith("kept plan 'p': plan 'p' is already being run by process ")
    assert (halted.folder.parent / "repo.waves/p/bad.1").is_dir()


def test_clean_never_touches_what_is_not_ours(halted: RepoBuilder, waves: Waves, tmp_path: Path) -> None:
    halted.git("branch", "waves/p/theirs")
    halted.git("branch", "feature/x")
    halted.git("worktree", "add", "-q", "-b", "other", str(tmp_path / "other"))
    waves("clean", "--archive")
    left = halted.git("for-each-ref", "--format=%(refname)", "refs/heads").splitlines()
    assert left == [
        f"refs/heads/{name}"
        for name in ("feature/x", "main", "other", "waves/p/integration", "waves/p/theirs")
    ]
    assert (tmp_path / "other/.git").is_file()


def test_clean_keeps_a_branch_that_somebody_checked_out(
    halted: RepoBuilder, waves: Waves, tmp_path: Path
) -> None:
    halted.git("worktree", "add", "-q", str(tmp_path / "look"), "waves/p/good/1")
    out = waves("clean").out
    assert f"kept branch 'waves/p/good/1': it is checked out in '{tmp_path / 'look'}'" in out


def test_clean_believes_git_and_not_the_log(halted: RepoBuilder, waves: Waves) -> None:
    """A branch that was moved on after its merge holds work that is nowhere else."""
    tip = halted.git("rev-parse", "waves/p/good/1")
    more = halted.git("commit-tree", "-p", tip, "-m", "more", f"{tip}^{{tree}}")
    halted.git("update-ref", "refs/heads/waves/p/good/1", more)
    assert (
        "kept branch 'waves/p/good/1': it has commits that are not in the integration ref"
        in waves("clean").out
    )
    assert halted.git("rev-parse", "waves/p/good/1") == more


def test_clean_of_a_damaged_run_keeps_everything_of_it(halted: RepoBuilder, waves: Waves) -> None:
    (log,) = (halted.folder / ".git/waves/runs").glob("*/events.jsonl")
    first, *rest = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([first, b"damage\n", *rest]))
    before = halted.git("for-each-ref")
    assert "the event log is damaged" in waves("clean", "--archive", exit=4).out
    assert halted.git("for-each-ref") == before


def test_clean_where_nothing_ran(waves: Waves) -> None:
    assert waves("clean").out == "nothing of ours is left to remove\n"
    assert "plan 'q' has no run here" in waves("clean", "--plan", "q", exit=2).err


def test_uninstall_waits_for_the_last_worktree_and_then_leaves_no_trace(
    repo: RepoBuilder, waves: Waves
) -> None:
    before = (repo.folder / ".git/config").read_bytes()
    repo.commit({PLAN: MIXED})
    waves("run", exit=1)
    assert (repo.folder / ".git/config").read_bytes() != before
    assert waves("hooks", "uninstall", exit=4).err == (
        "fatal: task worktrees still need their hooks: 'bad.1'\n"
        "hint: 'git waves clean' removes those that are merged, 'git waves clean --archive' the others too\n"
    )
    waves("clean", "--archive")
    assert waves("hooks", "uninstall").out == (
        "took extensions.worktreeConfig back; the configuration is as it was, byte for byte\n"
    )
    assert (repo.folder / ".git/config").read_bytes() == before
    assert waves("hooks", "uninstall").out == (
        "nothing to take back: no run has changed this repository's configuration\n"
    )


def test_uninstall_does_not_take_settings_of_others_along(
    repo: RepoBuilder, waves: Waves, tmp_path: Path
) -> None:
    repo.commit({PLAN: plan(task("t1"))})
    waves("run")
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "other"))
    repo.git("config", "--worktree", "user.name", "Somebody", cwd=tmp_path / "other")
    assert "holds settings that only count while" in waves("hooks", "uninstall", exit=4).err
