"""How large a plan may be: what follows from one as large as that is worked out in seconds, and in less than a gigabyte."""

from __future__ import annotations

from git_waves.core.model import Plan
from git_waves.errors import PlanProblem
from git_waves.formats.checks import plan_error

MOST_TASKS = 20_000
MOST_NEEDS = 200_000
"""`all tasks above`, said by every task, is the square of their number."""
MOST_PATHS = 150_000


def check_size(plan: Plan) -> None:
    """PlanError (not measured) for a plan that is larger; its line is that of the first task that is too much."""
    tasks = needs = paths = 0
    for task in plan.tasks:
        tasks, needs, paths = tasks + 1, needs + len(task.needs), paths + len(task.claims)
        for number, most, what in (
            (tasks, MOST_TASKS, "tasks"),
            (needs, MOST_NEEDS, "needs"),
            (paths, MOST_PATHS, "paths"),
        ):
            if number > most:
                problem = PlanProblem(task.line, f"the plan has more than {most} {what}", "split the plan")
                raise plan_error(plan.source, [problem], measured=False)
