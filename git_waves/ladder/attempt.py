"""One attempt of one task on its way up the ladder: what the rungs share, and how an attempt can end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from git_waves import refs
from git_waves.adapters.git import Git
from git_waves.adapters.lease import LeaseFile
from git_waves.adapters.process import Job
from git_waves.adapters.rundir import RunDir
from git_waves.adapters.seal import Seal
from git_waves.adapters.worktrees import Lease
from git_waves.core.model import Oid, Plan, RepoPath, Rules, Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """Every rung passed: `tip` may be merged, and changes `paths`."""

    tip: Oid
    paths: tuple[RepoPath, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fell:
    """A rung did not hold. `is_parked` when a person must decide, else the task failed by its own doing."""

    rung: str
    reason: str
    paths: tuple[RepoPath, ...] = ()
    hint: str = ""
    is_parked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupted:
    """The attempt ended through nobody's fault and left nothing that a person must look at."""

    reason: str


Outcome = Passed | Fell | Interrupted


class EndedWaitingError(Exception):
    """The run's agents are being ended, and with them the wait of this attempt for a resource."""


@dataclass(slots=True, kw_only=True)
class Climb:
    """One attempt on its way up: what the rungs know and find out. `reached` is called when a rung begins that takes
    time; `taken_up_at` is the last of these that the log tells of, when an earlier coordinator began the attempt. `hold`
    gives the descriptors of the machine-wide resources that a supervisor must keep, may wait for them, and raises
    EndedWaitingError."""

    git: Git
    run_dir: RunDir
    plan: Plan
    task: Task
    lease: Lease
    rules: Rules
    granted: tuple[RepoPath, ...]
    reached: Callable[[str], None]
    hold: Callable[[], tuple[int, ...]] = tuple
    taken_up_at: str = ""
    admin: Path = Path()
    sealed: Seal | None = None
    since: Oid | None = None  # where what `tip` changes begins
    tip: Oid | None = None
    paths: tuple[RepoPath, ...] = ()

    def job(self, rung: str) -> Job:
        """The supervised command of a rung."""
        return Job(self.run_dir.job(f"{self.lease.name}.{rung}"))

    def has_begun(self) -> bool:
        """Whether the agent was ever about to start: from then on the worktree is its, and is only judged."""
        return self.job("agent").file("spec.json").exists()

    def has_reached(self, rung: str) -> bool:
        """Whether the log of an earlier coordinator tells of that rung (one that takes time), or of a later one."""
        order = ("environment", "agent", "verify", *(stage.name for stage in self.plan.stages))
        return self.taken_up_at in order[order.index(rung) :]

    def lease_file(self) -> LeaseFile:
        """What the worktree is told about itself."""
        return LeaseFile(
            run=self.lease.run,
            plan=self.plan.name,
            task=self.task.id,
            attempt=self.lease.attempt,
            branch=self.lease.branch,
            base=self.lease.base,
            integration=refs.integration_ref(self.plan.name),
            rules=self.rules,
            manifest=self.run_dir.manifest,
        )

    def log_hint(self) -> str:
        """Where a person looks next."""
        return f"git waves log {self.task.id}"

    def seal(self) -> Seal:
        """What the worktree's git files were when the agent got it; from memory while we have it, agents can write files."""
        return self.sealed or Seal.from_bytes(
            self.run_dir.seal(self.task.id, self.lease.attempt).read_bytes()
        )
