"""W811: files that nearly always change with a claimed one, by the habits of the history, and that nobody thought of."""

from __future__ import annotations

from collections.abc import Iterator

from git_waves.core.cochange import Habit
from git_waves.core.findings.facts import Facts
from git_waves.core.findings.wording import count, listed, quoted
from git_waves.core.model import Finding, Intent, Level, Origin, PatternKind, Plan, RepoPath, TaskId
from git_waves.core.paths import matches
from git_waves.core.repository import RepositoryFacts


def check_habits(facts: Facts, repository: RepositoryFacts) -> Iterator[Finding]:
    """One finding for each file that nearly always changes with claimed ones, and that their tasks cannot touch.

    Quiet when another task owns it and the two are ordered: then somebody has thought of it, as when one last task does
    the wiring. Quiet when `background` writes it.
    """
    if repository.history is None:
        return
    claimants = _claimants(facts.plan)
    found: dict[RepoPath, list[tuple[Habit, TaskId]]] = {}
    for habit in repository.history.habits:
        companion = habit.companion
        if companion not in repository.tree.modes or companion == facts.plan.source:
            continue
        if any(matches(known, companion) for one in facts.plan.background for known in one.writes):
            continue
        found.setdefault(companion, []).extend(
            (habit, task) for task in claimants.get(habit.file, ()) if _is_missed(facts, task, companion)
        )
    for companion, cases in found.items():
        if cases:
            yield _companion(facts, companion, cases)


def files_with_habits(plan: Plan) -> frozenset[RepoPath]:
    """The files whose history is worth reading: those that some task changes by name."""
    return frozenset(_claimants(plan))


def _claimants(plan: Plan) -> dict[RepoPath, list[TaskId]]:
    found: dict[RepoPath, list[TaskId]] = {}
    for task in plan.tasks:
        for claim in () if task.is_done else task.claims:
            is_change = claim.intent is not Intent.CREATE and claim.origin is Origin.EXPLICIT
            if is_change and claim.pattern.kind is PatternKind.FILE:
                found.setdefault(claim.pattern.text, []).append(task.id)
    return found


def _is_missed(facts: Facts, task: TaskId, companion: RepoPath) -> bool:
    owners = _owners(facts, companion)
    return task not in owners and (
        not owners or all(facts.order.unordered([task], [owner]) for owner in owners)
    )


def _owners(facts: Facts, path: RepoPath) -> list[TaskId]:
    return [task for task in facts.manifest.owners_of(path) if task in facts.levels]


def _companion(facts: Facts, companion: RepoPath, cases: list[tuple[Habit, TaskId]]) -> Finding:
    owners = _owners(facts, companion)
    whose = f"belongs to {_tasks_named(owners)}" if owners else "belongs to no task"
    files = dict.fromkeys(habit.file for habit, _ in cases)
    tasks = facts.in_plan_order({task for _, task in cases})
    lines = [line for habit, task in cases if (line := facts.claim_line(task, habit.file))]
    if len(files) == 1:
        message = f"{_habit_words(cases[0][0])}; it {whose}"
    else:
        message = f"'{companion}' nearly always changes with {count(len(files), 'claimed file')}; it {whose}"
    by_file = {habit.file: habit for habit, _ in cases}
    return Finding(
        code="W811",
        level=Level.WARNING,
        message=message,
        line=min(lines, default=0),
        tasks=tasks,
        paths=(companion, *files),
        evidence=listed(
            (
                *(_habit_words(habit) for habit in by_file.values() if len(files) > 1),
                *(facts.with_line(task, habit.file) for habit, task in cases if len(files) == 1),
            )
        ),
        hint=f"let one of the tasks claim '{companion}', or a last task that needs them"
        if not owners
        else f"let {_tasks_named(owners[:1])} come after {_tasks_named(tasks)}, or give the file to the task that changes it",
    )


def _tasks_named(tasks: list[TaskId] | tuple[TaskId, ...]) -> str:
    return f"task{'' if len(tasks) == 1 else 's'} {quoted(tasks)}"


def _habit_words(habit: Habit) -> str:
    return f"in {habit.together} of {habit.commits} commits that touch '{habit.file}', '{habit.companion}' changes too"
