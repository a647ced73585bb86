"""Task worktrees on real git: made, judged by trees, archived, removed."""

from __future__ import annotations

from pathlib import Path

import pytest

from git_waves.adapters import worktrees
from git_waves.adapters.git import Git
from git_waves.adapters.worktrees import Kept, Lease, Removed
from git_waves.core.model import Oid
from git_waves.errors import SurroundingsError
from tests.support.repo import RepoBuilder


def lease_in(repo: RepoBuilder, base: str, *, task: str = "t1", attempt: int = 1) -> Lease:
    return Lease(
        plan="p",
        run="r",
        task=task,
        attempt=attempt,
        branch=worktrees.branch_of("p", task, attempt),
        base=Oid(base),
        folder=repo.folder.parent / "repo.waves" / "p" / f"{task}.{attempt}",
        index=repo.folder.parent / "index" / f"{task}.{attempt}",
    )


@pytest.fixture
def base(repo: RepoBuilder) -> str:
    return repo.commit({"src/a.txt": "a\n", "src/b.txt": "b\n", ".gitignore": "*.log\n"})


@pytest.fixture
def git(repo: RepoBuilder) -> Git:
    return Git(repo.folder / ".git")


def made(git: Git, lease: Lease) -> Lease:
    worktrees.fill(git, lease, worktrees.ensure(git, lease))
    return lease


def test_a_worktree_has_its_branch_at_the_base_and_its_files(repo: RepoBuilder, git: Git, base: str) -> None:
    lease = made(git, lease_in(repo, base))
    assert git.ref(lease.branch) == base
    assert (lease.folder / "src/a.txt").read_text() == "a\n"
    assert repo.git("status", "--porcelain", cwd=lease.folder) == ""
    entry = next(entry for entry in git.worktrees() if entry.get("branch") == lease.branch)
    assert entry["locked"].startswith("git-waves: task t1")


def test_making_it_again_finds_it_as_it_is(repo: RepoBuilder, git: Git, base: str) -> None:
    lease = made(git, lease_in(repo, base))
    (lease.folder / "src/a.txt").write_text("changed\n")
    worktrees.ensure(git, lease)
    assert (lease.folder / "src/a.txt").read_text() == "changed\n"


def test_a_folder_that_is_not_ours_is_left_alone_and_named(repo: RepoBuilder, git: Git, base: str) -> None:
    lease = lease_in(repo, base)
    lease.folder.mkdir(parents=True)
    (lease.folder / "precious").write_text("mine")
    with pytest.raises(SurroundingsError, match="already exists and is not ours"):
        worktrees.ensure(git, lease)
    assert (lease.folder / "precious").read_text() == "mine"
    assert git.ref(lease.branch) is None


@pytest.mark.parametrize("damage", ["empty-commondir", "no-gitdir", "folder-without-git-file", "branch-only"])
def test_what_a_killed_worktree_add_left_is_mended(
    repo: RepoBuilder, git: Git, base: str, damage: str
) -> None:
    lease = lease_in(repo, base)
    other = made(git, lease_in(repo, base, task="t10"))
    if damage == "branch-only":
        repo.git("branch", "waves/p/t1/1", base)
    else:
        made(git, lease)
        admin = worktrees.admin_folder(lease.folder)
        if damage == "empty-commondir":
            (admin / "commondir").write_text("")
        elif damage == "no-gitdir":
            (admin / "gitdir").unlink()
            (admin / "locked").write_text("initializing")
        for path in sorted(lease.folder.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
    made(git, lease)
    assert (lease.folder / "src/a.txt").read_text() == "a\n"
    assert (other.folder / "src/a.txt").read_text() == "a\n"
    assert repo.git("worktree", "list", "--porcelain").count("worktree ") == 3
    assert repo.git("fsck", "--no-dangling") == ""


def test_uncommitted_work_is_seen_whatever_the_agent_did_to_its_index(
    repo: RepoBuilder, git: Git, base: str
) -> None:
    lease = made(git, lease_in(repo, base))
    (lease.folder / "src/a.txt").write_text("hidden\n")
    (lease.folder / "new.txt").write_text("new\n")
    (lease.folder / "noise.log").write_text("ignored\n")
    repo.git("update-index", "--assume-unchanged", "src/a.txt", cwd=lease.folder)
    repo.git("update-index", "--skip-worktree", "src/b.txt", cwd=lease.folder)
    (lease.folder / "src/b.txt").unlink()
    _, left = worktrees.uncommitted(git, lease, Oid(base))
    assert {(change.status, change.path) for change in left} == {
        ("M", "src/a.txt"),
        ("D", "src/b.txt"),
        ("A", "new.txt"),
    }


def test_judging_a_worktree_runs_nothing_the_agent_planted(
    repo: RepoBuilder, git: Git, base: str, tmp_path: Path
) -> None:
    lease = made(git, lease_in(repo, base))
    marker = tmp_path / "marker"
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {marker}\n")
    trap.chmod(0o755)
    repo.git("config", "extensions.worktreeConfig", "true")
    repo.git("config", "--worktree", "core.fsmonitor", str(trap), cwd=lease.folder)
    repo.git("config", "--worktree", "filter.evil.clean", str(trap), cwd=lease.folder)
    (lease.folder / ".gitattributes").write_text("* filter=evil\n")
    (lease.folder / "src/a.txt").write_text("x\n")
    marker.unlink(missing_ok=True)
    worktrees.uncommitted(git, lease, Oid(base))
    assert not marker.exists()


def test_merged_and_clean_work_leaves_no_archive(repo: RepoBuilder, git: Git, base: str) -> None:
    lease = made(git, lease_in(repo, base))
    assert worktrees.remove(git, lease, integration=Oid(base)) == Removed(archive=None)
    assert not lease.folder.exists()
    assert repo.git("worktree", "list", "--porcelain").count("worktree ") == 1


def test_unmerged_commits_and_leftovers_are_in_the_archive_before_the_folder_goes(
    repo: RepoBuilder, git: Git, base: str
) -> None:
    lease = made(git, lease_in(repo, base))
    (lease.folder / "src/a.txt").write_text("committed\n")
    repo.git("commit", "-qam", "work", cwd=lease.folder)
    (lease.folder / "untracked.txt").write_text("only copy\n")
    removed = worktrees.remove(git, lease, integration=Oid(base))
    assert removed == Removed(archive="refs/waves/archive/r/t1/1")
    assert repo.git("show", "refs/waves/archive/r/t1/1:untracked.txt") == "only copy"
    assert repo.git("show", "refs/waves/archive/r/t1/1:src/a.txt") == "committed"


def test_a_nested_repository_is_never_deleted(repo: RepoBuilder, git: Git, base: str) -> None:
    lease = made(git, lease_in(repo, base))
    nested = lease.folder / "nested"
    nested.mkdir()
    repo.git("init", "-q", cwd=nested)
    (nested / "work.txt").write_text("only copy\n")
    repo.git("add", ".", cwd=nested)
    repo.git("commit", "-qm", "inside", cwd=nested)
    kept = worktrees.remove(git, lease, integration=Oid(base))
    assert isinstance(kept, Kept)
    assert (nested / "work.txt").read_text() == "only copy\n"


def test_an_unreadable_file_keeps_the_worktree(repo: RepoBuilder, git: Git, base: str) -> None:
    lease = made(git, lease_in(repo, base))
    (lease.folder / "pipe").mkdir()
    (lease.folder / "pipe" / "loop").symlink_to("loop")
    (lease.folder / "empty-repository").mkdir()
    repo.git("init", "-q", cwd=lease.folder / "empty-repository")
    (lease.folder / "empty-repository" / "work.txt").write_text("only copy\n")
    kept = worktrees.remove(git, lease, integration=Oid(base))
    assert isinstance(kept, Kept), "git add refuses a repository without a commit, so nothing may be removed"
    assert (lease.folder / "empty-repository" / "work.txt").exists()


def test_a_folder_deleted_by_hand_is_forgotten_and_no_other(repo: RepoBuilder, git: Git, base: str) -> None:
    lease = made(git, lease_in(repo, base))
    strangers = repo.folder.parent / "strangers"
    repo.git("worktree", "add", "-q", "--detach", str(strangers))
    for folder in (lease.folder, strangers):
        for path in sorted(folder.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        folder.rmdir()
    assert worktrees.remove(git, lease, integration=Oid(base)) == Removed(archive=None)
    assert (repo.folder / ".git/worktrees/strangers").is_dir()


def test_a_throwaway_worktree_is_made_filled_and_dropped(repo: RepoBuilder, git: Git, base: str) -> None:
    folder = repo.folder.parent / "repo.waves" / "p" / "gate.1"
    worktrees.make_throwaway(git, folder, Oid(base), "git-waves: test")
    assert (folder / "src/b.txt").read_text() == "b\n"
    worktrees.make_throwaway(git, folder, Oid(base), "git-waves: test")
    worktrees.drop_throwaway(git, folder)
    assert not folder.exists()
    assert git.worktrees() == git.worktrees()[:1]
