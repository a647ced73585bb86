"""A person's shell in a task's worktree."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from git_waves.errors import SurroundingsError


def open_shell(folder: Path, environment: Mapping[str, str]) -> None:
    """Start the user's shell (`$SHELL`, else `/bin/sh`) in the folder, and wait until they leave it. How it ended says
    nothing: it is the exit code of whatever they typed last. SurroundingsError when it cannot be started."""
    shell = os.environ.get("SHELL") or "/bin/sh"
    try:
        subprocess.run([shell], cwd=folder, env={**environment, "PWD": str(folder)}, check=False)
    except OSError as error:
        raise SurroundingsError(
            f"cannot start '{shell}': {error.strerror}", hint='cd "$(git waves open --print TASK)"'
        ) from error
