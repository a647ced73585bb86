"""What a reader is told about queues: the sentence with its numbers, the remedy with its reason, levels, and merging."""

from __future__ import annotations

from dataclasses import replace

import pytest

from git_waves.core.findings import check_plan, exit_code
from git_waves.core.findings.facts import SHARED_THRESHOLD, Facts
from git_waves.core.model import Finding, Level, Plan, Resource
from git_waves.core.ownership import build_manifest
from git_waves.core.schedule import build_schedule
from tests.core.plans import plan, task
from tests.core.test_sharing import issue_plan

FAMILY = ("W401", "W402", "W403", "W404", "W405")


def findings_of(some: Plan, *, shared_threshold: float = SHARED_THRESHOLD) -> list[Finding]:
    manifest = build_manifest(some)
    schedule = build_schedule(some, manifest=manifest)
    facts = Facts(plan=some, manifest=manifest, schedule=schedule, shared_threshold=shared_threshold)
    found = check_plan(some, manifest, schedule, facts=facts)
    return [finding for finding in found if finding.code in FAMILY]


def told(some: Plan, *, shared_threshold: float = SHARED_THRESHOLD) -> list[str]:
    found = findings_of(some, shared_threshold=shared_threshold)
    return [f"{f.code} {f.level}: {f.message}" for f in found]


def only(some: Plan, code: str) -> Finding:
    (found,) = [finding for finding in findings_of(some) if finding.code == code]
    return found


def sharers(many: int, *paths: str, others: int = 0) -> Plan:
    """So many tasks with these paths and one of their own, and others with only that."""
    return plan(
        *(task(f"t{n}", f"f{n}", *paths, line=n + 1) for n in range(many)),
        *(task(f"o{n}", f"g{n}") for n in range(others)),
    )


# --- the sentence


def test_the_plan_of_twelve_tasks_says_what_serializes_it() -> None:
    assert told(issue_plan()) == [
        "W404 warning: fully serial: 12 tasks in 12 waves, although needs alone would allow 1 (REVISE)",
        "W401 warning: tests/kunit/Kbuild alone serializes 12 tasks into 12 waves; hoisting it would yield 4",
    ]
    found = only(issue_plan(), "W401")
    assert found.evidence == (
        "12 of 12 tasks claim it (100 %)",
        "remedy: a fragment for each task (3 waves), because a Kbuild file is a makefile: one line "
        "'include $(wildcard ...)' takes in a file for each task, and 'obj-y +=' adds up in any order",
        "after that the longest queue is for core/io.c",
    )
    assert (
        found.hint
        == "'git waves plan --hoist tests/kunit/Kbuild plan.yaml' prints the plan with one last task for it"
    )
    assert (found.line, len(found.tasks), found.paths) == (10, 12, ("tests/kunit/Kbuild",))


def test_a_queue_that_is_not_the_whole_plan_says_of_how_many() -> None:
    some = plan(
        *(task(f"t{n}", f"f{n}", "mod.rs", needs=["first"]) for n in range(4)),
        task("first", "first"),
    )
    assert told(some) == [
        "W401 warning: mod.rs alone serializes 4 tasks into 4 of 5 waves; hoisting it would yield 3",
        "W404 warning: fully serial: 5 tasks in 5 waves, although needs alone would allow 2 (REVISE)",
    ]
    assert (
        only(some, "W401")
        .evidence[1]
        .startswith("remedy: one final wiring task, because Rust has no wildcard")
    )


def test_a_file_that_is_no_place_to_register_has_a_careful_remedy() -> None:
    assert only(sharers(3, "core/io.c"), "W401").evidence[1] == (
        "remedy: one final wiring task, if the others only register in core/io.c; else split it, or merge the tasks"
    )


def test_an_odd_name_is_quoted() -> None:
    found = only(sharers(3, "my file.c"), "W401")
    assert found.message.startswith("'my file.c' alone serializes 3 tasks into 3 waves")
    assert "--hoist 'my file.c'" in found.hint


def test_a_folder_is_to_be_claimed_file_by_file() -> None:
    found = only(sharers(3, "docs/"), "W401")
    assert found.message == (
        "docs/ alone serializes 3 tasks into 3 waves; claiming only what each task needs would yield 1"
    )
    assert found.hint == "claim files instead of folders and globs, where the files are known"
    assert found.evidence[1] == "remedy: a claim for each file that a task really touches"


def test_a_path_that_all_tasks_delete_is_neither_hoisted_nor_narrowed() -> None:
    some = plan(*(task(name, name, delete=["old.c"]) for name in "abc"))
    found = only(some, "W401")
    assert found.message.endswith("claiming only what each task needs would yield 1")
    assert found.hint == "let one of the tasks delete it"
    assert found.evidence == ("3 of 3 tasks claim it (100 %)",)


def test_tasks_that_would_claim_nothing_are_to_be_merged_and_not_hoisted() -> None:
    some = plan(task("a", "x"), task("b", "x"), task("c", "x", "c"))
    found = only(some, "W401")
    assert found.evidence[-1] == "'a' and 'b' would claim nothing any more"
    assert found.hint == "merge the tasks that claim nothing else into one"


def test_another_format_is_not_told_to_hoist() -> None:
    found = only(replace(sharers(3, "mod.rs"), format="masterplan"), "W401")
    assert found.hint == (
        "let one last task write it for all, or let each task add a file of its own where the build takes it in"
    )


def test_files_of_one_kind_are_told_together() -> None:
    some = sharers(5, "a/package.json", "a/package-lock.json")
    found = only(some, "W402")
    assert found.message == (
        "a/package-lock.json and a/package.json together serialize 5 tasks into 5 waves; hoisting them would yield 2"
    )
    assert found.level is Level.WARNING
    assert found.evidence == (
        "5 of 5 tasks claim one of them (100 %)",
        "remedy: one final wiring task, because dependencies are resolved together, "
        "and the lock file is the result of them all",
    )
    assert found.hint == (
        "'git waves plan --hoist a/package-lock.json --hoist a/package.json plan.yaml' prints the plan with one last task for it"
    )


def test_rounds_are_counted_where_groups_have_several() -> None:
    some = plan(*(task(f"t{n}", f"f{n}", "Kbuild", group="g") for n in range(3)), groups=["g"])
    assert told(some) == [
        "W401 warning: Kbuild alone serializes 3 tasks into 3 rounds; hoisting it would yield 2",
        "W404 warning: fully serial: 3 tasks in 3 rounds, although needs alone would allow 1 (REVISE)",
    ]


def test_a_resource_that_makes_the_plan_longer_is_named_with_its_line() -> None:
    some = plan(*(task(f"t{n}", f"f{n}", resources=("db",)) for n in range(5)))
    some = replace(some, resources=(Resource(name="db", capacity=2, line=9),))
    assert told(some) == [
        "W401 warning: resource 'db' alone serializes 5 tasks into 3 waves; without its limit it would be 1"
    ]
    assert (only(some, "W401").line, only(some, "W401").evidence) == (9, ("5 of 5 tasks hold it (100 %)",))


def test_a_path_is_not_blamed_for_what_needs_ask_for_anyway() -> None:
    chain = plan(task("a", "x"), task("b", "x", needs=["a"]), task("c", "x", needs=["b"]))
    assert told(chain) == []


# --- levels


@pytest.mark.parametrize(
    ("threshold", "level"), [(0.25, "note"), (0.2, "warning"), (0.0, "warning"), (1.0, "note")]
)
def test_the_threshold_decides_between_a_warning_and_a_note(threshold: float, level: str) -> None:
    some = sharers(3, "mod.rs", others=12)
    assert told(some, shared_threshold=threshold) == [
        f"W401 {level}: mod.rs alone serializes 3 tasks into 3 waves; hoisting it would yield 2"
    ]
    assert exit_code(findings_of(some, shared_threshold=threshold)) == 0


def test_what_was_not_tried_is_counted() -> None:
    layered = plan(
        *(
            task(f"t{n}", f"f{n}", f"q{n // 6}", group=f"g{n // 6}", needs=[f"t{n - 6}"] if n >= 6 else [])
            for n in range(60)
        ),
        groups=[f"g{m}" for m in range(10)],
    )
    assert (
        told(layered)[-1]
        == "W403 note: 2 more choices of shared paths may shorten the plan and were not tried"
    )


# --- fully serial


def test_a_plan_that_is_serial_by_its_needs_or_only_two_tasks_long_is_not_to_be_revised() -> None:
    assert told(plan(task("a", "a"), task("b", "b", needs=["a"]), task("c", "c", needs=["b"]))) == []
    assert told(plan(task("a", "x", "a"), task("b", "x", "b"))) == []


def test_a_serial_plan_says_what_everybody_waits_for() -> None:
    assert only(sharers(3, "x"), "W404").evidence == ("2 tasks wait for a shared path",)
    mixed = plan(
        task("a", "x", "a"), task("b", "x", "b", resources=("db",)), task("c", "x", resources=("db",))
    )
    assert only(mixed, "W404").evidence == ("2 tasks wait for a shared path",)
    ledger = plan(*(task(name, name, resources=("db",)) for name in "abc"))
    assert only(ledger, "W404").evidence == ("2 tasks wait for a resource",)
    chained = plan(*(task(n, n, group=n) for n in "abc"), groups=list("abc"))
    assert only(chained, "W404").evidence == ("2 tasks wait for the group before",)


# --- tasks that are one


def test_two_tasks_that_fight_over_the_same_files_are_to_be_merged() -> None:
    some = plan(
        task("reader", "core/io.c", "core/buf.c", "t1.c", line=4),
        task("writer", "core/io.c", "core/buf.c", "t2.c", line=8),
        task("other", "core/io.c", "o1", "o2"),
    )
    found = only(some, "W405")
    assert found.level is Level.NOTE
    assert found.message == (
        "tasks 'reader' and 'writer' fight over 'core/buf.c' and 'core/io.c', and nothing else orders them"
    )
    assert found.hint == "merge 'writer' into 'reader', or order them with 'needs'"
    assert (found.tasks, found.line) == (("reader", "writer"), 4)


@pytest.mark.parametrize(
    "some",
    [
        plan(task("a", "x"), task("b", "x", needs=["a"])),
        plan(task("a", "x"), task("b", "x"), shared=["x"]),
        plan(task("a", "x"), task("b", "x"), shared_count=1),
        plan(task("a", "x"), task("b", inferred=["x"])),
        plan(task("a", "x", "a"), task("b", "x", "b")),
        plan(task("a", "Kbuild"), task("b", "Kbuild")),
        plan(task("a", "x", group="1"), task("b", "x", group="2"), groups=["1", "2"]),
    ],
    ids=["ordered", "declared", "counted", "guessed", "half", "registration", "groups"],
)
def test_tasks_are_left_apart_when_something_speaks_for_it(some: Plan) -> None:
    assert "W405" not in {f.code for f in findings_of(some)}


def test_a_bunch_of_tasks_is_one_finding_and_a_crowd_is_none() -> None:
    three = plan(*(task(name, "x", "y") for name in "abc"), task("d", "z", "e"), task("e", "z"))
    assert [f.message for f in findings_of(three) if f.code == "W405"] == [
        "tasks 'a', 'b' and 'c' fight over 'x' and 'y', and nothing else orders them",
        "tasks 'd' and 'e' fight over 'z', and nothing else orders them",
    ]
    assert "W405" not in {f.code for f in findings_of(plan(*(task(f"t{n}", "x") for n in range(5))))}


def test_many_bunches_are_counted() -> None:
    some = plan(*(task(f"t{n}{side}", f"x{n}") for n in range(22) for side in "ab"))
    found = [f.message for f in findings_of(some) if f.code == "W405"]
    assert len(found) == 21
    assert "2 more bunches of tasks fight over the same files" in found
