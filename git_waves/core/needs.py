"""Which task comes before which: what the plan declares, and what its files add (product 2.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from git_waves.core.globs import literal_head
from git_waves.core.graph import AcyclicGraph, find_cycle
from git_waves.core.model import (
    Intent,
    Need,
    NeedKind,
    Origin,
    PathPattern,
    PatternKind,
    Plan,
    RepoPath,
    TaskId,
)
from git_waves.core.order import Order, build_order, place_in_groups, precedence
from git_waves.core.paths import folders_of, matches

__all__ = ["EffectiveNeeds", "Order", "build_order", "effective_needs", "find_cycle"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectiveNeeds:
    """`needs` are declared needs and the file needs the plan lacks; `contradictions` are file needs that the declared
    order, or an earlier file need, turns the other way round, so they are not among `needs`."""

    needs: tuple[Need, ...]
    contradictions: tuple[Need, ...] = ()


def effective_needs(plan: Plan) -> EffectiveNeeds:
    """Every need between tasks still to do.

    A task that modifies or deletes what another creates needs it. Only explicit claims count: a guess may add a
    conflict, not an order. Needs and barriers that order the two already make the file need superfluous.
    """
    todo = {task.id for task in plan.tasks if not task.is_done}
    declared = tuple(
        Need(task=task.id, on=on, kind=NeedKind.DECLARED)
        for task in plan.tasks
        if task.id in todo
        for on in dict.fromkeys(task.needs)
        if on in todo
    )
    asked = tuple(_file_needs(plan, todo))
    if not asked:
        return EffectiveNeeds(needs=declared)
    nodes, before = precedence(plan, declared, place_in_groups(plan, declared))
    order = Order(nodes, before)
    graph = AcyclicGraph(before)
    added, contradictions = [], []
    for need in asked:
        if order.is_before(need.on, need.task):
            continue
        if graph.add(nodes[need.on], nodes[need.task]):
            added.append(need)
        else:
            contradictions.append(need)
    return EffectiveNeeds(needs=(*declared, *added), contradictions=tuple(contradictions))


def _file_needs(plan: Plan, todo: set[TaskId]) -> Iterator[Need]:
    """One need for each pair of tasks, with the first path that asks for it, in the plan's order."""
    creators = _Creators()
    tasks = [task for task in plan.tasks if task.id in todo]
    for task in tasks:
        for claim in task.claims:
            if claim.intent is Intent.CREATE and claim.origin is Origin.EXPLICIT:
                creators.add(claim.pattern, task.id)
    seen: set[tuple[TaskId, TaskId]] = set()
    for task in tasks if creators.exact else ():
        for claim in task.claims:
            if claim.intent in (Intent.MODIFY, Intent.DELETE) and claim.origin is Origin.EXPLICIT:
                for on in creators.of(claim.pattern):
                    if on != task.id and (task.id, on) not in seen:
                        seen.add((task.id, on))
                        yield Need(task=task.id, on=on, kind=NeedKind.FILE, path=RepoPath(str(claim.pattern)))


@dataclass(slots=True)
class _Creators:
    """Who creates what, indexed so that 100,000 claims are looked up and not compared."""

    exact: dict[PathPattern, list[TaskId]] = field(default_factory=dict)
    folders: dict[str, list[TaskId]] = field(default_factory=dict)
    globs: list[tuple[PathPattern, TaskId]] = field(default_factory=list)

    def add(self, pattern: PathPattern, task: TaskId) -> None:
        """`task` creates `pattern`."""
        self.exact.setdefault(pattern, []).append(task)
        if pattern.kind is PatternKind.DIR:
            self.folders.setdefault(pattern.text, []).append(task)
        if pattern.kind is PatternKind.GLOB:
            self.globs.append((pattern, task))

    def of(self, pattern: PathPattern) -> Iterable[TaskId]:
        """The tasks that create all of `pattern`, in the plan's order for each way to find them.

        All of it, because a task that works on a wide folder does not thereby ask for each file others add there.
        """
        found = dict.fromkeys(self.exact.get(pattern, ()))
        inside = pattern.text if pattern.kind is not PatternKind.GLOB else f"{literal_head(pattern.text)}/"
        for folder in folders_of(inside):
            found.update(dict.fromkeys(self.folders.get(folder, ())))
        if pattern.kind is PatternKind.FILE:
            found.update({task: None for glob, task in self.globs if matches(glob, pattern.text)})
        return found
