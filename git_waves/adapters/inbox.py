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

from git_waves.adapters import private
from git_waves.adapters.rundir import RunDir, write_durably

_LIMIT = 64 * 1024  # bytes; an agent writes here too
_AT_ONCE = 100  # messages that are taken at one look; a flood must not keep the coordinator from its work


def post(run_dir: RunDir, message: Mapping[str, str], *, behind: Path | None = None) -> Path:
    """Leave a message; returns its file. `behind` is the git folder that it is written from: a fenced attempt's own
    repository has an inbox of its own."""
    is_fenced = behind is not None and private.home_of(behind) is not None
    folder = behind / private.INBOX if behind is not None and is_fenced else run_dir.inbox
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / f"{time.time_ns():020d}-{secrets.token_hex(3)}.json"
    write_durably(path, json.dumps(dict(message)).encode())
    return path


def waiting(run_dir: RunDir) -> tuple[tuple[Path, dict[str, str]], ...]:
    """The oldest messages, oldest first; those of fenced attempts, which can only ask for paths, after all others. What is
    no message of ours is removed unread: agents can write here."""
    found: list[tuple[Path, dict[str, str]]] = []
    fenced = sorted(run_dir.path.glob(f"private/*/{private.INBOX}"))
    for path in (*_names(run_dir.inbox), *(path for folder in fenced for path in _names(folder))):
        message = _read(path)
        if message is None or (path.parent != run_dir.inbox and not _is_own_request(path, message)):
            discard(path)
            continue
        found.append((path, message))
        if len(found) == _AT_ONCE:
            break
    return tuple(found)


def _is_own_request(path: Path, message: Mapping[str, str]) -> bool:
    """Whether what lies in a fenced attempt's inbox is a request of that attempt: it has no say in anything else."""
    name = f"{message.get('task', '')}.{message.get('attempt', '')}"
    return message.get("kind") == "request" and path.parent.parent.name == name


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
