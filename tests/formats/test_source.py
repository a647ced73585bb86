"""Bytes that are no text of a plan, each with the one thing that is wrong with it."""

from __future__ import annotations

import pytest

from git_waves.errors import PlanError
from git_waves.formats.source import MAX_BYTES
from tests.formats.shown import plan_text, read, refused

INIT = "  hint: write a starting plan with: git waves init\nexit 2"
UTF8 = "  hint: save it as UTF-8\nexit 2"
GOOD = "version: 1\ntasks:\n- id: a\n  title: é\n"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", f"plan.yaml:0: the plan is empty\n{INIT}"),
        (b" \n\t\r\n", f"plan.yaml:0: the plan holds only white space\n{INIT}"),
        (b"\xef\xbb\xbf \n", f"plan.yaml:0: the plan holds only white space\n{INIT}"),
        (
            b"version: 1\nx\0y\n",
            "plan.yaml:2: NUL byte at offset 12\n  hint: a plan is a UTF-8 text file\nexit 2",
        ),
        (b"version: 1\ntitle: caf\xe9\n", f"plan.yaml:2: byte 0xe9 at offset 21 is not UTF-8\n{UTF8}"),
        (b"\xff\xfev\0e\0", f"plan.yaml:1: the plan is UTF-16 or UTF-32, not UTF-8\n{UTF8}"),
        (
            b"version: 1\n<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> topic\n",
            "plan.yaml:2: merge conflict marker '<<<<<<< HEAD'\n  hint: finish the merge of this file first\n"
            "plan.yaml:6: merge conflict marker '>>>>>>> topic'\n  hint: finish the merge of this file first\n"
            "exit 2",
        ),
    ],
    ids=["empty", "blank", "only a mark", "nul", "latin-1", "utf-16", "conflict"],
)
def test_bytes_that_are_no_plan_are_refused_in_one_sentence(data: bytes, expected: str) -> None:
    assert refused(data) == expected


def test_a_plan_that_is_too_large_is_refused_with_its_size_when_it_is_known() -> None:
    limit = "and at most 16 MiB are read\n  hint: split the plan\nexit 2"
    assert refused(b"#" * (MAX_BYTES + 2 * 1024 * 1024)) == f"plan.yaml:0: the plan has 18.0 MiB, {limit}"
    assert refused(b"#" * (MAX_BYTES + 1)) == f"plan.yaml:0: the plan has more, {limit}"


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + GOOD.encode(),
        GOOD.replace("\n", "\r\n").encode(),
        GOOD.replace("\n", "\r").encode(),
    ],
    ids=["byte order mark", "CRLF", "CR"],
)
def test_marks_and_line_ends_of_other_systems_change_nothing(data: bytes) -> None:
    assert read(data) == read(GOOD)


def test_conflict_markers_inside_a_prompt_are_the_authors_own_words() -> None:
    plan = read("version: 1\ntasks:\n- id: a\n  prompt: |\n    look for\n    <<<<<<< HEAD\n")
    assert plan.tasks[0].prompt == "look for\n<<<<<<< HEAD\n"


def test_a_problem_behind_windows_line_ends_has_the_line_an_editor_shows() -> None:
    with pytest.raises(PlanError) as caught:
        read(b"version: 1\r\ntasks:\r\n- id: a\r\n  nope: 1\r\n")
    assert [problem.line for problem in caught.value.problems] == [4]
    assert plan_text(b"a\r\nb\rc\n").decode() == "a\nb\nc\n"
