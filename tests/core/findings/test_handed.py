"""Files that are handed on, and what keeps them from arriving."""

from __future__ import annotations

from typing import Any

from git_waves.core.model import Plan, Task
from tests.core.findings.told import findings, told
from tests.core.plans import plan, task


def hands_on(name: str, *paths: str, **fields: Any) -> Task:
    return task(name, f"{name}.txt", handoff=paths, line=7, **fields)


def test_a_file_that_reaches_its_dependent_is_no_finding() -> None:
    some = plan(hands_on("a", "notes.md"), task("b", "b.txt", needs=["a"]))
    assert told(some, "W71") == []


def test_two_tasks_hand_on_the_same_file_to_one_that_needs_both() -> None:
    some = plan(hands_on("a", "n"), hands_on("b", "n", "m"), task("c", "c.txt", needs=["a", "b"]))
    (found,) = findings(some, "W71")
    assert (found.code, found.level, found.line, found.tasks) == ("W713", "violation", 7, ("a", "b", "c"))
    assert found.message == "tasks 'a' and 'b' both hand on 'n' to 'c', and nothing orders the two"


def test_in_a_chain_the_later_one_is_right_and_apart_they_never_meet() -> None:
    chain = plan(hands_on("a", "n"), hands_on("b", "n", needs=["a"]), task("c", "c.txt", needs=["a", "b"]))
    assert told(chain, "W71") == []
    apart = plan(
        hands_on("a", "n"), hands_on("b", "n"), task("c", "c", needs=["a"]), task("d", "d", needs=["b"])
    )
    assert told(apart, "W71") == []


def test_a_file_that_a_task_claims_cannot_be_handed_on() -> None:
    some = plan(
        hands_on("a", "docs/n.md", "a.txt"),
        task("b", "docs/", needs=["a"]),
        task("c", "**/*.md", needs=["a"]),
        task("d", inferred=["docs/n.md"], needs=["a"]),
    )
    assert told(some, "W71") == [
        "W714 violation: task 'a' hands on 'a.txt', which task 'a' owns",
        "W714 violation: task 'a' hands on 'docs/n.md', which tasks 'b' and 'c' own",
    ]


def test_what_nobody_needs_is_handed_on_to_nobody_also_through_a_third() -> None:
    some = plan(hands_on("a", "n"), task("b", "b.txt"))
    (found,) = findings(some, "W71")
    assert (found.code, found.level) == ("W715", "warning")
    assert found.message == "task 'a' hands on 'n', and no task needs it"
    assert found.hint == "give the tasks that read it 'needs: [a]', or take 'handoff' out"


def test_a_need_that_files_make_counts_and_tasks_that_are_done_do_not() -> None:
    by_file: Plan = plan(
        task("a", create=["x"], handoff=("n",)), task("b", modify=["x"]), hands_on("d", "n", is_done=True)
    )
    assert told(by_file, "W71") == []
