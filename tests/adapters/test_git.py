"""The door to git, against real git."""

from __future__ import annotations

from pathlib import Path

import pytest

from git_waves.adapters.git import Git, GitError, MergeConflict, MergedTree
from git_waves.core.model import Oid, RepoPath
from git_waves.errors import SurroundingsError
from tests.support.repo import RepoBuilder


def door(repo: RepoBuilder) -> Git:
    return Git(repo.folder / ".git")


def test_a_rename_is_seen_as_a_delete_and_an_add(repo: RepoBuilder) -> None:
    old = repo.commit({"a.txt": "same\n" * 20})
    repo.git("mv", "a.txt", "b.txt")
    new = repo.commit({})
    seen = [(change.status, change.path) for change in door(repo).changes(Oid(old), Oid(new))]
    assert seen == [("D", "a.txt"), ("A", "b.txt")]


def test_paths_with_newlines_quotes_and_foreign_bytes_survive(repo: RepoBuilder) -> None:
    old = repo.commit({"a": "1"})
    names = ["new\nline", 'qu"ote', "-rf", "by\udcfftes"]
    new = repo.commit(dict.fromkeys(names, "x"))
    assert {change.path for change in door(repo).changes(Oid(old), Oid(new))} == set(names)


def test_a_clean_merge_gives_a_tree_and_a_conflict_gives_its_paths(repo: RepoBuilder) -> None:
    base = repo.commit({"a": "1\n", "b": "1\n"})
    ours = repo.commit({"a": "ours\n"})
    repo.git("checkout", "--quiet", "-b", "side", base)
    clean = repo.commit({"b": "theirs\n"})
    clash = repo.commit({"a": "theirs\n"})
    git = door(repo)
    merged = git.merge_tree(Oid(ours), Oid(clean), attributes=repo.folder)
    assert isinstance(merged, MergedTree)
    assert git.blob(f"{merged.tree}:b") == b"theirs\n"
    conflict = git.merge_tree(Oid(ours), Oid(clash), attributes=repo.folder)
    assert isinstance(conflict, MergeConflict)
    assert conflict.paths == ("a",)
    assert any("Merge conflict in a" in message for message in conflict.messages)


def test_a_ref_moves_only_from_the_value_we_read(repo: RepoBuilder) -> None:
    one = repo.commit({"a": "1"})
    two = repo.commit({"a": "2"})
    git = door(repo)
    assert git.update_refs([f"create refs/waves/x {one}"], message="waves: test")
    assert not git.update_refs([f"update refs/waves/x {two} {two}"], message="waves: test")
    assert git.ref("refs/waves/x") == one
    assert git.update_refs([f"update refs/waves/x {two} {one}"], message="waves: test")
    assert git.refs("refs/waves/") == {"refs/waves/x": two}


def test_a_ref_that_cannot_move_for_another_reason_is_no_ref_that_moved(repo: RepoBuilder) -> None:
    one = repo.commit({"a": "1"})
    git = door(repo)
    assert git.update_refs([f"create refs/waves/x {one}"], message="waves: test")
    with pytest.raises(GitError, match="nonexistent object"):
        git.update_refs([f"update refs/waves/x {'1' * 40} {one}"], message="waves: test")
    assert not git.update_refs([f"create refs/waves/x/y {one}"], message="waves: a folder and a file")
    assert not git.update_refs([f"delete refs/waves/none {one}"], message="waves: test")
    assert not git.update_refs([f"create refs/waves/x {one}"], message="waves: test")


def test_inherited_git_variables_do_not_reach_git(repo: RepoBuilder, monkeypatch: object) -> None:
    commit = repo.commit({"a": "1"})
    monkeypatch.setenv("GIT_DIR", "/nonexistent")  # type: ignore[attr-defined]  # the fixture's type is private
    monkeypatch.setenv("GIT_INDEX_FILE", "/nonexistent")  # type: ignore[attr-defined]  # as above
    assert door(repo).resolve("HEAD") == commit


def test_one_configuration_file_is_read_and_edited_alone(repo: RepoBuilder, tmp_path: Path) -> None:
    file = tmp_path / "some config"
    file.write_text("[core]\n\tbare = yes\n")
    git = door(repo)
    assert git.file_config(file, "core.bare") == "yes"
    assert git.file_config(file, "core.bare", kind="bool") == "true"
    git.edit_config(file, {"core.bare": None, "core.worktree": "../a b", "not.there": None})
    assert git.file_config(file, "core.bare") is None
    assert git.file_config(file, "core.worktree") == "../a b"


def test_a_tried_transaction_meets_the_repositorys_hook_and_never_happens(repo: RepoBuilder) -> None:
    commit = repo.commit({"a": "1"})
    git = door(repo)
    assert git.try_refs([f"create refs/waves/x {commit}"]).accepts
    hook = repo.folder / ".git/hooks/reference-transaction"
    hook.write_text("#!/bin/sh\necho no >&2\nexit 1\n")
    hook.chmod(0o755)
    verdict = git.try_refs([f"create refs/waves/x {commit}"])
    assert (verdict.accepts, verdict.message.splitlines()[0]) == (False, "no")
    assert git.update_refs([f"create refs/waves/y {commit}"], message="ours")
    assert git.refs("refs/waves/") == {"refs/waves/y": commit}


def test_a_tried_hook_sees_the_index_it_is_given(repo: RepoBuilder, tmp_path: Path) -> None:
    repo.commit({"a": "1"})
    hook = repo.folder / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\ngit diff --cached --name-only >&2\nexit 4\n")
    hook.chmod(0o755)
    git = Git(repo.folder / ".git", work_tree=repo.folder)
    index = tmp_path / "index"
    git.read_tree(git.tree_of(Oid(repo.git("rev-parse", "HEAD"))), index=index)
    tree = git.put_into_index(RepoPath("new, file"), git.hash_blob(b"x"), index=index)
    assert git.paths_in(tree) == ("a", "new, file")
    verdict = git.try_hook("pre-commit", index=index)
    assert (verdict.accepts, verdict.message) == (False, "new, file\n")
    assert repo.git("diff", "--cached", "--name-only") == ""


def test_a_symbolic_ref_is_moved_itself_and_not_what_it_points_to(repo: RepoBuilder) -> None:
    one, two = repo.commit({"a": "1"}), repo.commit({"a": "2"})
    git = door(repo)
    repo.git("symbolic-ref", "refs/waves/x", "refs/heads/main")
    assert git.update_refs([f"update refs/waves/x {one} {two}"], message="waves: test")
    assert (git.ref("refs/waves/x"), git.ref("refs/heads/main")) == (one, two)
    repo.git("symbolic-ref", "refs/waves/x", "refs/heads/main")
    assert git.update_refs([f"delete refs/waves/x {two}"], message="waves: test")
    assert (git.ref("refs/waves/x"), git.ref("refs/heads/main")) == (None, two)


def test_a_folder_that_is_gone_is_not_told_as_a_missing_git(repo: RepoBuilder, tmp_path: Path) -> None:
    git = door(repo)
    with pytest.raises(SurroundingsError, match=r"the folder '.*/nowhere' is gone"):
        git.write_work_tree(tmp_path / "nowhere", index=tmp_path / "index")


def test_what_git_says_before_it_dies_is_kept_within_bounds() -> None:
    error = GitError(["add"], 128, "warning: again\n" * 100_000 + "fatal: the reason\n")
    assert error.message.endswith("fatal: the reason")
    assert len(error.message) < 5000


def test_changes_of_some_paths_are_taken_back_and_the_rest_stays(repo: RepoBuilder, tmp_path: Path) -> None:
    (repo.folder / "kept.sh").write_text("old\n")
    (repo.folder / "kept.sh").chmod(0o755)
    (repo.folder / "link").symlink_to("kept.sh")
    old = Oid(repo.commit({"gone": "1\n", "d/x": "1\n", "both": "1\n"}))
    repo.git("rm", "-q", "-r", "gone", "d", "link")
    (repo.folder / "kept.sh").chmod(0o644)
    new = Oid(repo.commit({"kept.sh": "new\n", "d": "a file now\n", "n\newline": "2\n", "both": "2\n"}))
    git = door(repo)
    back = [change for change in git.changes(old, new) if change.path != "both"]
    tree = git.tree_with(git.tree_of(new), back, index=tmp_path / "index")
    assert [change.path for change in git.changes(old, tree)] == ["both"]
    assert repo.git("status", "--porcelain") == "", "nothing was checked out"


def test_a_patch_is_applied_to_a_tree_or_says_why_not(repo: RepoBuilder, tmp_path: Path) -> None:
    first = repo.commit({"a.txt": "one\ntwo\n"})
    wanted = repo.commit({"a.txt": "one\n2\n", "b": "new\n"})
    patch = repo.git("diff", first, wanted).encode() + b"\n"
    git, index = door(repo), tmp_path / "index"
    assert git.apply_patch(git.tree_of(Oid(first)), patch, index=index) == git.tree_of(Oid(wanted))
    for tree, text in ((git.tree_of(Oid(wanted)), patch), (git.tree_of(Oid(first)), b"no patch at all\n")):
        with pytest.raises(GitError):
            git.apply_patch(tree, text, index=index)


def test_dirty_paths_are_those_that_a_commit_of_all_would_hold(repo: RepoBuilder) -> None:
    repo.commit({"a": "1\n", "b": "1\n", "c": "1\n", ".gitignore": "*.o\n"})
    git = Git(repo.folder / ".git", work_tree=repo.folder)
    assert git.dirty_paths() == ()
    repo.write({"a": "2\n", "new/x": "", "y.o": ""})
    (repo.folder / "b").unlink()
    (repo.folder / "c").chmod(0o755)
    assert sorted(git.dirty_paths()) == ["a", "b", "c", "new/x"]
