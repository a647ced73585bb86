"""What makes a plan longer than its needs: W401 one path or resource, W402 registration files of one kind, W403 what was
not tried, W404 a plan without any parallelism. All numbers come from scheduling again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from git_waves.core.findings.facts import Facts
from git_waves.core.findings.wording import count, joined, named, quoted
from git_waves.core.model import Finding, HoldKind, Level, PatternKind, RepoPath
from git_waves.core.paths import parse_pattern
from git_waves.core.registration import Registration, Remedy, registration_of
from git_waves.core.sharing import Cost

_USUAL = frozenset({".waves/plan.yaml", "standard input"})
_FEWEST_SERIAL = 3  # tasks; of two, a finding about what they share says it all


def check_serialization(facts: Facts) -> tuple[Finding, ...]:
    """One finding for each choice that shortens the plan, and one for a plan that runs one task after the other."""
    bounds = facts.bounds
    found = [
        *(
            _path_or_resource(facts, cost) if len(cost.names) == 1 else _set(facts, cost)
            for cost in facts.costs.found
        ),
        *_untried(facts),
    ]
    if bounds.tasks == bounds.rounds >= _FEWEST_SERIAL and bounds.longest_chain < bounds.tasks:
        found.append(_fully_serial(facts, bounds.tasks, bounds.longest_chain))
    return tuple(found)


def _path_or_resource(facts: Facts, cost: Cost) -> Finding:
    (name,) = cost.names
    if cost.kind is HoldKind.RESOURCE:
        lines = {resource.name: resource.line for resource in facts.plan.resources}
        return Finding(
            code="W401",
            level=_level(facts, cost),
            message=f"resource '{name}' alone serializes {_into(facts, cost)}; without its limit it would be {cost.apart}",
            line=lines.get(name, 0),
            tasks=cost.tasks,
            evidence=(_share(facts, cost, "hold"),),
            hint="give tasks a copy of their own, or raise the capacity if more can hold it at once",
        )
    if cost.hoisted is None:
        then = f"claiming only what each task needs would yield {cost.apart}"
    else:
        then = f"hoisting it would yield {cost.hoisted}"
    return Finding(
        code="W401",
        level=_level(facts, cost),
        message=f"{named(name)} alone serializes {_into(facts, cost)}; {then}",
        line=_line(facts, cost),
        tasks=cost.tasks,
        paths=(RepoPath(name),),
        evidence=(_share(facts, cost, "claim"), *_remedies(facts, cost), *_afterwards(facts, cost)),
        hint=_hint(facts, cost),
    )


def _set(facts: Facts, cost: Cost) -> Finding:
    return Finding(
        code="W402",
        level=_level(facts, cost),
        message=f"{joined(map(named, cost.names))} together serialize {_into(facts, cost)}; "
        f"hoisting them would yield {cost.then}",
        line=_line(facts, cost),
        tasks=cost.tasks,
        paths=tuple(map(RepoPath, cost.names)),
        evidence=(_share(facts, cost, "claim"), *_remedies(facts, cost), *_afterwards(facts, cost)),
        hint=_hint(facts, cost),
    )


def _level(facts: Facts, cost: Cost) -> Level:
    is_common = len(cost.tasks) >= facts.shared_threshold * len(facts.levels)
    return Level.WARNING if is_common else Level.NOTE


def _into(facts: Facts, cost: Cost) -> str:
    """`12 tasks into 12 waves`, `3 tasks into 3 of 7 waves`."""
    unit = _unit(facts)
    spread = (
        count(cost.spread, unit) if cost.spread == cost.now else f"{cost.spread} of {count(cost.now, unit)}"
    )
    return f"{count(len(cost.tasks), 'task')} into {spread}"


def _unit(facts: Facts) -> str:
    """A wave is a group; where groups have several rounds, it is those that are counted."""
    return "wave" if len(facts.schedule.groups) == len(set(facts.levels.values())) else "round"


def _line(facts: Facts, cost: Cost) -> int:
    lines = [facts.claim_line(task, name) for task in cost.tasks for name in cost.names]
    return min((line for line in lines if line), default=0)


def _share(facts: Facts, cost: Cost, verb: str) -> str:
    what = "it" if len(cost.names) == 1 else "one of them"
    share = round(100 * len(cost.tasks) / len(facts.levels))
    return f"{len(cost.tasks)} of {count(len(facts.levels), 'task')} {verb} {what} ({share} %)"


def _remedies(facts: Facts, cost: Cost) -> Iterator[str]:
    """Which of the two remedies fits, and why."""
    if cost.hoisted is None:
        if _is_wide(cost):
            yield "remedy: a claim for each file that a task really touches"
        return
    known: dict[Registration, None] = {}
    for name in cost.names:
        row = registration_of(name)
        if row is None:
            yield (
                f"remedy: one final wiring task, if the others only register in {named(name)}; "
                "else split it, or merge the tasks"
            )
        elif row not in known:
            known[row] = None
            yield _remedy(facts, cost, row)


def _is_wide(cost: Cost) -> bool:
    """Whether what is shared is a folder or a glob."""
    return any(parse_pattern(name).kind is not PatternKind.FILE for name in cost.names)


def _remedy(facts: Facts, cost: Cost, row: Registration) -> str:
    if row.remedy is Remedy.FRAGMENTS:
        number = f" ({count(cost.apart, _unit(facts))})" if len(cost.names) == 1 else ""
        return f"remedy: a fragment for each task{number}, because {row.why}"
    return f"remedy: one final wiring task, because {row.why}"


def _afterwards(facts: Facts, cost: Cost) -> Iterator[str]:
    if cost.emptied:
        yield f"{quoted(facts.in_plan_order(cost.emptied))} would claim nothing any more"
    if cost.rest is not None:
        yield f"after that the longest queue is for {named(cost.rest)}"


def _hint(facts: Facts, cost: Cost) -> str:
    if cost.hoisted is None:
        return (
            "claim files instead of folders and globs, where the files are known"
            if _is_wide(cost)
            else "let one of the tasks delete it"
        )
    if cost.emptied:
        return "merge the tasks that claim nothing else into one"
    if facts.plan.format != "native":
        return "let one last task write it for all, or let each task add a file of its own where the build takes it in"
    options = " ".join(f"--hoist {named(name)}" for name in cost.names)
    command = f"git waves plan {options}{_other_plan(facts)}"
    named_command = command if "'" in command else f"'{command}'"
    return f"{named_command} prints the plan with one last task for it"


def _other_plan(facts: Facts) -> str:
    """How to name the plan, when it is not the usual one."""
    return "" if facts.plan.source in _USUAL else f" {named(facts.plan.source)}"


def _untried(facts: Facts) -> Iterator[Finding]:
    if facts.costs.untried:
        yield Finding(
            code="W403",
            level=Level.NOTE,
            message=f"{count(facts.costs.untried, 'more choice')} of shared paths may shorten the plan and "
            f"{'was' if facts.costs.untried == 1 else 'were'} not tried",
            hint="mend what is named first, then look again",
        )


def _fully_serial(facts: Facts, tasks: int, chain: int) -> Finding:
    unit = _unit(facts)
    waits = Counter(hold.kind for group in facts.schedule.groups for hold in group.holds)
    reasons = (
        (HoldKind.FILE, "waits for a shared path", "wait for a shared path"),
        (HoldKind.RESOURCE, "waits for a resource", "wait for a resource"),
        (HoldKind.BARRIER, "waits for the group before", "wait for the group before"),
    )
    return Finding(
        code="W404",
        level=Level.WARNING,
        message=f"fully serial: {tasks} tasks in {count(tasks, unit)}, although needs alone would allow {chain} (REVISE)",
        evidence=tuple(
            f"{count(waits[kind], 'task')} {one if waits[kind] == 1 else more}"
            for kind, one, more in reasons
            if waits[kind]
        ),
        hint="take apart what the tasks share, or say with 'needs' why they must queue",
    )
