"""Whether the run makes another attempt by itself, and which agent makes it; how long it leaves one that is limited alone.

Files are undone by a new attempt: it begins in a new worktree. What else a task may do, nobody undoes, so work that may
have had other effects is repeated only where the plan says so of that very task (docs/decisions/0022).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from git_waves.core.fold import FAILED, PENDING, RunState, TaskState
from git_waves.core.model import AgentSpec, Plan, Task
from git_waves.core.moments import seconds_of

FIRST_WAIT = 60.0  # seconds an agent is left alone that named no time
LONGEST_WAIT = 1800.0  # of its own accord; what an agent names itself may be longer
MOST_WAITS = 40  # for one agent in a row, without anything done between: then a person must see to it
_LATER = ("merge", "gate")  # rungs where it is not the task alone that fell


@dataclass(frozen=True, slots=True, kw_only=True)
class Tries:
    """What a run may do with a task by itself: `attempts` of each of `agents`, in this order; `is_repeatable` whether an
    attempt that could not be finished may start over. `ignored` is why the plan's own `attempts` or `fallback` do not
    count for it, in words; empty when they do, or there are none."""

    attempts: int
    agents: tuple[AgentSpec, ...]
    is_repeatable: bool
    ignored: str = ""


def tries_of(plan: Plan, task: Task) -> Tries:
    """What the plan allows the run to try by itself."""
    first = task.agent or plan.agent
    own = () if task.run is not None or task.attended or first is None else (first,)
    effects = effects_of(task)
    attempts = task.attempts or (1 if effects else plan.attempts or 1)
    fallback = task.fallback if task.fallback is not None else () if effects else plan.fallback
    says_so = task.attempts is not None or task.fallback is not None
    is_ignored = bool(effects) and not says_so and bool((plan.attempts or 1) > 1 or plan.fallback)
    return Tries(
        attempts=1 if task.attended else attempts,
        agents=(*own, *fallback) if own else own,
        is_repeatable=not task.attended and (not effects or says_so),
        ignored=effects if is_ignored and not task.attended else "",
    )


def effects_of(task: Task) -> str:
    """Why an attempt of the task may leave more behind than files in its worktree, in words; empty when it should not."""
    if task.run is not None:
        return "it runs a command of its own"
    if task.resources:
        return f"it holds {', '.join(repr(name) for name in task.resources)}"
    return ""


def with_agent(plan: Plan, task: Task, number: int) -> Task:
    """The task as that one of its agents does it."""
    agents = tries_of(plan, task).agents
    return replace(task, agent=agents[number]) if 0 < number < len(agents) else task


def label_of(agent: AgentSpec) -> str:
    """What an agent is called, for people and to know it again: its name, else its command."""
    return agent.name if agent.name is not None else str(agent.command)


def next_agent(task: TaskState) -> int | None:
    """The number of the agent that makes the next attempt after this one failed; None when a person must decide."""
    if task.status != FAILED or task.is_final or task.rung in _LATER:
        return None
    if task.tried < task.attempts:
        return task.agent
    return task.agent + 1 if task.agent + 1 < len(task.agents) else None


def due(state: RunState) -> Iterator[tuple[str, int]]:
    """The tasks that the run is to try again now, each with the number of the agent that does."""
    for task in state.tasks.values():
        agent = next_agent(task)
        if agent is not None:
            yield task.id, agent


# ---------------------------------------------------------------------- agents that are limited


def wait_for(count: int, named: float | None) -> float:
    """Seconds to leave an agent alone that is limited for the `count`th time in a row; `named` is what it asked for."""
    own = min(FIRST_WAIT * 2.0 ** min(count - 1, 20), LONGEST_WAIT)
    return max(own, named or 0.0)


def pick(state: RunState, task: TaskState, now: float) -> int | None:
    """Which of its agents may make the task's next attempt at `now`; None while all it has are left alone for a time.

    When all are out until a person comes, the first is asked again, so that the task says so itself.
    """
    waits = False
    for number in range(task.agent, len(task.agents)):
        until = state.limited.get(task.agents[number])
        if until is None or (until.until and seconds_of(until.until) <= now):
            return number
        waits = waits or bool(until.until)
    return None if waits else task.agent


def waiting(state: RunState, now: float) -> frozenset[str]:
    """The tasks that cannot start at `now` because their agents are left alone."""
    if not state.limited:
        return frozenset()
    return frozenset(
        task.id
        for task in state.tasks.values()
        if task.status == PENDING and task.agents and pick(state, task, now) is None
    )
