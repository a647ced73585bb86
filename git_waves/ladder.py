"""The ladder: the rungs that one attempt of one task climbs, the same for every scheduler.

Climbing is safe to repeat: each rung finds in git and in the job folders what an earlier coordinator already did, takes
the result of an agent that finished meanwhile, waits for one that still runs, and starts only what never started. So a
resumed run climbs the same ladder again from the bottom. It runs in a worker thread, decides nothing about other tasks,
writes no events itself, and hands back one outcome.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from git_waves import agents, refs
from git_waves.adapters import hooks, process, worktrees
from git_waves.adapters.canary import CanaryMissed, canary
from git_waves.adapters.git import Git
from git_waves.adapters.lease import LeaseFile
from git_waves.adapters.merge import Refused, judge
from git_waves.adapters.process import Job, JobResult, JobSpec, Reason
from git_waves.adapters.rundir import RunDir, write_durably
from git_waves.adapters.seal import Seal, check_seal
from git_waves.adapters.worktrees import Lease
from git_waves.core.model import Command, CommitPolicy, Oid, Plan, RepoPath, Rules, Task
from git_waves.core.ownership import foreign_paths
from git_waves.core.prompt import build_prompt
from git_waves.errors import WavesError

DEFAULT_GRACE = 10.0  # seconds between asking a process tree to end and ending it


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


@dataclass(slots=True, kw_only=True)
class Climb:
    """One attempt on its way up: what the rungs know and find out. `reached` is called when a rung begins."""

    git: Git
    run_dir: RunDir
    plan: Plan
    task: Task
    lease: Lease
    rules: Rules
    granted: tuple[RepoPath, ...]
    reached: Callable[[str], None]
    admin: Path = Path()
    tip: Oid | None = None
    paths: tuple[RepoPath, ...] = ()

    def job(self, rung: str) -> Job:
        """The supervised command of a rung."""
        return Job(self.run_dir.job(f"{self.lease.name}.{rung}"))

    def has_begun(self) -> bool:
        """Whether the agent was ever about to start: from then on the worktree is its, and is only judged."""
        return self.job("agent").file("spec.json").exists()

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


def climb(state: Climb) -> Outcome:
    """Climb every rung in order; the first that does not hold is the outcome."""
    for name, rung in RUNGS:
        state.reached(name)
        try:
            fallen = rung(state)
        except WavesError as error:
            return Fell(rung=name, reason=error.message, hint=error.hint, is_parked=True)
        if fallen is not None:
            return replace(fallen, rung=name) if isinstance(fallen, Fell) else fallen
    assert state.tip is not None, "the commit rung sets the tip"
    return Passed(tip=state.tip, paths=state.paths)


# ---------------------------------------------------------------------- the rungs


def _environment(state: Climb) -> Fell | Interrupted | None:
    """A worktree at the base with its files, hooks and set-up commands; left alone where an agent already began."""
    if state.has_begun():
        note = json.loads(_admin_note(state).read_bytes())
        state.admin = state.git.git_dir / "worktrees" / note["admin"]
        return None
    state.admin = worktrees.ensure(state.git, state.lease)
    write_durably(_admin_note(state), json.dumps({"admin": state.admin.name}).encode())
    worktrees.fill(state.git, state.lease, state.admin)
    seal = hooks.install(
        state.git,
        run_dir=state.run_dir,
        common_dir=state.git.git_dir,
        worktree=state.lease.folder,
        admin=state.admin,
        lease=state.lease_file(),
    )
    write_durably(state.run_dir.seal(state.task.id, state.lease.attempt), seal.to_bytes())
    for number, command in enumerate(state.plan.setup):
        result = _supervise(state, command, f"setup-{number}")
        if result.reason is Reason.STOPPED:
            return Interrupted(reason="stopped during set-up")
        if result.code != 0:
            return Fell(
                rung="",
                reason=f"set-up command '{command}' {_how_it_ended(result)}",
                hint=f"git waves log {state.task.id} --rung setup-{number}",
                is_parked=True,
            )
    return None


def _canary(state: Climb) -> Fell | None:
    """Before an agent starts, its worktree must have refused a planted violation (product 4.3)."""
    if state.has_begun():
        return None
    tampered = check_seal(_seal(state))
    if tampered:  # a set-up command that brings hooks of its own, say
        return Fell(
            rung="",
            reason=f"a set-up command changed the worktree's git files: {tampered[0]}",
            hint=f"git waves log {state.task.id} --rung setup-0",
            is_parked=True,
        )
    sung = canary(
        worktree=state.lease.folder,
        admin=state.admin,
        lease=state.lease_file(),
        scratch=state.run_dir.path,
    )
    if isinstance(sung, CanaryMissed):
        return Fell(
            rung="",
            reason=f"the hooks do not hold in its worktree: {sung.reason}",
            hint="git config --show-origin --get-all core.hooksPath",
            is_parked=True,
        )
    return None


def _agent(state: Climb) -> Fell | Interrupted | None:
    """Run the agent, or take over one that an earlier coordinator started."""
    job = state.job("agent")
    if not state.has_begun():
        invocation = _invocation(state)
        if invocation is None:
            return Fell(
                rung="",
                reason="it has nothing to run: no 'run' and no agent",
                hint="add 'agent:' to the plan",
            )
        budget, of_plan = state.task.budget, state.plan.budget
        spec = _spec(
            state,
            invocation.argv,
            rung="agent",
            stdin=invocation.stdin,
            wall_clock=budget.wall_clock or of_plan.wall_clock,
            quiet=budget.quiet or of_plan.quiet,
        )
        job.folder.mkdir(mode=0o700, exist_ok=True)
        process.start(job, spec)
    result = process.wait(job)
    if result.survivors:
        return Fell(
            rung="",
            reason=f"its processes {', '.join(map(str, result.survivors))} could not be ended",
            hint=f"end them, then 'git waves retry {state.task.id}'",
            is_parked=True,
        )
    if result.reason in (Reason.STOPPED, Reason.REVOKED):
        return Interrupted(reason="stopped" if result.reason is Reason.STOPPED else "it never started")
    if result.reason is Reason.LOST:
        return _lost(state)
    if result.code != 0:
        return Fell(rung="", reason=f"the agent {_how_it_ended(result)}", hint=state.log_hint())
    return None


def _invocation(state: Climb) -> agents.Invocation | None:
    """Write down what the agent is told, and say how it is started."""
    prompt = state.run_dir.prompt(state.task.id, state.lease.attempt)
    words = build_prompt(state.plan, state.task, state.granted)
    prompt.write_text(words, encoding="utf-8", errors="surrogateescape")
    owned = [*(str(claim.pattern) for claim in state.task.claims), *state.granted]
    state.run_dir.owned(state.task.id, state.lease.attempt).write_text(
        "".join(f"{path}\n" for path in owned), encoding="utf-8", errors="surrogateescape"
    )
    return agents.invocation(state.plan, state.task, prompt)


def _lost(state: Climb) -> Fell | Interrupted:
    """The machine or the supervisor died under the agent: start over when it had done nothing, else ask a person."""
    tip = state.git.ref(state.lease.branch)
    if tip == state.lease.base and not worktrees.uncommitted(state.git, state.lease, tip)[1]:
        return Interrupted(reason="the agent's supervisor died before it did anything")
    return Fell(
        rung="",
        reason="the agent's supervisor died and left unfinished work",
        hint=f"look at it in '{state.lease.folder}', then 'git waves retry {state.task.id}'",
        is_parked=True,
    )


def _commit(state: Climb) -> Fell | None:
    """Find what the agent did: its branch's tip, and what it left uncommitted. Exit 0 alone is not success."""
    tampered = check_seal(_seal(state))
    if tampered:
        return Fell(
            rung="",
            reason="its worktree's git files were tampered with: "
            + ", ".join(str(one) for one in tampered[:3]),
            hint=f"look at it in '{state.lease.folder}', then 'git waves retry {state.task.id}'",
            is_parked=True,
        )
    tip = state.git.ref(state.lease.branch)
    if tip is None:
        return Fell(
            rung="", reason="its branch is gone", hint=f"git waves retry {state.task.id}", is_parked=True
        )
    head = (state.admin / "HEAD").read_text(encoding="utf-8", errors="replace").strip()
    if head != f"ref: {state.lease.branch}":
        return _strayed(state, head)
    unfinished = [name for name in _UNFINISHED if (state.admin / name).exists()]
    if unfinished:
        return Fell(
            rung="",
            reason=f"it left an unfinished {_UNFINISHED[unfinished[0]]}",
            hint=f"finish or abort it in '{state.lease.folder}', then 'git waves retry {state.task.id}'",
            is_parked=True,
        )
    return _settle_tip(state, tip)


def _seal(state: Climb) -> Seal:
    return Seal.from_bytes(state.run_dir.seal(state.task.id, state.lease.attempt).read_bytes())


def _settle_tip(state: Climb, tip: Oid) -> Fell | None:
    tree, left = worktrees.uncommitted(state.git, state.lease, tip)
    if left:
        foreign = foreign_paths(state.rules, [change.path for change in left])
        if foreign:
            return Fell(
                rung="",
                reason="it left changes to paths it does not own",
                paths=foreign,
                hint=f"git waves show {state.task.id}",
            )
        if state.task.commit is CommitPolicy.AGENT:
            return Fell(
                rung="",
                reason="it left work uncommitted",
                paths=tuple(change.path for change in left),
                hint=f"commit it in '{state.lease.folder}' or set 'commit: auto', then 'git waves retry {state.task.id}'",
            )
        message = f"{state.task.title or state.task.id}\n\nWaves-Task: {state.task.id}\n"
        committed = worktrees.commit_leftovers(state.git, state.lease, tip, tree, message)
        if committed is None:
            return Fell(
                rung="", reason="its branch moved after it ended", hint=state.log_hint(), is_parked=True
            )
        tip = committed
    if tip == state.lease.base and not state.task.allow_empty:
        return Fell(rung="", reason="the agent ended well and changed nothing", hint=state.log_hint())
    state.tip = tip
    return None


def _strayed(state: Climb, head: str) -> Fell:
    """HEAD is not on the task's branch. What a detached HEAD holds is pinned before anything else happens to it."""
    pin = worktrees.archive_of(state.lease.run, state.task.id, state.lease.attempt) + ".head"
    oid = state.git.resolve(head) if not head.startswith("ref:") else None
    if oid is not None and state.git.ref(pin) is None:
        state.git.update_refs([f"create {pin} {oid}"], message="waves: pin a detached HEAD")
    where = head.removeprefix("ref: ") if oid is None else f"the detached commit {oid[:12]}"
    return Fell(
        rung="",
        reason=f"it left its branch: HEAD is at {where}",
        hint=f"move its work to '{state.lease.branch.removeprefix('refs/heads/')}' or 'git waves retry {state.task.id}'",
        is_parked=True,
    )


def _ownership(state: Climb) -> Fell | None:
    """Judge the whole attempt from trees, base to tip (product 4.4); the merge judges it again."""
    assert state.tip is not None, "the commit rung sets the tip"
    judged = judge(state.git, onto=state.lease.base, base=state.lease.base, tip=state.tip, rules=state.rules)
    if isinstance(judged, Refused):
        return Fell(rung="", reason=judged.reason, paths=judged.paths, hint=f"git waves show {state.task.id}")
    state.paths = judged
    return None


def _verify(state: Climb) -> Fell | Interrupted | None:
    """The task's own checks, in its worktree. The tip is fixed: what they write is not merged."""
    for number, command in enumerate(state.task.verify):
        result = _supervise(state, command, f"verify-{number}")
        if result.reason is Reason.STOPPED:
            return Interrupted(reason="stopped during verify")
        if result.code != 0:
            return Fell(
                rung="",
                reason=f"verify command '{command}' {_how_it_ended(result)}",
                hint=f"git waves log {state.task.id} --rung verify-{number}",
            )
    return None


RUNGS: tuple[tuple[str, Callable[[Climb], Fell | Interrupted | None]], ...] = (
    ("environment", _environment),
    ("canary", _canary),
    ("agent", _agent),
    ("commit", _commit),
    ("ownership", _ownership),
    ("verify", _verify),
)

_UNFINISHED = {
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "BISECT_LOG": "bisect",
}


# ---------------------------------------------------------------------- supervised commands


def _admin_note(state: Climb) -> Path:
    """Which administrative folder is the attempt's: noted by us, never asked of the worktree again."""
    return state.run_dir.path / "index" / f"{state.lease.name}.admin.json"


def variables(state: Climb) -> dict[str, str]:
    """What a task's commands find in their environment (documented in the man page)."""
    return {
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


def _spec(
    state: Climb,
    argv: tuple[str, ...],
    *,
    rung: str,
    stdin: Path | None = None,
    wall_clock: float | None = None,
    quiet: float | None = None,
) -> JobSpec:
    return JobSpec(
        argv=argv,
        cwd=state.lease.folder,
        env=process.environment(variables(state)),
        log=state.run_dir.log(state.task.id, state.lease.attempt, rung),
        stdin=stdin,
        wall_clock=wall_clock,
        quiet=quiet,
        grace=DEFAULT_GRACE,
        watch=state.lease.folder,
    )


def _supervise(state: Climb, command: Command, rung: str) -> JobResult:
    """Run a set-up or verify command to its end; one whose supervisor was lost with a coordinator is run again."""
    for number in itertools.count():
        job = state.job(rung if number == 0 else f"{rung}.{number}")
        if not job.file("spec.json").exists():
            job.folder.mkdir(mode=0o700, exist_ok=True)
            process.start(job, _spec(state, agents.argv_of(command), rung=rung))
        result = process.wait(job)
        if result.reason not in (Reason.LOST, Reason.REVOKED):
            return result
    raise AssertionError("counting does not end")


def _how_it_ended(result: JobResult) -> str:
    if result.reason is Reason.WALL_CLOCK:
        return f"was ended: over its time limit after {result.seconds:.0f} s"
    if result.reason is Reason.QUIET:
        return f"was ended: no output and no file change for too long, after {result.seconds:.0f} s"
    if result.reason is Reason.NOT_STARTED:
        return f"could not start: {result.message}"
    if result.signal is not None:
        return f"was killed by signal {result.signal}"
    if result.code is not None:
        return f"ended with exit code {result.code}"
    return f"ended: {result.reason}"
