"""What there is on this machine, for who only looks: programs, the manual, file systems. Nothing of a repository is run."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from git_waves.adapters.git import clean_environment
from git_waves.core.health.machine import Program

_PATIENCE = 10.0  # seconds in which a program says its version
_VERSION = re.compile(r"\d+\.\d+[\w.+-]*")
# A program that was only asked for its version has no business on the network.
_QUIET = {"DISABLE_AUTOUPDATER": "1", "NO_UPDATE_NOTIFIER": "1", "DO_NOT_TRACK": "1"}


def find_programs(names: Iterable[str], *, repositories: Sequence[Path]) -> tuple[Program, ...]:
    """Those of the programs that PATH leads to, each asked for its version, all at once.

    What lies in one of `repositories` (folders) is told and not started: nothing of a repository is executed. Programs
    are started outside of it, and find nothing of it in PATH.
    """
    places = [(name, path) for name in names if (path := shutil.which(name)) is not None]
    with ThreadPoolExecutor(max_workers=8) as pool:
        return tuple(pool.map(lambda place: _program(*place, repositories=repositories), places))


def _program(name: str, path: str, *, repositories: Sequence[Path]) -> Program:
    if not Path(path).is_absolute() or _is_inside(path, repositories):
        return Program(name=name, path=path, is_inside=True)
    said = _ask([path, "--version"], repositories)
    found = _VERSION.search(said or "")
    return Program(name=name, path=path, version=found.group() if found else "")


def manual_page(name: str, *, repositories: Sequence[Path]) -> tuple[bool, str | None]:
    """Whether there is a `man` here, and the file it opens for a name; None when it finds none."""
    man = shutil.which("man", path=_path_without(repositories))
    if man is None:
        return False, None
    said = _ask([man, "-w", name], repositories)
    return True, said.splitlines()[0] if said and said.startswith("/") else None


def _ask(argv: list[str], repositories: Sequence[Path]) -> str | None:
    """What a program prints; None when it fails, cannot be started or takes too long."""
    environment = clean_environment({**_QUIET, "PATH": _path_without(repositories)})
    try:
        process = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            cwd="/", env=environment, start_new_session=True,
        )  # fmt: skip
    except OSError:
        return None
    try:
        output, _ = process.communicate(timeout=_PATIENCE)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None
    return output.decode(errors="replace") if process.returncode == 0 else None


def _path_without(repositories: Sequence[Path]) -> str:
    """PATH without relative folders and without those in a repository: scripts look there for their interpreters."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    kept = [
        folder for folder in folders if Path(folder).is_absolute() and not _is_inside(folder, repositories)
    ]
    return os.pathsep.join(kept)


def _is_inside(path: str, repositories: Sequence[Path]) -> bool:
    places = (Path(os.path.normpath(path)), Path(path).resolve())
    tops = {top for one in repositories for top in (one, one.resolve())}
    return any(place.is_relative_to(top) for place in places for top in tops)


def folds_case(folder: Path, name: str) -> bool:
    """Whether another spelling of a file that lies in the folder is taken for it."""
    other = folder / name.swapcase()
    return other.exists() and other.samefile(folder / name)


def is_writable(folder: Path) -> bool:
    """Whether the folder can be written, or could be made."""
    there = next(one for one in (folder, *folder.parents) if one.exists())
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)
