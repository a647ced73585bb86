"""Four times the tasks are about four times the work, in every format, judged and imported.

What is counted are lines of Python that are executed, turns of loops included: time is another on every machine.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from git_waves import importing, planning
from git_waves.adapters.repo import Repository, open_repository
from git_waves.views.coverage_text import coverage_text
from git_waves.views.plan_text import plan_text
from tests.formats.largest import LARGEST
from tests.support.repo import RepoBuilder

FEW = 250
"""Enough that searches which only small plans are worth (64 tasks and fewer) are not made."""
TIMES = 4
MOST = 5.5
"""Sorting is a little more than linear; what is quadratic takes 16 times as long."""


def judge(repository: Repository, name: str) -> None:
    reading = planning.read_whole(planning.read_text(repository, name), repository)
    assert plan_text(planning.analyse(reading.plan, repository=repository), spec=name, width=80)


def take_over(repository: Repository, name: str) -> None:
    imported = importing.import_plans(repository, [name])
    assert imported.text
    assert coverage_text(imported.report)


def lines_of(work: Callable[[Repository, str], None], repository: Repository, name: str) -> int:
    """How many lines are executed."""
    count = 0

    def trace(_frame: FrameType, event: str, _value: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work(repository, name)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.long
@pytest.mark.parametrize("work", [judge, take_over])
@pytest.mark.parametrize("kind", LARGEST)
def test_more_tasks_are_as_much_more_work(
    kind: str, work: Callable[[Repository, str], None], repo: RepoBuilder
) -> None:
    name, written = LARGEST[kind]
    counts = []
    for times in (1, 1, TIMES):  # the first time modules are loaded, and what is kept is made
        (repo.folder / name).write_text(written(FEW * times))
        counts.append(lines_of(work, open_repository(repo.folder), name))
    assert counts[2] < MOST * counts[1], f"{kind}: {counts}"
