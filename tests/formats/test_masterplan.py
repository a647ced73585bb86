"""masterplan's index in both schemas: real files of its author, and every way one can be wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest

from git_waves.core.model import (
    Claim,
    GroupDef,
    PathPattern,
    PatternKind,
    Plan,
    RepoPath,
    Task,
    TaskId,
)
from git_waves.formats.loosepaths import clean_path
from tests.formats.shown import DATA, read, refused, shell

PLANS = DATA / "masterplan"


def claim(path: str, line: int, kind: PatternKind = PatternKind.FILE) -> Claim:
    return Claim(pattern=PathPattern(kind=kind, text=RepoPath(path)), line=line)


def index(*tasks: dict[str, Any], **head: Any) -> str:
    """An index of schema 6.0 with one task a line, the first on line 2."""
    rows = ",\n".join(
        json.dumps({"id": at, "wave": 0, "description": "Do it."} | task) for at, task in enumerate(tasks, 1)
    )
    return json.dumps({"schema_version": "6.0"} | head)[:-1] + f', "tasks": [\n{rows}\n]}}\n'


def test_a_real_plan_of_three_tasks_in_two_waves() -> None:
    path = "docs/masterplan/2026-05-29-v8-dogfood/plan.index.json"
    plan = read((PLANS / "2026-05-29-v8-dogfood" / "plan.index.json").read_bytes(), path=path)
    assert (plan.name, plan.format, plan.scheduler) == ("2026-05-29-v8-dogfood", "masterplan", None)
    assert plan.groups == (GroupDef(name="1", line=4), GroupDef(name="2", line=20))
    assert [(task.id, task.group, task.line, task.claims) for task in plan.tasks] == [
        ("1", "1", 4, (claim("src/greet.mjs", 8),)),
        ("2", "1", 12, (claim("src/farewell.mjs", 16),)),
        ("3", "2", 20, (claim("src/index.mjs", 24),)),
    ]
    first = plan.tasks[0]
    assert first.title == "Create src/greet.mjs exporting a named function greet(name) that returns the ..."
    assert len(first.title) == 80
    assert first.prompt is not None and first.prompt.endswith("returns the string `Hello, ${name}!`.")
    assert [command.line for command in first.verify] == [9]


def test_a_real_plan_with_a_task_that_owns_nothing() -> None:
    path = "docs/masterplan/dispatch-subagent-reconcile/plan.index.json"
    plan = read((PLANS / "dispatch-subagent-reconcile" / "plan.index.json").read_bytes(), path=path)
    assert [(task.group, [str(one.pattern) for one in task.claims]) for task in plan.tasks] == [
        ("0", ["bin/register-pi-agents.mjs", "test/register-pi-agents.test.mjs"]),
        ("0", ["agents/mp-explorer.md"]),
        ("1", []),
    ]


def test_the_old_schema_runs_one_after_the_other_except_neighbours_of_one_parallel_group() -> None:
    path = "docs/masterplan/speed/plan.index.json"
    plan = read((PLANS / "old.plan.index.json").read_bytes(), path=path)
    assert plan == Plan(
        name="speed",
        source=path,
        format="masterplan",
        groups=(
            GroupDef(name="1", line=5),
            GroupDef(name="2", title="speed", line=7),
            GroupDef(name="3", line=9),
        ),
        tasks=(
            Task(
                id=TaskId("1"),
                title="Find out — what is slow",
                group="1",
                claims=(claim("notes/slow.md", 5),),
                prompt="Find out — what is slow\n\nThe details are in lines 10 to 14 of docs/masterplan/speed/plan.md.",
                verify=(shell("test -s notes/slow.md", 6),),
                line=5,
            ),
            Task(
                id=TaskId("2"),
                title="Quicker reader",
                group="2",
                claims=(claim("src/read.py", 7), claim("tests", 7, PatternKind.DIR)),
                prompt="Quicker reader",
                line=7,
            ),
            Task(
                id=TaskId("3"),
                title="Quicker writer",
                group="2",
                claims=(claim("src/write.py", 8),),
                prompt="Quicker writer",
                line=8,
            ),
            Task(
                id=TaskId("4"),
                title="Tell people",
                group="3",
                claims=(claim("README.md", 9),),
                prompt="Tell people",
                line=9,
            ),
        ),
    )


def test_deps_and_a_slug_are_used_when_somebody_wrote_them() -> None:
    plan = read(index({}, {"deps": [1, 1], "wave": 3}, slug="my-plan"), path="x/y/plan.index.json")
    assert (plan.name, plan.tasks[1].needs) == ("my-plan", (TaskId("1"),))
    assert read(index({}, slug="No Slug"), path="x/y/plan.index.json").name == "y"


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("`src/a.py`", "src/a.py"),
        ("src/a.py (new)", "src/a.py"),
        ('"src/a.py" (new, see below)', "src/a.py"),
        ("src/a.py:12", "src/a.py"),
        ("src/a.py:12-34", "src/a.py"),
        ("src\\win\\a.py", "src/win/a.py"),
        (" ./src/a.py ", "./src/a.py"),
        ("app/(shop)/[id]/page.tsx", "app/(shop)/[id]/page.tsx"),
        ("app/(shop)", "app/(shop)"),
        ("a:b", "a:b"),
        ("", ""),
    ],
)  # fmt: skip
def test_paths_are_cleaned_of_what_people_write_around_them(written: str, path: str) -> None:
    assert clean_path(written) == path


def test_files_that_mean_the_same_after_cleaning_are_claimed_once() -> None:
    plan = read(index({"files": ["`a.py`", "a.py (new)", "./b/", "c.py:5"]}))
    assert [str(one.pattern) for one in plan.tasks[0].claims] == ["a.py", "b/", "c.py"]


@pytest.mark.parametrize(
    ("tasks", "line", "message", "hint"),
    [
        ([{"files": ["/home/me/x.py"]}], 2, "path '/home/me/x.py' is absolute (task '1')", "write it from the top of the repository"),
        ([{}, {"files": ["ok", "../x"]}], 3, "path '../x' goes up with '..' (task '2')", "write it from the top of the repository"),
        ([{"files": "x"}], 2, "'files' of task '1' must be a list of texts", ""),
        ([{"files": [1]}], 2, "'files' of task '1' must be a list of texts", ""),
        ([{"wave": None}], 2, "task '1' has no 'wave'", ""),
        ([{"wave": "1"}], 2, "'wave' of task '1' must be a whole number of at least 0", ""),
        ([{"wave": True}], 2, "'wave' of task '1' must be a whole number of at least 0", ""),
        ([{"id": None}], 2, "task 1 has no 'id'", ""),
        ([{"id": [1]}], 2, "'id' of task 1 must be text or a number", ""),
        ([{"id": -1}], 2, "task '-1' has a name that cannot be used", "letters, digits"),
        ([{}, {"id": 1}], 3, "task '1' is there twice, first on line 2", "rename one of them"),
        ([{"description": " "}], 2, "task '1' has no 'description'", ""),
        ([{"description": 5}], 2, "'description' of task '1' must be text", ""),
        ([{"verify_commands": [""]}], 2, "'verify_commands' of task '1' is an empty command", "write the command"),
        ([{"verify_commands": {"a": 1}}], 2, "'verify_commands' of task '1' must be a list of texts", ""),
        ([{"deps": [9]}], 2, "task '1' needs '9', which is no task of this plan", "tasks: 1"),
        ([{"deps": [1]}], 2, "task '1' needs itself", "remove the entry"),
    ],
)  # fmt: skip
def test_a_wrong_task_is_told_with_its_line(
    tasks: list[dict[str, Any]], line: int, message: str, hint: str
) -> None:
    expected = f"plan.yaml:{line}: {message}" + (f"\n  hint: {hint}" if hint else "\n")
    shown = refused(index(*tasks))
    assert shown.startswith(expected) and shown.endswith("exit 1")
    assert shown.count("plan.yaml:") == 1


def test_a_task_that_is_no_object_does_not_hide_the_others() -> None:
    text = '{"schema_version": "6.0", "tasks": [\n5,\n{"id": 1, "wave": 0},\n{"id": 2, "wave": 0, "description": "x", "files": [\n"a",\n"\\u002fb"]}]}'
    assert refused(text).replace("\n  hint: ", " | ").splitlines()[:3] == [
        "plan.yaml:2: task 1 must be an object",
        "plan.yaml:3: task '1' has no 'description'",
        refused(text).replace("\n  hint: ", " | ").splitlines()[2],
    ]
    assert "plan.yaml:4: path '/b' is absolute (task '2')" in refused(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"schema_version": "7.0",\n "tasks": [{}]}', "1: schema_version '7.0' is not read\n  hint: this git-waves reads 6.0 and 5.0"),
        ('{"tasks": [{"schema_version": "6.0"}]}', "1: the plan has no 'schema_version'\n  hint: this git-waves reads 6.0 and 5.0"),
        ('{"schema_version": "6.0"}', "1: the plan has no tasks\n  hint: 'tasks' is a list of objects"),
        ('{"schema_version": "6.0",\n"tasks": []}', "2: the plan has no tasks\n  hint: 'tasks' is a list of objects"),
        ('{"schema_version": "6.0",\n"tasks": {}}', "2: the plan has no tasks\n  hint: 'tasks' is a list of objects"),
        ('{"schema_version": "6.0",\n"tasks": [{"id": 1', "2: not JSON: expecting ',' delimiter, column 19"),
        ('{"schema_version": "6.0",\n\n"tasks": [1}', "3: not JSON: expected ',' or ']', column 12"),
        ('{"schema_version": "6.0"}\n{}', "2: there is something after the end of the object"),
        ('{"schema_version": "6.0",\n"schema_version": "5.0"}', "2: 'schema_version' is given twice"),
        ('{"schema_version": "6.0",\n"tasks": [\n{"id": 1, "id": 2}]}', "3: not JSON: 'id' is given twice"),
        ('{"schema_version": "6.0", tasks: []}', "1: not JSON: expected a key in double quotes, column 27"),
        ('{"schema_version": "6.0", "tasks": ' + "[" * 100_000, "1: nested too deep"),
    ],
)  # fmt: skip
def test_an_index_that_is_no_index_could_not_be_measured(text: str, expected: str) -> None:
    assert refused(text) == f"plan.yaml:{expected}\nexit 2"


def test_a_number_for_a_schema_version_is_as_good_as_a_text() -> None:
    assert len(read(index({}, schema_version=6.0)).tasks) == 1


def test_ten_thousand_tasks_are_read() -> None:
    plan = read(index(*({"wave": at // 4, "files": [f"src/f{at}.py"]} for at in range(10_000))))
    assert (len(plan.tasks), len(plan.groups)) == (10_000, 2_500)
    assert plan.tasks[-1].claims == (claim("src/f9999.py", 10_001),)
