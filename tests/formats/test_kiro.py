"""Kiro: leaf tasks, the order of the text, `(P)` marks, graphs in all their shapes, checkpoints and notes in italics."""

from __future__ import annotations

import json

import pytest

from tests.formats.readings import claims, needs, reading, told

BODY = """\
# Implementation Plan

- [ ] 1. Seats
  - [ ] 1.1 Map
  - [ ] 1.2 Prices
- [ ] 2. Checkpoint - Ensure all tests pass
- [ ] 3. Orders
  - [ ] 3.1 Order
"""


def with_graph(graph: object, body: str = BODY) -> str:
    return f"{body}\n## Task Dependency Graph\n\n```json\n{json.dumps(graph)}\n```\n"


def groups(text: str) -> dict[str, str | None]:
    return {str(task.id): task.group for task in reading(text).plan.tasks}


def test_without_a_graph_and_marks_the_leaves_keep_their_order() -> None:
    assert needs(reading(BODY)) == {"1.1": "", "1.2": "1.1", "2": "1.2", "3.1": "2"}


@pytest.mark.parametrize(
    "graph",
    [
        {"waves": [{"id": 0, "tasks": ["1.1", "1.2"]}, {"id": 1, "tasks": ["3.1"]}]},
        {"waves": [{"wave": 1, "description": "first", "tasks": ["1"]}, {"wave": 2, "tasks": ["3"]}]},
        {"waves": [["1.1", 1.2], ["T3.1"]]},
        [["1.1", "1.2"], ["3.1"]],
    ],
)
def test_every_shape_of_a_graph(graph: object) -> None:
    assert groups(with_graph(graph)) == {
        "1.1": "wave-0",
        "1.2": "wave-0",
        "2": "checkpoint-2",
        "3.1": "wave-1",
    }


def test_a_checkpoint_is_a_barrier_where_it_stands_and_a_person_is_asked() -> None:
    one = reading(with_graph({"waves": [["1.1"], ["1.2"], ["3.1"]]}))
    assert [group.name for group in one.plan.groups] == ["wave-0", "wave-1", "checkpoint-2", "wave-2"]
    (checkpoint,) = [task for task in one.plan.tasks if task.attended]
    assert (checkpoint.id, checkpoint.allow_empty, checkpoint.needs) == ("2", True, ())


@pytest.mark.parametrize(
    ("graph", "said"),
    [
        ("{", "this graph holds no list of waves; the tasks keep their order"),
        ('{"waves": 3}', "this graph holds no list of waves; the tasks keep their order"),
        ("T1 --> T2", "this graph is no JSON; the tasks keep their order"),
    ],
)
def test_a_graph_that_cannot_be_read_is_said_and_the_order_kept(graph: str, said: str) -> None:
    one = reading(f"{BODY}\n## Task Dependency Graph\n\n```\n{graph}\n```\n")
    assert needs(one)["3.1"] == "2"
    assert [skipped.why for skipped in one.skipped] == [said]


def test_what_is_odd_in_a_graph_is_said() -> None:
    one = reading(with_graph({"waves": [["1.1", "1.2"], ["1.1", "7"], {"tasks": 3}, ["3.1", None, True]]}))
    assert [(skipped.what, skipped.why) for skipped in one.skipped] == [
        ("1.1", "the graph has it in two waves; the first one counts"),
        ("7", "the graph names it, and it is no task of the plan"),
        ("wave 2", "it holds no list of tasks"),
    ]


def test_marks_make_chapters_groups() -> None:
    text = "- [ ] 1. A\n- [ ] 1.1 (P) a\n- [x] 1.2 (P) b\n- [ ] 1.3 c\n- [ ] 1.4 (P) d\n- [ ] 2. B\n- [ ] 2.1 e\n"
    one = reading(text)
    assert told(one) == (
        "plan plan (kiro)\n"
        "group 1:1 A\ngroup 2:6 B\n"
        "task 1.1:2 in 1 a\ntask 1.2:3 in 1 [done] b\ntask 1.3:4 in 1 needs 1.1 1.2 c\n"
        "task 1.4:5 in 1 needs 1.3 d\ntask 2.1:7 in 2 e\n"
    )


@pytest.mark.parametrize(
    ("note", "claimed"),
    [
        ("_Files: src/a.ts, app/[id]/page.tsx_", "src/a.ts app/[id]/page.tsx"),
        ("_\u5bfe\u8c61\u30d5\u30a1\u30a4\u30eb: src/storage.ts_", "src/storage.ts"),
        ("_Requirements: 1.1, 2.3_", ""),
        ("_Effort: L, Dependencies: None, Risks: a.ts may break_", ""),
        ("_Contracts: Animal Table Schema_", ""),
        ("Change `src/b.ts`", "?src/b.ts"),
    ],
)
def test_a_note_in_italics_is_a_list_of_files_when_it_holds_nothing_else(note: str, claimed: str) -> None:
    text = f"# Implementation Plan\n\n- [ ] 1. A\n  - {note}\n"
    assert claims(reading(text), "1") == claimed


def test_optional_tasks_odd_numbers_and_boxes_without_a_number() -> None:
    one = reading(
        "# Implementation Plan\n\n- [ ]* 1.1 A\n- [ ] *1.2 B\n- [~] 3.V Validation gate\n- [-] 4. Half done\n\n- [ ] words\n"
    )
    assert [(task.id, task.title, task.is_done) for task in one.plan.tasks] == [
        ("1.1", "A (optional)", False),
        ("1.2", "B (optional)", False),
        ("3.V", "Validation gate", False),
        ("4", "Half done", False),
    ]
    assert [(skipped.line, skipped.why) for skipped in one.skipped] == [(8, "this checkbox has no number")]


def test_a_prompt_tells_what_the_task_is_part_of_and_where_to_read() -> None:
    one = reading(
        "# Implementation Plan\n\n- [ ] 1. Seats\n  - All of them\n  - [ ] 1.1 Map\n    - red\n",
        path=".kiro/specs/shop/tasks.md",
    )
    assert one.plan.name == "shop"
    assert one.plan.tasks[0].prompt == (
        "1.1 Map\n    - red\n\nPart of: 1. Seats\n  - All of them\n\nRead requirements.md and design.md in .kiro/specs/shop/."
    )
