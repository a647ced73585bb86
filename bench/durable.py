"""What it costs to write an event so that it survives a power cut (G13)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from unittest import mock

from bench.family import Family, Options
from bench.figures import Figure, compared
from bench.timing import Case, Sample, interleave, run_here
from git_waves.adapters import eventlog

BATCH = 20
"""Events in one sample: a single sync is too short to time among other work."""
MOST_SYNCS = 2

_OURS = "EventLog.append"
_BARE = "write and fsync"
_OID = "1f0e9d8c7b6a5f4e3d2c1b0a9f8e7d6c5b4a3f2e"


def _event(number: int) -> eventlog.TaskMerged:
    return eventlog.TaskMerged(task=f"task-{number:05d}", attempt=1, tip=_OID, commit=_OID, tree=_OID)


def measure(options: Options) -> list[Figure]:
    """All figures of this family."""
    log = eventlog.EventLog.create(options.folder / "events.jsonl")
    log.append(_event(0))
    line = log.path.read_bytes()
    cases = [
        Case(name=_OURS, run=_batches(lambda: log.append(_event(1)))),
        Case(name=_BARE, run=_bare(options.folder / "bare", line)),
    ]
    measured = interleave(cases, rounds=max(options.rounds, 51))
    syncs = count_syncs(lambda: log.append(_event(2)))
    log.close()
    return [
        compared(
            measured, _OURS, _BARE, aim="G13", limit=1.1, what=f"{_OURS}, {BATCH} events of {len(line)} bytes"
        ),
        Figure(
            aim="G13",
            what="syncs for an event",
            ours=str(syncs),
            wanted=f"<= {MOST_SYNCS}",
            is_met=syncs <= MOST_SYNCS,
        ),
    ]


def _batches(work: Callable[[], object]) -> Callable[[], Sample]:
    def batch() -> None:
        for _ in range(BATCH):
            work()

    return lambda: run_here(batch)


def _bare(path: Path, line: bytes) -> Callable[[], Sample]:
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)  # open until this process ends

    def write() -> None:
        os.write(descriptor, line)
        os.fsync(descriptor)

    return _batches(write)


def count_syncs(work: Callable[[], object]) -> int:
    """How often `work` asks the kernel to sync, in this process."""
    with (
        mock.patch("os.fsync", wraps=os.fsync) as fsync,
        mock.patch("os.fdatasync", wraps=os.fdatasync) as fdatasync,
    ):
        work()
    return fsync.call_count + fdatasync.call_count


FAMILY = Family(name="durable", aims="G13", title="an event that survives a power cut", measure=measure)
