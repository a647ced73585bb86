"""superpowers plans: verbs of file lists, what tasks consume, the order of the text, and fences inside fences."""

from __future__ import annotations

import pytest

from git_waves.core.model import SchedulerName
from tests.formats.readings import claims, needs, reading, told

HEAD = "# Shop Implementation Plan\n\n> REQUIRED SUB-SKILL: Use superpowers:executing-plans\n\n"


def plan(*tasks: str, head: str = HEAD) -> str:
    return head + "\n".join(
        f"### Task {number}: Part {number}\n\n{task}\n" for number, task in enumerate(tasks, 1)
    )


def test_tasks_without_a_word_about_it_need_the_one_before_and_run_one_by_one() -> None:
    one = reading(plan("**Files:**\n- Create: `a.ts`", "**Files:**\n- Create: `b.ts`", "x"))
    assert needs(one) == {"1": "", "2": "1", "3": "2"}
    assert one.plan.scheduler is SchedulerName.SEQUENTIAL


@pytest.mark.parametrize(
    ("consumes", "needed"),
    [
        ("nothing.", ""),
        ("nothing from Task 1.", ""),
        ("`Store` (Task 1).", "1"),
        ("`A` from Task 1; `B` from Task 2.", "1 2"),
        ("Tasks 1, 2 and 3", "1 2 3"),
        ("everything from Tasks 1-3.", "1 2 3"),
        ("everything from Tasks 1\u20133.", "1 2 3"),
        ("everything above", "1 2 3"),
        ("the config of Task 9", ""),
        ("task 4 is this one", ""),
    ],
)
def test_a_task_needs_just_what_it_consumes(consumes: str, needed: str) -> None:
    one = reading(plan("x", "y", "z", f"**Interfaces:**\n- Consumes: {consumes}\n- Produces: `X`"))
    assert needs(one)["4"] == needed


def test_what_is_consumed_and_is_no_earlier_task_is_said() -> None:
    one = reading(plan("x", "**Interfaces:**\n- Consumes: `Z` (Task 7)"))
    assert [(skipped.what, skipped.why) for skipped in one.skipped] == [
        ("Task 7", "it is consumed, and is no earlier task")
    ]


def test_a_task_that_only_produces_needs_nothing_but_shared_files_keep_their_order() -> None:
    one = reading(
        plan(
            "**Files:**\n- Modify: `index.ts:3-9`\n\n**Interfaces:**\n- Produces: `A`",
            "**Files:**\n- Create: `b.ts`\n\n**Interfaces:**\n- Produces: `B`",
            "**Files:**\n- Modify: `./index.ts`\n\n**Interfaces:**\n- Produces: `C`",
        )
    )
    assert needs(one) == {"1": "", "2": "", "3": "1"}


@pytest.mark.parametrize(
    ("entry", "claimed"),
    [
        ("Create: `src/a.ts`", "+src/a.ts"),
        ("**Create:** `src/a.ts`", "+src/a.ts"),
        ("Modify: `src/a.ts:123-145` (add export)", "~src/a.ts"),
        ("Modify: `src/a.ts:20,25\u201326`", "~src/a.ts"),
        ("Test: `src/a.test.ts` (create), `b.csproj` (register)", "+src/a.test.ts b.csproj"),
        ("Create/Replace: `src/a.ts`", "src/a.ts"),
        ("Delete: `src/a.ts`, `src/b.ts`", "-src/a.ts -src/b.ts"),
        ("Move: `src/a.ts` -> `src/b.ts`", "-src/a.ts +src/b.ts"),
        ("Rename: `src/a.ts` to `src/b.ts`", "-src/a.ts +src/b.ts"),
        ("Copy: `src/a.ts` to `src/b.ts`", "+src/b.ts"),
        ("Reference: `src/a.ts`", ""),
        ("`src/a.ts`", "src/a.ts"),
        ("Create: `Home.fsi`, `.fs`", "+Home.fsi +Home.fs"),
        ("Test: `test/cli-{list,new}.test.ts`", "test/cli-list.test.ts test/cli-new.test.ts"),
        ("Modify: src/a.ts, src/b.ts", "~src/a.ts ~src/b.ts"),
        ("Create: `app/(shop)/[id]/page.tsx`", "+app/(shop)/[id]/page.tsx"),
        ("Create: `docs/parts/`", "+docs/parts/"),
        ("Create: `~/.config/x`", ""),
        ("Test: `npm test`", ""),
        ("Modify: the config", ""),
    ],
)
def test_entries_of_a_list_of_files(entry: str, claimed: str) -> None:
    assert claims(reading(plan(f"**Files:**\n\n- {entry}\n\n- [ ] **Step 1: go**")), "1") == claimed


def test_a_list_of_files_on_one_line_and_prose_that_ends_it() -> None:
    one = reading(plan("**Files:** Create: `a.ts`\n- Modify: `b.ts`\n\n**Background:**\n- `c.ts` is old\n"))
    assert claims(one, "1") == "+a.ts ~b.ts"


def test_what_a_step_adds_to_git_is_touched_too() -> None:
    one = reading(
        plan("**Files:**\n- Modify: `Cargo.toml`\n\n```bash\ngit add Cargo.toml Cargo.lock\ngit commit\n```")
    )
    assert claims(one, "1") == "~Cargo.toml ?Cargo.lock"


def test_the_last_run_that_is_to_pass_proves_the_task() -> None:
    text = (
        '- [ ] **Step 2: Run test**\n\nRun: `npm test -- a`\nExpected: FAIL with "not defined"\n\n'
        "- [ ] **Step 4: Run test**\n\nRun: `npm test -- a` (all)\nExpected: PASS\n\n"
        "- [ ] **Step 5: Commit**\n\n```bash\ngit add a\ngit commit -m a\n```\n"
    )
    assert [str(one) for one in reading(plan(text)).plan.tasks[0].verify] == ["npm test -- a"]


def test_a_step_with_a_block_counts_as_a_run() -> None:
    text = (
        "- [ ] **Step 2: Run to confirm failure**\n\n```\ndotnet test --filter A\n```\n\n"
        "- [ ] **Step 3: Build to confirm no errors**\n\n```bash\ncd src\ndotnet build\n```\n"
    )
    assert [str(one) for one in reading(plan(text)).plan.tasks[0].verify] == ["cd src\ndotnet build"]


def test_all_steps_ticked_is_done_one_open_is_not() -> None:
    one = reading(
        plan("- [x] **Step 1**\n- [X] **Step 2**", "- [x] **Step 1**\n- [ ] **Step 2**", "no steps")
    )
    assert [task.is_done for task in one.plan.tasks] == [True, False, False]


def test_a_plan_inside_a_longer_fence_is_code() -> None:
    inner = "````markdown\n### Task 9: Not a task\n\n```bash\n### Task 8: Nor this\n```\n````"
    assert list(needs(reading(plan(inner, "x")))) == ["1", "2"]


def test_a_fence_that_never_ends_is_said() -> None:
    one = reading(plan("```bash\nls", "x"))
    assert list(needs(one)) == ["1"]
    assert [(skipped.line, skipped.why) for skipped in one.skipped] == [
        (7, "this block never ends, so nothing behind it was read")
    ]


def test_levels_numbers_and_constraints() -> None:
    text = (
        HEAD + "## Global Constraints\n\n- Node 20\n\n## Phase A\n\n### \U0001f680 Task 0: Set-up\n\nx\n\n"
        "### Task 2.1 \u2014 Deep\n\ny\n\n## Phase B\n\n#### Task 3a: Letter\n\nz\n\n## Self-Review\n\nnot part\n"
    )
    one = reading(text, path="docs/superpowers/plans/2026-01-02-shop.md")
    assert told(one) == (
        "plan 2026-01-02-shop (superpowers)\nscheduler sequential\n"
        "task 0:11 Set-up\ntask 2.1:15 needs 0 Deep\ntask 3a:21 needs 2.1 Letter\n"
    )
    last = one.plan.tasks[-1].prompt or ""
    assert last.endswith("## Global Constraints\n\n- Node 20") and "not part" not in last
