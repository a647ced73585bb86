"""The agent's rung: start it, let it go on, or take over what an earlier coordinator started."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator

from git_waves import agents
from git_waves.adapters import process, worktrees
from git_waves.adapters.process import Job, JobResult, Reason
from git_waves.agents.verdict import AgentVerdict, judge
from git_waves.core.prompt import build_prompt, build_resume_prompt
from git_waves.errors import WavesError
from git_waves.ladder.attempt import Awaits, Climb, Fell, Interrupted, TakenUp, Unavailable
from git_waves.ladder.briefing import briefing, lay_out
from git_waves.ladder.handoff import outside
from git_waves.ladder.jobs import MOST_LOSSES, begin, how_it_ended, spec_for
from git_waves.ladder.watch import Watch

_UNAVAILABLE = (AgentVerdict.RATE_LIMITED, AgentVerdict.NOT_LOGGED_IN)


def agent(state: Climb) -> Fell | Interrupted | Awaits | Unavailable | None:
    """Run the agent and watch over it, or take over one that an earlier coordinator started. An attended task has none:
    a person is told the same, and says when it is done."""
    if state.task.attended:
        if state.handed_in:
            return None
        _tell(state)
        return Awaits()
    job = state.agent_job(state.turn)
    if not job.file("spec.json").exists():
        if state.turn and not state.lease.folder.is_dir():
            return Interrupted(reason="it was to go on, and its worktree is gone")
        invocation = _invocation(state)
        if invocation is None:
            return Fell(
                rung="",
                reason="it has nothing to run: no 'run', and no agent that is known here",
                hint="git waves doctor",
            )
        _start(state, job, invocation)
    watch = Watch(state)
    result = watch.wait(job)
    with contextlib.suppress(WavesError):  # the rung that needs it says it
        worktrees.take_over(state.git, state.lease)  # whatever becomes of it, people look at its branch
    if result.survivors:
        return Fell(
            rung="",
            reason=f"its processes {', '.join(map(str, result.survivors))} could not be ended",
            hint=f"end them, then 'git waves retry {state.task.id}'",
            is_parked=True,
        )
    if watch.reached:
        return Fell(
            rung="",
            reason=f"over its limit: {watch.reached}",
            hint=f"git waves retry {state.task.id} --budget LIMIT=MORE",
            is_final=True,
        )
    if result.reason in (Reason.STOPPED, Reason.REVOKED):
        why = "stopped" if result.reason is Reason.STOPPED else "it never started"
        return Interrupted(
            reason=why, session="" if _why_not_resumed(state, watch) else _session(state, watch)
        )
    if result.reason is Reason.LOST:
        return _lost(state, watch)
    return _judge_end(state, watch, result)


def taken_up(state: Climb) -> TakenUp | None:
    """How an attempt that an earlier coordinator began is found; None when its agent never began, or was lost."""
    if any(process.is_alive(job) for job in _jobs(state)):
        return TakenUp("adopted")
    result = process.outcome(state.agent_job(state.turn))
    is_over = result is not None and result.reason not in (Reason.LOST, Reason.STOPPED, Reason.REVOKED)
    return TakenUp("finished") if is_over else None


def _jobs(state: Climb) -> Iterator[Job]:
    """Every command of the attempt so far."""
    start = f"{state.lease.name}."
    return (Job(folder) for folder in state.run_dir.job_folders() if folder.name.startswith(start))


# ---------------------------------------------------------------------- starting


def _tell(state: Climb) -> str:
    """Write down what whoever does the task is told, and what it owns; the words."""
    prompt = state.run_dir.prompt(state.task.id, state.lease.attempt)
    words = build_prompt(state.plan, state.task, state.granted, state.received, state.earlier)
    prompt.write_text(words, encoding="utf-8", errors="surrogateescape")
    owned = [*(str(claim.pattern) for claim in state.task.claims), *state.granted]
    state.run_dir.owned(state.task.id, state.lease.attempt).write_text(
        "".join(f"{path}\n" for path in owned), encoding="utf-8", errors="surrogateescape"
    )
    return words


def _invocation(state: Climb) -> agents.Invocation | None:
    """Write down what the agent is told, and say how it is started."""
    words = _tell(state)
    prompt = state.run_dir.prompt(state.task.id, state.lease.attempt)
    if not state.turn:
        return agents.invocation(state.plan, state.task, briefing(state, prompt, words), state.agents)
    further = state.run_dir.resume_prompt(state.task.id, state.lease.attempt)
    words = build_resume_prompt(words)
    further.write_text(words, encoding="utf-8", errors="surrogateescape")
    return agents.resumption(state.plan, state.task, briefing(state, further, words), state.agents)


def _start(state: Climb, job: Job, invocation: agents.Invocation) -> None:
    usage = state.run_dir.usage(state.task.id, state.lease.attempt)
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    os.close(os.open(usage, flags, 0o600))
    lay_out(state, invocation)
    spec = spec_for(
        state,
        invocation.argv,
        rung="agent",
        stdin=invocation.stdin,
        wall_clock=state.budget.wall_clock,
        quiet=state.budget.quiet,
        extra={
            **invocation.env,
            "WAVES_USAGE_FILE": str(usage),
            **({"WAVES_SESSION": state.session} if state.turn else {}),
        },
    )
    begin(state, job, spec)


# ---------------------------------------------------------------------- how it ended


def _judge_end(state: Climb, watch: Watch, result: JobResult) -> Fell | Unavailable | None:
    """An agent that ended by itself, or was ended by its supervisor. Exit code 0 is not enough: some say in their output
    that they failed, and end well; and some could not go on, which is not the work's fault. A command of the task's own is
    no agent that others share."""
    told = state.told = watch.meter.told
    verdict = judge(told, ended_well=result.code == 0, now=time.time())
    if verdict.kind is AgentVerdict.DONE:
        return None
    ended = "ended well" if result.code == 0 else how_it_ended(result)
    says = f", and speaks of {told.trouble}: {verdict.message}" if told.trouble is not None else ""
    reason = f"the agent {ended}{says}"
    has_ended = result.code is not None
    needs_person = has_ended and verdict.kind is AgentVerdict.NOT_LOGGED_IN
    if state.task.run is None and has_ended and verdict.kind in _UNAVAILABLE:
        preset = agents.preset_of(state.plan, state.task, state.agents)
        return Unavailable(
            login="" if preset is None else preset.login,
            reason=reason,
            wait=verdict.retry_after,
            needs_person=needs_person,
            session="" if _why_not_resumed(state, watch) else _session(state, watch),
        )
    return Fell(rung="", reason=reason, hint=state.log_hint(), is_parked=needs_person, verdict=verdict)


def _lost(state: Climb, watch: Watch) -> Fell | Interrupted:
    """The machine or the supervisor died under the agent: let it go on if it can, start over when it had done nothing, else
    ask a person."""
    why_not = _why_not_resumed(state, watch)
    if not why_not:
        return Interrupted(reason="the agent's supervisor died", session=_session(state, watch))
    tip = state.git.ref(state.lease.branch)
    if _was_lost_before(state):
        reason = "its supervisor, which stood over it, died twice in a row; an agent must not kill its parent"
        return Fell(rung="", reason=reason, hint=state.log_hint(), is_parked=True)
    if (
        tip == state.lease.base
        and not worktrees.uncommitted(state.git, state.lease, tip, without=outside(state))[1]
    ):
        return Interrupted(reason="the agent's supervisor died before it did anything")
    return Fell(
        rung="",
        reason=f"the agent's supervisor died and left unfinished work; it cannot go on by itself: {why_not}",
        hint=f"look at it in '{state.lease.folder}', then 'git waves retry {state.task.id}'",
        is_parked=True,
    )


def _session(state: Climb, watch: Watch) -> str:
    return watch.meter.session or state.session


def _why_not_resumed(state: Climb, watch: Watch) -> str:
    """What keeps an interrupted attempt from going on in its worktree; empty when nothing does."""
    if not agents.is_resumable(state.plan, state.task, state.agents):
        return "its agent has no 'resume'"
    if not _session(state, watch):
        return "its session is not known"
    if not state.lease.folder.is_dir() or state.git.ref(state.lease.branch) is None:
        return "its worktree or its branch is gone"
    if process.was_in_another_boot(state.agent_job(state.turn)):
        return "the machine went down under it, and what it wrote last may be missing"
    if state.agent_job(state.turn + 1).folder.exists():
        return "something lies where its next start would write"
    jobs = state.run_dir.agent_jobs(state.lease.task, state.lease.attempt)
    losses = sum(_is_lost(Job(folder)) for folder in jobs)
    return f"it was lost {losses} times" if losses > MOST_LOSSES else ""


def _was_lost_before(state: Climb) -> bool:
    """Whether the attempt before this one ended the same way: then it is no accident, and would go on for ever."""
    earlier = state.run_dir.agent_jobs(state.task.id, state.lease.attempt - 1)
    return any(_is_lost(Job(folder)) for folder in earlier)


def _is_lost(job: Job) -> bool:
    result = process.outcome(job)
    return result is not None and result.reason is Reason.LOST
