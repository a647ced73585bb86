"""Files that tasks hand on to those that need them: who gets which file from whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from git_waves.core.model import Oid, RepoPath, TaskId


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A file that a task is given: by whom, and in which tree of files handed on it lies (None: nobody has it)."""

    path: RepoPath
    producer: TaskId
    tree: Oid | None = None


def producers_of(
    needs: Iterable[TaskId], handoffs: Mapping[TaskId, tuple[RepoPath, ...]]
) -> dict[RepoPath, TaskId]:
    """Each file that the tasks of `needs` hand on, with whose it is: the last one's, in the order of `needs`.

    Who comes later has seen what the earlier one handed on, so its copy is the newer one. Only direct needs hand on: who
    wants a file names its producer.
    """
    return {path: task for task in needs for path in handoffs.get(task, ())}
