"""Which plans of others this user has allowed to run: one empty file for each content, outside of every repository.

<user state folder>/git-waves/trust/<sha256 of the repository's path>/<blob>   that content may run in that repository
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from git_waves.adapters.rundir import make_durable_folder, write_durably
from git_waves.core.model import Oid
from git_waves.errors import MachineError


def is_trusted(common_dir: Path, blob: Oid) -> bool:
    """Whether this user said that this content may run in this repository."""
    return _file(common_dir, blob).is_file()


def trust(common_dir: Path, blob: Oid) -> None:
    """Write it down, durably. MachineError when that is not possible."""
    file = _file(common_dir, blob)
    try:
        make_durable_folder(file.parent)
        write_durably(file, b"")
    except OSError as error:
        raise MachineError(
            f"cannot write '{error.filename or file}': {error.strerror}",
            hint=f"see to the folder '{file.parent}'",
        ) from error


def revoke(common_dir: Path, blob: Oid) -> bool:
    """Take it back; whether there was anything to take back."""
    file = _file(common_dir, blob)
    was_there = file.is_file()
    file.unlink(missing_ok=True)
    return was_there


def _file(common_dir: Path, blob: Oid) -> Path:
    from platformdirs import user_state_path  # only where a plan of others is to run

    # By the real path: a link or a crafted `commondir` must not borrow another repository's trust.
    place = hashlib.sha256(os.fsencode(common_dir.resolve())).hexdigest()
    return user_state_path("git-waves", appauthor=False) / "trust" / place / blob
