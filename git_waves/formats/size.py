"""How large a plan may be: what follows from one as large as that is worked out in seconds, and in less than a gigabyte."""

from __future__ import annotations

from collections.abc import Iterable

from git_waves.core.model import Plan
from git_waves.errors import PlanError, PlanProblem
from git_waves.formats.checks import plan_error
from git_waves.formats.marks import MarkedList, MarkedMap

MOST_TASKS = 10_000
MOST_NEEDS = 200_000
"""`all tasks above`, said by every task, is the square of their number."""
MOST_PATHS = 150_000


def check_size(plan: Plan) -> None:
    """PlanError (not measured) for a plan that is larger; its line is that of the first task that is too much."""
    _check(plan.source, ((task.line, len(task.needs), len(task.claims)) for task in plan.tasks))


def check_tree_size(source: str, tree: MarkedMap) -> None:
    """The same before anything is made of a native plan's tasks, which costs ten times what reading them does."""
    tasks = tree.get("tasks")
    if isinstance(tasks, MarkedList):
        _check(source, (_sizes(task) for task in tasks if isinstance(task, MarkedMap)))


def _sizes(task: MarkedMap) -> tuple[int, int, int]:
    needs, files = task.get("needs"), task.get("files")
    lists = files.values() if isinstance(files, MarkedMap) else (files,)
    paths = sum(len(one) for one in lists if isinstance(one, MarkedList))
    return task.line, len(needs) if isinstance(needs, MarkedList) else 0, paths


def _check(source: str, sizes: Iterable[tuple[int, int, int]]) -> None:
    tasks = needs = paths = 0
    for line, more_needs, more_paths in sizes:
        tasks, needs, paths = tasks + 1, needs + more_needs, paths + more_paths
        for number, most, what in (
            (tasks, MOST_TASKS, "tasks"),
            (needs, MOST_NEEDS, "needs"),
            (paths, MOST_PATHS, "paths"),
        ):
            if number > most:
                raise too_large(source, line, most, what)


def too_large(source: str, line: int, most: int, what: str) -> PlanError:
    """The refusal of a plan with more than `most` of something."""
    problem = PlanProblem(line, f"the plan has more than {most} {what}", "split the plan")
    return plan_error(source, [problem], measured=False)
