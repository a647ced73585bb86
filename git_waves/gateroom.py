"""A throwaway worktree in which gates are run: made at one commit, set up, used, removed. What a gate says there is a value;
what it means is `core.judging`'s.
"""

from __future__ import annotations

import secrets
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from git_waves import agents
from git_waves.adapters import admins, include, process, throwaway
from git_waves.adapters.failures import read_failures
from git_waves.adapters.git import Git
from git_waves.adapters.include import NOTHING, Wanted
from git_waves.adapters.jobs import Fence
from git_waves.adapters.ports import Ports
from git_waves.adapters.process import Job, JobResult, JobSpec, Reason
from git_waves.adapters.rundir import RunDir
from git_waves.core.gatewords import Purpose
from git_waves.core.judging import GateRun, Known
from git_waves.core.model import Command, Gate, Oid, Plan, RepoPath

JOBS = "gate:"
"""How the names of gates' jobs begin; no task's can, for no task may have a colon in its id."""

_NOT_EXECUTED = (126, 127)  # what a shell says of a command that it cannot execute, or cannot find
# A program that crashes has looked, and fell over what it saw; any other signal came from outside.
_CRASHES = frozenset(
    {
        signal.SIGABRT,
        signal.SIGBUS,
        signal.SIGFPE,
        signal.SIGILL,
        signal.SIGSEGV,
        signal.SIGSYS,
        signal.SIGTRAP,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Which gates to run on which commit, and why. `number` counts the gate rounds of the run and names the folders.

    `before` are gates that are run in front of them when the plan has them there, and not judged: what they leave in the
    worktree may be what a later one works with. `known` is what is tolerated, gate by gate. `base` is the commit that holds
    the patches of controls, `integration` is where the integration ref is: what a mutation goes back to and a review compares
    with. `is_stopping` tells a gate that was stopped on
    request from one that ended its own supervisor. `fence` is what the kernel lets commands write besides the worktree that they
    run in: gates run what tasks wrote.
    """

    git: Git
    run_dir: RunDir
    plan: Plan
    folder: Path
    group: str
    number: int
    commit: Oid
    tree: Oid
    gates: tuple[str, ...]
    purpose: Purpose = Purpose.BARRIER
    before: frozenset[str] = frozenset()
    known: Mapping[str, Known] = field(default_factory=dict)
    base: Oid
    integration: Oid
    is_stopping: Callable[[], bool]
    include: Wanted = NOTHING
    fence: Fence | None = None


class StoppedError(Exception):
    """The run is being stopped: what was being measured gives no result."""


class SetUpError(Exception):
    """A worktree could not be made ready; `run` says why, as the gate's own red would."""

    def __init__(self, run: GateRun) -> None:
        super().__init__(run.reason)
        self.run = run


def log_of(run_dir: RunDir, number: int, gate: str, tag: str = "") -> Path:
    """The log of a gate in one gate round; `tag` tells runs of it in one round apart. No gate has a colon in its name."""
    return run_dir.path / "logs" / f"gate.{number}.{gate}{':' if tag else ''}{tag}.log"


@dataclass(slots=True)
class Rooms:
    """The worktrees of one gate round, one after the other. `ports` are those of the round; `left` are
    folders that git would not remove, and why."""

    order: Order
    ports: Ports | None = None
    left: list[tuple[Path, str]] = field(default_factory=list)
    _made: int = 0

    @contextmanager
    def room(self, *, commit: Oid | None = None, tag: str = "") -> Iterator[Room]:
        """A fresh worktree at `commit` (the order's own when None), gone afterwards."""
        order, number = self.order, self._made
        self._made += 1
        folder = order.folder.with_name(f"{order.folder.name}.{number}") if number else order.folder
        at = commit or order.commit
        throwaway.make(order.git, folder, at, order.run_dir.run)
        try:
            yield Room(order=order, folder=folder, commit=at, tag=tag, ports=self.ports)
        finally:
            left = throwaway.drop(order.git, folder)
            if left:
                self.left.append((folder, left))


@dataclass(slots=True, kw_only=True)
class Room:
    """One worktree of a gate round."""

    order: Order
    folder: Path
    commit: Oid
    tag: str
    ports: Ports | None = None
    _done: set[str] = field(default_factory=set)

    def set_up(self) -> None:
        """Bring the ignored files that worktrees are given, and run the plan's set-up commands. SetUpError names the first that
        fails."""
        self._bring_along()
        for number, command in enumerate(self.order.plan.setup):
            name = f"setup-{number}"
            log = self.log("", f"{name}{self.tag}")
            result = self.execute(command, name, log, timeout=self.order.plan.setup_timeout)
            if not is_green(result):
                reason = f"set-up command '{command}' failed in the gate's worktree"
                raise SetUpError(
                    GateRun(
                        code=result.code,
                        reason=reason,
                        is_telling=False,
                        failures=None,
                        seconds=result.seconds,
                        log=str(log),
                    )
                )

    def _bring_along(self) -> None:
        order = self.order
        if not order.include:
            return
        brought = include.bring(
            order.git,
            order.include,
            folder=self.folder,
            commit=self.commit,
            scratch=order.run_dir.path,
            variables=self._variables(),
        )
        if brought.unfit:
            reason = f"its worktree could not be made whole: {brought.unfit}"
            raise SetUpError(
                GateRun(code=None, reason=reason, is_telling=False, failures=None, seconds=0.0, log="")
            )

    def _variables(self) -> dict[str, str]:
        """What a command in this worktree finds in its environment."""
        return {
            **(self.ports.variables if self.ports is not None else {}),
            "WAVES_PLAN": self.order.plan.name,
            "WAVES_RUN": self.order.run_dir.run,
            "WAVES_GROUP": self.order.group,
            "WAVES_CANDIDATE": self.commit,
        }

    def prepare_for(self, gate: Gate) -> None:
        """Run the gates that come before this one at its barrier and were not run here yet, whatever they say."""
        order = self.order
        for other in order.plan.gates:
            if other.name == gate.name:
                return
            if other.name not in self._done and (other.name in order.before or other.name in order.gates):
                log = self.log(other.name, f"before-{gate.name}{self.tag}")
                self.execute(other.command, other.name, log, timeout=other.timeout)
                self._done.add(other.name)

    def changed_paths(self) -> tuple[RepoPath, ...]:
        """What differs here from the commit that was checked out; ignored files aside."""
        admin = admins.of(self.order.git, self.folder)  # never by what lies in the folder: a gate ran there
        return () if admin is None else Git(admin, work_tree=self.folder).dirty_paths()

    def run(self, gate: Gate) -> GateRun:
        """Run one gate."""
        log = self.log(gate.name, self.tag)
        diff = self._write_diff() if gate.is_review else None
        result = self.execute(gate.command, gate.name, log, timeout=gate.timeout, diff=diff)
        self._done.add(gate.name)
        reason, is_telling = ("", True) if is_green(result) else _how(gate, result)
        failures: tuple[str, ...] | None = ()
        if reason and gate.failures is not None:
            failures = None if result.dropped else read_failures(log, gate.failures)
        return GateRun(
            code=result.code,
            reason=reason,
            is_telling=is_telling,
            failures=failures,
            seconds=result.seconds,
            log=str(log),
        )

    def _write_diff(self) -> Path:
        """What the barrier would publish, as a patch for the integration review."""
        path = self.order.run_dir.diff(f"gate.{self.order.number}")
        self.order.git.write_diff(self.order.integration, self.commit, path)
        return path

    def execute(
        self,
        command: Command,
        name: str,
        log: Path,
        *,
        timeout: float | None = None,
        diff: Path | None = None,
    ) -> JobResult:
        """Run a command here to its end, `timeout` in seconds, `diff` a file for it to read. StoppedError when it was ended on
        request."""
        order = self.order
        # A result is only believed in a folder whose name nobody could know before: agents can write there.
        job = Job(order.run_dir.job(f"{JOBS}{order.number}.{name}.{secrets.token_hex(8)}"))
        job.folder.mkdir(mode=0o700)
        spec = JobSpec(
            argv=agents.argv_of(command),
            cwd=self.folder,
            env=process.environment(
                {**self._variables(), **({"WAVES_DIFF_FILE": str(diff)} if diff is not None else {})}
            ),
            log=log,
            stdin=diff,
            wall_clock=timeout,
            fence=order.fence and replace(order.fence, writes=(self.folder, *order.fence.writes)),
        )
        process.start(job, spec, keep=(self.ports.descriptor,) if self.ports is not None else ())
        result = process.wait(job)
        if result.reason is Reason.STOPPED and order.is_stopping():
            raise StoppedError
        return result

    def log(self, name: str, tag: str) -> Path:
        """Where something that is run here writes."""
        return log_of(self.order.run_dir, self.order.number, name, tag)


def is_green(result: JobResult) -> bool:
    """Whether a command has passed: ended by itself, with 0. One that was made to end may still say 0."""
    return result.reason is Reason.EXITED and result.code == 0


def _how(gate: Gate, result: JobResult) -> tuple[str, bool]:
    """Why a gate is red, and whether it has looked at the tree at all."""
    left = f"; {len(result.survivors)} of its processes could not be ended" if result.survivors else ""
    if result.reason is Reason.WALL_CLOCK:
        return f"it ran over its time limit of {gate.timeout:g} s{left}", False
    if result.reason is Reason.NOT_STARTED:
        return f"it could not start: {result.message}", False
    if result.reason is not Reason.EXITED:
        return f"it ended: {result.reason}{left}", False
    if result.signal is not None:
        return f"it was killed by signal {result.signal}{left}", result.signal in _CRASHES
    return f"it ended with exit code {result.code}{left}", result.code not in _NOT_EXECUTED
