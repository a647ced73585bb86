"""Programs of others that tests of this folder need: from PATH, else fetched once by their registry's own client.

They are kept beside the virtual environment, so that `make clean` takes them along.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PLACE = Path(sys.prefix) / "tools"


def from_npm(package: str, program: str) -> Path:
    """A program of an npm package (`name@version`); skips the test when it is not to be had."""
    npm = shutil.which("npm") or pytest.skip(f"'{program}' comes from npm, which is not on this machine")
    folder = PLACE / package.replace("/", "_")
    found = folder / "node_modules/.bin" / program
    if not found.exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text('{"private": true}\n')
        _fetch([npm, "install", "--silent", "--no-fund", "--no-audit", "-E", package], folder, program)
    return found


def git_lfs() -> Path:
    """Git LFS; of Debian's package where it is not installed."""
    found = shutil.which("git-lfs")
    if found is not None:
        return Path(found)
    program = PLACE / "git-lfs/usr/bin/git-lfs"
    if not program.exists():
        for needed in ("apt-get", "dpkg"):
            if shutil.which(needed) is None:
                pytest.skip("'git-lfs' is not installed, and there is no apt-get to fetch it")
        folder = PLACE / "git-lfs"
        folder.mkdir(parents=True, exist_ok=True)
        _fetch(["apt-get", "download", "git-lfs"], folder, "git-lfs")
        (package,) = folder.glob("git-lfs_*.deb")
        _fetch(["dpkg", "-x", str(package), str(folder)], folder, "git-lfs")
    return program


def _fetch(words: list[str], folder: Path, program: str) -> None:
    # Some packages install hooks into the repository around them, which would be this one.
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(PLACE)}
    done = subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=250
    )
    if done.returncode != 0:
        pytest.skip(f"'{program}' could not be fetched: {(done.stderr or done.stdout).strip()[-300:]}")


def with_program(environment: dict[str, str], program: Path) -> None:
    """Let commands find it, in front of everything else."""
    environment["PATH"] = f"{program.parent}{os.pathsep}{environment['PATH']}"
