"""Which folders lie on file systems that other machines write too."""

from __future__ import annotations

from pathlib import Path

import pytest

from git_waves.adapters import filesystem
from git_waves.adapters.filesystem import file_system
from git_waves.core.filesystems import is_shared

MOUNTS = """\
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 22 0:40 / /home rw,nosuid shared:7 - nfs4 server:/home rw,vers=4.2
31 30 0:41 / /home/ann/fast rw - tmpfs tmpfs rw
40 22 0:50 / /mnt/a\\040share rw - cifs //server/share rw
41 22 0:51 / /mnt/over rw - fuse.sshfs host: rw
42 22 0:52 / /mnt/own rw - fuse.gvfsd-fuse gvfsd rw
"""


@pytest.mark.parametrize(
    ("folder", "kind", "is_network"),
    [
        ("/srv/repo", "ext4", False),
        ("/home/ann/repo/.git", "nfs4", True),
        ("/home/ann/fast/repo", "tmpfs", False),
        ("/homestead/repo", "ext4", False),
        ("/mnt/a share/repo", "cifs", True),
        ("/mnt/over/repo", "fuse.sshfs", True),
        ("/mnt/own/repo", "fuse.gvfsd-fuse", False),
    ],
)
def test_the_innermost_mount_says_what_kind_it_is(
    folder: str, kind: str, is_network: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "mountinfo"
    table.write_text(MOUNTS)
    monkeypatch.setattr(filesystem, "_MOUNTS", table)
    found = file_system(Path(folder))
    assert found == kind
    assert is_shared(found) == is_network


def test_where_nobody_can_tell_nothing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filesystem, "_MOUNTS", tmp_path / "nothing")
    assert file_system(tmp_path) == ""
