"""Findings about words of a prompt name the line of the plan: the prompt's first line is where the reader says."""

from __future__ import annotations

import pytest

from tests.formats.readings import reading
from tests.formats.shown import DATA
from tests.formats.test_real_plans import PLANS

IN_ONE_PIECE = [here for here in PLANS if here.endswith(".md")]


@pytest.mark.parametrize("here", IN_ONE_PIECE)
def test_the_first_line_of_a_prompt_stands_where_it_is_said_to(here: str) -> None:
    content = (DATA / here).read_text(encoding="utf-8")
    rows = content.split("\n")
    for task in reading(content, path=PLANS[here]).plan.tasks:
        assert task.prompt is not None
        first = task.prompt.split("\n", 1)[0]
        assert first in rows[task.prompt_line - 1], task.id


def test_the_prompt_of_a_phase_is_its_body() -> None:
    content = (DATA / "gsd/01-foundation/01-02-PLAN.md").read_text(encoding="utf-8")
    (task,) = reading(content, path="01-02-PLAN.md").plan.tasks
    rows = content.split("\n")[task.prompt_line - 1 :]
    assert task.prompt == "\n".join(rows).strip("\n")
