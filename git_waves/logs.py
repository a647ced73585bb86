"""Where the output of a task, a gate or a background writer lies, and how to look on while it grows."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from git_waves import background, lookup
from git_waves.adapters.repo import Repository
from git_waves.core import fold
from git_waves.errors import UsageError
from git_waves.gateroom import log_of
from git_waves.lookup import FoundRun, find_task

GATE = "gate:"
BACKGROUND = "background:"
"""What comes before the name of a gate or of a background writer where a task's id could stand."""
_POLL = 0.2  # seconds between two looks at a log that grows
_CHUNK = 1 << 16  # bytes


def find_log(
    found: FoundRun, name: str, *, attempt: int | None = None, rung: str = "agent", is_awaited: bool = False
) -> Path:
    """The log of a task's rung (its newest attempt), of `gate:NAME` (its newest round; a round counts as an attempt), or of
    `background:NAME`.

    Raises UsageError when there is no such task, gate, writer, attempt or log. `is_awaited`: the log of a task at work need not
    be there yet.
    """
    if name.startswith(GATE):
        return _gate_log(found, name.removeprefix(GATE), attempt)
    if name.startswith(BACKGROUND):
        return _writer_log(found, name.removeprefix(BACKGROUND))
    task = find_task(found, name)
    if not task.attempt:
        raise UsageError(
            f"task '{name}' has not started yet, it is {task.status}", hint=f"git waves show {name}"
        )
    number = task.attempt if attempt is None else attempt
    if not 1 <= number <= task.attempt:
        raise UsageError(f"task '{name}' has no attempt {number}", hint=f"its newest is {task.attempt}")
    path = found.run_dir.log(name, number, rung)
    if not path.is_file() and not (is_awaited and task.status in fold.LIVE and number == task.attempt):
        raise UsageError(
            f"attempt {number} of task '{name}' has no log for '{rung}'", hint=_rungs(found, name, number)
        )
    return path


def _rungs(found: FoundRun, name: str, attempt: int) -> str:
    start = f"{name}.{attempt}."
    there = sorted(
        path.name.removeprefix(start).removesuffix("log").rstrip(".") or "agent"
        for path in (found.run_dir.path / "logs").glob(f"{start}*log")
    )
    return f"there are logs for {', '.join(there)}" if there else f"git waves show {name}"


def _gate_log(found: FoundRun, gate: str, attempt: int | None) -> Path:
    told = found.state.gate_logs.get(gate)
    if told and Path(told).is_file() and attempt is None:
        return Path(told)
    for number in range(found.state.gate_rounds, 0, -1) if attempt is None else [attempt]:
        path = log_of(found.run_dir, number, gate)
        if path.is_file():
            return path
    known = dict.fromkeys(name for group in found.state.groups for name in group.gates)
    if gate in known and attempt is not None:
        raise UsageError(f"gate '{gate}' has no round {attempt}", hint=f"git waves log gate:{gate}")
    if gate in known:
        raise UsageError(f"gate '{gate}' has not run yet", hint="git waves status")
    names = ", ".join(f"'{name}'" for name in known)
    hint = f"the gates are {names}" if known else "the plan has no gates"
    raise UsageError(f"run '{found.state.run}' has no gate '{gate}'", hint=hint)


def _writer_log(found: FoundRun, name: str) -> Path:
    path = background.log_of(found.run_dir, name)
    if "/" in name or not path.is_file():
        raise UsageError(
            f"run '{found.state.run}' has not stopped a background writer '{name}'", hint="git waves status"
        )
    return path


def follow(path: Path, over: Callable[[], bool]) -> Iterator[bytes]:
    """The log's content, and what is added to it, until `over` says that it has ended. In place of the middle that a log
    lost when it outgrew its limit there are words."""
    while not path.exists():
        if over():
            return
        time.sleep(_POLL)
    with path.open("rb", buffering=0) as file:
        while True:
            has_ended = over()  # asked before reading, so that the last words are read too
            while (span := _next_span(file.fileno())) is not None:
                lost, length = span
                if lost:
                    yield f"\n(git-waves: {lost} bytes of output were not kept)\n".encode()
                yield file.read(min(length, _CHUNK))
            if has_ended:
                return
            time.sleep(_POLL)


def _next_span(descriptor: int) -> tuple[int, int] | None:
    """Go on to where the file holds something: how many bytes were passed over, and how many there are up to the next hole.
    None at the end of the file, or when nothing but a hole follows."""
    at = os.lseek(descriptor, 0, os.SEEK_CUR)
    try:
        begin = os.lseek(descriptor, at, os.SEEK_DATA)
        end = os.lseek(descriptor, begin, os.SEEK_HOLE)
    except OSError:
        os.lseek(descriptor, at, os.SEEK_SET)
        return None
    os.lseek(descriptor, begin, os.SEEK_SET)
    return begin - at, end - begin


def has_ended(repository: Repository, path: Path, name: str, plan: str | None) -> bool:
    """Whether nothing more will be written to the log at `path`: its gate, or the attempt it belongs to, is over."""
    found = lookup.find_run(repository, plan)
    if not path.is_relative_to(found.run_dir.path):
        return True  # a newer run has begun
    if name.startswith(GATE):
        is_done = name.removeprefix(GATE) in found.state.gate_logs
        return is_done or not lookup.is_running(repository, found)
    if name.startswith(BACKGROUND):
        return not lookup.is_running(repository, found)
    task = found.state.tasks[name]
    return task.status not in fold.LIVE or not path.name.startswith(f"{name}.{task.attempt}.")
