"""W405: tasks that fight over the same files and that nothing else orders, so they are really one task."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from git_waves.core.collision import OverlapKind
from git_waves.core.findings.facts import Facts
from git_waves.core.findings.wording import quoted
from git_waves.core.model import Finding, Level, Origin, RepoPath, Task, TaskId
from git_waves.core.registration import registration_of

_MOST_TOLD = 20
_MOST_SHARERS = 4  # a file of more tasks than that is a place to register in, or a matter for W401


def check_consolidation(facts: Facts) -> tuple[Finding, ...]:
    """One finding for each bunch of tasks that would be one. Registration files do not count: everybody writes those."""
    shared = dict(_fights(facts))
    fighting = {task for pair in shared for task in pair}
    own = {task.id: _certain_paths(task) for task in facts.plan.tasks if task.id in fighting}
    bunch_of: dict[TaskId, _Bunch] = {}
    for (a, b), paths in shared.items():
        if 2 * len(paths) > min(own[a], own[b]):
            ours, theirs = (bunch_of.get(task, _Bunch({task}, set())) for task in (a, b))
            merged = _Bunch(ours.tasks | theirs.tasks, ours.paths | theirs.paths | paths)
            bunch_of.update(dict.fromkeys(merged.tasks, merged))
    bunches = list({id(bunch): bunch for bunch in bunch_of.values()}.values())
    return (*(_finding(facts, bunch) for bunch in bunches[:_MOST_TOLD]), *_more(len(bunches) - _MOST_TOLD))


@dataclass(frozen=True, slots=True)
class _Bunch:
    """Tasks that are linked by fights, and what they fight over."""

    tasks: set[TaskId]
    paths: set[str]


def _certain_paths(task: Task) -> int:
    """How many paths the task claims for certain, besides places to register in."""
    return len(
        {
            str(claim.pattern)
            for claim in task.claims
            if claim.origin is Origin.EXPLICIT and registration_of(str(claim.pattern)) is None
        }
    )


def _fights(facts: Facts) -> Iterator[tuple[tuple[TaskId, TaskId], set[str]]]:
    """Pairs of tasks in the plan's order, and the paths that both claim for certain, that nobody declared shared."""
    found: dict[tuple[TaskId, TaskId], set[str]] = {}
    for collision in facts.collisions:
        if (
            collision.kind is OverlapKind.SAME
            and len(collision.first) <= _MOST_SHARERS
            and registration_of(collision.path) is None
            and not facts.is_declared(collision)
        ):
            certain = facts.in_plan_order(set(collision.first) - collision.guessed)
            for a, b in combinations(certain, 2):
                if not facts.order.is_ordered(a, b):
                    found.setdefault((a, b), set()).add(collision.path)
    yield from found.items()


def _finding(facts: Facts, bunch: _Bunch) -> Finding:
    ordered, paths = facts.in_plan_order(bunch.tasks), sorted(bunch.paths)
    lines = [line for task in ordered for path in paths if (line := facts.claim_line(task, path))]
    first, *others = ordered
    return Finding(
        code="W405",
        level=Level.NOTE,
        message=f"tasks {quoted(ordered)} fight over {quoted(paths)}, and nothing else orders them",
        line=min(lines, default=0),
        tasks=ordered,
        paths=tuple(map(RepoPath, paths)),
        hint=f"merge {quoted(others)} into '{first}', or order them with 'needs'",
    )


def _more(left: int) -> Iterator[Finding]:
    if left > 0:
        yield Finding(
            code="W405",
            level=Level.NOTE,
            message=f"{left} more {'bunches' if left > 1 else 'bunch'} of tasks fight over the same files",
            hint="merge what is named first, then look again",
        )
