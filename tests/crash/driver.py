"""Runs `git waves run` in this process and dies by SIGKILL at one chosen point.

    python -m tests.crash.driver POINT NUMBER [argument ...]

POINT is `before`, `torn` or `after` (the NUMBERth event of this process is not written, half written, or written), or
`git-before`, `git-after` (around the NUMBERth git command that writes). With NUMBER 0 nothing dies; the last line
printed then counts the events and the writing commands, so that a test knows every point there is.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import Any

from git_waves import entry
from git_waves.adapters import eventlog
from git_waves.adapters.git import Git

WRITES = frozenset(
    {"update-ref", "commit-tree", "worktree", "hash-object", "reset", "add", "write-tree", "read-tree"}
)


def die() -> None:
    """End this process the way nothing can be caught."""
    os.kill(os.getpid(), signal.SIGKILL)


def main() -> int:
    point, number, arguments = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    counts = {"event": 0, "git": 0}
    append, run = eventlog.EventLog.append, Git._run

    def counted_append(self: eventlog.EventLog, event: Any) -> Any:
        counts["event"] += 1
        mine = counts["event"] == number
        if mine and point == "before":
            die()
        if mine and point == "torn":
            os.write(self._file, b'{"n":1,"at":"2026-')
            die()
        stamped = append(self, event)
        if mine and point == "after":
            die()
        return stamped

    def counted_run(self: Git, *arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
        if arguments[0] not in WRITES or (arguments[0] == "worktree" and arguments[1] == "list"):
            return run(self, *arguments, **options)
        counts["git"] += 1
        mine = counts["git"] == number
        if mine and point == "git-before":
            die()
        done = run(self, *arguments, **options)
        if mine and point == "git-after":
            die()
        return done

    eventlog.EventLog.append = counted_append  # type: ignore[method-assign]  # the point of this program
    Git._run = counted_run  # type: ignore[method-assign]  # as above
    sys.argv = ["git-waves", *arguments]
    try:
        return entry.main()
    finally:
        if not number:
            sys.stdout.write(f"points {counts['event']} {counts['git']}\n")


if __name__ == "__main__":
    sys.exit(main())
