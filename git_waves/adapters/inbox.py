"""What other commands ask of a run: one small file per message, taken in order by whoever writes the log.

The coordinator is the only writer of the event log, so `stop`, `retry`, `skip` and `request` leave a message here; it is
deleted only after its event is in the log, and a message that is met twice changes nothing.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Mapping
from pathlib import Path

from git_waves.adapters.rundir import RunDir, write_durably

_LIMIT = 64 * 1024  # bytes; an agent writes here too


def post(run_dir: RunDir, message: Mapping[str, str]) -> Path:
    """Leave a message; returns its file."""
    path = run_dir.inbox / f"{time.time_ns():020d}-{secrets.token_hex(3)}.json"
    write_durably(path, json.dumps(dict(message)).encode())
    return path


def waiting(run_dir: RunDir) -> tuple[tuple[Path, dict[str, str]], ...]:
    """Every message, oldest first. A file that is no message of ours is removed unread: agents can write here."""
    found = []
    for path in sorted(run_dir.inbox.glob("*.json")):
        try:
            if path.stat().st_size > _LIMIT:
                raise ValueError("too large")
            message = json.loads(path.read_bytes())
            if not isinstance(message, dict) or not all(isinstance(value, str) for value in message.values()):
                raise ValueError("not a message")
        except (OSError, ValueError):
            path.unlink(missing_ok=True)
            continue
        found.append((path, message))
    return tuple(found)
