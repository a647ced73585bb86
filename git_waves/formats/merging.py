"""Several plans made into one: fragments of several planners, or whole plans that are to run together.

The order in which they are named decides: ids of an earlier one stay, a later one's gets its plan's name in front when
it is taken. Groups of the same name are one group. So adding a fragment at the end changes nothing before it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import TypeVar

from git_waves.core.coverage import Reading, Skipped
from git_waves.core.graph import find_cycle, sort_topologically
from git_waves.core.model import (
    DEFAULT_MAX_PARALLEL,
    AgentDefinition,
    AgentSpec,
    Background,
    Budget,
    Gate,
    GroupDef,
    PathPattern,
    Plan,
    Resource,
    SharedPaths,
    Stage,
    Task,
    TaskId,
)
from git_waves.errors import PlanError, PlanProblem
from git_waves.formats.checks import TaskNeeds, check_needs, plan_error
from git_waves.formats.lineless import says_the_same
from git_waves.formats.names import shorten
from git_waves.formats.problems import Problems, end_with_enough

_Value = TypeVar("_Value")
_Named = TypeVar("_Named", Resource, Gate, Background, AgentDefinition)
_LONGEST_ID = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """One plan of several readings, ids that had to be changed, and what was decided where they disagreed."""

    plan: Plan
    raw_ids: dict[TaskId, str]
    notes: tuple[Skipped, ...] = ()


def merge(readings: Sequence[Reading], *, name: str) -> Merged:
    """The plan of all `readings`, called `name`. Raises PlanError when they contradict each other.

    Their needs may name tasks of one another (`PlanText.is_fragment`); whatever is then still unknown is a problem.
    """
    with end_with_enough(name):
        return _Merging(readings, name).result()


@dataclass(slots=True)
class _Merging:
    readings: Sequence[Reading]
    name: str
    problems: list[PlanProblem] = field(default_factory=Problems)
    notes: list[Skipped] = field(default_factory=list)
    ids: list[dict[TaskId, TaskId]] = field(default_factory=list)
    raw_ids: dict[TaskId, str] = field(default_factory=dict)

    @property
    def plans(self) -> list[Plan]:
        """The plans in the order in which they were named."""
        return [reading.plan for reading in self.readings]

    def result(self) -> Merged:
        """The merged plan."""
        self._give_ids()
        tasks = self._tasks()
        needs: list[TaskNeeds] = [(task.id, task.needs, [0] * len(task.needs)) for task in tasks]
        check_needs(needs, self.problems)
        agents = self._agents()
        plan = Plan(
            name=self.name,
            source=self.plans[0].source,
            format="native",
            base=self._one("base", lambda plan: plan.base),
            scheduler=self._one("scheduler", lambda plan: plan.scheduler),
            max_parallel=self._one(
                "max_parallel",
                lambda plan: plan.max_parallel if plan.max_parallel != DEFAULT_MAX_PARALLEL else None,
            )
            or DEFAULT_MAX_PARALLEL,
            on_failure=self._one("on_failure", lambda plan: plan.on_failure),
            on_red=self._one("on_red", lambda plan: plan.on_red),
            agent=agents[0] if len(agents) == 1 else None,
            agents=self._named("agent", lambda plan: plan.agents),
            setup=tuple({str(one): one for plan in self.plans for one in plan.setup}.values()),
            setup_timeout=max(plan.setup_timeout for plan in self.plans),
            include=tuple(
                {(one.how, one.pattern, one.to): one for plan in self.plans for one in plan.include}.values()
            ),
            sparse=self._sparse(),
            resources=self._named("resource", lambda plan: plan.resources),
            background=self._named("background writer", lambda plan: plan.background),
            gates=self._gates(),
            stages=self._stages(tasks),
            groups=self._groups(),
            tasks=tasks,
            shared_paths=self._shared_paths(),
            budget=self._one("budget", lambda plan: plan.budget if plan.budget != Budget() else None)
            or Budget(),
            sandbox=self._one("sandbox", lambda plan: plan.sandbox),
            require_review=any(plan.require_review for plan in self.plans),
        )
        if self.problems:
            names = ", ".join(plan.source for plan in self.plans)
            raise plan_error(shorten(names, 200), self.problems, measured=True)
        return Merged(plan=plan, raw_ids=self.raw_ids, notes=tuple(self.notes))

    def _sparse(self) -> tuple[PathPattern, ...] | None:
        """Worktrees hold everything as soon as one plan wants that."""
        reads = [plan.sparse for plan in self.plans]
        if any(one is None for one in reads):
            return None
        return tuple(dict.fromkeys(pattern for one in reads for pattern in one or ()))

    def _give_ids(self) -> None:
        taken: set[str] = set()
        known = {task.id.casefold() for plan in self.plans for task in plan.tasks}
        for reading in self.readings:
            mapping: dict[TaskId, TaskId] = {}
            for task in reading.plan.tasks:
                used = task.id
                if used.casefold() in taken:
                    used = TaskId(_free(f"{reading.plan.name}.{task.id}", known))
                    known.add(used.casefold())
                    self.raw_ids[used] = reading.raw_ids.get(task.id, f"{task.id} of {reading.plan.source}")
                elif task.id in reading.raw_ids:
                    self.raw_ids[used] = reading.raw_ids[task.id]
                mapping[task.id] = used
            taken.update(used.casefold() for used in mapping.values())
            self.ids.append(mapping)

    def _agents(self) -> list[AgentSpec]:
        """The different agents that plans name for all their tasks."""
        found: list[AgentSpec] = []
        for plan in self.plans:
            if plan.agent is not None and not any(says_the_same(plan.agent, one) for one in found):
                found.append(plan.agent)
        return found

    def _tasks(self) -> tuple[Task, ...]:
        is_told_apart = len(self._agents()) > 1
        return tuple(
            replace(
                task,
                id=self.ids[number][task.id],
                needs=tuple(dict.fromkeys(self._meant(on, number) for on in task.needs)),
                agent=task.agent or (plan.agent if is_told_apart and task.run is None else None),
            )
            for number, plan in enumerate(self.plans)
            for task in plan.tasks
        )

    def _meant(self, on: TaskId, number: int) -> TaskId:
        """The task of the same plan; else the one task of that id anywhere."""
        if on in self.ids[number]:
            return self.ids[number][on]
        found = {mapping[on] for mapping in self.ids if on in mapping}
        if len(found) > 1:
            names = ", ".join(f"'{shorten(one)}'" for one in sorted(found))
            source = self.plans[number].source
            self.problems.append(
                PlanProblem(
                    0, f"'{shorten(on)}', needed in '{shorten(source)}', may be {names}", "rename one of them"
                )
            )
        return found.pop() if len(found) == 1 else on

    def _one(self, key: str, value: Callable[[Plan], _Value | None]) -> _Value | None:
        """What the first plan that says anything says; others that differ are noted."""
        said = [(plan, one) for plan in self.plans if (one := value(plan)) is not None]
        for plan, one in said[1:]:
            if not says_the_same(one, said[0][1]):
                why = f"'{said[0][0].source}', which is named first, says otherwise"
                self.notes.append(Skipped(source=plan.source, line=0, what=f"{key}: {one}", why=why))
        if key == "scheduler" and 0 < len(said) < len(self.plans):
            why = "the others do not say; it is taken for all"
            self.notes.append(Skipped(source=said[0][0].source, line=0, what=f"{key}: {said[0][1]}", why=why))
        return said[0][1] if said else None

    def _named(self, what: str, entries: Callable[[Plan], Sequence[_Named]]) -> tuple[_Named, ...]:
        """Entries of all plans; those of the same name must be the same."""
        found: dict[str, tuple[_Named, Plan]] = {}
        for plan in self.plans:
            for entry in entries(plan):
                before = found.setdefault(entry.name, (entry, plan))
                if not says_the_same(before[0], entry):
                    message = f"{what} '{shorten(entry.name)}' is not the same in '{before[1].source}' and '{plan.source}'"
                    self.problems.append(PlanProblem(0, message, "rename one of them"))
        return tuple(entry for entry, _ in found.values())

    def _gates(self) -> tuple[Gate, ...]:
        """The gates of all plans; the integration review stays the last."""
        gates = self._named("gate", lambda plan: plan.gates)
        return tuple(sorted(gates, key=lambda gate: gate.is_review))

    def _stages(self, tasks: Sequence[Task]) -> tuple[Stage, ...]:
        """A stage is for the tasks of the plans that have it, and for all when that is everybody."""
        found: dict[str, tuple[Stage, Plan]] = {}
        only: dict[str, list[TaskId]] = {}
        for plan, ids in zip(self.plans, self.ids, strict=True):
            for stage in plan.stages:
                before = found.setdefault(stage.name, (stage, plan))
                if not says_the_same(replace(before[0], tasks=()), replace(stage, tasks=())):
                    message = f"stage '{shorten(stage.name)}' is not the same in '{before[1].source}' and '{plan.source}'"
                    self.problems.append(PlanProblem(0, message, "rename one of them"))
                mine = stage.tasks or [task.id for task in plan.tasks]
                only.setdefault(stage.name, []).extend(ids[task] for task in mine if task in ids)
        return tuple(
            replace(
                stage, tasks=() if len(set(only[name])) == len(tasks) else tuple(dict.fromkeys(only[name]))
            )
            for name, (stage, _) in found.items()
        )

    def _groups(self) -> tuple[GroupDef, ...]:
        """Groups of one name are one. Their order keeps that of each plan; plans that contradict each other are refused."""
        known: dict[str, GroupDef] = {}
        before: dict[str, dict[str, None]] = {}
        for plan in self.plans:
            for at, group in enumerate(plan.groups):
                if group.name not in known or (group.title and not known[group.name].title):
                    known[group.name] = group
                before.setdefault(group.name, {})
                if at:
                    before[group.name][plan.groups[at - 1].name] = None
        cycle = find_cycle(before, before)
        if cycle is not None:
            shown = " and ".join(f"'{shorten(name)}'" for name in cycle[:2])
            self.problems.append(
                PlanProblem(
                    0, f"groups {shown} stand in another order in different sources", "rename one of them"
                )
            )
            return tuple(known.values())
        numbers = {name: number for number, name in enumerate(before)}
        order = sort_topologically([[numbers[one] for one in earlier] for earlier in before.values()])
        names = list(before)
        return tuple(known[names[number]] for number in order)

    def _shared_paths(self) -> SharedPaths | None:
        """Declared paths of all plans; a count only says something about one plan."""
        declared = [plan.shared_paths for plan in self.plans if plan.shared_paths is not None]
        patterns = tuple(dict.fromkeys(pattern for one in declared for pattern in one.patterns))
        for plan in self.plans:
            if plan.shared_paths is not None and plan.shared_paths.count is not None:
                self.notes.append(
                    Skipped(
                        source=plan.source,
                        line=plan.shared_paths.line,
                        what="shared_paths",
                        why="a number of shared paths is true of one plan and not of several; it is left out",
                    )
                )
        return SharedPaths(patterns=patterns) if patterns else None


def _free(name: str, known: Set[str]) -> str:
    """`name`, cut to what an id may have, with a number behind it when it is taken."""
    short = name[:_LONGEST_ID].rstrip(".-_")
    number = 2
    while short.casefold() in known:
        short = f"{name[: _LONGEST_ID - 6].rstrip('.-_')}-{number}"
        number += 1
    return short


def combined_error(errors: Sequence[PlanError]) -> PlanError:
    """All problems of several sources as one error, each with the source it is about."""
    if len(errors) == 1:
        return errors[0]
    problems = [
        PlanProblem(
            0,
            f"{error.source}:{problem.line}: {problem.message}"
            if problem.line
            else f"{error.source}: {problem.message}",
            problem.hint,
        )
        for error in errors
        for problem in error.problems
    ]
    return PlanError(
        f"{len(errors)} sources", tuple(problems), measured=all(e.exit_code == 1 for e in errors)
    )
