"""Orders that only the text of a task asks for: W303 nothing in the plan gives it, W304 the plan gives the opposite.

A sentence is a guess about what its author meant, so these are warnings; one that says outright what the needs of the
plan turn round (`depends on task 9`, and 9 needs it) is a violation, because one of the two is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from git_waves.core.findings.facts import Facts
from git_waves.core.findings.wording import listed, quoted
from git_waves.core.graph import AcyclicGraph
from git_waves.core.model import Finding, Level, Plan, Task, TaskId
from git_waves.core.needs import effective_needs
from git_waves.core.order import Order, place_in_groups, precedence
from git_waves.core.prose_order import OrderReader, Statement
from git_waves.core.task_names import TaskNames

_MOST_PAIRS = 20_000  # of tasks that sentences put in an order; more is no plan that a person wrote


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """What one sentence of `speaker` asks for and the plan does not give: of each pair the first after the second."""

    speaker: Task
    statement: Statement
    line: int
    pairs: tuple[tuple[TaskId, TaskId], ...]
    is_reversed: bool  # the plan orders them the other way round

    @property
    def later(self) -> tuple[TaskId, ...]:
        """The tasks that should come after others."""
        return tuple(dict.fromkeys(after for after, _ in self.pairs))

    @property
    def earlier(self) -> tuple[TaskId, ...]:
        """The tasks that others should come after."""
        return tuple(dict.fromkeys(before for _, before in self.pairs))


def check_prose(facts: Facts) -> tuple[Finding, ...]:
    """One finding for each sentence, the first for each pair of tasks."""
    names = TaskNames(facts.plan.tasks)
    return tuple(_finding(facts, names, said) for said in _sentences(facts.plan, facts.order, names))


def missing_needs(plan: Plan) -> tuple[tuple[TaskId, TaskId], ...]:
    """The needs that texts ask for and the plan lacks, as pairs of a task and what it needs, in the plan's order.

    Together with the plan's own they form no cycle: of two sentences that contradict each other the first one counts.
    """
    needs = effective_needs(plan).needs
    nodes, before = precedence(plan, needs, place_in_groups(plan, needs))
    graph = AcyclicGraph(before)
    names = TaskNames(plan.tasks)
    pairs = [
        (later, earlier)
        for said in _sentences(plan, Order(nodes, before), names)
        if not said.is_reversed
        for later, earlier in said.pairs
    ]
    return tuple((later, earlier) for later, earlier in pairs if graph.add(nodes[earlier], nodes[later]))


def _sentences(plan: Plan, order: Order, names: TaskNames) -> Iterator[_Said]:
    reader = OrderReader(names)
    todo = {task.id for task in plan.tasks if not task.is_done}
    seen: set[tuple[TaskId, TaskId]] = set()
    for task in plan.tasks:
        if task.is_done:
            continue
        for text, line in _texts(task):
            for statement in reader.statements(text):
                yield from _judge(task, statement, line + statement.line, order, todo, seen)
                if len(seen) > _MOST_PAIRS:
                    return


def _texts(task: Task) -> Iterator[tuple[str, int]]:
    """What a task says in words, each with the line of the plan where it begins."""
    yield task.title, task.line
    if task.prompt is not None:
        yield task.prompt, task.prompt_line or task.line
    for command in (task.run, *task.verify):
        if command is not None and command.shell is not None and "#" in command.shell:  # a remark
            yield command.shell, command.line


def _judge(
    speaker: Task,
    statement: Statement,
    line: int,
    order: Order,
    todo: set[TaskId],
    seen: set[tuple[TaskId, TaskId]],
) -> Iterator[_Said]:
    subjects = statement.subjects or (speaker.id,)
    later, earlier = (subjects, statement.tasks) if statement.is_after else (statement.tasks, subjects)
    for is_reversed in (False, True):
        pairs = []
        for after in later:
            for before in earlier:
                if after == before or (after, before) in seen or not {after, before} <= todo:
                    continue
                if order.is_before(before, after) or order.is_before(after, before) is not is_reversed:
                    continue
                seen.add((after, before))
                pairs.append((after, before))
        if pairs:
            yield _Said(
                speaker=speaker,
                statement=statement,
                line=line,
                pairs=tuple(pairs),
                is_reversed=is_reversed,
            )


def _finding(facts: Facts, names: TaskNames, said: _Said) -> Finding:
    speaker, words = said.speaker.id, said.statement.words
    itself = "it" if said.later == (speaker,) else quoted(said.later)
    others = "it" if said.earlier == (speaker,) else quoted(said.earlier)
    hint = f"add {quoted(said.earlier)} to the needs of {quoted(said.later)}"
    is_against_numbers = not said.is_reversed and any(
        _is_numbered_before(names, later, earlier) for later, earlier in said.pairs
    )
    if said.is_reversed:
        message = f"task '{speaker}' says '{words}', but the plan puts {itself} before {others}"
        hint = "turn the needs round, or correct the text: one of the two is wrong"
    elif is_against_numbers:
        verb = "comes" if len(said.later) == 1 else "come"
        message = (
            f"task '{speaker}' says '{words}', but by the numbers {itself} {verb} before {others}, "
            "and no need says otherwise"
        )
        hint = f"{hint}, or correct the text"
    else:
        message = f"task '{speaker}' says '{words}', but nothing orders {itself} after {others}"
    if facts.plan.format == "native" and not said.is_reversed:
        hint += "; 'git waves plan --promote' does it"
    is_certain = said.is_reversed and said.statement.is_explicit
    return Finding(
        code="W304" if said.is_reversed or is_against_numbers else "W303",
        level=Level.VIOLATION if is_certain else Level.WARNING,
        message=message,
        line=said.line,
        tasks=tuple(dict.fromkeys((speaker, *said.later, *said.earlier))),
        evidence=listed([said.statement.sentence]),
        hint=hint,
    )


def _is_numbered_before(names: TaskNames, later: TaskId, earlier: TaskId) -> bool:
    """Whether the ids are numbered against what the text says."""
    mine, other = names.number_of(later), names.number_of(earlier)
    return mine is not None and other is not None and mine[0] == other[0] and mine[1] < other[1]
