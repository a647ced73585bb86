"""What verdicts add up to, and what a review sheet is made of."""

from __future__ import annotations

from collections.abc import Iterable

from git_waves.core.findings import check_plan
from git_waves.core.findings.facts import Facts
from git_waves.core.model import Finding, Plan
from git_waves.core.ownership import build_manifest
from git_waves.core.review import Standing, Verdict, Word, standing
from git_waves.core.schedule import build_schedule
from git_waves.core.sheet import MOST_PAIRS, Between, Point, checklist, meetings, proofs
from tests.core.plans import kbuild_plan, phase3_plan, plan, sh, task


def facts_of(some: Plan) -> Facts:
    manifest = build_manifest(some)
    return Facts(plan=some, manifest=manifest, schedule=build_schedule(some, manifest=manifest))


def findings_of(some: Plan) -> tuple[Finding, ...]:
    facts = facts_of(some)
    return check_plan(some, facts.manifest, facts.schedule)


def said(*words: tuple[str, Word]) -> tuple[Verdict, ...]:
    return tuple(Verdict(word=word, by=by) for by, word in words)


# ---------------------------------------------------------------------- verdicts


def test_nobody_approves_by_saying_nothing() -> None:
    assert standing(()) == Standing(is_approved=False)


def test_one_approval_is_enough() -> None:
    assert standing(said(("ann", Word.APPROVE))) == Standing(is_approved=True)


def test_one_objection_outweighs_all_approvals_and_the_newest_is_told() -> None:
    verdicts = said(("ann", Word.REVISE), ("bob", Word.APPROVE), ("eve", Word.REVISE), ("dan", Word.APPROVE))
    assert standing(verdicts) == Standing(is_approved=False, objection=verdicts[2])


def test_the_last_word_of_each_reviewer_counts() -> None:
    assert standing(said(("ann", Word.REVISE), ("ann", Word.APPROVE))).is_approved
    assert not standing(said(("ann", Word.APPROVE), ("bob", Word.APPROVE), ("ann", Word.REVISE))).is_approved


# ---------------------------------------------------------------------- where file sets meet


def told(some: Plan) -> list[tuple[list[str], str, object]]:
    return [
        (list(map(str, one.paths)), one.between.value, [tuple(pair) for pair in one.pairs or ()])
        for one in meetings(facts_of(some))
    ]


def test_tasks_with_files_of_their_own_meet_nowhere() -> None:
    assert told(phase3_plan()) == []


def test_all_paths_of_a_pair_stand_together_and_pairs_that_are_alike_too() -> None:
    some = plan(
        task("a", "x", "y"), task("b", "x", "y"), task("c", "z", needs=["a"]), task("d", "z", needs=["c"])
    )
    assert told(some) == [
        (["x", "y"], "schedule", [("a", "b")]),
        (["z"], "needs", [("c", "d")]),
    ]


def test_the_narrower_of_two_claims_is_what_both_may_touch() -> None:
    some = plan(task("b", "src/"), task("a", "src/io.c", "src/z"), task("c", "src/*.h"), task("d", "src/x.h"))
    assert told(some) == [
        (["src/*.h"], "schedule", [("b", "c")]),
        (["src/io.c", "src/z"], "schedule", [("b", "a")]),
        (["src/x.h"], "schedule", [("b", "d"), ("c", "d")]),
    ]


def test_twelve_tasks_on_one_file_are_one_meeting_of_all_pairs() -> None:
    (meeting,) = meetings(facts_of(kbuild_plan()))
    assert meeting.pairs is not None
    assert (meeting.paths, meeting.between) == (("tests/kunit/Kbuild",), Between.SCHEDULE)
    assert (len(meeting.tasks), len(meeting.pairs)) == (12, 66)


def test_too_many_pairs_are_told_by_path() -> None:
    (meeting,) = meetings(facts_of(kbuild_plan(MOST_PAIRS)))
    assert (meeting.pairs, len(meeting.tasks), meeting.between) == (None, MOST_PAIRS, Between.SCHEDULE)


def test_two_tasks_with_thousands_of_claims_each_are_told_by_path() -> None:
    many = [f"src/f{n}" for n in range(600)]
    found = meetings(facts_of(plan(task("a", *many), task("b", *many))))
    assert (len(found), {one.pairs for one in found}) == (600, {None})


def test_done_tasks_meet_nobody() -> None:
    assert told(plan(task("a", "x", is_done=True), task("b", "x"))) == []


# ---------------------------------------------------------------------- what proves the work


def test_every_validation_line_and_every_lack_of_one() -> None:
    some = plan(
        task("a", "x", verify=(sh("make a"), sh("make lint"))),
        task("b", "y", verify=(), line=9),
        task("c", "z", is_done=True),
        gates={"unit": (), "late": ("nowhere",)},
    )
    assert [
        (one.of, str(one.kind), str(one.command), one.groups) for one in proofs(some, facts_of(some).schedule)
    ] == [
        ("a", "task", "make a", ()),
        ("a", "task", "make lint", ()),
        ("b", "task", "None", ()),
        ("unit", "gate", "make test", ("1",)),
        ("late", "gate", "make test", ()),
    ]


# ---------------------------------------------------------------------- the checklist


def codes(points: Iterable[Point]) -> list[str]:
    return [finding.code for point in points for finding in point.findings]


def test_shared_files_are_the_first_question() -> None:
    points = checklist(findings_of(kbuild_plan()))
    assert points[0].title == "Shared files"
    assert {"W101", "W401"} <= set(codes(points[:1]))


def test_every_finding_stands_under_one_question() -> None:
    some = plan(
        task("a", "x", "Y", verify=()),
        task("b", "x", "y", needs=["a"], group="g"),
        task("c", run=None, group="g", resources=("db",)),
        task("d", "z", group="g", needs=["b"], resources=("db",)),
        groups=["g"],
        resources={"db": 1},
        gates={"never": ("other",)},
    )
    found = findings_of(some)
    assert sorted(codes(checklist(found))) == sorted(finding.code for finding in found)
    assert len({finding.code for finding in found}) > 4


def test_the_questions_are_asked_even_when_nothing_was_found() -> None:
    points = checklist(findings_of(phase3_plan()))
    assert len(points) == 7 and not codes(points)
    assert all(point.question.endswith((".", "?")) for point in points)
