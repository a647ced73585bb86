"""What other commands ask of a run: one small file per message, taken in order by whoever writes the log.

The coordinator is the only writer of the event log, so `stop`, `retry`, `skip` and `request` leave a message here; it is
deleted only after its event is in the log, and a message that is met twice changes nothing.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import stat
import time
from collections.abc import Mapping
from pathlib import Path

from git_waves.adapters.rundir import RunDir, write_durably

_LIMIT = 64 * 1024  # bytes; an agent writes here too
_AT_ONCE = 100  # messages that are taken at one look; a flood must not keep the coordinator from its work


def post(run_dir: RunDir, message: Mapping[str, str]) -> Path:
    """Leave a message; returns its file."""
    run_dir.inbox.mkdir(mode=0o700, exist_ok=True)
    path = run_dir.inbox / f"{time.time_ns():020d}-{secrets.token_hex(3)}.json"
    write_durably(path, json.dumps(dict(message)).encode())
    return path


def waiting(run_dir: RunDir) -> tuple[tuple[Path, dict[str, str]], ...]:
    """The oldest messages, oldest first. What is no message of ours is removed unread: agents can write here."""
    found: list[tuple[Path, dict[str, str]]] = []
    for path in _names(run_dir.inbox):
        message = _read(path)
        if message is None:
            discard(path)
            continue
        found.append((path, message))
        if len(found) == _AT_ONCE:
            break
    return tuple(found)


def discard(path: Path) -> None:
    """Remove a message that was taken; what cannot be removed (a folder) is nothing anybody sent."""
    with contextlib.suppress(OSError):
        path.unlink()


def _names(folder: Path) -> list[Path]:
    try:
        return sorted(folder / name for name in os.listdir(folder) if name.endswith(".json"))  # noqa: PTH208  # names alone
    except OSError:  # an agent has removed it, or put something else there
        return []


def _read(path: Path) -> dict[str, str] | None:
    # A pipe would block an ordinary open, a link lead elsewhere (`/dev/zero`), a deep nest exhaust the parser.
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or status.st_size > _LIMIT:
                return None
            message = json.loads(file.read(_LIMIT))
    except (OSError, ValueError, RecursionError):
        return None
    is_ours = isinstance(message, dict) and all(isinstance(value, str) for value in message.values())
    return message if is_ours else None
