"""How long tasks took in earlier runs of a plan, from their event logs: weights for whoever plans the next one.

Only what a task's agent did to its end counts, not what was interrupted or failed on the way. A log that cannot be read
is passed over: this is a hint about time, and nothing depends on it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path

from git_waves.adapters.rundir import RunDir, first_event, run_dirs
from git_waves.core.model import TaskId

_MOST_RUNS = 5
_LARGEST = 64 * 1024 * 1024  # bytes of one log
_WANTED = (b'"rung_reached"', b'"task_passed"', b'"task_failed"')
_BEFORE = frozenset(
    {"environment", "canary", "agent"}
)  # a task that failed at one of these tells nothing about its work


def past_durations(common_dir: Path, plan: str) -> dict[TaskId, float]:
    """Seconds by task, from the newest of the last runs of the plan in which its agent came to an end."""
    found: dict[TaskId, float] = {}
    for run_dir in islice(_runs_of(common_dir, plan), _MOST_RUNS):
        for task, seconds in _durations(_events(run_dir)):
            found.setdefault(task, seconds)
    return found


def _runs_of(common_dir: Path, plan: str) -> Iterator[RunDir]:
    for run_dir in run_dirs(common_dir):
        event = first_event(run_dir)
        if event is not None and event.get("plan") == plan:
            yield run_dir


def _events(run_dir: RunDir) -> Iterator[dict[str, str]]:
    try:
        if run_dir.events.stat().st_size > _LARGEST:
            return
        lines = run_dir.events.read_bytes().splitlines()
    except OSError:
        return
    for line in lines:
        if any(name in line for name in _WANTED):
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if isinstance(event, dict):
                yield event


def _durations(events: Iterable[dict[str, str]]) -> Iterator[tuple[TaskId, float]]:
    """From where an attempt's agent began to whatever that attempt did next; a resumed one began only once."""
    began: dict[tuple[str, int], datetime] = {}
    for event in events:
        try:
            key, at = (event["task"], int(event["attempt"])), datetime.fromisoformat(event["at"])
            rung = event.get("rung", "")
        except (KeyError, TypeError, ValueError):
            continue
        if event["event"] == "rung_reached" and rung in _BEFORE:
            if rung == "agent":
                began.setdefault(key, at)
        elif key in began and rung not in _BEFORE:
            seconds = (at - began.pop(key)).total_seconds()
            if seconds > 0:
                yield TaskId(key[0]), seconds
