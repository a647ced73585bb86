"""Task Master, masterplan's fragments, beads and loopdeck: graphs in JSON and YAML, taken with all their variants."""

from __future__ import annotations

import json
from typing import Any

import pytest

from git_waves.core.model import OnFailure
from tests.formats.readings import claims, needs, reading, told
from tests.formats.shown import refused


def task_master(*tasks: dict[str, Any], tag: str | None = "master", **tags: Any) -> str:
    rows = [{"title": f"Task {one['id']}", "status": "pending", "dependencies": []} | one for one in tasks]
    return json.dumps(
        {tag: {"tasks": rows}, **tags} if tag else {"tasks": rows, "metadata": {"version": "1.0.0"}}, indent=1
    )


def test_parts_are_the_work_and_inherit_what_the_whole_needs() -> None:
    text = task_master(
        {"id": 1},
        {
            "id": "2",
            "dependencies": ["1"],
            "subtasks": [{"id": 1}, {"id": 2, "dependencies": [1]}, {"id": "2.3"}],
        },
        {"id": 3, "dependencies": [2, "1"], "subtasks": []},
        {"id": 4, "subtasks": [{"id": 1, "dependencies": ["2.1", 3]}, {"id": 9, "dependencies": [4]}]},
    )
    assert needs(reading(text)) == {
        "1": "",
        "2.1": "1",
        "2.2": "2.1 1",
        "2.3": "1",
        "3": "2.2 2.3 1",
        "4.1": "2.1 3",
        "4.9": "",
    }


def test_legacy_files_and_other_tags() -> None:
    assert needs(reading(task_master({"id": 1}, tag=None))) == {"1": ""}
    one = reading(task_master({"id": 1}, tag="feature", master={"tasks": [{"id": 7, "subtasks": []}]}))
    assert needs(one) == {"7": ""}
    assert [(skipped.what, skipped.why) for skipped in one.skipped] == [
        ("tag 'feature'", "only the tasks of tag 'master' are read")
    ]


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("done", "done"),
        ("completed", "done"),
        ("cancelled", "done"),
        ("deferred", "deferred"),
        ("blocked", "blocked"),
        ("in-progress", ""),
        ("pending", ""),
        ("odd", ""),
    ],
)
def test_states(status: str, state: str) -> None:
    (task,) = reading(task_master({"id": 1, "status": status})).plan.tasks
    assert (task.blocker or ("done" if task.is_done else "")) == state


def test_a_part_of_something_done_is_done() -> None:
    one = reading(task_master({"id": 1, "status": "done", "subtasks": [{"id": 1, "status": "pending"}]}))
    assert one.plan.tasks[0].is_done


def test_files_and_words_become_claims_and_prompt() -> None:
    one = reading(
        task_master(
            {
                "id": 1,
                "relevantFiles": [
                    {"path": "a.py", "action": "create"},
                    {"path": "b.py"},
                    {"path": "c.py", "action": "reference"},
                ],
            },
            {"id": 2, "description": "Short.", "details": "Write src/d.py.", "testStrategy": "Run e.py."},
            {"id": 3, "files": ["f.py"]},
        )
    )
    assert [claims(one, task) for task in ("1", "2", "3")] == ["+a.py ~b.py", "?src/d.py", "f.py"]
    assert one.plan.tasks[1].prompt == "Task 2\n\nShort.\n\nWrite src/d.py.\n\nHow it is tested:\nRun e.py."


def test_lines_and_problems_of_a_tasks_json() -> None:
    text = task_master(
        {"id": 1, "dependencies": [1]}, {"id": 2, "dependencies": [9]}, {"id": 2}, {"id": None}
    )
    assert refused(text, path="tasks.json") == (
        "tasks.json:4: task '1' needs itself\n"
        "  hint: remove the entry\n"
        "tasks.json:12: task '2' needs '9', which is no task of this plan\n"
        "  hint: tasks: 1, 2\n"
        "tasks.json:20: task '2' is there twice, first on line 12\n"
        "  hint: rename one of them\n"
        "tasks.json:26: a task of the plan has no 'id'\n"
        "exit 1"
    )


def fragment(key: str, *tasks: dict[str, Any]) -> dict[str, Any]:
    return {
        "key": key,
        "tasks": [{"key": f"{key}.{n}", "description": "Do it."} | one for n, one in enumerate(tasks)],
    }


def test_needs_across_fragments_and_files_in_the_order_of_the_text() -> None:
    text = json.dumps(
        [
            fragment("a", {"files": ["x.py"], "deps": ["b.0"]}, {"files": ["y.py"]}),
            fragment(
                "b",
                {"files": ["x.py", "y.py"], "verify_commands": ["make"]},
                {"deps": None, "files": ["./y.py"]},
            ),
        ]
    )
    one = reading(text, path="docs/masterplan/shop/.plan-fragments.json")
    assert one.plan.name == "shop"
    assert needs(one) == {"a.0": "b.0", "a.1": "", "b.0": "a.1", "b.1": "b.0"}
    assert [skipped.what for skipped in one.skipped] == ["y.py", "y.py"]


def test_problems_of_fragments() -> None:
    text = '[\n{"key": "a",\n "tasks": [\n{"key": "a.0", "deps": ["a.9"],\n "description": "x"},\n7]},\n{"key": "b"}]'
    assert refused(text, path="f.json") == (
        "f.json:4: a task of a fragment must be an object\n"
        "f.json:4: task 'a.0' needs 'a.9', which is no task of this plan\n"
        "  hint: tasks: a.0\n"
        "f.json:7: fragment 2 has no list of 'tasks'\n"
        "  hint: a fragment is an object with a 'key' and a list of 'tasks'\n"
        "exit 1"
    )


def beads(*issues: dict[str, Any]) -> str:
    return "\n".join(
        json.dumps({"title": f"Do {one['id']}", "status": "open", "issue_type": "task", "priority": 1} | one)
        for one in issues
    )


def edge(on: str, kind: str = "blocks") -> dict[str, str]:
    return {"issue_id": "x", "depends_on_id": on, "type": kind}


def test_blocking_edges_are_needs_and_epics_pass_theirs_on() -> None:
    text = beads(
        {"id": "p-1"},
        {"id": "p-2", "dependencies": [edge("p-1"), edge("p-3", "related"), edge("q-9")]},
        {"id": "p-e", "issue_type": "epic", "dependencies": [edge("p-1")]},
        {"id": "p-3", "dependencies": [edge("p-e", "parent-child")], "estimated_minutes": 30},
        {"id": "p-4", "dependencies": [edge("p-e")], "owner": "me@example.com", "notes": "see a.py"},
        {"id": "p-5", "status": "closed", "issue_type": "bug"},
        {"id": "p-6", "await_type": "gh:pr", "await_id": "12"},
        {"id": "p-7", "status": "deferred"},
        {"id": "p-8", "status": "tombstone"},
    )
    assert told(reading(text, path=".beads/issues.jsonl")) == (
        "plan beads (beads)\n"
        "task p-1:1 Do p-1\n"
        "task p-2:2 needs p-1 Do p-2\n"
        "task p-3:4 needs p-1 [1800s] Do p-3\n"
        "task p-4:5 needs p-3 Do p-4\n"
        "task p-5:6 [done] Do p-5\n"
        "task p-6:7 [blocked: waits for gh:pr 12] Do p-6\n"
        "task p-7:8 [blocked: deferred] Do p-7\n"
        "passed over 2: q-9 | the issue that blocks this one is not in the file\n"
        "passed over 3: p-e: epic | an issue of type 'epic' is no work of its own\n"
    )
    assert "example.com" not in str(reading(text).plan), "people's addresses are not taken over"


def test_lines_that_are_cut_off_and_ids_that_are_there_twice() -> None:
    text = beads({"id": "p-1"}, {"id": "p-1"}) + '\n{"id": "p-2"\n{"_type": "config"}\n'
    assert refused(text, path="i.jsonl") == (
        "i.jsonl:2: issue 'p-1' is there twice, first on line 1\n"
        "i.jsonl:3: not JSON: expecting ',' delimiter, column 13\n"
        "  hint: one JSON object a line; is this one cut off?\n"
        "exit 1"
    )


def test_a_run_plan_of_loopdeck() -> None:
    text = """\
id: run-1
project: /home/me/app
budgets: {per_phase_token_cap: 5000, per_phase_wall_clock_secs: 60, total_run_wall_clock_secs: 3600}
stall_policy: halt
phases:
- execution_id: shop/first-thing
  status: completed
- execution_id: shop/second-thing
  status: parked
  park_payload: 'needs a decision'
  interview:
  - question: How?
    answer: Well
- execution_id: shop/third-thing
  status: queued
  depends_on: [shop/first-thing]
- execution_id: shop/fourth-thing
  status: lost
  depends_on: []
"""
    one = reading(text, path=".loopdeck/run-plan.yaml")
    assert one.plan.on_failure is OnFailure.HALT
    assert told(one) == (
        "plan shop (loopdeck)\non_failure halt\nbudget 3600s\n"
        "task first-thing:6 [done, called shop/first-thing, 60s 5000 tokens] first thing\n"
        "task second-thing:8 needs first-thing [blocked: needs a decision, called shop/second-thing, 60s 5000 tokens] second thing\n"
        "task third-thing:14 needs first-thing [called shop/third-thing, 60s 5000 tokens] third thing\n"
        "task fourth-thing:17 [called shop/fourth-thing, 60s 5000 tokens] fourth thing\n"
        "passed over 18: status lost | this status is not known; the phase counts as open\n"
    )
    assert one.plan.tasks[1].prompt == (
        "Do what the PRD 'shop' asks for under: second thing\n\nQuestion: How?\nAnswer: Well"
    )
