"""What is too large to be worked out is refused before it costs anything, and said to be unmeasured."""

from __future__ import annotations

import json

import pytest

from git_waves.core import overlaps
from git_waves.core.model import TaskId
from git_waves.core.paths import parse_pattern
from git_waves.errors import PlanError, UnmeasurableError
from git_waves.formats import native, size, yamlevents
from git_waves.formats.native import read_native
from git_waves.formats.size import check_size
from git_waves.formats.source import PlanText
from git_waves.formats.yamlevents import load_yaml
from tests.core.plans import plan, task

SOME = plan(task("a", "a.c", "b.c"), task("b", "c.c", needs=["a"]), task("c", needs=["a"]))


@pytest.mark.parametrize(("limit", "most"), [("TASKS", 2), ("NEEDS", 1), ("PATHS", 2)])
def test_a_plan_that_is_too_large_is_not_measured(
    limit: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_size(SOME)
    monkeypatch.setattr(size, f"MOST_{limit}", most)
    with pytest.raises(PlanError) as raised:
        check_size(SOME)
    assert raised.value.exit_code == 2
    assert raised.value.problems[0].message == f"the plan has more than {most} {limit.lower()}"


@pytest.mark.parametrize("layout", ["yaml", "json"])
@pytest.mark.parametrize(("limit", "most"), [("TASKS", 2), ("NEEDS", 1), ("PATHS", 2)])
def test_a_native_plan_is_refused_before_anything_is_made_of_its_tasks(
    layout: str, limit: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = [
        {"id": "a", "run": "x", "files": {"edit": ["a.c"], "create": ["b.c"]}},
        {"id": "b", "run": "x", "files": ["c.c"], "needs": ["a"]},
        {"id": "c", "run": "x", "needs": ["a"]},
    ]
    text = json.dumps({"version": "1", "tasks": tasks})
    data = text.encode() if layout == "json" else b"# yaml\n" + text.encode()

    def made(*_: object) -> None:
        raise AssertionError("made")

    monkeypatch.setattr(size, f"MOST_{limit}", most)
    monkeypatch.setattr(native, "fit", made)
    with pytest.raises(PlanError) as raised:
        read_native(PlanText(name_hint="p.yaml", source="p.yaml", data=data), known_agents=frozenset())
    assert raised.value.problems[0].message == f"the plan has more than {most} {limit.lower()}"
    assert raised.value.exit_code == 2


def test_a_list_that_is_too_long_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yamlevents, "MOST_TASKS", 2)
    assert load_yaml("- {}\n- {}\n").problems == []
    found = load_yaml("- {}\n- {}\n- {}\n- [no: yaml\n")
    assert [(one.line, one.message) for one in found.problems] == [
        (3, "a list has more than 2 parts, and a plan at most as many tasks")
    ]


def test_json_with_more_values_than_any_plan_is_refused_before_it_is_decoded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(yamlevents, "MOST_VALUES", 20)
    text = json.dumps({"version": "1", "tasks": [{}] * 20}).encode()
    with pytest.raises(PlanError) as raised:
        read_native(PlanText(name_hint="p.json", source="p.json", data=text), known_agents=frozenset())
    assert raised.value.problems[0].message == "the plan has more than 20 values"


@pytest.mark.parametrize(
    "texts",
    [
        [f"**/{n}*/**" for n in range(40)],
        [*(f"d{n}/" for n in range(100)), *(f"**/x?{n}" for n in range(7))],
        [*("d/" * n for n in range(1, 20)), *("d/" * 20 + str(n) for n in range(70))],
    ],
    ids=["globs", "globs and folders", "folders in folders"],
)
def test_claims_that_all_may_meet_each_other_are_looked_at_so_often_and_no_more(
    texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = [(TaskId(f"t{n}"), parse_pattern(text), True) for n, text in enumerate(texts)]
    monkeypatch.setattr(overlaps, "MOST_LOOKS", 10_000)
    overlaps.find_collisions(claims)
    monkeypatch.setattr(overlaps, "MOST_LOOKS", 5_000)
    with pytest.raises(UnmeasurableError, match="too many folders and globs"):
        overlaps.find_collisions(claims)
