"""The ladder: the rungs that one attempt of one task climbs, the same for every scheduler.

Climbing is safe to repeat: each rung finds in git and in the job folders what an earlier coordinator already did, takes
the result of an agent that finished meanwhile, waits for one that still runs, and starts only what never started. So a
resumed run climbs the same ladder again from the bottom. It runs in a worker thread, decides nothing about other tasks,
writes no events itself, and hands back one outcome.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from git_waves import agents
from git_waves.adapters import hooks, process, worktrees
from git_waves.adapters.git import Git
from git_waves.adapters.merge import Refused, judge
from git_waves.adapters.rundir import RunDir, write_durably
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
    main_work_tree: Path
    reached: Callable[[str], None]
    admin: Path = Path()
    environment: Mapping[str, str] | None = None
    tip: Oid | None = None
    paths: tuple[RepoPath, ...] = ()

    def job(self, rung: str) -> process.Job:
        """The supervised command of a rung."""
        return process.Job(self.run_dir.job(f"{self.lease.name}.{rung}"))

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
    """A worktree at the base with its files, hooks and set-up commands; skipped where an agent already started."""
    if process.has_started(state.job("agent")):
        state.admin = state.git.git_dir / "worktrees" / json.loads(_admin_note(state).read_text())["admin"]
        return None
    state.admin = worktrees.ensure(state.git, state.lease)
    write_durably(_admin_note(state), json.dumps({"admin": state.admin.name}).encode())
    worktrees.fill(state.git, state.lease, state.admin)
    seal = hooks.install(
        state.git,
        lease=state.lease,
        admin=state.admin,
        run_dir=state.run_dir,
        rules=state.rules,
        main_work_tree=state.main_work_tree,
    )
    write_durably(state.run_dir.seal(state.task.id, state.lease.attempt), json.dumps(seal.to_json()).encode())
    for number, command in enumerate(state.plan.setup):
        result = _supervise(state, command, f"setup-{number}")
        if result.reason == "stopped":
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
    if process.has_started(state.job("agent")):
        return None
    sung = hooks.canary(state.git, lease=state.lease, admin=state.admin, rules=state.rules)
    if isinstance(sung, hooks.CanaryMissed):
        return Fell(
            rung="",
            reason=f"the hooks did not refuse a planted violation: {sung.reason}",
            hint="git config --show-origin core.hooksPath",
            is_parked=True,
        )
    return None


def _agent(state: Climb) -> Fell | Interrupted | None:
    """Run the agent, or take over one that an earlier coordinator started."""
    prompt = state.run_dir.prompt(state.task.id, state.lease.attempt)
    job = state.job("agent")
    if not process.has_started(job):
        prompt.write_text(
            build_prompt(state.plan, state.task, state.granted), encoding="utf-8", errors="surrogateescape"
        )
        owned = [str(claim.pattern) for claim in state.task.claims] + list(state.granted)
        state.run_dir.owned(state.task.id, state.lease.attempt).write_text(
            "".join(f"{path}\n" for path in owned), encoding="utf-8", errors="surrogateescape"
        )
    invocation = agents.invocation(state.plan, state.task, prompt)
    if invocation is None:
        return Fell(
            rung="", reason="it has nothing to run: no 'run' and no agent", hint="add 'agent:' to the plan"
        )
    budget = state.task.budget
    spec = _spec(
        state,
        invocation.argv,
        rung="agent",
        stdin=invocation.stdin,
        wall_clock=budget.wall_clock or state.plan.budget.wall_clock,
        quiet=budget.quiet or state.plan.budget.quiet,
    )
    process.start(job, spec)
    result = process.wait(job)
    if result.reason == "stopped":
        return Interrupted(reason="stopped")
    if result.reason in ("lost", "revoked"):
        return _lost(state)
    if result.code != 0:
        return Fell(rung="", reason=f"the agent {_how_it_ended(result)}", hint=state.log_hint())
    return None


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
    seal = hooks.Seal.from_json(
        json.loads(state.run_dir.seal(state.task.id, state.lease.attempt).read_bytes())
    )
    tampered = hooks.check_seal(seal)
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
        if result.reason == "stopped":
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
) -> process.JobSpec:
    return process.JobSpec(
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


def _supervise(state: Climb, command: Command, rung: str) -> process.JobResult:
    job = state.job(rung)
    process.start(job, _spec(state, agents.argv_of(command), rung=rung))
    return process.wait(job)


def _how_it_ended(result: process.JobResult) -> str:
    if result.reason == "wall-clock":
        return f"was ended: over its time limit after {result.seconds:.0f} s"
    if result.reason == "quiet":
        return f"was ended: no output and no file change for too long, after {result.seconds:.0f} s"
    if result.reason == "not-started":
        return f"could not start: {result.message}"
    if result.signal is not None:
        return f"was killed by signal {result.signal}"
    if result.code is not None:
        return f"ended with exit code {result.code}"
    return f"ended: {result.reason}"
