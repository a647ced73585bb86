"""Locks of a git that was killed go, locks that somebody may hold stay."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from git_waves.adapters import dead_locks
from git_waves.adapters.dead_locks import remove_dead
from tests.support.repo import RepoBuilder

OURS = (
    "refs/waves/integration/p",
    "refs/waves/p/r/candidate",
    "refs/heads/waves/p/t1/1",
    "waves/runs/r/index/t1.1",
)
THEIRS = ("HEAD", "index", "refs/heads/main", "refs/heads/waves/other/t1/1", "refs/tags/v1")


@pytest.fixture
def locked(repo: RepoBuilder) -> RepoBuilder:
    """A repository in which everything is locked by nobody, for a long time."""
    repo.commit({"a.txt": "a\n"})
    for name in (*OURS, *THEIRS, "packed-refs", "config"):
        lock = repo.folder / ".git" / f"{name}.lock"
        lock.parent.mkdir(parents=True, exist_ok=True)
        lock.touch()
    return repo


def removed(repo: RepoBuilder, *, since: float = 0.0) -> list[str]:
    git_dir = repo.folder / ".git"
    found = remove_dead(git_dir, repo.folder, repo.folder.parent / "repo.waves/p", "p", since=since)
    return [str(lock.relative_to(git_dir)).removesuffix(".lock") for lock in found]


@contextmanager
def a_git(cwd: Path, *arguments: str) -> Iterator[None]:
    """A git at work there, waiting for its input."""
    argv = ["git", *arguments, "cat-file", "--batch"]
    with subprocess.Popen(argv, cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        # Until it is git, it is a copy of this process, and until it has read its arguments, another git starting.
        while Path(f"/proc/{process.pid}/comm").read_bytes() != b"git\n":
            time.sleep(0.005)
        try:
            yield
        finally:
            assert process.stdin is not None
            process.stdin.close()


def test_what_nobody_holds_goes_as_far_as_it_is_ours(
    locked: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dead_locks, "_YOUNG", 0.0)
    assert sorted(removed(locked)) == sorted([*OURS, "packed-refs", "config"])
    left = {path.name for path in (locked.folder / ".git").rglob("*.lock")}
    assert left == {"HEAD.lock", "index.lock", "main.lock", "1.lock", "v1.lock"}
    assert removed(locked) == []


def test_a_lock_that_was_there_before_the_run_is_somebody_elses(locked: RepoBuilder) -> None:
    assert sorted(removed(locked, since=time.time() + 60)) == sorted(OURS)


def test_a_git_at_work_in_the_repository_may_hold_any_lock(locked: RepoBuilder) -> None:
    with a_git(locked.folder):
        for name in OURS:
            os.utime(locked.folder / ".git" / f"{name}.lock")  # taken since it began
        assert removed(locked) == []
    assert set(removed(locked, since=time.time() + 60)) == set(OURS)


def test_a_git_that_names_the_repository_from_elsewhere_may_too(locked: RepoBuilder, tmp_path: Path) -> None:
    with a_git(tmp_path, f"--git-dir={locked.folder / '.git'}"):
        for name in OURS:
            os.utime(locked.folder / ".git" / f"{name}.lock")
        assert removed(locked) == []


def test_a_git_in_another_repository_holds_nothing_here(locked: RepoBuilder, tmp_path: Path) -> None:
    other = RepoBuilder(tmp_path / "other", locked.environment)
    with a_git(other.folder):
        for name in OURS:
            os.utime(locked.folder / ".git" / f"{name}.lock")
        assert set(removed(locked, since=time.time() + 60)) == set(OURS)


def test_a_git_that_came_after_the_lock_does_not_hold_it(
    locked: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 60)  # the locks are a minute old
    with a_git(locked.folder):
        assert set(removed(locked, since=now + 60)) == set(OURS)


def test_locks_of_a_worktree_of_ours_go_and_those_of_another_stay(repo: RepoBuilder, tmp_path: Path) -> None:
    repo.commit({"a.txt": "a\n"})
    for name, reason in (("ours", "git-waves: task t1, attempt 1 of run r"), ("theirs", "on a stick")):
        repo.git("worktree", "add", "-q", "--lock", "--reason", reason, str(tmp_path / name))
        (repo.folder / ".git/worktrees" / name / "index.lock").touch()
    assert removed(repo) == ["worktrees/ours/index"]


def test_a_worktree_whose_reason_a_power_cut_emptied_is_known_by_its_place(repo: RepoBuilder) -> None:
    repo.commit({"a.txt": "a\n"})
    for place in ("repo.waves/p/c.1", "repo.waves/other/d.1"):
        repo.git("worktree", "add", "-q", "--lock", "--reason", "x", str(repo.folder.parent / place))
        admin = repo.folder / ".git/worktrees" / place.rpartition("/")[2]
        (admin / "locked").write_text("")
        (admin / "HEAD.lock").touch()
    assert removed(repo) == ["worktrees/c.1/HEAD"]


def test_where_processes_cannot_be_seen_no_lock_is_dead(
    locked: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    exists = Path.exists
    monkeypatch.setattr(Path, "exists", lambda path: "/proc/" not in str(path) and exists(path))
    assert removed(locked) == []


def test_a_worktree_whose_pointer_a_power_cut_cut_is_known_by_its_own(repo: RepoBuilder) -> None:
    repo.commit({"a.txt": "a\n"})
    theirs = (
        repo.folder.parent / "elsewhere" / "c.11"
    )  # its name begins like one of ours, and an agent points there
    for place in (repo.folder.parent / "repo.waves/p/c.1", theirs):
        repo.git("worktree", "add", "-q", "--lock", "--reason", "x", str(place))
        admin = repo.folder / ".git/worktrees" / place.name
        (admin / "locked").write_text("")
        (admin / "HEAD.lock").touch()
    pointer = repo.folder / ".git/worktrees/c.1/gitdir"
    pointer.write_text(pointer.read_text()[:-12])
    liar = repo.folder.parent / "repo.waves/p/c"
    liar.mkdir()
    (liar / ".git").write_text((theirs / ".git").read_text())
    assert removed(repo) == ["worktrees/c.1/HEAD"]
