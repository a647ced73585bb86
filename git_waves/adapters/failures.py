"""The names that a gate's output gives to what failed, found by the plan's regular expression.

It is a program of its own, and started as one: an expression can take forever on a line that an agent made up, and a thread
of the coordinator could not be stopped then.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import warnings
from pathlib import Path

MOST = 1000
"""Names of one output; more are not looked at one by one by anybody."""
_PATIENCE = 60  # seconds
_LONGEST_LINE = 10_000  # bytes
_LONGEST_NAME = 300
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")


def read_failures(log: Path, pattern: str) -> tuple[str, ...] | None:
    """Each name once, in the order of the log; None when the log cannot be read, has more than MOST, or takes too long.

    The name is the pattern's first group, or all that it matches where it has none. Colours are taken out before.
    """
    asked = json.dumps({"log": str(log), "pattern": pattern})
    argv = [sys.executable, "-I", "-S", "-X", "utf8", __file__]
    try:
        done = subprocess.run(
            argv, input=asked.encode(), capture_output=True, timeout=_PATIENCE, check=True, cwd="/"
        )
        names = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return tuple(names) if isinstance(names, list) else None


def _find(log: str, pattern: str) -> list[str] | None:
    expression = re.compile(pattern)
    names: dict[str, None] = {}
    with Path(log).open("rb") as file:
        while line := file.readline(_LONGEST_LINE):
            text = _COLOURS.sub("", line.decode(errors="surrogateescape")).rstrip("\r\n")
            found = expression.search(text)
            if found is None:
                continue
            name = (found[1] if expression.groups and found[1] is not None else found[0]).strip()
            if name:
                names[name[:_LONGEST_NAME]] = None
            if len(names) > MOST:
                return None
    return list(names)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    question = json.load(sys.stdin)
    json.dump(_find(question["log"], question["pattern"]), sys.stdout)
