"""One attempt of one task on its way up the ladder: what the rungs share, and how an attempt can end."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from git_waves import refs
from git_waves.adapters.git import Git
from git_waves.adapters.include import NOTHING, Wanted
from git_waves.adapters.jobs import Fence
from git_waves.adapters.lease import LeaseFile
from git_waves.adapters.ports import NoPorts, Ports
from git_waves.adapters.process import Job
from git_waves.adapters.rundir import RunDir, write_durably
from git_waves.adapters.seal import Seal
from git_waves.adapters.worktrees import Lease
from git_waves.agents.usage import Usage
from git_waves.agents.verdict import Verdict
from git_waves.core.handoff import Received
from git_waves.core.model import Budget, Command, Oid, Plan, RepoPath, Rules, Task
from git_waves.core.spending import Spent


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """Every rung passed: `tip` may be merged, and changes `paths`; `handed_on` is the tree of what dependents are given."""

    tip: Oid
    paths: tuple[RepoPath, ...]
    handed_on: Oid | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fell:
    """A rung did not hold. `is_parked` when a person must decide, else the task failed by its own doing; `is_final` when trying
    again makes no sense. `verdict` is what was made of its agent, where that is why."""

    rung: str
    reason: str
    paths: tuple[RepoPath, ...] = ()
    hint: str = ""
    is_parked: bool = False
    verdict: Verdict | None = None
    is_final: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupted:
    """The attempt ended through nobody's fault and left nothing that a person must look at. With a `session` it can go on
    in its worktree."""

    reason: str
    session: str = ""


@dataclass(frozen=True, slots=True)
class Awaits:
    """The worktree is ready, and it is a person's turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unavailable:
    """Its agent could not go on, and the work is not to blame: it is limited for a time (`wait` in seconds, None when it
    named none), or, with `needs_person`, nobody is logged in (`login` is what to do about it, empty when unknown). With a `session` the attempt can go on in its worktree."""

    reason: str
    wait: float | None = None
    needs_person: bool = False
    login: str = ""
    session: str = ""


Outcome = Passed | Fell | Interrupted | Awaits | Unavailable


@dataclass(frozen=True, slots=True)
class Used:
    """What the attempt has used so far; `is_due` when people should know now."""

    spent: Spent
    source: str
    is_due: bool


@dataclass(frozen=True, slots=True)
class TakenUp:
    """How an attempt of an earlier coordinator was found."""

    how: Literal["adopted", "finished"]


@dataclass(frozen=True, slots=True)
class Noticed:
    """Something people should read."""

    words: str


Told = Used | TakenUp | Noticed
"""What an attempt tells while it climbs."""


class EndedWaitingError(Exception):
    """The run's agents are being ended, and with them the wait of this attempt for a resource."""


@dataclass(slots=True, kw_only=True)
class Climb:
    """One attempt on its way up: what the rungs know and find out. `reached` is called when a rung begins that takes
    time, `tell` with what is told between. `is_inherited` when an earlier coordinator began the attempt; `taken_up_at` is
    then the last rung that the log tells of. `turn` counts how often its agent was started again, the last time with
    `session`; `spent` is what the log knows already, `run_limits` are those of the whole run. `hold` gives the descriptors
    of the machine-wide resources that a supervisor must keep, may wait for them, and raises EndedWaitingError. `received`
    are the files that it is given by the tasks it needs, `include` the ignored files of the user's checkout. `agents` are
    the user's own, by name. `handed_in`
    counts how often a person said that an attended attempt is done: what was checked before that says nothing any more. `fence` is what
    the kernel lets its commands write, None when it may write whatever its user may; `home` what its agent needs besides, below the user's home. `earlier`
    says how each attempt before this one ended."""

    git: Git
    run_dir: RunDir
    plan: Plan
    task: Task
    lease: Lease
    rules: Rules
    granted: tuple[RepoPath, ...]
    reached: Callable[[str], None]
    tell: Callable[[Told], None]
    budget: Budget
    run_limits: Mapping[str, float | None]
    spent: Spent
    turn: int
    session: str
    agents: Mapping[str, Command] = field(default_factory=dict)
    is_inherited: bool = False
    handed_in: int = 0
    earlier: tuple[str, ...] = ()
    hold: Callable[[], tuple[int, ...]] = tuple
    lend: Callable[[int | None], Ports | NoPorts] = lambda _: NoPorts("nobody lends any")
    received: tuple[Received, ...] = ()
    taken_up_at: str = ""
    include: Wanted = NOTHING
    fence: Fence | None = None
    home: tuple[Path, ...] = ()
    admin: Path = Path()
    sealed: Seal | None = None
    since: Oid | None = None  # where what `tip` changes begins
    tip: Oid | None = None
    paths: tuple[RepoPath, ...] = ()
    handed_on: Oid | None = None
    told: Usage = Usage()  # noqa: RUF009  # frozen; what its agent told last

    def job(self, rung: str) -> Job:
        """The supervised command of a rung."""
        again = f"~{self.handed_in}" if self.handed_in > 1 else ""
        return Job(self.run_dir.job(f"{self.lease.name}.{rung}{again}"))

    def last_jobs(self) -> tuple[Job, ...]:
        """The commands whose doings in the worktree nobody has taken in yet: the agent's last start, else the set-up's; none
        where a person has said that it is done."""
        if self.handed_in:
            return ()
        agent = self.agent_job(self.turn)
        if self.turn or agent.file("spec.json").exists():
            return (agent,)
        setup = re.compile(re.escape(self.lease.name) + r"\.setup-\d+(\.\d+)?")
        return tuple(Job(folder) for folder in self.run_dir.job_folders() if setup.fullmatch(folder.name))

    def has_begun(self) -> bool:
        """Whether the agent was ever about to start, or a person at work: from then on the worktree is theirs, and is only
        judged."""
        return self.handed_in > 0 or self.agent_job(0).file("spec.json").exists()

    def agent_job(self, turn: int) -> Job:
        """The agent's command; see `turn`."""
        return Job(self.run_dir.agent_job(self.lease.task, self.lease.attempt, turn))

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
            hints=self._hints(),
        )

    def _hints(self) -> tuple[str, ...]:
        """What the guard says to whoever commits a file that is handed on."""
        paths = [*self.task.handoff, *(one.path for one in self.received)]
        if not paths:
            return ()
        names = ", ".join(f"'{path}'" for path in dict.fromkeys(paths))
        return (f"files that are handed on stay uncommitted: {names}",)

    def ports(self) -> Ports | None:
        """The attempt's block of ports, from its first command to its last; None when there is none to be had."""
        note = self.run_dir.path / "index" / f"{self.lease.name}.ports"
        noted = note.read_text("ascii") if note.is_file() else ""
        found = self.lend(int(noted) if noted.isdecimal() else None)
        if isinstance(found, NoPorts):
            self.tell(Noticed(f"tasks have no ports of their own: {found.reason}"))
            return None
        if noted != str(
            found.first
        ):  # a template may hold it already, so it is noted before anything is told
            write_durably(note, str(found.first).encode())
        return found

    def log_hint(self) -> str:
        """Where a person looks next."""
        return f"git waves log {self.task.id}"

    def seal(self) -> Seal:
        """What the worktree's git files were when the agent got it; from memory while we have it, agents can write files."""
        return self.sealed or Seal.from_bytes(
            self.run_dir.seal(self.task.id, self.lease.attempt).read_bytes()
        )
