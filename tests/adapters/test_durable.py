"""Which files and folders are synced, in which order; what a power cut makes of it is tests/soak's subject."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from git_waves.adapters.durable import ObjectFolders, sync_names
from git_waves.adapters.git import Git
from git_waves.core.model import Oid
from tests.support.repo import RepoBuilder


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Every path that this process syncs, from now on."""
    found: list[str] = []
    fsync = os.fsync

    def heard(descriptor: int) -> None:
        found.append(os.readlink(f"/proc/self/fd/{descriptor}"))  # noqa: PTH115  # the text
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", heard)
    yield found


def test_the_folders_of_names_are_synced_up_to_the_top(tmp_path: Path, synced: list[str]) -> None:
    (tmp_path / "refs/heads/a").mkdir(parents=True)
    sync_names([tmp_path / "refs/heads/a/b", tmp_path / "refs/x"], below=tmp_path)
    assert sorted(synced) == [str(tmp_path / name) for name in ("", "refs", "refs/heads", "refs/heads/a")]


def test_object_folders_are_synced_once_and_again_when_something_came(
    tmp_path: Path, synced: list[str]
) -> None:
    (tmp_path / "aa").mkdir()
    (tmp_path / "bb").mkdir()
    long_ago = time.time() - 60
    for folder in (tmp_path / "aa", tmp_path / "bb", tmp_path):
        os.utime(folder, (long_ago, long_ago))
    folders = ObjectFolders(tmp_path)
    folders.sync()
    assert sorted(synced) == [str(tmp_path), str(tmp_path / "aa"), str(tmp_path / "bb")]
    synced.clear()
    folders.sync()
    assert synced == []
    (tmp_path / "bb" / "object").touch()
    folders.sync()
    assert synced == [str(tmp_path / "bb")]


def test_what_the_system_has_long_written_back_is_left_alone(tmp_path: Path, synced: list[str]) -> None:
    os.utime(tmp_path, (0, 0))
    ObjectFolders(tmp_path).sync()
    assert synced == []


def test_folders_that_a_collector_takes_away_meanwhile_are_no_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "aa").mkdir()
    listed = os.scandir(tmp_path)
    (tmp_path / "aa").rmdir()
    monkeypatch.setattr(os, "scandir", lambda _: listed)
    ObjectFolders(tmp_path).sync()


def test_no_ref_moves_before_the_names_of_its_objects_are_safe(repo: RepoBuilder, synced: list[str]) -> None:
    commit = repo.commit({"a.txt": "a\n"})
    git_dir = repo.folder / ".git"
    assert Git(git_dir).update_refs([f"create refs/waves/x/y {commit}"], message="m")
    assert str(git_dir / "objects" / commit[:2]) in synced
    assert synced.index(str(git_dir / "objects")) < synced.index(str(git_dir / "refs/waves/x"))
    assert str(git_dir / "refs/waves") in synced
    assert str(git_dir) in synced


def test_everything_a_tip_brings_is_synced_and_what_was_there_is_not(
    repo: RepoBuilder, synced: list[str]
) -> None:
    base = repo.commit({"a.txt": "a\n"})
    tip = repo.commit({"deep/b.txt": "b\n"})
    Git(repo.folder / ".git").make_durable(Oid(base), Oid(tip))
    objects = repo.folder / ".git/objects"
    new = repo.git("rev-list", "--objects", "--no-object-names", tip, f"^{base}").split()
    assert len(new) == 4, "a commit, two trees, a file"
    assert {str(objects / oid[:2] / oid[2:]) for oid in new} <= set(synced)
    assert str(objects / base[:2] / base[2:]) not in synced


def test_packs_of_the_last_minutes_are_synced_with_it(repo: RepoBuilder, synced: list[str]) -> None:
    tip = repo.commit({"a.txt": "a\n"})
    repo.git("gc", "--quiet")
    base = repo.git("commit-tree", "-m", "root", repo.git("mktree"))
    Git(repo.folder / ".git").make_durable(Oid(base), Oid(tip))
    assert any(path.endswith(".pack") for path in synced)
