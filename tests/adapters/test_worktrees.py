"""Task worktrees on real git: made, judged by trees, archived, removed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from git_waves.adapters import archive, handoff, throwaway, worktrees
from git_waves.adapters.git import Git, GitError
from git_waves.adapters.worktrees import Kept, Lease, Removed
from git_waves.core.model import Oid, RepoPath
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


@contextmanager
def monkeypatched(git: Git, verb: str, *, error: GitError) -> Iterator[None]:
    """Let one verb of this door fail."""

    def fail(*_: object, **__: object) -> None:
        raise error

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(git, verb, fail)
        yield


@pytest.fixture
def base(repo: RepoBuilder) -> str:
    return repo.commit({"src/a.txt": "a\n", "src/b.txt": "b\n", ".gitignore": "*.log\n"})


@pytest.fixture
def git(repo: RepoBuilder) -> Git:
    return Git(repo.folder / ".git")


def made(git: Git, lease: Lease) -> Lease:
    worktrees.fill(lease, worktrees.ensure(git, lease))
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


@pytest.mark.parametrize(
    "damage", ["empty-commondir", "no-gitdir", "head-of-zeros", "folder-without-git-file", "branch-only"]
)
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
        elif damage == "head-of-zeros":
            (admin / "HEAD").write_text("0" * 40 + "\n")
        for path in sorted(lease.folder.rglob("*"), reverse=True):
            if path.name == ".git" and damage == "head-of-zeros":
                continue
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


def test_whatever_an_agent_leaves_is_saved_and_what_git_ignores_is_not(
    repo: RepoBuilder, git: Git, base: str
) -> None:
    """Ignored files are build output and copies of the user's own: saving a `node_modules` with each attempt helps nobody."""
    lease = made(git, lease_in(repo, base))
    (repo.folder / ".git/info/exclude").write_text("mine/\n")
    (lease.folder / "src/a.txt").write_text("changed\n")
    (lease.folder / "src/b.txt").unlink()
    (lease.folder / "staged.txt").write_text("staged\n")
    repo.git("add", "staged.txt", cwd=lease.folder)
    (lease.folder / "staged.txt").write_text("and changed since\n")
    tool = lease.folder / "deep/tool"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    (lease.folder / "link").symlink_to("/etc/passwd")
    for ignored in ("build.log", "mine/notes.txt"):
        (lease.folder / ignored).parent.mkdir(exist_ok=True)
        (lease.folder / ignored).write_text("not saved\n")
    removed = worktrees.remove(git, lease, integration=Oid(base))
    assert removed == Removed(archive="refs/waves/archive/r/t1/1")
    listed = repo.git("ls-tree", "-r", "refs/waves/archive/r/t1/1").splitlines()
    assert {line.split("\t")[1]: line[:6] for line in listed} == {
        ".gitignore": "100644",
        "deep/tool": "100755",
        "link": "120000",
        "src/a.txt": "100644",
        "staged.txt": "100644",
    }
    assert repo.git("show", "refs/waves/archive/r/t1/1:staged.txt") == "and changed since"
    assert repo.git("show", "refs/waves/archive/r/t1/1:src/a.txt") == "changed"
    assert not lease.folder.exists()


def test_what_was_handed_on_is_kept_anyway_unless_it_was_changed(
    repo: RepoBuilder, git: Git, base: str
) -> None:
    for attempt, content in ((1, "as it was\n"), (2, "changed\n")):
        lease = made(git, lease_in(repo, base, attempt=attempt))
        (lease.folder / "notes.md").write_text("as it was\n")
        index = lease.index.with_name("handed-on")
        tree = handoff.take(git, lease.folder, [RepoPath("notes.md")], index=index)
        assert not isinstance(tree, handoff.Unfit)
        (lease.folder / "notes.md").write_text(content)
        removed = worktrees.remove(git, lease, integration=Oid(base), handed_on=[tree])
        kept_in = f"refs/waves/archive/r/t1/{attempt}" if attempt == 2 else None
        assert removed == Removed(archive=kept_in)
    assert repo.git("show", "refs/waves/archive/r/t1/2:notes.md") == "changed"


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


def test_a_removal_that_was_killed_on_its_way_and_is_repeated_loses_nothing(
    repo: RepoBuilder, git: Git, base: str
) -> None:
    lease = made(git, lease_in(repo, base))
    (lease.folder / "src/a.txt").write_text("committed\n")
    repo.git("commit", "-qam", "work", cwd=lease.folder)
    (lease.folder / "untracked.txt").write_text("only copy\n")
    first = archive.archive_of("r", "t1", 1)
    with monkeypatched(git, "remove_worktree", error=GitError(["worktree"], -9, "killed")):
        assert isinstance(worktrees.remove(git, lease, integration=Oid(base)), Kept)
    saved = repo.git("rev-parse", first)
    with monkeypatched(git, "remove_worktree", error=GitError(["worktree"], -9, "killed")):
        worktrees.remove(git, lease, integration=Oid(base))
    assert repo.git("rev-parse", first) == saved, "the same is not saved twice"
    (lease.folder / "untracked.txt").unlink()  # git had come this far
    removed = worktrees.remove(git, lease, integration=Oid(base))
    assert removed == Removed(archive=first), "the branch's tip hangs on the first archive"
    assert worktrees.remove(git, lease, integration=Oid(base)) == removed, "the event was lost, so once more"
    assert repo.git("show", f"{first}:untracked.txt") == "only copy"


def test_two_states_of_one_worktree_are_both_kept(repo: RepoBuilder, git: Git, base: str) -> None:
    lease = made(git, lease_in(repo, base))
    names = []
    for text in ("one\n", "two\n"):
        (lease.folder / "untracked.txt").write_text(text)
        with monkeypatched(git, "remove_worktree", error=GitError(["worktree"], -9, "killed")):
            worktrees.remove(git, lease, integration=Oid(base))
    names = repo.git("for-each-ref", "--format=%(refname)", "refs/waves/archive/").split()
    assert [repo.git("show", f"{name}:untracked.txt") for name in names] == ["one", "two"]


@pytest.mark.parametrize("has_leftovers", [False, True])
def test_commits_on_a_detached_head_are_archived_with_the_branch(
    repo: RepoBuilder, git: Git, base: str, *, has_leftovers: bool
) -> None:
    lease = made(git, lease_in(repo, base))
    repo.git("commit", "-q", "--allow-empty", "-m", "on the branch", cwd=lease.folder)
    tip = repo.git("rev-parse", "HEAD", cwd=lease.folder)
    repo.git("checkout", "-q", "--detach", base, cwd=lease.folder)
    (lease.folder / "src/a.txt").write_text("precious\n")
    repo.git("commit", "-qam", "detached", cwd=lease.folder)
    detached = repo.git("rev-parse", "HEAD", cwd=lease.folder)
    if has_leftovers:
        (lease.folder / "src/a.txt").write_text("and more\n")
    removed = worktrees.remove(git, lease, integration=Oid(base))
    assert removed == Removed(archive="refs/waves/archive/r/t1/1")
    for commit in (tip, detached):
        repo.git("merge-base", "--is-ancestor", commit, "refs/waves/archive/r/t1/1")


def test_a_worktree_that_somebody_made_theirs_is_kept_and_never_filled_again(
    repo: RepoBuilder, git: Git, base: str
) -> None:
    lease = made(git, lease_in(repo, base))
    repo.git("branch", "-m", "waves/p/t1/1", "rescue")
    (lease.folder / "src/a.txt").write_text("rescued\n")
    kept = worktrees.remove(git, lease, integration=Oid(base))
    assert kept == Kept(reason="somebody works there on 'rescue'")
    with pytest.raises(SurroundingsError, match="already exists and is not ours"):
        worktrees.ensure(git, lease)
    other_run = replace(lease, run="another")
    repo.git("branch", "-m", "rescue", "waves/p/t1/1")
    with pytest.raises(SurroundingsError, match="already exists and is not ours"):
        worktrees.ensure(git, other_run)
    assert (lease.folder / "src/a.txt").read_text() == "rescued\n"


def test_a_symbolic_link_in_a_worktrees_place_leads_nowhere(repo: RepoBuilder, git: Git, base: str) -> None:
    lease = made(git, lease_in(repo, base))
    other = made(git, lease_in(repo, base, task="t2"))
    (other.folder / "new.txt").write_text("the sibling's\n")
    lease.folder.rename(lease.folder.with_name("aside"))
    lease.folder.symlink_to(other.folder)
    assert isinstance(worktrees.remove(git, lease, integration=Oid(base)), Kept)
    lease.folder.unlink()
    lease.folder.symlink_to(repo.folder.parent)
    assert isinstance(worktrees.remove(git, lease, integration=Oid(base)), Kept)
    assert (other.folder / "new.txt").exists()
    assert repo.git("for-each-ref", "refs/waves/archive/") == ""


def test_a_submodule_that_was_filled_keeps_the_worktree(repo: RepoBuilder, git: Git, tmp_path: Path) -> None:
    library = RepoBuilder(tmp_path / "library", repo.environment)
    library.commit({"l.c": "1\n"})
    local = ("-c", "protocol.file.allow=always")
    repo.git(*local, "submodule", "add", "-q", str(library.folder), "lib")
    lease = made(git, lease_in(repo, repo.commit({})))
    empty = made(git, lease_in(repo, lease.base, task="t2"))
    repo.git(*local, "submodule", "update", "-q", "--init", cwd=lease.folder)
    (lease.folder / "lib" / "new.c").write_text("only copy\n")
    assert isinstance(worktrees.remove(git, lease, integration=lease.base), Kept)
    assert (lease.folder / "lib" / "new.c").exists()
    assert worktrees.remove(git, empty, integration=lease.base) == Removed(archive=None)


@pytest.mark.parametrize("trouble", ["damaged", "locked", "collected", "gone"])
def test_an_index_of_ours_that_cannot_be_used_is_made_anew(
    repo: RepoBuilder, git: Git, base: str, trouble: str
) -> None:
    lease = made(git, lease_in(repo, base))
    (lease.folder / "new.txt").write_text("new\n")
    worktrees.snapshot(git, lease)
    if trouble == "damaged":
        lease.index.write_bytes(b"no index")
    elif trouble == "locked":
        lease.index.with_name(lease.index.name + ".lock").write_bytes(b"")
    elif trouble == "collected":
        repo.git("gc", "-q", "--prune=now")
    else:
        lease.index.unlink()
    _, left = worktrees.uncommitted(git, lease, Oid(base))
    assert [change.path for change in left] == ["new.txt"]


def test_a_half_made_worktree_of_somebody_else_is_not_mended_away(
    repo: RepoBuilder, git: Git, base: str
) -> None:
    broken = made(git, lease_in(repo, base, task="t1", attempt=11))
    admin = worktrees.admin_folder(broken.folder)
    (admin / "HEAD").unlink()
    made(git, lease_in(repo, base))
    assert (admin / "index").exists()


def test_an_emptied_way_back_is_given_back_before_it_stops_git_for_everybody(
    repo: RepoBuilder, git: Git, base: str
) -> None:
    lease = made(git, lease_in(repo, base))
    common = worktrees.admin_folder(lease.folder) / "commondir"
    before = common.read_bytes()
    common.write_bytes(b"")
    repo.git("worktree", "list", exit=128)
    made(git, lease_in(repo, base, task="t2"))
    assert common.read_bytes() == before
    assert repo.git("status", "--porcelain", cwd=lease.folder) == ""


def test_what_a_power_cut_emptied_stops_nobody_whoever_made_it(
    repo: RepoBuilder, git: Git, base: str, tmp_path: Path
) -> None:
    repo.git("worktree", "add", "-q", "-b", "their-branch", str(tmp_path / "theirs"))
    theirs = repo.folder / ".git/worktrees/theirs"
    ours = made(git, lease_in(repo, base))
    for name in ("commondir", "index"):
        (theirs / name).write_bytes(b"")
    index = worktrees.admin_folder(ours.folder) / "index"
    index.write_bytes(b"")
    repo.git("status", exit=None)
    repo.git("worktree", "list", exit=128)
    made(git, lease_in(repo, base, task="t2"))
    assert (theirs / "commondir").read_text() == "../..\n"
    assert (theirs / "index").exists(), "what is theirs is theirs to mend"
    assert not index.exists()
    assert (ours.folder / "README").exists() or any(ours.folder.iterdir()), "no file was touched"


def test_only_a_gates_worktree_is_thrown_away(repo: RepoBuilder, git: Git, base: str) -> None:
    lease = made(git, lease_in(repo, base, task="gate"))
    (lease.folder / "new.txt").write_text("only copy\n")
    throwaway.drop(git, lease.folder)
    with pytest.raises(SurroundingsError, match="not ours"):
        throwaway.make(git, lease.folder, Oid(base), "r")
    assert (lease.folder / "new.txt").exists()


def test_a_gates_worktree_that_git_cannot_remove_is_told_and_not_fatal(
    repo: RepoBuilder, git: Git, base: str
) -> None:
    folder = repo.folder.parent / "repo.waves" / "p" / "gate.1"
    throwaway.make(git, folder, Oid(base), "r")
    with monkeypatched(git, "remove_worktree", error=GitError(["worktree"], 255, "failed to delete")):
        assert throwaway.drop(git, folder) == "failed to delete"
    assert throwaway.drop(git, folder) == ""


def test_a_throwaway_worktree_is_made_filled_and_dropped(repo: RepoBuilder, git: Git, base: str) -> None:
    folder = repo.folder.parent / "repo.waves" / "p" / "gate.1"
    throwaway.make(git, folder, Oid(base), "git-waves: test")
    assert (folder / "src/b.txt").read_text() == "b\n"
    throwaway.make(git, folder, Oid(base), "git-waves: test")
    throwaway.drop(git, folder)
    assert not folder.exists()
    assert git.worktrees() == git.worktrees()[:1]


def test_the_empty_folder_of_a_killed_git_goes_with_the_gates_and_with_the_attempt(
    repo: RepoBuilder, git: Git, base: str
) -> None:
    """It made the folder, and the power went off before it wrote down whose that is."""
    gate = repo.folder.parent / "repo.waves" / "p" / "gate.1"
    gate.mkdir(parents=True)
    assert throwaway.drop(git, gate) == ""
    assert not gate.exists()
    lease = lease_in(repo, base)
    lease.folder.mkdir(parents=True)
    assert worktrees.remove(git, lease, integration=Oid(base)) == worktrees.Removed(archive=None)
    assert not lease.folder.exists()


def test_what_git_knows_of_a_gates_worktree_goes_when_its_folder_is_gone(
    repo: RepoBuilder, git: Git, base: str
) -> None:
    folder = repo.folder.parent / "repo.waves" / "p" / "gate.1"
    throwaway.make(git, folder, Oid(base), "r")
    shutil.rmtree(folder)
    assert throwaway.drop(git, folder) == ""
    assert len(git.worktrees()) == 1


def test_a_worktree_is_called_removed_only_when_no_power_cut_can_bring_it_back(
    repo: RepoBuilder, git: Git, base: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lease = made(git, lease_in(repo, base))
    synced: list[tuple[Path, bool]] = []
    monkeypatch.setattr(worktrees, "sync_path", lambda place: synced.append((place, lease.folder.exists())))
    assert worktrees.remove(git, lease, integration=Oid(base)) == worktrees.Removed(archive=None)
    assert (lease.folder.parent, False) in synced
    assert (git.git_dir / "worktrees", False) in synced
