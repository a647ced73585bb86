"""`git waves import` as people type it: one source and several, files and folders, reports, refusals, nothing executed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.conftest import Waves
from tests.formats.shown import DATA
from tests.support.golden import check_golden
from tests.support.repo import RepoBuilder

TASKS = """\
# Tasks: Shop

## Phase 1: Setup

- [x] T001 Create package.json
- [ ] T002 [P] Write the cart in `src/cart.ts`
- [ ] T003 [P] Write the total in `src/cart.ts`
- [ ] Everything is nice

## Phase 2: Wiring

- [ ] T004 Put it on src/page.tsx (depends on T002)
"""
SPEC = "specs/001-shop/tasks.md"


def test_a_plan_of_another_tool_becomes_one_of_ours(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({SPEC: TASKS})
    typed = waves("import", SPEC, "-o", ".waves/plan.yaml")
    check_golden("import/spec-kit.txt", typed.err)
    check_golden("import/spec-kit.yaml", (repo.folder / ".waves/plan.yaml").read_text())
    assert typed.out == ""
    assert "plan '001-shop' (.waves/plan.yaml): 3 tasks in 2 groups" in waves("plan").out


def test_without_an_output_the_plan_goes_where_it_can_be_piped(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({SPEC: TASKS})
    typed = waves("import", SPEC)
    check_golden("import/spec-kit.yaml", typed.out)
    assert typed.err.startswith("specs/001-shop/tasks.md: spec-kit, 4 tasks in 2 groups\n")
    assert waves("import", "-", stdin=TASKS.encode(), cwd=repo.folder).out.startswith(
        "# Written by `git waves import` from:\n#   standard input (spec-kit, 4 tasks)\n"
    )
    assert waves("import", f"HEAD:{SPEC}").err.startswith(f"HEAD:{SPEC}: spec-kit")


def test_the_report_as_json_and_in_a_file(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({SPEC: TASKS})
    report = json.loads(waves("import", SPEC, "-o", "plan.yaml", "--json").out)
    assert report == {
        "plan": "001-shop",
        "tasks": 3,
        "left_out": 1,
        "conflicts": ["src/cart.ts"],
        "renamed": {},
        "blocked": {},
        "notes": [],
        "sources": [
            {
                "source": SPEC,
                "format": "spec-kit",
                "tasks": 4,
                "done": 1,
                "blocked": 0,
                "attended": 0,
                "files": {"declared": 0, "guessed": 4, "none": 0},
                "verify": 0,
                "needs": 3,
                "groups": 2,
                "conflicts": ["src/cart.ts"],
                "skipped": [
                    {
                        "source": SPEC,
                        "line": 8,
                        "what": "- [ ] Everything is nice",
                        "why": "this checkbox has no task id",
                    }
                ],
            }
        ],
    }
    typed = waves("import", SPEC, "--json", "--report", "report.json")
    assert json.loads((repo.folder / "report.json").read_text()) == report
    assert typed.err == "" and typed.out.startswith("# Written by")


def test_files_that_are_there_are_not_written_over(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({SPEC: TASKS, "plan.yaml": "mine"})
    typed = waves("import", SPEC, "-o", "plan.yaml", exit=2)
    assert typed.err == (
        "fatal: 'plan.yaml' already exists\nhint: name another, or write over it with --force\n"
    )
    assert (repo.folder / "plan.yaml").read_text() == "mine"
    waves("import", SPEC, "-o", "plan.yaml", "--force")
    assert (repo.folder / "plan.yaml").read_text().startswith("# Written by")
    assert "'specs' is a directory" in waves("import", SPEC, "-o", "specs", "--force", exit=2).err


def test_done_tasks_are_left_out_unless_asked_for_and_all_done_is_said(
    repo: RepoBuilder, waves: Waves
) -> None:
    done = TASKS.replace("- [ ] T", "- [x] T")
    repo.commit({SPEC: done})
    typed = waves("import", SPEC, "-o", "plan.yaml", exit=2)
    assert "plan '001-shop': 0 tasks, 4 done tasks left out" in typed.err
    assert typed.err.endswith(
        f"fatal: {SPEC}: every task is done, so nothing is left to import\n"
        "hint: import them as work to do with --with-done\n"
    )
    assert not (repo.folder / "plan.yaml").exists()
    waves("import", SPEC, "-o", "plan.yaml", "--with-done")
    assert "4 tasks in 2 groups" in waves("plan", "plan.yaml").out


def test_fragments_of_several_planners_become_one_plan(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit(
        {
            "a/plan.yaml": "version: 1\nname: api\ntasks:\n  - {id: t1, files: [api.py], prompt: x}\n",
            "b/plan.yaml": "version: 1\nname: ui\ntasks:\n  - {id: t1, files: [ui.py], prompt: y}\n"
            "  - {id: t2, needs: [t1, docs], files: [api.py], prompt: z}\n",
            "c/plan.yaml": "version: 1\nname: text\ntasks:\n  - {id: docs, files: [docs/], prompt: w}\n",
        }
    )
    typed = waves("import", "a/plan.yaml", "b/plan.yaml", "c/plan.yaml", "--name", "shop")
    check_golden("import/fragments.yaml", typed.out)
    check_golden("import/fragments.txt", typed.err)
    assert waves("import", "a/plan.yaml", "b/plan.yaml", "c/plan.yaml", "--name", "shop") == typed


def test_a_folder_is_searched_for_plans(repo: RepoBuilder, waves: Waves) -> None:
    phase = DATA / "gsd/01-foundation"
    files: dict[str, str | bytes] = {
        f".planning/phases/01-foundation/{file.name}": file.read_bytes() for file in phase.glob("*.md")
    }
    files[".planning/phases/01-foundation/01-01-SUMMARY.md"] = "done"
    files[".planning/phases/01-foundation/RESEARCH.md"] = "- [ ] look around\n"
    files[".planning/node_modules/x/tasks.md"] = TASKS
    repo.commit(files)
    (repo.folder / ".planning/loop").symlink_to(repo.folder)
    typed = waves("import", ".planning", "-o", "plan.yaml")
    assert typed.err.startswith(".planning: gsd, 3 tasks in 2 groups\n  state            1 done\n")
    assert "plan 'planning' (plan.yaml): 2 tasks" in waves("plan", "plan.yaml", exit=1).out


def test_several_plans_in_a_folder_become_one(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit(
        {
            SPEC: TASKS,
            "specs/002-mail/tasks.md": TASKS.replace("src/", "mail/"),
            "specs/002-mail/plan.md": "# words\n",
            "masterplan/x/.plan-fragments.json": '[{"key": "k", "tasks": [{"key": "k.1", "description": "Go"}]}]',
            "masterplan/x/plan.index.json": '{"schema_version": "6.0", "tasks": [{"id": 1, "wave": 0, "description": "Go"}]}',
        }
    )
    report = json.loads(waves("import", "specs", "masterplan", "-o", "plan.yaml", "--json").out)
    assert [(one["source"], one["format"]) for one in report["sources"]] == [
        (SPEC, "spec-kit"),
        ("specs/002-mail/tasks.md", "spec-kit"),
        ("masterplan/x/.plan-fragments.json", "masterplan-fragments"),
    ]
    assert report["renamed"] == {
        f"002-mail.T00{n}": f"T00{n} of specs/002-mail/tasks.md" for n in range(1, 5)
    }
    waves("plan", "plan.yaml")


@pytest.mark.parametrize(
    ("files", "sources", "code", "says"),
    [
        ({"x": "1"}, ["nowhere.md"], 2, "fatal: nowhere.md: there is no such plan\n"),
        (
            {"words.md": "# words\n"},
            ["words.md"],
            2,
            "fatal: words.md: this is no plan of a format that is read\n",
        ),
        ({"d/words.md": "# words\n"}, ["d"], 2, "fatal: d: there is no plan in this folder\n"),
        (
            {"a.md": "- [ ] T001 x\n- [ ] T001 y\n", "b.json": '[{"key": "k", "tasks": [7]}]'},
            ["a.md", "nowhere.md", "b.json"],
            2,
            "3 sources: nowhere.md: there is no such plan\n",
        ),
        (
            {"a.md": "- [ ] T001 x\n"},
            ["a.md", "--name", "No Name"],
            2,
            "fatal: plan name 'No Name' is not usable\n",
        ),
    ],
)
def test_what_cannot_be_imported_is_said_precisely(
    repo: RepoBuilder, waves: Waves, files: dict[str, str], sources: list[str], code: int, says: str
) -> None:
    repo.commit({**files})
    typed = waves("import", *sources, "-o", "out.yaml", exit=code)
    assert says in typed.err
    assert not (repo.folder / "out.yaml").exists()


def test_plan_reads_a_foreign_file_and_says_what_it_lost(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({SPEC: TASKS})
    typed = waves("plan", SPEC)
    assert "plan '001-shop' (specs/001-shop/tasks.md): 3 tasks in 2 groups, 1 done already" in typed.out
    assert "[W201]" in typed.out
    assert typed.err == (
        "note: this is a plan of format 'spec-kit': 1 place was passed over, files are only guessed in 4 of 4 tasks\n"
        "hint: 'git waves import specs/001-shop/tasks.md' tells it all\n"
    )
    assert json.loads(waves("plan", SPEC, "--json").out)["groups"]


def test_plan_says_what_to_do_with_a_folder(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({SPEC: TASKS})
    assert waves("plan", "specs", exit=2).err == (
        "fatal: specs: this is a directory, not a plan\n"
        "hint: make a plan of what lies in it: git waves import specs -o .waves/plan.yaml\n"
    )


def test_importing_executes_nothing(repo: RepoBuilder, waves: Waves, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    plan = f"# X\n\nREQUIRED SUB-SKILL: y\n\n### Task 1: A\n\n**Files:**\n- Create: `a`\n\nRun: `touch {trap}`\nExpected: PASS\n"
    yaml = f"version: 1\nsetup: touch {trap}\ngates: {{g: touch {trap}}}\ntasks:\n  - {{id: x, run: touch {trap}}}\n"
    repo.commit({"plan.md": plan, "own.yaml": yaml, "$(touch trap)/tasks.md": TASKS})
    waves("import", "plan.md", "own.yaml", "$(touch trap)/tasks.md", "-o", "out.yaml")
    waves("plan", "out.yaml", exit=1)  # a gate that proves nothing
    assert not trap.exists() and not (repo.folder / "trap").exists()


def test_words_of_a_plan_cannot_command_the_terminal(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({"tasks.md": "- [ ] T001 a\n- [ ] \x1b[31mred\u202e\n"})
    typed = waves("import", "tasks.md")
    assert "\x1b" not in typed.err + typed.out
    assert "\\x1b[31mred" in typed.err


@pytest.mark.skipif(os.getuid() == 0, reason="root reads everything")
def test_a_file_that_cannot_be_read_is_said(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({SPEC: TASKS})
    (repo.folder / SPEC).chmod(0)
    assert "cannot be read" in waves("import", "specs", exit=2).err


def test_run_says_how_a_foreign_plan_gets_an_agent(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({SPEC: TASKS})
    assert waves("run", SPEC, exit=2).err == (
        "fatal: nothing says how to do 'T002', 'T003', 'T004': no 'run', and no agent\n"
        "hint: a plan of format 'spec-kit' cannot name one: git waves import specs/001-shop/tasks.md -o .waves/plan.yaml, "
        "then name an agent in the plan: 'agent: claude', or agent: {run: 'my-agent < \"$WAVES_PROMPT_FILE\"'}\n"
    )


def test_run_carries_out_what_was_imported(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({SPEC: TASKS})
    waves("import", SPEC, "-o", ".waves/plan.yaml")
    plan = repo.folder / ".waves/plan.yaml"
    agent = 'agent: {run: "mkdir -p src && echo $WAVES_TASK >> src/$(test $WAVES_TASK = T004 && echo page.tsx || echo cart.ts)"}'
    plan.write_text(plan.read_text().replace("version: 1\n", f"version: 1\n{agent}\n"))
    repo.git("add", ".waves")
    repo.git("commit", "-q", "-m", "plan")
    waves("run")
    assert repo.git("show", "waves/001-shop/integration:src/cart.ts").split() == ["T002", "T003"]
