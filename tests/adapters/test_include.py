"""Bringing ignored files into a worktree: again after a kill, and each file byte for byte."""

from __future__ import annotations

import errno
import fcntl
import os
import sys
from pathlib import Path

import pytest

from git_waves.adapters.git import Git
from git_waves.adapters.include import Brought, Wanted, bring, copy_content
from git_waves.core.model import How, Include, Oid
from tests.support.repo import RepoBuilder


def test_what_a_killed_coordinator_left_half_is_brought_again(repo: RepoBuilder, tmp_path: Path) -> None:
    commit = Oid(repo.commit({".gitignore": ".env\ndeep/\n", "a.txt": "a\n"}))
    repo.write({".env": "KEY=1\n", "deep/er/x.bin": bytes(range(256)) * 5000})
    folder = tmp_path / "worktree"
    repo.git("worktree", "add", "-q", "--detach", str(folder))
    entries = tuple(Include(how=How.COPY, pattern=pattern) for pattern in (".env", "deep/"))

    def again() -> Brought:
        return bring(
            Git(repo.folder / ".git"),
            Wanted(checkout=repo.folder, entries=entries, shared=b"*\n"),
            folder=folder,
            commit=commit,
            scratch=tmp_path,
            variables={},
        )

    first = again()
    assert sorted(first.paths) == [".env", "deep/er/x.bin"]
    (folder / "deep/er/x.bin").write_bytes(b"half")
    (folder / ".env").unlink()
    (folder / ".env").symlink_to(tmp_path / "elsewhere")
    assert again() == first
    assert (folder / "deep/er/x.bin").read_bytes() == bytes(range(256)) * 5000
    assert not (folder / ".env").is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "repo", "worktree"]


def test_content_arrives_whole_whether_or_not_the_file_system_shares_blocks(tmp_path: Path) -> None:
    content = os.urandom(3_000_001)
    (tmp_path / "source").write_bytes(content)
    with (tmp_path / "source").open("rb") as source, (tmp_path / "target").open("wb") as target:
        copy_content(source.fileno(), target.fileno())
    assert (tmp_path / "target").read_bytes() == content


def test_between_file_systems_content_is_copied(tmp_path: Path) -> None:
    (tmp_path / "source").write_bytes(b"content")
    with (tmp_path / "source").open("rb") as source:
        other = os.memfd_create("other")
        try:
            assert copy_content(source.fileno(), other) is False
            assert os.pread(other, 100, 0) == b"content"
        finally:
            os.close(other)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has this call")
def test_where_the_file_system_shares_blocks_nothing_is_copied_and_a_full_disk_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, int, int]] = []

    def shares(target: int, request: int, source: int) -> int:
        asked.append((target, request, source))
        return 0

    def is_full(*_call: int) -> int:
        raise OSError(errno.ENOSPC, "full")

    (tmp_path / "source").write_bytes(b"content")
    with (tmp_path / "source").open("rb") as source, (tmp_path / "target").open("wb") as target:
        monkeypatch.setattr(fcntl, "ioctl", shares)
        assert copy_content(source.fileno(), target.fileno()) is True
        assert asked == [(target.fileno(), 0x40049409, source.fileno())]
        monkeypatch.setattr(fcntl, "ioctl", is_full)
        with pytest.raises(OSError, match="full"):
            copy_content(source.fileno(), target.fileno())
    assert (tmp_path / "target").read_bytes() == b""
