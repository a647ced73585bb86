"""A list of problems that does not grow for ever: whoever reads 20,000 of them needs no more, and a machine has an end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from git_waves.errors import PlanProblem
from git_waves.formats.checks import plan_error

MOST_PROBLEMS = 20_000


class EnoughError(Exception):
    """There are too many problems to go on; they are in `problems`."""

    def __init__(self, problems: list[PlanProblem]) -> None:
        super().__init__()
        self.problems = problems


class Problems(list[PlanProblem]):
    """Problems of one plan. Appending one too many raises EnoughError, which `end_with_enough` makes a PlanError."""

    def append(self, problem: PlanProblem) -> None:
        """Add a problem."""
        super().append(problem)
        if len(self) >= MOST_PROBLEMS:
            raise EnoughError(self)


@contextmanager
def end_with_enough(source: str) -> Iterator[None]:
    """Report what was found when there was too much of it. `source` names the plan."""
    try:
        yield
    except EnoughError as error:
        line = max(problem.line for problem in error.problems)
        message = f"there may be more than these {len(error.problems)} problems"
        last = PlanProblem(line, message, "mend these first")
        raise plan_error(source, [*error.problems, last], measured=True) from None
