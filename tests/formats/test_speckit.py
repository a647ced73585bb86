"""spec-kit: ids, marks, phases; who waits for whom inside a phase; files from prose and what never counts as a task."""

from __future__ import annotations

import pytest

from git_waves.core.findings import check_plan
from git_waves.core.ownership import build_manifest
from git_waves.core.schedule import build_schedule
from tests.formats.readings import claims, needs, reading, told
from tests.formats.shown import refused


def tasks(*lines: str) -> str:
    return "# Tasks: Shop\n\n## Phase 1: Setup\n\n" + "\n".join(lines) + "\n"


def test_marked_tasks_may_run_together_and_others_wait_for_all_before_them() -> None:
    one = reading(
        tasks(
            "- [ ] T001 Alone",
            "- [ ] T002 [P] Beside",
            "- [ ] T003 [P] [US1] Beside",
            "- [ ] T004 [US1] Alone",
            "- [ ] T005 [US2] [P] Beside",
            "- [ ] T006 Alone",
        )
    )
    assert needs(one) == {
        "T001": "",
        "T002": "T001",
        "T003": "T001",
        "T004": "T002 T003",
        "T005": "T004",
        "T006": "T005",
    }


def test_phases_are_groups_and_nothing_waits_across_them_by_needs() -> None:
    text = (
        tasks("- [x] T001 One")
        + "## Phase 2: User Story 1 (Priority: P1) \U0001f3af MVP\n\n**Goal**: Sell\n\n- [ ] T002 Two\n"
    )
    one = reading(text, path="specs/001-shop/tasks.md")
    assert told(one) == (
        "plan 001-shop (spec-kit)\n"
        "group phase-1:3 Phase 1: Setup\n"
        "group phase-2:6 Phase 2: User Story 1 (Priority: P1) \U0001f3af MVP\n"
        "task T001:5 in phase-1 [done] One\n"
        "task T002:10 in phase-2 Two\n"
    )
    assert one.plan.tasks[1].prompt == (
        "T002 Two\n\nPhase 2: User Story 1 (Priority: P1) \U0001f3af MVP\n**Goal**: Sell\n\n"
        "Read what there is of plan.md, spec.md, data-model.md, research.md, quickstart.md, contracts/ in specs/001-shop/."
    )


@pytest.mark.parametrize(
    ("words", "claimed"),
    [
        (
            "Create ExitCode enum in Sources/Lib/ExitCode.swift defining success=0",
            "?Sources/Lib/ExitCode.swift",
        ),
        (
            "Add `src/app/[id]/page.tsx` and src/app/(shop)/x.tsx.",
            "?src/app/[id]/page.tsx ?src/app/(shop)/x.tsx",
        ),
        ("Create Add.swift in Sources/Lib/", "?Sources/Lib/Add.swift"),
        ("Create the folders Sources/Lib/, Tests/", ""),
        (
            "Define types in `src/types.ts` \u2014 match `contracts/api.ts`, copy SQL from data-model.md",
            "?src/types.ts",
        ),
        ("Serve GET /api/events/{id} and https://example.com/a.html", ""),
        ("Match **/*.md and docs/**/*.txt", ""),
        ("Use Next.js, Polkadot.js and node.js", ""),
        ("Fix and/or input/output of v1.2 (e.g. 3.5)", ""),
        ("Write (src/a.ts), \u4e00src/b.ts\u4e8c and README.md", "?src/a.ts ?src/b.ts ?README.md"),
        ("Change Makefile, .gitignore and .env.example", "?Makefile ?.gitignore ?.env.example"),
        (r"Fix src\win\path.cs:10", "?src/win/path.cs"),
        ("Leave ../up.py and ~/home.py alone", ""),
    ],
)
def test_files_are_guessed_from_prose(words: str, claimed: str) -> None:
    assert claims(reading(tasks(f"- [ ] T001 {words}")), "T001") == claimed


def test_a_bare_name_is_the_one_path_of_the_plan_that_ends_in_it() -> None:
    one = reading(
        tasks(
            "- [ ] T001 Create src/core/io.c",
            "- [ ] T002 Test io.c",
            "- [ ] T003 a/x.c",
            "- [ ] T004 b/x.c",
            "- [ ] T005 x.c",
        )
    )
    assert claims(one, "T002") == "?src/core/io.c"
    assert claims(one, "T005") == "?x.c"


def test_marks_that_files_contradict_are_contradicted_aloud() -> None:
    plan = reading(tasks("- [ ] T001 [P] Write a in src/a.ts", "- [ ] T002 [P] Write b in src/a.ts")).plan
    manifest = build_manifest(plan)
    findings = check_plan(plan, manifest, build_schedule(plan, manifest=manifest))
    (found,) = [one for one in findings if one.code == "W201"]
    assert found.level == "warning", "a guess is no proof"
    assert (
        found.message
        == "group 'phase-1' claims that its tasks run together, but what they share makes it 2 rounds"
    )
    assert found.evidence == ("'src/a.ts' is claimed by 'T001' and 'T002'",)


def test_bracketed_dependencies_are_read_and_others_are_not() -> None:
    one = reading(
        tasks(
            "- [ ] T001 [P] A",
            "- [ ] T002 [P] B (depends on T001)",
            "- [ ] T003 [P] C, independent of T001, before T002",
            "- [ ] T004 [P] D (depends on T001, T002 and T009)",
        )
    )
    assert needs(one) == {"T001": "", "T002": "T001", "T003": "", "T004": "T001 T002"}
    assert [skipped.why for skipped in one.skipped] == ["'T009' is no earlier task"]


def test_examples_in_fences_comments_and_other_checkboxes_are_no_tasks() -> None:
    one = reading(
        tasks("- [ ] T001 A")
        + '<!-- samples:\n- [ ] T090 no\n-->\n\n## Parallel Example\n\n```bash\n- [ ] T091 no\nTask: "T001"\n```\n\n'
        "## Success\n\n- [ ] All tests pass\n- [x] T is no id\n"
    )
    assert list(needs(one)) == ["T001"]
    assert [(skipped.line, skipped.why) for skipped in one.skipped] == [
        (19, "this checkbox has no task id"),
        (20, "this checkbox has no task id"),
    ]


def test_headings_may_be_tasks_and_letters_part_of_ids() -> None:
    text = "# Tasks\n\n## Phase 1\n\n### T001: First [P]\n\n- Edit `src/a.ts`\n\n### [x] T001A \u2014 Second\n\ntext\n\n## Phase 2\n\n- [X] **T002** Third\n"
    one = reading(text)
    assert told(one) == (
        "plan plan (spec-kit)\n"
        "group phase-1:3 Phase 1\ngroup phase-2:13 Phase 2\n"
        "task T001:5 in phase-1 First [P]\n    ?src/a.ts\n"
        "task T001A:9 in phase-1 needs T001 [done] Second\n"
        "task T002:15 in phase-2 [done] Third\n"
    )


def test_cancelled_is_done_and_said_and_anything_else_in_the_box_is_open() -> None:
    one = reading(tasks("- [-] T001 A", "- [~] T002 B"))
    assert [task.is_done for task in one.plan.tasks] == [True, False]
    assert [skipped.why for skipped in one.skipped] == [
        "the task is cancelled or deferred; nothing waits for it"
    ]


def test_deeper_lines_belong_to_the_task() -> None:
    one = reading(tasks("- [ ] T001 A", "  - change `src/a.ts`", "    - [ ] a detail", "- [ ] T002 B"))
    assert claims(one, "T001") == "?src/a.ts"
    assert "a detail" in (one.plan.tasks[0].prompt or "")
    assert not one.skipped


def test_an_id_that_is_there_twice_is_refused() -> None:
    assert refused(tasks("- [ ] T001 A", "- [ ] T001 B"), path="tasks.md") == (
        "tasks.md:6: task 'T001' is there twice, first on line 5\n  hint: rename one of them\nexit 1"
    )
