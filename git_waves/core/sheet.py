"""What a second reader of a plan should look at: where file sets meet, what proves each task, and the questions to ask."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from git_waves.core.findings.facts import Facts
from git_waves.core.model import Command, Finding, PathPattern, PatternKind, Plan, RepoPath, Schedule, TaskId
from git_waves.core.paths import overlap

MOST_PAIRS = 500
"""Pairs of tasks that are looked at one by one; where more meet, each path is told once for all its tasks."""
_MOST_QUESTIONS = 200_000  # whether one claim meets another, over all pairs: half a second


class Between(StrEnum):
    """What keeps two tasks that share a path from working at it at once."""

    NEEDS = "needs"  # needs or authored groups put one before the other
    SCHEDULE = "schedule"  # only the schedule, which puts them into a queue


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """Pairs of tasks whose file sets meet at the same `paths`, in the same way. `pairs` is None when they are too many to
    be listed; then `tasks` are all of them, and `between` is SCHEDULE when that holds for some pair."""

    paths: tuple[RepoPath, ...]
    between: Between
    tasks: tuple[TaskId, ...]
    pairs: tuple[tuple[TaskId, TaskId], ...] | None


class ProofKind(StrEnum):
    """What a command proves: a task by itself, every task's work, or what is merged."""

    TASK = "task"
    STAGE = "stage"
    GATE = "gate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """One command that has to pass: `of` is a task's id, or the name of a gate or a stage (`kind`); `groups` are the barriers
    of a gate, `tasks` those that a stage is for (empty: all)."""

    of: str
    kind: ProofKind
    command: Command | None
    line: int
    groups: tuple[str, ...] = ()
    tasks: tuple[TaskId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One question of the checklist, with what the analysis has found about it."""

    title: str
    question: str
    findings: tuple[Finding, ...] = ()


def meetings(facts: Facts) -> tuple[Meeting, ...]:
    """Where the file sets of tasks to do meet, pair by pair; those first that nothing but the schedule keeps apart."""
    sizes = {task: len(_claimed(facts, task)) for collision in facts.collisions for task in collision.tasks}
    at_most = sum(len(one.first) * len(one.second) for one in facts.collisions)
    pairs = {pair for one in facts.collisions for pair in one.pairs()} if at_most <= MOST_PAIRS else set()
    is_small = at_most <= MOST_PAIRS and sum(sizes[a] * sizes[b] for a, b in pairs) <= _MOST_QUESTIONS
    found = _by_pair(facts, pairs) if is_small else _by_path(facts)
    return tuple(sorted(found, key=lambda one: (one.between is Between.NEEDS, one.paths, one.tasks)))


def _claimed(facts: Facts, task: TaskId) -> tuple[PathPattern, ...]:
    claims = facts.manifest.claims(task)
    return (*claims.explicit, *claims.inferred)


def _by_pair(facts: Facts, pairs: Iterable[tuple[TaskId, TaskId]]) -> Iterable[Meeting]:
    alike: dict[tuple[tuple[RepoPath, ...], Between], list[tuple[TaskId, TaskId]]] = {}
    place = {task.id: number for number, task in enumerate(facts.plan.tasks)}
    for first, second in sorted(sorted((place[a], place[b])) for a, b in pairs):
        a, b = facts.plan.tasks[first].id, facts.plan.tasks[second].id
        shared = {
            _narrower(one, other)
            for one in _claimed(facts, a)
            for other in _claimed(facts, b)
            if overlap(one, other)
        }
        between = Between.NEEDS if facts.order.is_ordered(a, b) else Between.SCHEDULE
        alike.setdefault((tuple(sorted(shared)), between), []).append((a, b))
    for (at, between), same in alike.items():
        tasks = facts.in_plan_order({task for pair in same for task in pair})
        yield Meeting(paths=at, between=between, tasks=tasks, pairs=tuple(same))


def _narrower(one: PathPattern, other: PathPattern) -> RepoPath:
    """Of two claims that meet the one that lies in the other, as plans write it: it is what both may touch."""
    kinds = (PatternKind.FILE, PatternKind.GLOB, PatternKind.DIR)
    return RepoPath(
        str(min(one, other, key=lambda each: (kinds.index(each.kind), -len(each.text), each.text)))
    )


def _by_path(facts: Facts) -> Iterable[Meeting]:
    for collision in facts.collisions:
        is_free = bool(facts.order.unordered(collision.first, collision.second))
        yield Meeting(
            paths=(collision.path,),
            between=Between.SCHEDULE if is_free else Between.NEEDS,
            tasks=facts.in_plan_order(collision.tasks),
            pairs=None,
        )


def proofs(plan: Plan, schedule: Schedule) -> tuple[Proof, ...]:
    """Every command that has to pass, task by task in plan order, then stages and gates; a task without one is told too."""
    groups = {
        gate.name: tuple(g.name for g in schedule.groups if gate.name in g.gates) for gate in plan.gates
    }
    found = []
    for task in plan.tasks:
        if not task.is_done:
            found += [
                Proof(of=task.id, kind=ProofKind.TASK, command=command, line=command.line)
                for command in task.verify or (None,)
                if command is not None
            ] or [Proof(of=task.id, kind=ProofKind.TASK, command=None, line=task.line)]
    found += [
        Proof(of=one.name, kind=ProofKind.STAGE, command=one.command, line=one.line, tasks=one.tasks)
        for one in plan.stages
    ]
    found += [
        Proof(
            of=gate.name,
            kind=ProofKind.GATE,
            command=gate.command,
            line=gate.line,
            groups=groups[gate.name],
        )
        for gate in plan.gates
    ]
    return tuple(found)


# Each question names the beginnings of the codes that are about it.
_POINTS = (
    (
        "Shared files",
        "Does a path that several tasks touch make them queue, and is the queue worth it? Registration files (build files, "
        "indexes, routes, lock files) belong to one last task, or become a fragment for each task.",
        ("W101", "W103", "W104", "W4"),
    ),
    (
        "Whole claims",
        "Does each task claim every file it will have to touch: tests, registration, documents, generated and lock files? "
        "What it does not claim it may not change.",
        ("W102", "W601", "W602", "W8"),
    ),
    (
        "Order",
        "Does every order that the prompts speak of ('after', 'once merged', 'before') stand in 'needs', and does none of "
        "them stand there for nothing?",
        ("W3",),
    ),
    (
        "Waves",
        "Does each group hold only what can be built and merged at once, with nothing in it that another task of the group "
        "has to see first?",
        ("W2",),
    ),
    (
        "What is no file",
        "Do tasks that run together share a database, a port, a service, an account, or the user's own configuration? It "
        "belongs under 'resources'. Does anything else write the repository meanwhile? It belongs under 'background'.",
        ("W7",),
    ),
    (
        "Proof",
        "Can each verify command and each gate below fail, and would it fail if the task did nothing?",
        ("W5", "W9", "W604"),
    ),
    (
        "Prompts",
        "Could somebody who sees nothing but the prompt and the repository do the task, and know when it is done?",
        ("W603",),
    ),
)
_REST = ("Everything else", "What else does the analysis say?", ("W",))


def checklist(findings: Iterable[Finding]) -> tuple[Point, ...]:
    """The questions, shared files first, each with the findings about it; a finding stands under one question."""
    left = list(findings)
    points = []
    for title, question, codes in (*_POINTS, _REST):
        mine = tuple(finding for finding in left if finding.code.startswith(codes)) if codes else ()
        left = [finding for finding in left if finding not in mine]
        if mine or title != _REST[0]:
            points.append(Point(title=title, question=question, findings=mine))
    return tuple(points)
