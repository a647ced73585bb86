"""Long answers go through the reader's pager, by git's rules and with git's choice of a pager.

`git waves` is already in a pager where `pager.waves` says so: git starts it. `git --no-pager` reaches us as `GIT_PAGER=cat`.
The pager that is set in a repository's own configuration is not taken: to read a plan executes nothing that a repository
names.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from git_waves.adapters import terminal

_OUTSIDE = "/"  # where no repository's configuration is read
_NONE = frozenset({"", "cat"})
_FALSE = frozenset({"false", "no", "off", "0"})
_TRUE = frozenset({"true", "yes", "on", "1"})


@contextmanager
def paged(command: str) -> Iterator[None]:
    """What is printed inside is read in a pager, when standard output is a terminal and `command` (`plan`) is to have one."""
    pager = _pager_of(command) if sys.stdout.isatty() and not _is_in_pager() else ""
    if pager in _NONE:
        yield
        return
    columns = terminal.width()
    sys.stdout.flush()
    sys.stderr.flush()
    environment = {"LESS": "FRX", "LV": "-c", **os.environ}
    process = subprocess.Popen(["/bin/sh", "-c", pager], stdin=subprocess.PIPE, env=environment)
    assert process.stdin is not None, "it is a pipe"
    kept = {number: os.dup(number) for number in (1, 2)}
    changed = {"GIT_PAGER_IN_USE": "true", "COLUMNS": str(columns or 80)}
    earlier = {name: os.environ.get(name) for name in changed}
    os.environ.update(changed)
    both = (1, 2) if sys.stderr.isatty() else (1,)
    for number in both:
        os.dup2(process.stdin.fileno(), number)
    process.stdin.close()
    try:
        yield
    finally:
        for number in (1, 2):
            os.dup2(kept[number], number)  # the last ends of the pipe are closed with it
            os.close(kept[number])
        _wait(process)
        for name, value in earlier.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


def _wait(process: subprocess.Popen[bytes]) -> None:
    """Until the reader has seen enough; Ctrl-C is for the pager, which stays."""
    while True:
        try:
            process.wait()
        except KeyboardInterrupt:
            continue
        return


def _is_in_pager() -> bool:
    return os.environ.get("GIT_PAGER_IN_USE") == "true"


def _pager_of(command: str) -> str:
    """The command line of the pager; empty for none."""
    own = _ask("config", "--get", f"pager.waves.{command}").strip()
    if own.lower() in _FALSE:
        return ""
    return own if own and own.lower() not in _TRUE else _ask("var", "GIT_PAGER").rstrip("\n")


def _ask(*arguments: str) -> str:
    environment = {
        name: value for name, value in os.environ.items() if name not in ("GIT_DIR", "GIT_WORK_TREE")
    }
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=_OUTSIDE,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except OSError:
        return ""
    return os.fsdecode(done.stdout)
