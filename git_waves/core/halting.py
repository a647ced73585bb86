"""Why a run halts because of its tasks, in words: those that did not get through, and those that a person is to do."""

from __future__ import annotations

from collections.abc import Iterable

from git_waves.core import fold
from git_waves.core.actions import Halt, HaltKind
from git_waves.core.fold import TaskState


def for_stuck(stuck: list[TaskState]) -> Halt:
    """Of the first of them, or of all together."""
    first = stuck[0]
    if len(stuck) > 1:
        return Halt(
            "parked" if any(task.status == fold.PARKED for task in stuck) else "failed",
            f"tasks {names(task.id for task in stuck)} did not get through",
            "git waves status",
        )
    kind: HaltKind = (
        "failed" if first.status == fold.FAILED else "conflict" if first.rung == "merge" else "parked"
    )
    return Halt(kind, f"task '{first.id}' {first.status} at {first.rung}: {first.reason}", first.hint)


def for_a_person(awaiting: list[TaskState]) -> Halt:
    """Everything that can be done without a person is done."""
    ids = [task.id for task in awaiting]
    what = f"task {names(ids)} waits" if len(ids) == 1 else f"tasks {names(ids)} wait"
    return Halt("attended", f"{what} for a person", f"git waves open {ids[0]}")


def names(ids: Iterable[str]) -> str:
    """Ids in quotes, one after the other."""
    return ", ".join(f"'{task}'" for task in ids)
