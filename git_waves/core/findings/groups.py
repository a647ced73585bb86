"""Authored groups against what files, resources and needs say: W201 to W206."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from git_waves.core.findings.facts import Facts
from git_waves.core.findings.wording import count, listed, quoted
from git_waves.core.model import Finding, Level, Origin, SchedulerName, TaskId


def check_groups(facts: Facts) -> tuple[Finding, ...]:
    """What the groups claim and do not keep, and what they cost without need."""
    found = [*_wider_than_the_cap(facts), *_gates_without_a_group(facts)]
    if facts.barriers.names:
        found += _contradicted_parallelism(facts)
        found += _needs_inside(facts)
        found += _needless_barriers(facts)
        found += _needs_later_group(facts)
    return tuple(found)


def _contradicted_parallelism(facts: Facts) -> Iterator[Finding]:
    """W201. Only for tasks whose group the author wrote; a shared path that is declared is no contradiction."""
    tasks: dict[str, set[TaskId]] = {}
    reasons: dict[str, list[str]] = {}
    certain: set[str] = set()
    for collision in facts.collisions:
        if facts.is_declared(collision):
            continue
        for name, (first, second) in _by_group(facts, collision.first, collision.second).items():
            involved = facts.order.unordered(first, second)
            if involved:
                tasks.setdefault(name, set()).update(involved)
                claimants = quoted(facts.in_plan_order(involved))
                reasons.setdefault(name, []).append(f"'{collision.path}' is claimed by {claimants}")
                if facts.order.unordered(first - collision.guessed, second - collision.guessed):
                    certain.add(name)
    for resource, (capacity, holders) in facts.resources.items():
        for name, (held, _) in _by_group(facts, holders, ()).items():
            involved = facts.order.unordered(held, held)
            if len(held) > capacity and involved:
                tasks.setdefault(name, set()).update(involved)
                certain.add(name)
                who = quoted(facts.in_plan_order(involved))
                reasons.setdefault(name, []).append(f"resource '{resource}' is held by {who}")
    lines = {group.name: group.line for group in facts.plan.groups}
    for group in facts.schedule.groups:
        if group.name in reasons:
            rounds = count(len(group.rounds), "round")
            yield Finding(
                code="W201",
                level=Level.VIOLATION if group.name in certain else Level.WARNING,
                message=f"group '{group.name}' claims that its tasks run together, "
                f"but what they share makes it {rounds}",
                line=lines.get(group.name, 0),
                tasks=facts.in_plan_order(tasks[group.name]),
                evidence=listed(reasons[group.name]),
                hint="order the tasks with 'needs', put them in separate groups, or let each own its files",
            )


def _by_group(
    facts: Facts, first: tuple[TaskId, ...], second: tuple[TaskId, ...]
) -> dict[str, tuple[set[TaskId], set[TaskId]]]:
    """Two sides split by the authored group that the tasks stand in."""
    split: dict[str, tuple[set[TaskId], set[TaskId]]] = {}
    for number, side in enumerate((first, second)):
        for task in side:
            if task in facts.barriers.authored:
                name = facts.barriers.names[facts.barriers.places[task]]
                split.setdefault(name, (set(), set()))[number].add(task)
    return split


def _needs_inside(facts: Facts) -> Iterator[Finding]:
    """W202."""
    places, authored = facts.barriers.places, facts.barriers.authored
    inside: dict[str, list[tuple[TaskId, TaskId]]] = {}
    for need in facts.needs.needs:
        is_inside = {need.task, need.on} <= authored and places[need.task] == places[need.on]
        if is_inside and need.task not in facts.barriers.moved:  # W205 says so already
            inside.setdefault(facts.barriers.names[places[need.task]], []).append((need.task, need.on))
    lines = {group.name: group.line for group in facts.plan.groups}
    for group in facts.schedule.groups:
        pairs = inside.get(group.name, [])
        if pairs:
            yield Finding(
                code="W202",
                level=Level.WARNING,
                message=f"tasks of group '{group.name}' need each other, so it runs in "
                f"{count(len(group.rounds), 'round')}",
                line=lines.get(group.name, 0),
                tasks=facts.in_plan_order({task for pair in pairs for task in pair}),
                evidence=listed(f"task '{task}' needs '{on}'" for task, on in pairs),
                hint="give each round a group of its own, or leave the groups out and let needs decide",
            )


def _needless_barriers(facts: Facts) -> Iterator[Finding]:
    """W203. Only explicit claims can prove that two groups have nothing to do with each other."""
    used = sorted(
        set(facts.barriers.places.values())
    )  # a group whose tasks all moved away is no group any more
    names = [facts.barriers.names[place] for place in used]
    dense = {place: number for number, place in enumerate(used)}
    places = {task: dense[place] for task, place in facts.barriers.places.items()}
    members: dict[int, list[TaskId]] = {}
    unproved = set()
    for task in facts.plan.tasks:
        if not task.is_done:
            members.setdefault(places[task.id], []).append(task.id)
            if not any(claim.origin is Origin.EXPLICIT for claim in task.claims):
                unproved.add(places[task.id])
    linked = _linked_to_the_one_before(facts, places)
    gated = {name for gate in facts.plan.gates for name in gate.groups}
    lines = {group.name: group.line for group in facts.plan.groups}
    for place, name in enumerate(names[1:], 1):
        before = names[place - 1]
        # A barrier with a gate of its own has a purpose.
        if place not in linked and not {place, place - 1} & unproved and before not in gated:
            yield Finding(
                code="W203",
                level=Level.WARNING,
                message=f"group '{name}' waits for group '{before}', but no need, file or resource links them",
                line=lines.get(name, 0),
                tasks=facts.in_plan_order(members[place]),
                hint="put their tasks in one group, or write down with 'needs' what has to wait",
            )


def _linked_to_the_one_before(facts: Facts, places: Mapping[TaskId, int]) -> set[int]:
    """The groups with a need, a collision or a crowded resource between them and the group before."""
    linked = {places[need.task] for need in facts.needs.needs if places[need.task] == places[need.on] + 1}
    for collision in facts.collisions:
        first, second = ({places[task] for task in side} for side in (collision.first, collision.second))
        linked |= {place for place in first if place - 1 in second}
        linked |= {place for place in second if place - 1 in first}
    for capacity, holders in facts.resources.values():
        held = Counter(places[task] for task in holders)
        linked |= {place for place in held if held[place - 1] and held[place] + held[place - 1] > capacity}
    return linked


def _wider_than_the_cap(facts: Facts) -> Iterator[Finding]:
    """W204."""
    cap = facts.schedule.max_parallel
    if facts.schedule.scheduler is SchedulerName.SEQUENTIAL:
        return
    for group in facts.schedule.groups:
        widest = max(group.rounds, key=len, default=())
        if len(widest) > cap:
            yield Finding(
                code="W204",
                level=Level.NOTE,
                message=f"{len(widest)} tasks of group '{group.name}' may run together, but only {cap} at once",
                tasks=widest,
                hint="raise 'max_parallel' if the machine bears it; 3 to 6 is advised",
            )


def _needs_later_group(facts: Facts) -> Iterator[Finding]:
    """W205."""
    written = {task.id: task for task in facts.plan.tasks}
    for name in facts.in_plan_order(facts.barriers.moved):
        task = written[name]
        place = facts.barriers.places[name]
        on = next(
            need.on
            for need in facts.needs.needs
            if need.task == name and facts.barriers.places[need.on] == place
        )
        yield Finding(
            code="W205",
            level=Level.VIOLATION,
            message=f"task '{name}' of group '{task.group}' needs '{on}', "
            f"which ends with the later group '{facts.barriers.names[place]}'",
            line=task.line,
            tasks=(name, on),
            hint=f"move '{name}' to group '{facts.barriers.names[place]}' or a later one, or drop the need",
        )


def _gates_without_a_group(facts: Facts) -> Iterator[Finding]:
    """W206. A group whose tasks are all done had its gate; one that never had tasks never will."""
    known = {group.name for group in facts.schedule.groups}
    known |= {task.group for task in facts.plan.tasks if task.is_done and task.group is not None}
    for gate in facts.plan.gates:
        if known and gate.groups and known.isdisjoint(gate.groups):
            yield Finding(
                code="W206",
                level=Level.VIOLATION,
                message=f"gate '{gate.name}' never runs: no task is in {quoted(gate.groups)}",
                line=gate.line,
                hint=f"name one of {quoted(group.name for group in facts.schedule.groups)}, or leave 'groups' out",
            )
