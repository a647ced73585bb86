"""What a reader of a plan is told: every code, its level, its words, and what is not said."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

import git_waves.core.findings as package
from git_waves.core.findings import check_plan, exit_code, find_all
from git_waves.core.findings.catalog import CATALOG, explain
from git_waves.core.findings.wording import listed, quoted
from git_waves.core.model import (
    AgentSpec,
    Finding,
    GroupDef,
    Level,
    Plan,
    RepoPath,
    SchedulerName,
    TaskId,
)
from git_waves.core.ownership import build_manifest
from git_waves.core.schedule import build_schedule
from tests.core.plans import kbuild_plan, phase3_plan, plan, sh, task
from tests.core.test_schedule import PLANS
from tests.support.properties import examples


def findings_of(some: Plan, *, max_parallel: int | None = None) -> tuple[Finding, ...]:
    manifest = build_manifest(some)
    return check_plan(some, manifest, build_schedule(some, max_parallel=max_parallel, manifest=manifest))


def told(some: Plan, *, max_parallel: int | None = None) -> list[str]:
    return [f"{f.code} {f.level}: {f.message}" for f in findings_of(some, max_parallel=max_parallel)]


def only(some: Plan, code: str) -> Finding:
    (found,) = [finding for finding in findings_of(some) if finding.code == code]
    return found


def test_a_sound_plan_has_no_findings() -> None:
    assert findings_of(phase3_plan()) == ()
    assert exit_code(()) == 0


# --- the plan that lost its parallelism


def test_the_kbuild_plan_is_told_which_path_makes_it_serial() -> None:
    assert findings_of(kbuild_plan()) == (
        Finding(
            code="W101",
            level=Level.VIOLATION,
            message="'tests/kunit/Kbuild' is claimed by 12 tasks that nothing orders; "
            "it forces them into 12 groups",
            line=10,
            tasks=tuple(TaskId(f"t{n}") for n in range(1, 13)),
            paths=(RepoPath("tests/kunit/Kbuild"),),
            evidence=(
                *(f"task 't{n}' modifies 'tests/kunit/Kbuild' (line {10 * n})" for n in range(1, 9)),
                "and 4 more",
            ),
            hint="order the tasks with 'needs', or declare 'tests/kunit/Kbuild' under 'expect.shared_paths'",
        ),
        Finding(
            code="W404",
            level=Level.WARNING,
            message="fully serial: 12 tasks in 12 waves, although needs alone would allow 1 (REVISE)",
            evidence=("11 tasks wait for a shared path",),
            hint="take apart what the tasks share, or say with 'needs' why they must queue",
        ),
        Finding(
            code="W401",
            level=Level.WARNING,
            message="tests/kunit/Kbuild alone serializes 12 tasks into 12 waves; hoisting it would yield 2",
            line=10,
            tasks=tuple(TaskId(f"t{n}") for n in range(1, 13)),
            paths=(RepoPath("tests/kunit/Kbuild"),),
            evidence=(
                "12 of 12 tasks claim it (100 %)",
                "remedy: a fragment for each task (1 wave), because a Kbuild file is a makefile: one line "
                "'include $(wildcard ...)' takes in a file for each task, and 'obj-y +=' adds up in any order",
            ),
            hint="'git waves plan --hoist tests/kunit/Kbuild plan.yaml' prints the plan with one last task for it",
        ),
    )


def test_a_declared_shared_path_is_a_note_and_no_violation() -> None:
    declared = kbuild_plan(shared=["tests/kunit/Kbuild"])
    assert told(declared) == [
        "W404 warning: fully serial: 12 tasks in 12 waves, although needs alone would allow 1 (REVISE)",
        "W401 warning: tests/kunit/Kbuild alone serializes 12 tasks into 12 waves; hoisting it would yield 2",
        "W104 note: 'tests/kunit/Kbuild' is declared shared and serializes 12 tasks into 12 groups",
    ]
    assert told(kbuild_plan(shared=["tests/"])) == told(declared) == told(kbuild_plan(shared_count=1))
    assert exit_code(findings_of(declared)) == 0


# --- overlaps


def test_a_folder_or_a_glob_that_holds_what_others_claim_is_one_finding() -> None:
    some = plan(
        task("a", "src/", line=3),
        task("b", "src/x.c"),
        task("c", "src/y.c", "doc/a.md"),
        task("d", "doc/*.md"),
    )
    assert told(some) == [
        "W101 violation: 'doc/*.md' and paths it matches are claimed by 2 tasks that nothing orders; "
        "it forces them into 2 groups",
        "W101 violation: 'src/' and paths inside it are claimed by 3 tasks that nothing orders; "
        "it forces them into 2 groups",
    ]
    found = findings_of(some)[1]
    assert (found.line, found.tasks, found.paths) == (3, ("a", "b", "c"), ("src/",))
    assert found.evidence == (
        "task 'a' edits 'src/' (line 3)",
        "task 'b' edits 'src/x.c'",
        "task 'c' edits 'src/y.c'",
    )


def test_only_tasks_that_nothing_orders_are_named() -> None:
    found = only(
        plan(task("a", "x"), task("b", "x", needs=["a"]), task("c", "x", needs=["b"]), task("d", "x")), "W101"
    )
    assert found.message == "'x' is claimed by 4 tasks that nothing orders; it forces them into 4 groups"
    chain = plan(task("a", "x"), task("b", "x", needs=["a"]), task("c", "x", needs=["b"]))
    assert told(chain) == [], "a chain orders all of them, and needs alone make it that long"
    fork = plan(task("a", "x"), task("b", "x", needs=["a"]), task("c", "x", needs=["a"]))
    assert only(fork, "W101").tasks == ("b", "c")


def test_a_collision_with_a_guess_is_a_warning_until_two_tasks_say_it_themselves() -> None:
    guessed = plan(task("a", "x"), task("b", inferred=["x"]), task("c", inferred=["x"]))
    assert only(guessed, "W101").level is Level.WARNING
    assert only(guessed, "W101").evidence == (
        "task 'a' edits 'x'",
        "task 'b' seems to touch 'x'",
        "task 'c' seems to touch 'x'",
    )
    assert (
        only(plan(task("a", "x"), task("b", inferred=["x"]), task("c", "x")), "W101").level is Level.VIOLATION
    )


def test_names_that_differ_in_case_collide_and_an_order_makes_it_a_warning() -> None:
    some = plan(task("a", "README"), task("b", "Readme"))
    assert told(some) == [
        "W102 violation: 'README' and 'Readme' collide where a file system ignores case or normalisation"
    ]
    ordered = plan(task("a", delete=["README"]), task("b", create=["readme"], needs=["a"]))
    assert [(f.code, f.level, f.tasks) for f in findings_of(ordered)] == [("W102", Level.WARNING, ("a", "b"))]


def test_a_declared_path_that_nobody_shares_was_never_seen() -> None:
    assert told(plan(task("a", "x"), task("b", "y"), shared=["x", "lib/"])) == [
        "W103 violation: 'lib/' is declared under 'expect.shared_paths', but no two tasks claim it; "
        "the parser never saw those blocks",
        "W103 violation: 'x' is declared under 'expect.shared_paths', but no two tasks claim it; "
        "the parser never saw those blocks",
    ]
    assert only(plan(task("a", "x"), shared=["x"]), "W103").line == 3


def test_declared_paths_are_found_inside_folders_in_order_and_in_finished_work() -> None:
    inside = plan(task("a", "src/"), task("b", "src/x"), shared=["src/x"])
    assert [f.code for f in findings_of(inside)] == ["W101"], "found, but it is the folder that is shared"
    assert told(plan(task("a", "x"), task("b", "x", needs=["a"]), shared=["x"])) == []
    assert told(plan(task("a", "x", is_done=True), task("b", "x"), shared=["x"])) == []
    assert told(plan(task("a", "x", is_done=True), task("b", "x"), shared_count=1)) == []


def test_a_wrong_number_of_shared_paths_is_a_violation() -> None:
    some = plan(task("a", "x"), task("b", "x"), shared_count=2)
    assert told(some) == [
        "W101 violation: 'x' is claimed by 2 tasks that nothing orders; it forces them into 2 groups",
        "W103 violation: 'expect.shared_paths' declares 2 shared paths, but the plan has 1",
        "W405 note: tasks 'a' and 'b' fight over 'x', and nothing else orders them",
    ]


def test_the_way_out_of_a_wrong_count_depends_on_which_side_it_is_wrong() -> None:
    too_many = findings_of(plan(task("a", "x"), task("b", "x"), shared_count=2))
    too_few = findings_of(plan(task("a", "x", "y"), task("b", "x", "y"), shared_count=1))
    hints = [f.hint for f in (*too_many, *too_few) if f.code == "W103"]
    assert hints == [
        "look for tasks that the parser never saw, or correct the number",
        "take apart what the tasks share, order them with 'needs', or correct the number",
    ]


def test_a_count_of_shared_paths_that_finds_none_means_that_something_was_not_read() -> None:
    some = plan(task("a", "a"), task("b", "b"), shared_count=6)
    assert told(some) == [
        "W103 violation: 'expect.shared_paths' declares 6 shared paths, but the plan has none; "
        "the parser never saw those blocks"
    ]
    assert exit_code(findings_of(some)) == 1
    assert told(plan(task("a", "a"), task("b", "b"), shared_count=0)) == []


@pytest.mark.parametrize("expected", [{"shared": ["x"]}, {"shared_count": 2}])
def test_a_plan_without_any_files_was_not_measured_whatever_it_expects(expected: dict[str, Any]) -> None:
    some = plan(task("a"), task("b"), **expected)
    assert [f.code for f in findings_of(some)] == ["W602"]
    assert exit_code(findings_of(some)) == 2


def test_paths_that_are_in_order_anyway_may_be_declared_or_not() -> None:
    ordered = [task("a", "x", "y"), task("b", "x", needs=["a"]), task("c", "y", "c")]
    allowed: list[dict[str, Any]] = [
        {"shared": ["y"]},
        {"shared": ["x", "y"]},
        {"shared_count": 1},
        {"shared_count": 2},
    ]
    for declared in allowed:
        assert [f.code for f in findings_of(plan(*ordered, **declared))] == ["W104"]
    for wrong in (0, 3):
        assert "W103" in {f.code for f in findings_of(plan(*ordered, shared_count=wrong))}
    queued = [task(name, "x", name, group=name) for name in "abc"]
    allowed = [{"shared": ["x"]}, {"shared_count": 1}, {"shared_count": 0}]
    for declared in allowed:
        found = findings_of(plan(*queued, groups=list("abc"), **declared))
        assert not {f.code for f in found} & {"W101", "W103"}


def test_twins_by_case_are_no_shared_path() -> None:
    some = plan(task("a", "README"), task("b", "readme"), shared_count=1)
    assert told(some) == [
        "W102 violation: 'README' and 'readme' collide where a file system ignores case or normalisation",
        "W103 violation: 'expect.shared_paths' declares 1 shared path, but the plan has none; "
        "the parser never saw those blocks",
    ]


def test_a_count_that_is_right_excuses_a_group_as_a_list_does() -> None:
    counted = plan(task("a", "x", group="g"), task("b", "x", group="g"), groups=["g"], shared_count=1)
    assert [f.code for f in findings_of(counted)] == ["W104"]


# --- groups


def test_a_group_that_files_or_resources_contradict_is_a_violation() -> None:
    some = plan(
        task("a", "x", group="g"),
        task("b", "x", group="g"),
        task("c", "c", group="g", resources=("db",)),
        task("d", "d", group="g", resources=("db",)),
        task("e", "e", group="g"),
        groups=["g"],
        resources={"db": 1},
    )
    found = only(some, "W201")
    assert found.level is Level.VIOLATION
    assert (
        found.message == "group 'g' claims that its tasks run together, but what they share makes it 2 rounds"
    )
    assert found.tasks == ("a", "b", "c", "d")
    assert found.evidence == ("'x' is claimed by 'a' and 'b'", "resource 'db' is held by 'c' and 'd'")
    assert only(some, "W101").message.endswith("it forces them into 2 rounds")


def test_a_declared_shared_path_or_a_guess_does_not_make_a_group_a_violation() -> None:
    declared = plan(task("a", "x", group="g"), task("b", "x", group="g"), groups=["g"], shared=["x"])
    assert [f.code for f in findings_of(declared)] == ["W104"]
    guessed = plan(task("a", "x", group="g"), task("b", inferred=["x"], group="g"), groups=["g"])
    assert only(guessed, "W201").level is Level.WARNING


def test_a_task_without_a_group_contradicts_no_group() -> None:
    some = plan(task("a", "x", group="g"), task("b", "x"), groups=["g"])
    assert [f.code for f in findings_of(some)] == ["W101", "W405"]


def test_needs_inside_a_group_are_told_with_the_rounds_they_make() -> None:
    some = plan(
        task("a", create=["a"], group="g"),
        task("b", "b", group="g", needs=["a"]),
        task("c", modify=["a"], group="g", needs=["b"]),
        groups=["g"],
    )
    assert told(some) == ["W202 warning: tasks of group 'g' need each other, so it runs in 3 rounds"]
    assert only(some, "W202").evidence == ("task 'b' needs 'a'", "task 'c' needs 'b'")


def chained(*names: str, **changes: dict[str, object]) -> Plan:
    tasks = [task(name, name, group=f"g{name}") for name in names]
    return plan(
        *(replace(each, **changes.get(each.id, {})) for each in tasks),  # type: ignore[arg-type]  # fields by name
        groups=[f"g{name}" for name in names],
        resources={"db": 1} if any("resources" in fields for fields in changes.values()) else {},
    )


def test_groups_that_nothing_links_are_chained_to_be_safe() -> None:
    assert told(chained("a", "b", "c")) == [
        "W203 warning: group 'gb' waits for group 'ga', but no need, file or resource links them",
        "W203 warning: group 'gc' waits for group 'gb', but no need, file or resource links them",
        "W404 warning: fully serial: 3 tasks in 3 waves, although needs alone would allow 1 (REVISE)",
    ]


@pytest.mark.parametrize(
    "some",
    [
        chained("a", "b", b={"needs": (TaskId("a"),)}),
        chained("a", "b", b={"claims": task("x", "a").claims}),
        chained("a", "b", b={"claims": task("x", inferred=["b"]).claims}),
        chained("a", "b", a={"resources": ("db",)}, b={"resources": ("db",)}),
        replace(chained("a", "b"), gates=plan(gates={"after a": ["ga"]}).gates),
    ],
    ids=["need", "file", "guess", "resource", "gate"],
)
def test_a_barrier_is_not_needless_when_something_links_the_groups(some: Plan) -> None:
    assert "W203" not in {f.code for f in findings_of(some)}


def test_a_group_wider_than_the_cap_is_a_note() -> None:
    some = plan(*(task(f"t{n}", f"f{n}") for n in range(6)))
    assert told(some) == ["W204 note: 6 tasks of group '1' may run together, but only 4 at once"]
    assert told(some, max_parallel=6) == []
    assert told(replace(some, scheduler=SchedulerName.SEQUENTIAL)) == []


def test_a_need_of_a_later_group_is_a_violation() -> None:
    some = plan(task("a", "a", group="1", needs=["b"]), task("b", "b", group="2"), groups=["1", "2"])
    assert told(some) == [
        "W205 violation: task 'a' of group '1' needs 'b', which ends with the later group '2'"
    ]


def test_a_gate_for_a_group_that_does_not_exist_never_runs() -> None:
    assert told(replace(phase3_plan(), gates=plan(gates={"late": ["6"], "fine": ["5"]}).gates)) == [
        "W206 violation: gate 'late' never runs: no task is in '6'"
    ]
    finished = plan(
        task("a", "a", group="1", is_done=True),
        task("b", "b", group="2"),
        groups=["1", "2"],
        gates={"g": ["1"]},
    )
    assert told(finished) == []


# --- needs


def test_a_file_need_that_the_plan_lacks_is_added_and_told() -> None:
    some = plan(task("use", modify=["gen/"], line=7), task("make", create=["gen/"]))
    assert told(some) == [
        "W301 warning: task 'use' modifies 'gen/', which 'make' creates, but does not need it; the need is added"
    ]
    assert (only(some, "W301").line, only(some, "W301").hint) == (7, "add 'make' to the needs of 'use'")


def test_a_file_need_against_the_order_is_a_violation() -> None:
    assert told(plan(task("use", delete=["x"]), task("make", create=["x"], needs=["use"]))) == [
        "W302 violation: task 'use' deletes 'x', which 'make' creates, but comes before it"
    ]


# --- commands


def test_a_missing_program_is_one_violation_with_every_place_that_names_it() -> None:
    some = plan(
        task("a", "a", run=sh("nosuch --fix"), verify=(sh("nosuch --check"),)),
        task("b", "b", run=sh("make"), agent=AgentSpec(command=sh("other"))),
        gates={"g": []},
    )
    manifest, schedule = build_manifest(some), build_schedule(some)
    asked: list[str] = []

    def look_up(program: str) -> bool:
        asked.append(program)
        return program != "nosuch"

    assert find_all(some, manifest=manifest, schedule=schedule, look_up=look_up) == (
        Finding(
            code="W501",
            level=Level.VIOLATION,
            message="program 'nosuch' does not exist on this machine",
            tasks=(TaskId("a"),),
            evidence=("run of task 'a' starts it", "verify of task 'a' starts it"),
            hint="install 'nosuch', or correct the command",
        ),
    )
    assert sorted(asked) == ["make", "nosuch", "other"], "each name is looked up once"


def test_a_caller_can_say_itself_what_is_missing() -> None:
    some = phase3_plan()
    found = check_plan(
        some,
        build_manifest(some),
        build_schedule(some),
        missing_programs=[("tool", "gate 'unit'", 12, None), ("tool", "setup", 4, None)],
    )
    assert [(f.code, f.line, f.evidence) for f in found] == [
        ("W501", 4, ("gate 'unit' starts it (line 12)", "setup starts it (line 4)"))
    ]


# --- what is not there


def test_a_plan_without_tasks_or_without_files_cannot_be_measured() -> None:
    assert told(plan()) == ["W605 warning: the plan has no tasks"]
    assert told(plan(task("a"), task("b"))) == [
        "W602 warning: no task claims any file, so collisions cannot be measured"
    ]
    assert exit_code(findings_of(plan())) == exit_code(findings_of(plan(task("a")))) == 2


def test_a_violation_is_told_even_where_nothing_else_could_be_measured() -> None:
    some = plan(task("a", group="1", needs=["b"]), task("b", group="2"), groups=["1", "2"])
    assert [f.code for f in findings_of(some)] == ["W205", "W602"]
    assert exit_code(findings_of(some)) == 1


def test_a_task_without_files_among_others_is_a_warning() -> None:
    assert told(plan(task("a", "a"), task("b"), task("c", is_done=True))) == [
        "W601 warning: task 'b' claims no files, so every change it makes is foreign"
    ]


def test_tasks_that_nobody_is_told_to_do_and_work_that_nothing_proves_are_notes() -> None:
    some = plan(task("a", "a", run=None, verify=()), task("b", "b", run=None, prompt="do it", verify=()))
    assert told(some) == [
        "W603 note: nothing says how to do 2 tasks: no 'run', and no agent",
        "W604 note: nothing proves 2 tasks: no 'verify', and the plan has no gates",
    ]
    assert [f.code for f in findings_of(replace(some, gates=plan(gates={"g": []}).gates))] == ["W603"]
    assert "W603 note: nothing says how to do 1 task: no 'run', no prompt, and no agent" in told(
        plan(some.tasks[0])
    )


def test_an_agent_of_the_task_or_the_plan_does_what_a_prompt_says() -> None:
    prompted = task("a", "a", run=None, prompt="do it")
    agent = AgentSpec(command=sh("my-agent"))
    assert told(plan(replace(prompted, agent=agent))) == told(plan(prompted, agent=agent)) == []
    assert told(plan(prompted, format="speckit")) == [], "which cannot name one; an import asks for it"


def test_a_plan_whose_tasks_are_all_done_has_nothing_to_say() -> None:
    assert told(plan(task("a", "a", is_done=True, run=None, verify=()))) == []


# --- together


def test_findings_come_by_level_then_by_line() -> None:
    some = plan(
        task("w", "w", line=1, group="g"),
        task("n", line=2, group="g"),
        task("b", "x", line=9, group="g"),
        task("c", "x", line=8, group="g"),
        task("d", "y", line=4, group="g"),
        task("e", "y", line=5, group="g"),
    )
    some = replace(some, groups=(GroupDef(name="g", line=6),))
    assert [(f.level.value, f.line, f.code) for f in findings_of(some, max_parallel=1)] == [
        ("violation", 4, "W101"),
        ("violation", 6, "W201"),
        ("violation", 8, "W101"),
        ("warning", 2, "W601"),
        ("note", 0, "W204"),
        ("note", 4, "W405"),
        ("note", 8, "W405"),
    ]


@examples(100)
@given(PLANS)
def test_any_plan_is_judged_the_same_way_twice_and_in_the_words_of_the_house(some: Plan) -> None:
    found = findings_of(some)
    assert found == findings_of(some)
    known = {each.id for each in some.tasks}
    for finding in found:
        assert finding.code in CATALOG
        assert set(finding.tasks) <= known
        assert finding.message[0] in "'" or finding.message[0].islower()
        assert not finding.message.endswith((".", "!"))


@pytest.mark.long
def test_ten_thousand_tasks_and_a_hundred_thousand_paths_are_judged() -> None:
    crowd = plan(
        *(
            task(
                f"t{n}",
                *(f"src/m{n % 300}/p{n}/f{file}.c" for file in range(9)),
                f"reg/r{n % 500}.txt",
                needs=[f"t{n - 100}"] if n >= 100 else [],
            )
            for n in range(9_900)
        ),
        *(task(f"g{n}", f"src/m{n}/p{n}/", "everything") for n in range(100)),
    )
    found = findings_of(crowd)
    assert next(f.tasks for f in found if f.paths == ("everything",)) == tuple(f"g{n}" for n in range(100))
    assert sum(f.code == "W101" and f.paths[0].startswith("src/") for f in found) == 100


@pytest.mark.long
def test_ten_thousand_tasks_on_one_file_are_three_findings() -> None:
    found = findings_of(plan(*(task(f"t{n}", "x") for n in range(10_000))))
    assert [f.code for f in found] == ["W101", "W401", "W404"]
    assert (
        found[0].message
        == "'x' is claimed by 10000 tasks that nothing orders; it forces them into 10000 groups"
    )
    assert len(found[0].evidence) == 9


@pytest.mark.long
def test_a_chain_of_ten_thousand_is_judged() -> None:
    chain = plan(*(task(f"t{n}", f"f{n}", needs=[f"t{n - 1}"] if n else []) for n in range(10_000)))
    assert findings_of(chain) == ()


# --- words


def test_every_code_has_an_explanation_and_every_explanation_a_code() -> None:
    source = Path(package.__file__).parent
    used = {
        code
        for file in source.glob("*.py")
        if not file.name.startswith("catalog")
        for code in re.findall(r'"(W\d{3})"', file.read_text())
    }
    assert used == set(CATALOG)
    for explanation in CATALOG.values():
        assert explanation.title[0].islower() and not explanation.title.endswith(".")
        assert explanation.text.endswith(".") and explanation.remedy.endswith(".")


def test_a_code_is_explained_in_any_case_and_an_unknown_one_is_not() -> None:
    assert explain("w101") is CATALOG["W101"]
    assert explain("W999") is None


def test_names_are_listed_as_people_do() -> None:
    assert [quoted("abcd"[:length]) for length in range(5)] == [
        "",
        "'a'",
        "'a' and 'b'",
        "'a', 'b' and 'c'",
        "'a', 'b', 'c' and 1 more",
    ]


def test_long_lists_are_cut_and_say_how_much_is_left() -> None:
    assert listed(map(str, range(9))) == tuple("012345678")
    assert listed(map(str, range(10))) == (*"01234567", "and 2 more")
