"""Gates at a barrier: the candidate checked out into a throwaway worktree, each gate supervised, each result a value."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from git_waves import agents
from git_waves.adapters import process, worktrees
from git_waves.adapters.eventlog import GateFinished, Warned
from git_waves.adapters.git import Git
from git_waves.adapters.process import Job, JobResult, JobSpec, Reason
from git_waves.adapters.rundir import RunDir
from git_waves.core.model import Command, Gate, Oid, Plan

JOBS = "gate:"
"""How the names of gates' jobs begin; no task's can, for no task may have a colon in its id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Which gates to run on which commit; `number` counts the gate rounds of the run and names the folder. `integration` is
    where the integration ref is, which a review compares with. `is_stopping` tells a gate that was stopped on request from
    one that ended its own supervisor."""

    git: Git
    run_dir: RunDir
    plan: Plan
    folder: Path
    group: str
    number: int
    commit: Oid
    tree: Oid
    integration: Oid
    gates: tuple[str, ...]
    is_stopping: Callable[[], bool]


def run_gates(order: Order) -> Iterator[GateFinished | Warned]:
    """Run each gate in turn, all of them even after a red one, so that a person sees everything at once.

    A gate that was stopped on request gives no result; it runs again when the run is taken up.
    """
    worktrees.make_throwaway(order.git, order.folder, order.commit, order.run_dir.run)
    try:
        yield from _results(order)
    finally:
        left = worktrees.drop_throwaway(order.git, order.folder)
    if left:
        yield Warned(
            message=f"the gates' worktree '{order.folder}' is still there, git would not remove it: {left}"
        )


def _results(order: Order) -> Iterator[GateFinished]:
    trouble = _set_up(order)
    if trouble is not None and trouble[0].reason is Reason.STOPPED and order.is_stopping():
        return
    for gate in order.plan.gates:
        if gate.name not in order.gates:
            continue
        if trouble is not None:
            yield _finished(order, gate, trouble[0], trouble[1])
            continue
        diff = _write_diff(order) if gate.is_review else None
        result = _run(order, gate.command, gate.name, timeout=gate.timeout, diff=diff)
        if result.reason is Reason.STOPPED and order.is_stopping():
            return
        yield _finished(order, gate, result, "" if result.code == 0 else _why(gate, result))


def _set_up(order: Order) -> tuple[JobResult, str] | None:
    """Run the plan's set-up commands there; the first that fails makes every gate red, with its reason."""
    for number, command in enumerate(order.plan.setup):
        result = _run(order, command, f"setup-{number}", timeout=None)
        if result.code != 0:
            return result, f"set-up command '{command}' failed in the gate's worktree"
    return None


def _write_diff(order: Order) -> Path:
    """What the barrier would publish, as a patch for the integration review."""
    path = order.run_dir.diff(f"gate.{order.number}")
    order.git.write_diff(order.integration, order.commit, path)
    return path


def _run(
    order: Order, command: Command, name: str, *, timeout: float | None, diff: Path | None = None
) -> JobResult:
    # A result is only believed in a folder whose name nobody could know before: agents can write there.
    job = Job(order.run_dir.job(f"{JOBS}{order.number}.{name}.{secrets.token_hex(8)}"))
    job.folder.mkdir(mode=0o700)
    spec = JobSpec(
        argv=agents.argv_of(command),
        cwd=order.folder,
        env=process.environment(
            {
                "WAVES_PLAN": order.plan.name,
                "WAVES_RUN": order.run_dir.run,
                "WAVES_GROUP": order.group,
                "WAVES_CANDIDATE": order.commit,
                **({"WAVES_DIFF_FILE": str(diff)} if diff is not None else {}),
            }
        ),
        log=log_of(order.run_dir, order.number, name),
        stdin=diff,
        wall_clock=timeout,
    )
    process.start(job, spec)
    return process.wait(job)


def log_of(run_dir: RunDir, number: int, gate: str) -> Path:
    """The log of a gate in one gate round."""
    return run_dir.path / "logs" / f"gate.{number}.{gate}.log"


def _finished(order: Order, gate: Gate, result: JobResult, reason: str) -> GateFinished:
    return GateFinished(
        group=order.group,
        gate=gate.name,
        tree=order.tree,
        passed=not reason,
        code=result.code,
        reason=reason,
        seconds=round(result.seconds, 3),
        log=str(log_of(order.run_dir, order.number, gate.name)),
    )


def _why(gate: Gate, result: JobResult) -> str:
    claim = "the plan's claim fell: " if gate.is_claim else ""
    if result.reason is Reason.WALL_CLOCK:
        return f"{claim}it ran over its time limit of {gate.timeout:g} s"
    if result.reason is Reason.NOT_STARTED:
        return f"{claim}it could not start: {result.message}"
    if result.signal is not None:
        return f"{claim}it was killed by signal {result.signal}"
    if result.code is None:
        return f"{claim}it ended: {result.reason}"
    return f"{claim}it ended with exit code {result.code}"
