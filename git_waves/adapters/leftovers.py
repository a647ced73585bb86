"""What still runs of a job whose supervisor is gone, and how to signal a process without ever hitting a stranger.

While a supervisor lives, every process of its job is below it. When it was killed, the command died with it, and what
had left the tree is known by the cookie in its environment. Such a search needs /proc; elsewhere it finds nothing.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from git_waves.adapters import supervisor
from git_waves.adapters.jobs import Identity

_GIVE_UP = 10.0  # seconds of SIGKILL after which a process is out of our reach


def open_process(pid: int, *, birth: int | None) -> int | None:
    """A handle (Linux pidfd) of the process with this pid and birth; readable when the process ends, no other process
    can take its place. None when it is gone, or the system has no such handles."""
    if not hasattr(os, "pidfd_open") or pid <= 0:
        return None
    try:
        handle = os.pidfd_open(pid)
    except OSError:
        return None
    if birth is not None and supervisor.birth(pid) != birth:
        os.close(handle)
        return None
    return handle


def send(pid: int, number: int, *, birth: int | None) -> bool:
    """Signal the process with this pid and birth; False when it is gone or another user's."""
    handle = open_process(pid, birth=birth)
    try:
        if handle is not None:
            signal.pidfd_send_signal(handle, number)
        elif hasattr(os, "pidfd_open") or pid <= 0:
            return False
        else:
            os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    finally:
        if handle is not None:
            os.close(handle)
    return True


def sweep(identity: Identity) -> tuple[int, tuple[int, ...]]:
    """Kill what is left of a job: its supervisor and command if they live, whoever carries its cookie, and everyone
    below these. How many processes that were, and the pids that could not be ended."""
    give_up = time.monotonic() + _GIVE_UP
    ended: set[int] = set()
    while True:
        found = _remains(identity)
        if not found or time.monotonic() > give_up:
            return len(ended - set(found)), tuple(sorted(found))
        for pid, birth in found.items():
            if send(pid, signal.SIGKILL, birth=birth):
                ended.add(pid)
        time.sleep(0.005)


def _remains(identity: Identity) -> dict[int, int | None]:
    """Everything left of the job: pid to birth. The birth is read before the evidence, so that a pid which changes
    hands in between is not hit: the newcomer was born later."""
    table = supervisor.processes()
    births = {pid: supervisor.birth(pid) for pid in table}
    roots = {
        pid
        for pid, birth in births.items()
        if birth is not None
        and ((pid, birth) in _named(identity) or _carries(pid, identity.cookie))
        and pid != os.getpid()
    }
    below = supervisor.descendants(roots, table)
    return {pid: births[pid] for pid in {*roots, *below} - {os.getpid()} if births.get(pid) is not None}


def _named(identity: Identity) -> set[tuple[int, int | None]]:
    return {(identity.supervisor, identity.supervisor_birth), (identity.child, identity.child_birth)}


def _carries(pid: int, cookie: str) -> bool:
    """Whether the process was started with our cookie in its environment (other users' cannot be read)."""
    try:
        environment = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False
    return f"\0WAVES_COOKIE={cookie}\0".encode() in b"\0" + environment
