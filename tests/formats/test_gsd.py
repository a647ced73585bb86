"""GSD phases: one file is one task, a folder a plan; what its authors really write for needs, waves and files."""

from __future__ import annotations

import pytest

from tests.formats.readings import claims, folder, needs, reading, told
from tests.formats.shown import refused


def plan_file(*lines: str, body: str = "Do it.") -> str:
    return "\n".join(["---", *lines, "---", "", body, ""])


ONE = plan_file(
    "phase: 03-auth", "plan: 01", "wave: 1", "depends_on: []", "files_modified:", "  - src/login.ts"
)
TWO = plan_file(
    "phase: 03-auth", "plan: 02", "wave: 2", "depends_on: [03-01]", "files_modified: [src/logout.ts]"
)


def test_a_single_file_is_a_plan_of_one_task_named_by_the_file() -> None:
    one = reading(ONE, path=".planning/phases/03-auth/03-01-PLAN.md")
    assert told(one) == (
        "plan 03-01 (gsd)\ngroup 03.1:4 phase 03-auth, wave 1\ntask 03-01:1 in 03.1 03-01\n    src/login.ts\n"
    )
    assert one.plan.tasks[0].prompt == "Do it."


def test_from_a_pipe_the_id_comes_from_phase_and_plan() -> None:
    assert [task.id for task in reading(ONE, path="").plan.tasks] == ["03-01"]


def test_a_need_outside_of_the_file_is_passed_over_and_said() -> None:
    one = reading(TWO, path="03-02-PLAN.md")
    assert needs(one) == {"03-02": ""}
    assert [(skipped.line, skipped.what) for skipped in one.skipped] == [(5, "03-01")]


@pytest.mark.parametrize(
    "written",
    ["03-01", "01", '"01"', "1", "03-01-PLAN.md", "03-01-login", "3-1", "phases/03-auth/03-01-PLAN.md"],
)
def test_every_way_to_name_a_plan_of_the_phase(written: str) -> None:
    two = plan_file("phase: 03-auth", "plan: 02", f"depends_on: [{written}]")
    (one,) = folder({"03-01-login-PLAN.md": ONE, "03-02-PLAN.md": two}, name="03-auth")
    assert needs(one) == {"03-01-login": "", "03-02": "03-01-login"}


def test_needs_reach_other_phases_and_whole_phases() -> None:
    (one,) = folder(
        {
            "01-base/01-01-PLAN.md": plan_file("phase: 01-base", "plan: 01"),
            "01-base/01-02-PLAN.md": plan_file("phase: 01-base", "plan: 02", "depends_on: 01-01"),
            "02-api/02-01-PLAN.md": plan_file(
                "phase: 02-api", "plan: 01", "depends_on:", "  - Phase 1", "  - Phase 9"
            ),
            "02.1-fix/02.1-01-PLAN.md": plan_file("phase: 02.1-fix", "plan: 01", "depends_on: [02-01]"),
        },
        name="phases",
    )
    assert needs(one) == {"01-01": "", "01-02": "01-01", "02-01": "01-01 01-02", "02.1-01": "02-01"}
    assert [skipped.what for skipped in one.skipped] == ["Phase 9"]


def test_waves_are_groups_in_the_order_of_phases_whatever_the_order_of_the_files() -> None:
    (one,) = folder(
        {
            "02-01-PLAN.md": plan_file("phase: 02-b", "plan: 01", "wave: 1"),
            "01-01-PLAN.md": plan_file("phase: 01-a", "plan: 01", "wave: 2"),
            "01-02-PLAN.md": plan_file("phase: 01-a", "plan: 02", "wave: 1"),
            "01-03-PLAN.md": plan_file("phase: 01-a", "plan: 03", "wave: later"),
        }
    )
    assert [group.name for group in one.plan.groups] == ["01.1", "01.2", "02.1"]
    assert [(task.id, task.group) for task in one.plan.tasks] == [
        ("01-01", "01.2"),
        ("01-02", "01.1"),
        ("01-03", "01.1"),
        ("02-01", "02.1"),
    ]
    assert [(skipped.what, skipped.why) for skipped in one.skipped] == [("wave: later", "it is no number")]


def test_beside_others_a_plan_without_a_wave_stands_behind_what_it_needs_in_its_phase() -> None:
    (one,) = folder(
        {
            "01-01-PLAN.md": plan_file("phase: 01-a", "plan: 01"),
            "01-02-PLAN.md": plan_file("phase: 01-a", "plan: 02", "depends_on: [01-01]"),
            "02-01-PLAN.md": plan_file("phase: 02-b", "plan: 01", "depends_on: [Phase 1]"),
        }
    )
    assert [(task.id, task.group) for task in one.plan.tasks] == [
        ("01-01", "01.1"),
        ("01-02", "01.2"),
        ("02-01", "02.1"),
    ]


def test_a_summary_beside_the_file_says_that_it_was_carried_out() -> None:
    (one,) = folder({"03-01-PLAN.md": ONE, "03-02-PLAN.md": TWO}, name="p", others=("03-01-SUMMARY.md",))
    assert [task.is_done for task in one.plan.tasks] == [True, False]


def test_files_of_tags_and_frontmatter_together_cleaned_and_judged() -> None:
    text = plan_file(
        "phase: 01-x",
        "plan: 01",
        "files_modified:",
        "  - src/a.ts (new)",
        "  - app/(shop)/[id]/page.tsx",
        "  - src/bindings.ts or equivalent",
        "  - packages/i18n/(all 11 locales)/navbar.json + settings.json",
        "  - /home/me/notes.md",
        "  - 'messages/{de,fr}.json'",
        body="<task type='auto'>\n<files>src/a.ts, src/b.ts\nsrc/c.ts:10-20</files>\n</task>",
    )
    one = reading(text, path="01-01-PLAN.md")
    assert claims(one, "01-01") == (
        "src/a.ts app/(shop)/[id]/page.tsx src/bindings.ts messages/de.json messages/fr.json src/b.ts src/c.ts"
    )
    assert [(skipped.line, skipped.why) for skipped in one.skipped] == [
        (8, "it reads like prose, not like a path, so it is not claimed"),
        (9, "it is not claimed: path '/home/me/notes.md' is absolute"),
    ]


def test_commands_come_from_automated_tags_prose_and_promised_artifacts() -> None:
    text = plan_file(
        "phase: 01-x",
        "plan: 01",
        "must_haves:",
        "  artifacts:",
        "    - path: src/a.ts",
        "      contains: it's here",
        "    - path: src/b.ts",
        "      contains: one|two",
        "    - path: docs/",
        body=(
            "<task>\n<verify>\n<automated>test -f x &amp;&amp; npm test</automated>\n</verify>\n</task>\n"
            "<task>\n<verify>\n<automated>MISSING - write the test first</automated>\n</verify>\n</task>\n"
            "<task>\n<verify>\nRun `go test ./...` -- all pass.\nRun `go run .` and visually look.\n`ok`\n</verify>\n</task>"
        ),
    )
    (task,) = reading(text, path="01-01-PLAN.md").plan.tasks
    assert [(str(command), command.line) for command in task.verify] == [
        ("""grep -qF -e 'it'"'"'s here' src/a.ts""", 6),
        ("test -f src/b.ts", 8),
        ("test -d docs", 10),
        ("test -f x && npm test", 15),
        ("go test ./...", 25),
    ]


@pytest.mark.parametrize(
    ("lines", "body"),
    [
        (("autonomous: false",), ""),
        ((), "<task type='checkpoint:human-verify' gate='blocking'>\n</task>"),
        (("user_setup:", "  - service: stripe"), ""),
    ],
)
def test_whatever_needs_a_person_is_attended(lines: tuple[str, ...], body: str) -> None:
    one = reading(plan_file("phase: 01-x", "plan: 01", *lines, body=body), path="01-01-PLAN.md")
    assert one.plan.tasks[0].attended
    assert "stripe" in (one.plan.tasks[0].prompt or "") or "user_setup" not in str(lines)


def test_frontmatter_may_stand_in_a_block_under_a_heading() -> None:
    text = "# Phase 4 Plan\n\n## Frontmatter\n\n```yaml\nphase: 04-x\nplan: 2\nfiles_modified: [a.py]\n```\n\n## Work\n\nDo it.\n"
    one = reading(text, path="04-02-PLAN.md")
    assert claims(one, "04-02") == "a.py"


def test_free_markdown_is_read_for_its_headings() -> None:
    text = (
        "# Phase 67 Plan: Logs\n\n## Files Expected To Change\n\n- `app/log.py` - new helper\n- `tests/test_log.py`\n\n"
        "## Implementation\n\nTouch `app/main.py` too.\n\n## Verification\n\n```bash\npytest tests/test_log.py\nruff check app\n```\n"
    )
    one = reading(text, path=".planning/67-01-PLAN.md")
    assert claims(one, "67-01") == "app/log.py tests/test_log.py"
    assert [str(command) for command in one.plan.tasks[0].verify] == [
        "pytest tests/test_log.py",
        "ruff check app",
    ]


def test_a_command_that_names_somebodys_machine_is_kept_and_told() -> None:
    body = "<verify>\n<automated>cd /home/me/app && npm test</automated>\n</verify>"
    one = reading(plan_file("phase: 01-x", "plan: 01", body=body), path="01-01-PLAN.md")
    assert [str(command) for command in one.plan.tasks[0].verify] == ["cd /home/me/app && npm test"]
    assert [(skipped.what, skipped.line) for skipped in one.skipped] == [("/home/me/app", 7)]


def test_the_same_plan_twice_and_circles_are_refused_with_their_lines() -> None:
    one = plan_file("phase: 01-x", "plan: 01", "depends_on: [01-02]")
    two = plan_file("phase: 01-x", "plan: 02", "depends_on: [01-01]")
    try:
        folder({"01-01-PLAN.md": one, "01-02-PLAN.md": two})
    except Exception as error:
        assert "needs go in a circle: '01-01' needs '01-02' needs '01-01'" in str(
            getattr(error, "problems", error)
        )
    else:
        raise AssertionError("a circle is no plan")


def test_frontmatter_that_is_no_yaml_is_said_and_the_file_is_still_a_task() -> None:
    text = "---\nphase: 01-x\nplan: 01\nfiles_modified: [a.py\n---\n\nDo `b.py`.\n"
    one = reading(text, path="01-01-PLAN.md")
    assert claims(one, "01-01") == "?b.py"
    assert [skipped.what for skipped in one.skipped] == ["frontmatter"]
    assert "not YAML" in one.skipped[0].why


def test_an_empty_plan_says_what_a_task_looks_like() -> None:
    assert refused("---\nphase: 01\n---\n", path="x.md").startswith(
        "x.md:0: this is no plan of a format that is read"
    )
