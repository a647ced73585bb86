"""What one run works with and never changes: repository, folders, and the plan as pinned."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from git_waves.adapters.git import Git
from git_waves.adapters.include import NOTHING, Wanted
from git_waves.adapters.rundir import RunDir
from git_waves.adapters.worktrees import Lease
from git_waves.core.fold import TaskState
from git_waves.core.model import Budget, Command, Oid, Plan, RepoPath, Rules, TaskId
from git_waves.core.ownership import OwnershipManifest
from git_waves.core.spending import changed


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """`main_work_tree` is the user's own; `conflicts` are for the ready-set scheduler and `resources` for all (core.decide);
    `until` is the last group to run; `include` are the ignored files that worktrees are given; `early_warning` the time in seconds between two looks at the coming merges, 0 for
    none; `agents` are those of the user's own."""

    git: Git
    main_work_tree: Path
    worktree_folder: Path
    run_dir: RunDir
    plan: Plan
    manifest: OwnershipManifest
    conflicts: dict[str, frozenset[str]]
    resources: dict[str, tuple[tuple[str, int], ...]]
    until: str | None = None
    early_warning: float = 0.0
    agents: Mapping[str, Command] = field(default_factory=dict)
    include: Wanted = NOTHING

    def folder_of(self, task: str, attempt: int) -> Path:
        """Where the worktree of an attempt goes."""
        return self.worktree_folder / f"{task}.{attempt}"

    def has_traces(self, task: str, attempt: int) -> bool:
        """Whether something lies where an attempt that never was would write: a worktree of an earlier run, or what an
        agent planted. A new attempt begins on clean ground."""
        jobs = self.run_dir.path / "jobs"
        return os.path.lexists(self.folder_of(task, attempt)) or any(
            any(jobs.glob(f"{task}.{attempt}.{rung}*")) for rung in ("setup-", "agent", "verify-")
        )

    def lease_of(self, task: TaskState) -> Lease:
        """The lease of the task's current attempt."""
        return Lease(
            plan=self.plan.name,
            run=self.run_dir.run,
            task=task.id,
            attempt=task.attempt,
            branch=task.branch,
            base=Oid(task.base),
            folder=Path(task.worktree),
            index=self.run_dir.index(task.id, task.attempt),
        )

    def places_of(self, busy: Iterable[TaskState], *, gate: int | None) -> list[Path]:
        """The folders in which everything in flight prints and works; `gate` is the round of gates that runs."""
        places = [self.run_dir.path / "logs", *(Path(task.worktree) for task in busy)]
        return places if gate is None else [*places, self.worktree_folder / f"gate.{gate}"]

    def budget_of(self, task: TaskState) -> Budget:
        """The limits of an attempt of the task: the plan's, and what a person set instead."""
        return changed(self.plan.task(TaskId(task.id)).budget, task.budget)

    def rules_of(self, task: TaskState) -> Rules:
        """What the task may touch: its rules in the frozen manifest, and what a person granted it since."""
        rules = self.manifest.rules(TaskId(task.id))
        granted = frozenset(RepoPath(path) for path in task.granted)
        return Rules(files=rules.files | granted, dirs=rules.dirs, globs=rules.globs)
