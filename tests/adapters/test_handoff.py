"""Files taken out of folders that agents wrote, and placed into others: byte for byte, and never through a link."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from git_waves.adapters.git import Git
from git_waves.adapters.handoff import Unfit, place, take
from git_waves.core.model import Oid, RepoPath
from tests.support.repo import RepoBuilder


@pytest.fixture
def git(repo: RepoBuilder) -> Git:
    """The door of a repository with one commit."""
    repo.commit({"README": "x\n"})
    return Git(repo.folder / ".git")


@pytest.fixture
def agents(tmp_path: Path) -> Path:
    """A folder that an agent wrote."""
    folder = tmp_path / "agents"
    folder.mkdir()
    return folder


def taken(git: Git, folder: Path, *paths: str) -> Oid | Unfit:
    return take(git, folder, map(RepoPath, paths), index=folder.parent / "index")


def test_what_is_taken_is_what_is_placed(git: Git, agents: Path, tmp_path: Path) -> None:
    (agents / "deep/er").mkdir(parents=True)
    (agents / "deep/er/\udcff").write_bytes(bytes(range(256)) * 5000)
    (agents / "tool").write_text("#!/bin/sh\r\n")
    (agents / "tool").chmod(0o700)
    (agents / "other").write_text("not asked for\n")
    paths = tuple(map(RepoPath, ("deep/er/\udcff", "tool")))
    tree = taken(git, agents, *paths)
    assert not isinstance(tree, Unfit)
    assert taken(git, agents, *paths) == tree, "the same content is the same tree"
    there = tmp_path / "there"
    there.mkdir()
    for _ in range(2):  # again after a crash
        assert place(git, there, tree, paths) is None
    assert (there / "deep/er/\udcff").read_bytes() == bytes(range(256)) * 5000
    assert (there / "tool").read_bytes() == b"#!/bin/sh\r\n"
    assert os.access(there / "tool", os.X_OK) and not os.access(there / "deep/er/\udcff", os.X_OK)
    assert sorted(path.name for path in there.rglob("*")) == ["deep", "er", "tool", "\udcff"]


def test_what_is_no_plain_file_is_not_taken(git: Git, agents: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key").write_text("s3cr3t\n")
    (agents / "link").symlink_to(secret / "key")
    (agents / "folder").symlink_to(secret)
    (agents / "own").mkdir()
    os.mkfifo(agents / "pipe")
    assert taken(git, agents, "link") == Unfit(RepoPath("link"), "is a symbolic link")
    assert taken(git, agents, "folder/key") == Unfit(RepoPath("folder/key"), "is not there")
    assert taken(git, agents, "own") == Unfit(RepoPath("own"), "is no plain file")
    assert taken(git, agents, "pipe") == Unfit(RepoPath("pipe"), "is no plain file")
    assert taken(git, agents, "own/x") == Unfit(RepoPath("own/x"), "is not there")
    agents.rename(tmp_path / "away")
    (tmp_path / "agents").symlink_to(tmp_path / "away")
    assert taken(git, agents, "own/x") == Unfit(RepoPath("own/x"), "is not there"), (
        "a folder that became a link"
    )


def test_nothing_is_placed_through_a_link_or_in_the_place_of_a_folder(
    git: Git, agents: Path, tmp_path: Path
) -> None:
    (agents / "a").mkdir()
    (agents / "a/b").write_text("b\n")
    tree = taken(git, agents, "a/b")
    assert not isinstance(tree, Unfit)
    there, outside = tmp_path / "there", tmp_path / "outside"
    there.mkdir()
    outside.mkdir()
    (there / "a").symlink_to(outside)
    unfit = Unfit(RepoPath("a/b"), "something is in its way there")
    assert place(git, there, tree, [RepoPath("a/b")]) == unfit
    assert list(outside.iterdir()) == []
    (there / "a").unlink()
    (there / "a/b/c").mkdir(parents=True)
    assert place(git, there, tree, [RepoPath("a/b")]) == unfit
    (there / "a/b/c").rmdir()
    (there / "a/b").rmdir()
    (there / "a").rmdir()
    (there / "a").write_text("a file\n")
    assert place(git, there, tree, [RepoPath("a/b")]) == unfit


def test_a_snapshot_looks_away_from_what_is_handed_on(git: Git, agents: Path, tmp_path: Path) -> None:
    index = tmp_path / "index"
    names = ["kept", "log [1]", "build/out", "notes/a.md"]
    for name in names:
        (agents / name).parent.mkdir(exist_ok=True)
        (agents / name).write_text(f"{name}\n")
    (agents / ".gitignore").write_text("build/\n")
    away = [RepoPath(name) for name in ("log [1]", "build/out", "notes/a.md", "never/there")]
    tree = git.write_work_tree(agents, index=index, without=away)
    assert git.paths_in(tree) == (".gitignore", "kept")
    (agents / "notes").rename(agents / "elsewhere")
    (agents / "notes").symlink_to(tmp_path)
    tree = git.write_work_tree(agents, index=index, without=away)
    assert git.paths_in(tree) == (".gitignore", "elsewhere/a.md", "kept", "notes")
