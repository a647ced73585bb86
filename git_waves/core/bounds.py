"""How parallel a plan can be at all: a few honest numbers about its schedule."""

from __future__ import annotations

from dataclasses import dataclass

from git_waves.core.model import Schedule, TaskId


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """`tasks` to do and `groups` they take; `longest_chain` is how many tasks must follow one another by their needs,
    so no schedule has fewer rounds; `widest_round` is how many may run together at best."""

    tasks: int
    groups: int
    rounds: int
    longest_chain: int
    widest_round: int


def measure(schedule: Schedule) -> Bounds:
    """The numbers of a schedule. Linear in tasks and needs, without recursion."""
    needs: dict[TaskId, list[TaskId]] = {}
    for need in schedule.needs:
        needs.setdefault(need.task, []).append(need.on)
    depth: dict[TaskId, int] = {}
    rounds = [one_round for group in schedule.groups for one_round in group.rounds]
    for one_round in rounds:  # what a task needs always stands in an earlier round
        for task in one_round:
            depth[task] = 1 + max((depth.get(on, 0) for on in needs.get(task, ())), default=0)
    return Bounds(
        tasks=len(depth),
        groups=len(schedule.groups),
        rounds=len(rounds),
        longest_chain=max(depth.values(), default=0),
        widest_round=max(map(len, rounds), default=0),
    )
