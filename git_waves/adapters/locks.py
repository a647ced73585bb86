"""Who may work: one coordinator per plan, one creator or remover of worktrees per repository.

Liveness is the kernel's lock, never a pid: a dead holder's lock is free, whoever has its pid now (reliability F-5).
"""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from git_waves.adapters.rundir import waves_folder, write_durably
from git_waves.errors import SurroundingsError

# The names of these two locks begin with what no plan's name can: every plan has a lock of its name beside them.
_in_process = threading.Lock()
_PATIENCE = 0.3  # seconds; whoever only asks whether the plan is being run holds its lock for a moment
_GLANCE = 0.5  # seconds; `status` looks at the lock for an instant, and must not keep a run from starting


@contextmanager
def coordinator_lock(common_dir: Path, plan: str) -> Iterator[None]:
    """Hold the plan's lock; SurroundingsError names the pid, host and start of whoever holds it already."""
    folder = waves_folder(common_dir)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = FileLock(folder / f"{plan}.lock", mode=0o600)
    try:
        lock.acquire(timeout=_GLANCE)
    except Timeout as taken:
        raise SurroundingsError(
            f"plan '{plan}' is already being run by {holder(common_dir, plan) or 'another process'}",
            hint="'git waves status --watch' shows it, 'git waves stop' ends it",
        ) from taken
    try:
        facts = {
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "started": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        write_durably(folder / f"{plan}.holder.json", json.dumps(facts).encode())
        yield
    finally:
        lock.release()


def is_running(common_dir: Path, plan: str) -> bool:
    """Whether some coordinator holds the plan's lock right now."""
    path = waves_folder(common_dir) / f"{plan}.lock"
    if not path.exists():
        return False
    lock = FileLock(path, mode=0o600)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return True
    lock.release()
    return False


def holder(common_dir: Path, plan: str) -> str:
    """Words for the last holder of the plan's lock: pid, host and start; empty when nobody ever held it."""
    try:
        facts = json.loads((waves_folder(common_dir) / f"{plan}.holder.json").read_bytes())
        return f"process {facts['pid']} on '{facts['host']}' since {facts['started']}"
    except (OSError, ValueError, KeyError, TypeError):
        return ""


@contextmanager
def worktree_lock(common_dir: Path) -> Iterator[None]:
    """Adding and removing worktrees is done one at a time, across threads and runs: git loses such races (D9)."""
    folder = waves_folder(common_dir)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _in_process, FileLock(folder / "_worktrees.lock", mode=0o600):
        yield


@contextmanager
def review_lock(common_dir: Path) -> Iterator[None]:
    """Verdicts are added one at a time: each is written together with those before it."""
    folder = waves_folder(common_dir)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with FileLock(folder / "_reviews.lock", mode=0o600):
        yield
