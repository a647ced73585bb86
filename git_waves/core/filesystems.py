"""Which kinds of file systems several machines may write at once: locks of the kernel end at the machine there."""

from __future__ import annotations

_SHARED = ("nfs", "cifs", "smb", "9p", "afs", "ceph", "glusterfs", "lustre", "drvfs", "virtiofs")
_SHARED_BY_FUSE = ("fuse.sshfs", "fuse.s3fs", "fuse.rclone", "fuse.glusterfs", "fuse.ceph")


def is_shared(kind: str) -> bool:
    """Whether a file system of this kind (the kernel's word, `nfs4`) is one of a network."""
    return kind.startswith((*_SHARED, *_SHARED_BY_FUSE))
