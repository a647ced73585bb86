"""How much really ran at once, and how much could have: seconds of attempts against the time that passed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from git_waves.core.fold import RunState
from git_waves.core.model import OnFailure, Plan, Schedule, ScheduledGroup, SchedulerName, TaskId
from git_waves.core.needs import effective_needs
from git_waves.core.order import place_in_groups
from git_waves.core.ownership import collisions_of
from git_waves.core.report.model import Overlap, Span
from git_waves.core.schedule import state_problem
from git_waves.core.speedup import SpeedUp, estimate_speedup
from git_waves.core.weights import Weights


def measure(
    attempts: Mapping[str, Sequence[Span]],
    *,
    sessions: Sequence[Span],
    gates: Sequence[Span],
    ideal: SpeedUp | None,
    unknown: str = "",
) -> Overlap:
    """The numbers; `attempts` by task, `sessions` the times at which a coordinator was at work."""
    every = [span for spans in attempts.values() for span in spans]
    wall = length([*sessions, *every])
    steps = tuple(_steps(every))
    whole = max((span.end for span in sessions), default=0.0) - min(
        (span.begin for span in sessions), default=0.0
    )
    return Overlap(
        busy=sum(span.seconds for span in every),
        wall=wall,
        rest=max(whole - wall, 0.0),
        idle=wall - length(every),
        gates=length(gates),
        peak=max((count for _at, count in steps), default=0),
        steps=steps,
        ideal=ideal,
        unknown=unknown,
    )


def length(spans: Iterable[Span]) -> float:
    """How long at least one of them lasts, in seconds."""
    total = 0.0
    reached = float("-inf")
    for span in sorted(spans, key=lambda one: one.begin):
        total += max(span.end - max(span.begin, reached), 0.0)
        reached = max(reached, span.end)
    return total


def _steps(spans: Iterable[Span]) -> Iterator[tuple[float, int]]:
    """Each moment at which the number at once changes, and the number from then on."""
    changes = sorted(
        change for span in spans if span.seconds > 0 for change in ((span.begin, 1), (span.end, -1))
    )
    count = 0
    for at, together in groupby(changes, key=lambda change: change[0]):
        before = count
        count += sum(step for _at, step in together)
        if count != before:
            yield at, count


def ideal_of(plan: Plan, state: RunState, seconds: Mapping[str, float]) -> SpeedUp | None:
    """How the run's own schedule compares with the best there can be, when each task takes the `seconds` it took; None when
    none took any."""
    known = {task: spent for task, spent in seconds.items() if spent > 0}
    ran = _only(plan, {task for group in state.groups for each in group.rounds for task in each})
    if not known or not ran.tasks:
        return None
    needs = effective_needs(ran).needs
    problem = state_problem(ran, collisions_of(ran), needs, place_in_groups(ran, needs))
    weights = Weights(
        of={task.id: known.get(task.id, 0.0) for task in ran.tasks},
        measured=len(known),
        assumed=0,
    )
    schedule = Schedule(
        scheduler=SchedulerName(state.scheduler),
        scheduler_reason="",
        max_parallel=state.max_parallel,
        on_failure=OnFailure(state.on_failure),
        groups=tuple(
            ScheduledGroup(
                name=group.name,
                rounds=tuple(tuple(TaskId(task) for task in each) for each in group.rounds),
            )
            for group in state.groups
        ),
        needs=needs,
    )
    return estimate_speedup(schedule, problem, weights)


def _only(plan: Plan, wanted: set[str]) -> Plan:
    """The plan of these tasks alone: what was done before the run held nobody up."""
    return replace(
        plan,
        tasks=tuple(
            replace(
                task,
                is_done=False,
                needs=tuple(need for need in task.needs if need in wanted),
            )
            for task in plan.tasks
            if task.id in wanted
        ),
    )
