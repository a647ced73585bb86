"""The second reader's sheet, the verdict that is bound to what was read, and what a run makes of it."""

from __future__ import annotations

import json
import re

import pytest

from tests.cli.conftest import Waves
from tests.support.golden import check_golden
from tests.support.kbuild import HOT, kbuild_plan
from tests.support.plans import phase3, plan, task
from tests.support.repo import RepoBuilder

PLAN = ".waves/plan.yaml"
SMALL = plan(task("t1"), head="gates: {a: test -s t1.txt}\n")
ASKS = SMALL.replace("name: p\n", "name: p\nrequire_review: true\n")


# What the checklist quotes is the findings' business, and is looked at in the JSON form.
_QUOTED = re.compile(
    r"^   - (?:line \d+, )?(?:violation|warning|note) W.*\n(?:     - .*\n)*|^- findings: .*\n", re.MULTILINE
)


def content_of(repo: RepoBuilder) -> str:
    return repo.git("hash-object", PLAN)


# ---------------------------------------------------------------------- the sheet


def test_the_sheet_of_the_plan_that_lost_its_parallelism(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: kbuild_plan(), HOT: ""})
    replaced = {
        content_of(repo): "CONTENT",
        content_of(repo)[:12]: "CONTENT",
        repo.git("rev-parse", "HEAD")[:12]: "BASE",
    }
    check_golden("review/kbuild.md", _QUOTED.sub("", waves("review").out), replace=replaced)


def test_the_sheet_of_a_plan_with_everything_in_it(repo: RepoBuilder, waves: Waves) -> None:
    text = """\
version: 1
name: mixed
require_review: true
max_parallel: 2
resources: [db]
groups: [parts, wiring]
gates:
  unit: "test -d src || exit 1"
  never: {run: test -f src/b.c, groups: [wiring]}
expect: {shared_paths: [src/b.c]}
tasks:
  - {id: a, title: "The | *first* `one`", group: parts, files: {create: [src/a.c]}, resources: [db], run: 'true', verify: ["test -s src/a.c", [test, -s, "src/a b"]]}
  - {id: b, group: parts, files: [src/b.c, src/c.c], resources: [db], run: 'true'}
  - {id: c, group: parts, files: [src/b.c, src/c.c], needs: [b], run: 'true'}
  - {id: d, group: wiring, files: [src/], needs: [a], run: 'true', verify: 'test -d src'}
"""
    repo.commit({"plans/mixed plan.yaml": text})
    content = repo.git("hash-object", "plans/mixed plan.yaml")
    replaced = {content: "CONTENT", content[:12]: "CONTENT", repo.git("rev-parse", "HEAD")[:12]: "BASE"}
    waves(
        "review",
        "plans/mixed plan.yaml",
        "--record",
        "revise",
        "--by",
        "ann",
        "--note",
        "b and c are *one* task",
    )
    sheet = re.sub(r"at 20\S+00:00", "at TIME", waves("review", "plans/mixed plan.yaml").out)
    check_golden("review/mixed.md", sheet, replace=replaced)


def test_the_sheet_as_json_has_the_same_parts(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: kbuild_plan(), HOT: ""})
    found = json.loads(waves("review", "--json").out)
    assert found["content"] == content_of(repo)
    assert found["checklist"][0]["title"] == "Shared files"
    assert {finding["code"] for finding in found["checklist"][0]["findings"]} >= {"W101", "W401"}
    (meeting,) = found["meetings"]
    assert (meeting["paths"], meeting["kept_apart_by"]) == ([HOT], "schedule")
    assert len(meeting["pairs"]) == 66
    assert {
        "gate": "build",
        "command": "test -d drivers",
        "line": 5,
        "groups": [str(n) for n in range(1, 13)],
        "tasks": [],
    } in found["validation"]
    assert (found["verdicts"], found["is_approved"], found["require_review"]) == ([], False, False)
    assert found["plan"] == json.loads(waves("plan", "--json", exit=1).out)


def test_a_sheet_changes_nothing_and_executes_nothing(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: plan(task("t1", run="touch /ran"), head="gates: {a: touch ran}\n")})
    waves("review")
    assert not (repo.folder / "ran").exists() and repo.git("status", "--porcelain") == ""
    assert not (repo.folder / ".git/waves/reviews").exists()


def test_a_plan_that_cannot_be_read_has_no_sheet(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: "version: 1\ntaks: []\n"})
    assert "unknown key 'taks'" in waves("review", exit=2).err
    assert "unknown key 'taks'" in waves("review", "--record", "approve", "--by", "ann", exit=2).err


# ---------------------------------------------------------------------- the verdict


def test_a_verdict_is_bound_to_the_content(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: SMALL})
    content = content_of(repo)
    typed = waves("review", "--record", "approve", "--by", "ann", "--content", content[:12])
    assert typed.out == (
        f"recorded: 'ann' says approve of plan 'p', content {content[:12]}\n"
        "next: 'git waves run' starts it; a changed plan needs a new review\n"
    )
    assert (repo.folder / f".git/waves/reviews/p/{content}.json").is_file()
    assert json.loads(waves("review", "--json").out)["is_approved"]
    repo.write({PLAN: SMALL + "# changed\n"})
    assert not json.loads(waves("review", "--json").out)["is_approved"]
    repo.write({PLAN: SMALL})
    assert json.loads(waves("review", "--json").out)["is_approved"]


def test_a_plan_that_changed_since_it_was_read_is_not_approved(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: SMALL})
    read = content_of(repo)[:12]
    repo.write({PLAN: SMALL + "# changed\n"})
    typed = waves("review", "--record", "approve", "--by", "ann", "--content", read, exit=2)
    assert typed.err == (
        f"fatal: '{PLAN}' is not what was reviewed: its content is {content_of(repo)[:12]}, not {read}\n"
        "hint: read it again: git waves review\n"
    )
    assert not (repo.folder / ".git/waves/reviews").exists()


def test_the_answer_of_record_as_json(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: SMALL})
    found = json.loads(
        waves("review", "--record", "revise", "--by", " ann ", "--note", "too big", "--json").out
    )
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", found["recorded"].pop("at"))
    assert found == {
        "version": 1,
        "plan": "p",
        "content": content_of(repo),
        "recorded": {"verdict": "revise", "by": "ann", "note": "too big"},
        "is_approved": False,
    }


def test_an_approval_beside_an_objection_says_so(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: SMALL})
    waves("review", "--record", "revise", "--by", "ann")
    text = waves("review", "--record", "approve", "--by", "bob").out
    assert text.endswith("not approved yet: 'ann' said revise and has not said otherwise\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--by", "ann"], "--by, --note and --content go with a verdict"),
        (["--note", "x"], "--by, --note and --content go with a verdict"),
        (["--record", "approve"], "a verdict needs the name of who gives it"),
        (["--record", "approve", "--by", " "], "a verdict needs the name of who gives it"),
        (
            ["--record", "approve", "--by", "ann", "--content", "abc"],
            "'abc' is too short for the id of a content",
        ),
        (["--record", "perhaps", "--by", "ann"], "invalid value for '--record'"),
    ],
)
def test_what_makes_no_sense_is_refused(
    repo: RepoBuilder, waves: Waves, words: list[str], message: str
) -> None:
    repo.commit({PLAN: SMALL})
    assert message in waves("review", *words, exit=2).err
    assert not (repo.folder / ".git/waves/reviews").exists()


def test_whether_a_review_is_required_is_yes_or_no(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: ASKS.replace("true", "maybe")})
    assert "'require_review' of the plan must be true or false, not 'maybe'" in waves("plan", exit=1).err


# ---------------------------------------------------------------------- what a run makes of it

NONE = "note: no review approves plan 'p' as it is now; see 'git waves review'\n"


def test_a_run_says_in_one_line_that_nobody_approved(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: SMALL})
    assert waves("run", "--dry-run").out.startswith(NONE)
    assert waves("run").out.count(NONE) == 1


def test_a_run_of_an_approved_plan_says_nothing_about_it(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: SMALL})
    waves("review", "--record", "approve", "--by", "ann")
    assert "review" not in waves("run", "--dry-run").out
    assert "review" not in waves("run").out


def test_an_objection_is_repeated_and_does_not_stop_a_run_that_asks_for_nothing(
    repo: RepoBuilder, waves: Waves
) -> None:
    repo.commit({PLAN: SMALL})
    waves("review", "--record", "revise", "--by", "ann", "--note", "t1 is too big")
    text = waves("run").out
    assert "note: 'ann' says that plan 'p' is to be revised: t1 is too big; see 'git waves review'\n" in text


def test_a_plan_that_asks_for_a_review_does_not_run_without_one(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: ASKS})
    refused = waves("run", exit=3)
    assert refused.err == (
        "fatal: no review approves plan 'p' as it is now, and the plan asks for one ('require_review')\n"
        "hint: 'git waves review' prints what to look at and how to record the verdict\n"
    )
    assert waves("run", "--dry-run", exit=3).err == refused.err
    waves("review", "--record", "revise", "--by", "ann", "--note", "t1 is too big")
    assert waves("run", exit=3).err.startswith(
        "fatal: 'ann' says that plan 'p' is to be revised: t1 is too big; the plan asks for an approval"
    )
    assert not (repo.folder / ".git/waves/runs").exists()
    waves("review", "--record", "approve", "--by", "ann")
    waves("run")
    assert repo.git("show", "waves/p/integration:t1.txt") == "t1"


def test_a_review_of_an_older_content_is_none(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: ASKS})
    waves("review", "--record", "approve", "--by", "ann")
    repo.write({PLAN: ASKS + "# one line more\n"})
    waves("run", exit=3)


def test_a_run_that_goes_on_needs_no_second_review(repo: RepoBuilder, waves: Waves) -> None:
    """The run has pinned what was approved; what the file says meanwhile is another plan."""
    repo.commit({PLAN: phase3().replace("name: p\n", "name: p\nrequire_review: true\n")})
    waves("review", "--record", "approve", "--by", "ann")
    waves("run", "--until-group", "1")
    repo.write({PLAN: phase3()})
    assert NONE not in waves("run").out


def test_a_damaged_review_stops_a_run(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: ASKS})
    waves("review", "--record", "approve", "--by", "ann")
    (repo.folder / f".git/waves/reviews/p/{content_of(repo)}.json").write_text("{")
    assert "cannot be read" in waves("run", exit=4).err
