"""The supervised commands of an attempt: the agent, set-up and verify commands, with their environment and log."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from git_waves import agents
from git_waves.adapters import process
from git_waves.adapters.jobs import Fence
from git_waves.adapters.process import Job, JobResult, JobSpec, Reason
from git_waves.adapters.tail import Tail
from git_waves.core.model import Command
from git_waves.ladder.attempt import Climb

_WRITTEN = ("WAVES_USAGE_FILE",)  # variables that name a file of ours which a command may write
MOST_LOSSES = 2  # supervisors that may die over one command before that is taken for the command's doing
_LONGEST_WORDS = 200  # letters of a command's last line that a reason repeats
DEFAULT_GRACE = 10.0  # seconds between asking a process tree to end and ending it


def variables(state: Climb) -> dict[str, str]:
    """What a task's commands find in their environment (docs/environment.md has all of it)."""
    ports = state.ports()
    return {
        **(ports.variables if ports is not None else {}),
        "WAVES_PLAN": state.plan.name,
        "WAVES_RUN": state.lease.run,
        "WAVES_TASK": state.task.id,
        "WAVES_ATTEMPT": str(state.lease.attempt),
        "WAVES_BASE": state.lease.base,
        "WAVES_BRANCH": state.lease.branch.removeprefix("refs/heads/"),
        "WAVES_WORKTREE": str(state.lease.folder),
        "WAVES_PROMPT_FILE": str(state.run_dir.prompt(state.task.id, state.lease.attempt)),
        "WAVES_OWNED_FILE": str(state.run_dir.owned(state.task.id, state.lease.attempt)),
    }


def spec_for(
    state: Climb,
    argv: tuple[str, ...],
    *,
    rung: str,
    stdin: Path | None = None,
    wall_clock: float | None = None,
    quiet: float | None = None,
    extra: Mapping[str, str] | None = None,
) -> JobSpec:
    """What to run for one rung; times in seconds, `extra` variables besides those of every command of a task."""
    return JobSpec(
        argv=argv,
        cwd=state.lease.folder,
        env=process.environment({**variables(state), **(extra or {})}),
        log=state.run_dir.log(state.task.id, state.lease.attempt, rung),
        stdin=stdin,
        wall_clock=wall_clock,
        quiet=quiet,
        grace=DEFAULT_GRACE,
        watch=state.lease.folder,
        fence=_fence(state, rung, extra or {}),
    )


def _fence(state: Climb, rung: str, extra: Mapping[str, str]) -> Fence | None:
    """What every command of the task may write, and what its agent may besides."""
    if state.fence is None:
        return None
    writes = (state.lease.folder, state.lease.private, *state.fence.writes)
    if rung == "agent":
        kept = state.run_dir.agent_state(state.task.id, state.lease.attempt)
        writes = (*writes, kept, *state.home, *(Path(extra[name]) for name in _WRITTEN if name in extra))
    return replace(state.fence, writes=writes)


def begin(state: Climb, job: Job, spec: JobSpec) -> None:
    """Start a command of the attempt, which holds the task's machine-wide resources and its ports as long as it lives."""
    ports, held = state.ports(), state.hold()
    if ports is not None:
        held = (*held, ports.descriptor)
    job.folder.mkdir(mode=0o700, exist_ok=True)
    process.start(job, spec, keep=held)


def supervise(
    state: Climb,
    command: Command,
    rung: str,
    *,
    is_known: bool = True,
    timeout: float | None = None,
    extra: Mapping[str, str] | None = None,
) -> JobResult:
    """Run a set-up command or a check to its end; one whose supervisor was lost with a coordinator is run again.

    `timeout` in seconds; `extra` variables besides those of every command of a task. With `is_known` False nobody can have
    begun it: what lies there was planted, and is ended and passed over.
    """
    losses = 0
    for number in itertools.count():
        job = state.job(rung if number == 0 else f"{rung}.{number}")
        if job.folder.exists() and not is_known:
            if process.stop(job):
                process.wait(job)
            continue
        if not job.file("spec.json").exists():
            argv = agents.argv_of(command)
            begin(state, job, spec_for(state, argv, rung=rung, wall_clock=timeout, extra=extra))
        result = process.wait(job)
        losses += result.reason is Reason.LOST
        if losses > MOST_LOSSES or result.reason not in (Reason.LOST, Reason.REVOKED):
            return result
        is_known = True
    raise AssertionError("counting does not end")


def last_words(state: Climb, rung: str) -> str:
    """The last line that a rung's command printed, to follow how it ended; empty when it printed none."""
    lines = Tail(state.run_dir.log(state.task.id, state.lease.attempt, rung)).rest()
    said = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return f": {said[:_LONGEST_WORDS]}" if said else ""


# What a shell means by them; nearly always a script that is not committed, or not as an executable.
_OF_THE_SHELL = {
    126: " (found but not executable; is its mode committed?)",
    127: " (a command was not found; is it committed?)",
}


def how_it_ended(result: JobResult) -> str:
    """Words for a command that did not end well, to follow its name."""
    if result.reason is Reason.WALL_CLOCK:
        return f"was ended: over its time limit after {result.seconds:.0f} s"
    if result.reason is Reason.QUIET:
        return f"was ended: no output and no file change for too long, after {result.seconds:.0f} s"
    if result.reason is Reason.NOT_STARTED:
        return f"could not start: {result.message}"
    if result.reason is Reason.LOST:
        return "lost its supervisor, which stood over it; a command must not kill its parent"
    if result.signal is not None:
        return f"was killed by signal {result.signal}"
    if result.code is not None:
        return f"ended with exit code {result.code}{_OF_THE_SHELL.get(result.code, '')}"
    return f"ended: {result.reason}"
