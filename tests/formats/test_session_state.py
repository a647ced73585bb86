"""session-state/v1: what its records mean, and every way a file of it can be wrong."""

from __future__ import annotations

import json

import pytest

from git_waves.core.model import (
    Claim,
    Command,
    GroupDef,
    PathPattern,
    PatternKind,
    Plan,
    RepoPath,
    SchedulerName,
    Task,
    TaskId,
)
from tests.formats.shown import DATA, read, refused, shell

META = '{"type":"meta","schema":"session-state/v1"}'


def claim(kind: PatternKind, path: str, line: int) -> Claim:
    return Claim(pattern=PathPattern(kind=kind, text=RepoPath(path)), line=line)


def test_waves_become_groups_and_states_become_done_or_blocked() -> None:
    assert read((DATA / "session-state.jsonl").read_bytes(), path="plans/state.jsonl") == Plan(
        name="phase3",
        source="plans/state.jsonl",
        format="session-state",
        scheduler=SchedulerName.DAG_PARALLEL,
        groups=(
            GroupDef(name="0", line=3),
            GroupDef(name="1", line=4),
            GroupDef(name="2", title="parts", line=5),
            GroupDef(name="3", line=7),
            GroupDef(name="4", line=9),
            GroupDef(name="10", line=11),
        ),
        tasks=(
            Task(
                id=TaskId("t0"),
                title="Look around",
                group="0",
                claims=(claim(PatternKind.FILE, "notes/look.md", 3),),
                is_done=True,
                line=3,
            ),
            Task(
                id=TaskId("t1"),
                title="The ground",
                needs=(TaskId("t0"),),
                group="1",
                claims=(claim(PatternKind.DIR, "src/base", 4),),
                prompt="Lay the ground in src/base.",
                verify=(shell("make base", 4),),
                line=4,
            ),
            Task(
                id=TaskId("t2"),
                title="Write part a.",
                needs=(TaskId("t1"),),
                group="2",
                claims=(
                    claim(PatternKind.FILE, "src/a.py", 5),
                    claim(PatternKind.FILE, "tests/test_a.py", 5),
                ),
                prompt="Write part a.\nKeep it small.",
                line=5,
            ),
            Task(
                id=TaskId("t3"),
                needs=(TaskId("t1"),),
                group="2",
                claims=(claim(PatternKind.GLOB, "src/b*.py", 6),),
                run=Command(argv=("python3", "tools/make_b.py"), line=6),
                verify=(shell("make b && make check", 6),),
                line=6,
            ),
            Task(
                id=TaskId("t4"),
                needs=(TaskId("t2"), TaskId("t3")),
                group="3",
                claims=(claim(PatternKind.FILE, "src/index.py", 7),),
                blocker="waits for a name",
                line=7,
            ),
            Task(id=TaskId("5"), needs=(TaskId("t4"),), group="4", line=9),
            Task(id=TaskId("t6"), needs=(TaskId("t4"), TaskId("5")), group="4", line=10),
            Task(
                id=TaskId("t7"),
                needs=(TaskId("t6"),),
                group="10",
                claims=(claim(PatternKind.FILE, "CHANGELOG.md", 11),),
                blocker="blocked",
                line=11,
            ),
        ),
    )


def test_an_absent_scheduler_means_sequential() -> None:
    plan = read(f'{META}\n{{"type":"task","id":"a"}}\n', path="x/big plan.jsonl")
    assert (plan.scheduler, plan.name) == (SchedulerName.SEQUENTIAL, "big-plan")


def test_without_waves_the_groups_are_those_the_tasks_name() -> None:
    rows = [{"type": "task", "id": str(at), "group": group} for at, group in enumerate("baab")]
    plan = read("\n".join([META, *map(json.dumps, rows)]))
    assert plan.groups == (GroupDef(name="b", line=2), GroupDef(name="a", line=3))
    assert [task.group for task in plan.tasks] == ["b", "a", "a", "b"]


@pytest.mark.parametrize(
    ("status", "is_done", "blocker"),
    [
        ("PENDING", False, None),
        ("open", False, None),
        ("In Progress", False, None),
        ("in-progress", False, None),
        ("running", False, None),
        ("done", True, None),
        ("COMMITTED", True, None),
        ("completed", True, None),
        ("merged", True, None),
        ("blocked", False, "blocked"),
        ("parked", False, "blocked"),
    ],
)
def test_every_known_status_is_understood_in_any_spelling(
    status: str, is_done: bool, blocker: str | None
) -> None:
    (task,) = read(f'{META}\n{{"type":"task","id":"a","status":"{status}"}}\n').tasks
    assert (task.is_done, task.blocker) == (is_done, blocker)


def test_a_stated_blocker_blocks_whatever_the_status_says_unless_the_work_is_done() -> None:
    rows = [
        '{"type":"task","id":"a","status":"pending","blocker":"b"}',
        '{"type":"task","id":"b","status":"done","blocker":"x"}',
    ]
    assert [task.blocker for task in read("\n".join([META, *rows])).tasks] == ["b", None]


KNOWN = "known: blocked, committed, completed, done, in_progress, merged, open, parked, pending, ready, running, todo"
CUT = "one JSON object a line; is this one cut off?"


@pytest.mark.parametrize(
    ("rows", "line", "message", "hint"),
    [
        (['{"id":"a"}'], 2, "the record on line 2 does not say what it is", 'add "type": "task"'),
        (['{"type":"taks","id":"a"}'], 2, "unknown record type 'taks'", "did you mean 'task'?"),
        (['{"type":"task","id":"a"'], 2, "not JSON: expecting ',' delimiter, column 24", CUT),
        (['[1]'], 2, "it is no JSON object", CUT),
        (['{"type":"task","id":"a"} x'], 2, "there is something after the end of the object", CUT),
        (['{"type":"task","id":"a","id":"b"}'], 2, "not JSON: 'id' is given twice", CUT),
        (['{"type":"task","id":"a","wave":NaN}'], 2, "not JSON: NaN is no JSON number", CUT),
        (['{"type":"task","id":"a","title":"\\ud800"}'], 2, "a text holds half of a character (a lone surrogate)", CUT),
        (['{"type":"task","id":"a","prompt":"\\u0000"}'], 2, "a text holds a NUL character", CUT),
        (["[" * 100_000], 2, "it is no JSON object", CUT),
        (['{"type":' + "[" * 100_000], 2, "nested too deep", CUT),
        (['{"type":"task","id":' + "9" * 5000 + "}"], 2, "not JSON: a number has too many digits", CUT),
        (['{"type":"task"}'], 2, "the record on line 2 has no 'id'", ""),
        (['{"type":"task","id":true}'], 2, "'id' of the record on line 2 must be text or a number", ""),
        (['{"type":"task","id":"a b"}'], 2, "task 'a b' has a name that cannot be used", "letters, digits, '.', '_' and '-', at most 64, a letter or digit first"),
        (['{"type":"task","id":"a"}', '{"type":"task","id":"a"}'], 3, "task 'a' is there twice, first on line 2", "rename one of them"),
        (['{"type":"task","id":"a","status":"maybe"}'], 2, "unknown status 'maybe' of task 'a'", KNOWN),
        (['{"type":"task","id":"a","wave":"1"}'], 2, "'wave' of task 'a' must be a whole number of at least 0", ""),
        (['{"type":"task","id":"a","wave":-1}'], 2, "'wave' of task 'a' must be a whole number of at least 0", ""),
        (['{"type":"task","id":"a","wave":1}', '{"type":"task","id":"b"}'], 3, "task 'b' has no 'wave'", "all tasks have one"),
        (['{"type":"task","id":"a","deps":["z"]}'], 2, "task 'a' needs 'z', which is no task of this plan", "tasks: a"),
        (['{"type":"task","id":"a","deps":"z"}'], 2, "'deps' of task 'a' must be a list of ids", ""),
        (['{"type":"task","id":"a","deps":["b"]}', '{"type":"task","id":"b","deps":["a"]}'], 2, "needs go in a circle: 'a' needs 'b' needs 'a'", "remove one of these needs"),
        (['{"type":"task","id":"a","wave":1,"deps":["b"]}', '{"type":"task","id":"b","wave":2}'], 2, "task 'a' of wave 1 needs 'b' of the later wave 2", "move one of the two"),
        (['{"type":"task","id":"a","files":"x"}'], 2, "'files' of task 'a' must be a list of texts", ""),
        (['{"type":"task","id":"a","files":["../x"]}'], 2, "path '../x' goes up with '..' (task 'a')", "write it from the top of the repository"),
        (['{"type":"task","id":"a","run":"x","prompt":"y"}'], 2, "task 'a' has both 'run' and 'prompt'", "keep one of the two"),
        (['{"type":"task","id":"a","run":[]}'], 2, "'run' of task 'a' is an empty command", "write the command, or take it out"),
        (['{"type":"task","id":"a","run":5}'], 2, "'run' of task 'a' must be a list of texts", ""),
        (['{"type":"task","id":"a","verify":[""]}'], 2, "'verify' of task 'a' is an empty command", "write the command, or take it out"),
        (['{"type":"task","id":"a","prompt":5}'], 2, "'prompt' of task 'a' must be text", ""),
        (['{"type":"task","id":"a","group":"x y"}'], 2, "group 'x y' has a name that cannot be used", "letters, digits, '.', '_' and '-', at most 64, a letter or digit first"),
        ([META, '{"type":"task","id":"a"}'], 2, "a second meta record, the first is on line 1", "keep one of the two"),
    ],
)  # fmt: skip
def test_a_wrong_record_is_told_with_its_line(rows: list[str], line: int, message: str, hint: str) -> None:
    last = (
        '{"type":"task","id":"last","wave":9}'
        if any('"wave":' in row for row in rows)
        else '{"type":"task","id":"last"}'
    )
    shown = refused("\n".join([META, *rows, last])).replace("tasks: a, last", "tasks: a")
    expected = f"plan.yaml:{line}: {message}" + (f"\n  hint: {hint}" if hint else "")
    assert shown.startswith(expected)
    assert shown.endswith("exit 1")


@pytest.mark.parametrize(
    ("meta", "expected"),
    [
        (
            '{"type":"meta","schema":"session-state/v1","scheduler":"fastest"}',
            "plan.yaml:1: unknown scheduler 'fastest'\n  hint: known: sequential, dag-parallel, ready-set",
        ),
        (
            '{"type":"meta","schema":"session-state/v2"}',
            "plan.yaml:1: schema 'session-state/v2' is not read\n  hint: this git-waves reads session-state/v1",
        ),
        ('{"type":"meta"}', "plan.yaml:1: the meta record has no 'schema'"),
        (
            '{"type":"task","id":"b"}',
            'plan.yaml:1: the plan has no meta record\n  hint: add a line {"type": "meta", "schema": "session-state/v1"}',
        ),
    ],
)
def test_the_meta_record_must_be_there_once_and_name_what_we_know(meta: str, expected: str) -> None:
    assert refused(f'{meta}\n{{"type":"task","id":"a"}}\n') == f"{expected}\nexit 1"


def test_a_file_without_tasks_could_not_be_measured() -> None:
    shown = 'plan.yaml:0: the plan has no tasks\n  hint: a task is a line with "type": "task"\nexit 2'
    assert refused(META) == shown


def test_all_wrong_lines_are_told_and_the_first_being_torn_does_not_change_the_format() -> None:
    text = f'{{"type":"meta",\n{META}\n{{"type":"task","id":"a","files":["/x"]}}\n{{"type":"task"'
    lines = [line for line in refused(text).splitlines() if line.startswith("plan")]
    assert [line.split(":")[1] for line in lines] == ["1", "3", "4"]
