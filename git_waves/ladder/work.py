"""The agent's rung: start it, or take over what an earlier coordinator started."""

from __future__ import annotations

from git_waves import agents
from git_waves.adapters import process, worktrees
from git_waves.adapters.process import Job, Reason
from git_waves.core.prompt import build_prompt
from git_waves.ladder.attempt import Climb, Fell, Interrupted
from git_waves.ladder.jobs import begin, how_it_ended, spec_for


def agent(state: Climb) -> Fell | Interrupted | None:
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
        budget = state.task.budget
        spec = spec_for(
            state,
            invocation.argv,
            rung="agent",
            stdin=invocation.stdin,
            wall_clock=budget.wall_clock,
            quiet=budget.quiet,
        )
        begin(state, job, spec)
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
        return Fell(rung="", reason=f"the agent {how_it_ended(result)}", hint=state.log_hint())
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
    if _was_lost_before(state):
        reason = "its supervisor, which stood over it, died twice in a row; an agent must not kill its parent"
        return Fell(rung="", reason=reason, hint=state.log_hint(), is_parked=True)
    if tip == state.lease.base and not worktrees.uncommitted(state.git, state.lease, tip)[1]:
        return Interrupted(reason="the agent's supervisor died before it did anything")
    return Fell(
        rung="",
        reason="the agent's supervisor died and left unfinished work",
        hint=f"look at it in '{state.lease.folder}', then 'git waves retry {state.task.id}'",
        is_parked=True,
    )


def _was_lost_before(state: Climb) -> bool:
    """Whether the attempt before this one ended the same way: then it is no accident, and would go on for ever."""
    earlier = Job(state.run_dir.job(f"{state.task.id}.{state.lease.attempt - 1}.agent"))
    result = process.outcome(earlier)
    return result is not None and result.reason is Reason.LOST
