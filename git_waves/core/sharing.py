"""What a shared path or resource costs: how many rounds the plan has, and how many without it, by scheduling again.

Only what can matter is tried: without a path the plan is no shorter than its needs and its other queues make it, so a
path is passed over when that bound is no shorter than the plan is today. Most paths of most plans are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from git_waves.core.hoist import hoist, sharers_of, without_claims
from git_waves.core.model import HoldKind, Intent, Need, NeedKind, PatternKind, Plan, RepoPath, TaskId
from git_waves.core.order import Barriers
from git_waves.core.ownership import OwnershipManifest
from git_waves.core.paths import parse_pattern
from git_waves.core.queues import Name, Queues
from git_waves.core.registration import Registration, registration_of
from git_waves.core.schedule import contended_resources, state_problem
from git_waves.core.trial import Trial

MOST_TRIED = 8
_WORK = 40_000  # tasks scheduled again at most: all eight choices for a plan of 5,000, two for one of 20,000


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What sharing `names` (paths, or one resource) costs. All numbers are of rounds of the whole plan.

    `now` is the plan as it is, `hoisted` with one last task that writes the paths for all (None where that cannot be:
    folders, globs, resources, deletions), `apart` when each task had something of its own instead. `tasks` are those
    who share, `spread` is over how many rounds they stand today, `emptied` are those of them who claim nothing else.
    `registration` is what is known of the paths; `rest` makes the longest queue after that, if one does.
    """

    kind: HoldKind
    names: tuple[str, ...]
    tasks: tuple[TaskId, ...]
    spread: int
    now: int
    hoisted: int | None
    apart: int
    emptied: tuple[TaskId, ...] = ()
    registration: Registration | None = None
    rest: str | None = None

    @property
    def then(self) -> int:
        """The rounds that the remedy brings: what can be hoisted is hoisted, the rest can only be kept apart."""
        return self.apart if self.hoisted is None else self.hoisted


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """Every path, set of paths and resource that makes the plan longer, the costliest first; `untried` is how many
    that could were not looked at."""

    found: tuple[Cost, ...] = ()
    untried: int = 0


def find_costs(
    plan: Plan,
    manifest: OwnershipManifest,
    *,
    needs: Sequence[Need],
    barriers: Barriers,
    levels: dict[TaskId, int],
) -> Costs:
    """The costs of a plan whose tasks to do stand on `levels`, from 0; cheap when nothing is shared."""
    now = max(levels.values(), default=-1) + 1
    if now < 2:
        return Costs()
    declared = [need for need in needs if need.kind is NeedKind.DECLARED]
    queues = Queues.of(state_problem(plan, manifest.collisions(), declared, barriers))
    candidates = [
        names for names in _candidates(queues) if queues.floor(names) < now and not _is_handover(plan, names)
    ]
    if not candidates:
        return Costs()
    most = max(2, min(MOST_TRIED, _WORK // len(levels)))
    trial = Trial(plan, manifest)
    tried = [_cost(plan, trial, names, queues, levels) for names in candidates[:most]]
    return Costs(found=tuple(_worth_telling(tried)), untried=len(candidates[most:]))


def _candidates(queues: Queues) -> Iterator[tuple[Name, ...]]:
    """Single names, the longest queue first; then registration files of one kind together; then all of those."""
    kinds: dict[str, list[Name]] = {}
    for name in queues.names():
        yield (name,)
        row = registration_of(name[1]) if name[0] is HoldKind.FILE else None
        if row is not None:
            kinds.setdefault(row.kind, []).append(name)
    everything = [name for names in kinds.values() for name in names]
    together = (queues.matter(names) for names in (*kinds.values(), everything))
    yield from dict.fromkeys(names for names in together if len(names) > 1)


def _is_handover(plan: Plan, names: tuple[Name, ...]) -> bool:
    """Whether one task makes it and one other goes on with it: an order, which the files say, and no queue."""
    if len(names) > 1 or names[0][0] is HoldKind.RESOURCE or registration_of(names[0][1]) is not None:
        return False
    pattern = parse_pattern(names[0][1])
    makes = [
        any(claim.pattern == pattern and claim.intent is Intent.CREATE for claim in task.claims)
        for task in sharers_of(plan, {pattern})
    ]
    return sorted(makes) == [False, True]


def _worth_telling(tried: Iterable[Cost]) -> Iterator[Cost]:
    """Those that bring something; a set only when it brings more than every smaller choice of its paths."""
    best: dict[str, int] = {}
    for cost in tried:
        if cost.then < min([cost.now, *(best.get(name, cost.now) for name in cost.names)]):
            yield cost
            best.update(dict.fromkeys(cost.names, cost.then))


def _cost(
    plan: Plan, trial: Trial, names: tuple[Name, ...], queues: Queues, levels: dict[TaskId, int]
) -> Cost:
    kind, texts = names[0][0], tuple(text for _, text in names)
    rows = {registration_of(text) for text in texts} if kind is HoldKind.FILE else set()
    rest = queues.rest(names)
    cost = Cost(
        kind=kind,
        names=texts,
        tasks=(),
        spread=0,
        now=max(levels.values()) + 1,
        hoisted=None,
        apart=0,
        registration=rows.pop() if len(rows) == 1 else None,
        rest=rest[1] if rest is not None else None,
    )
    tried = (
        _without_resource(plan, trial, cost)
        if kind is HoldKind.RESOURCE
        else _without_paths(plan, trial, cost)
    )
    return replace(tried, spread=len({levels[task] for task in tried.tasks}))


def _without_resource(plan: Plan, trial: Trial, cost: Cost) -> Cost:
    (name,) = cost.names

    def freed(plan: Plan) -> Plan:
        return replace(
            plan,
            tasks=tuple(
                replace(task, resources=tuple(one for one in task.resources if one != name))
                for task in plan.tasks
            ),
        )

    _, holders = contended_resources(plan)[name]
    return replace(cost, tasks=holders, apart=trial.rounds_after(freed))


def _without_paths(plan: Plan, trial: Trial, cost: Cost) -> Cost:
    patterns = {parse_pattern(name) for name in cost.names}
    sharers = tuple(sharers_of(plan, patterns))
    claims = [claim for task in sharers for claim in task.claims if claim.pattern in patterns]
    cost = replace(
        cost,
        tasks=tuple(task.id for task in sharers),
        apart=trial.rounds_after(lambda plan: without_claims(plan, patterns)),
    )
    if any(p.kind is not PatternKind.FILE for p in patterns) or any(
        c.intent is Intent.DELETE for c in claims
    ):
        return cost
    paths = tuple(map(RepoPath, cost.names))
    return replace(
        cost,
        hoisted=trial.rounds_after(lambda plan: hoist(plan, paths).plan),
        emptied=hoist(plan, paths).emptied,
    )
