"""The pre-tool hook of agent programs: what they send before an edit, and what they are answered."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from git_waves.adapters.hooks import edit_hook
from tests.adapters.test_hooks import FILES, make_task
from tests.support.repo import RepoBuilder
from tests.support.taskworktree import TaskWorktree, start_run

OWNER = "error: refused by git-waves: 'src/b.c' belongs to task 't2', not to task 't1'\n"
WAY_OUT = (
    "hint: do not change it, and do not work around it: git waves request src/b.c --reason 'WHY', then end your work\n"
    "hint: what you may change: git waves owned\n"
)


@pytest.fixture
def task(repo: RepoBuilder) -> TaskWorktree:
    """A task worktree that owns `src/a.c`, `docs/` and `gen/**/*.h`."""
    start_run(repo, {**FILES, ".gitignore": "*.log\n"})
    return make_task(repo)


def ask(
    task: TaskWorktree,
    tool: str,
    given: dict[str, Any],
    *,
    cwd: Path | None = None,
    admin: Path | None = None,
) -> tuple[int, str]:
    """What the hook answers to what Claude Code (and with the same shape, Codex and Gemini CLI) sends."""
    asked = {
        "session_id": "s",
        "transcript_path": "/t.jsonl",
        "cwd": str(cwd or task.folder),
        "permission_mode": "acceptEdits",
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": given,
    }
    done = subprocess.run(
        ["/bin/sh", "-c", edit_hook(task.run_dir, task.lease, admin or task.admin)],
        input=json.dumps(asked),
        cwd=task.folder,
        env=task.repo.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "", "agent programs read standard output as JSON"
    return done.returncode, done.stderr


def test_an_edit_of_a_foreign_path_is_refused_with_its_owner_and_the_way_out(task: TaskWorktree) -> None:
    given = {"file_path": str(task.folder / "src/b.c"), "old_string": "b", "new_string": "x"}
    assert ask(task, "Edit", given) == (2, OWNER + WAY_OUT)


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Write", {"file_path": "src/a.c", "content": "x"}),
        ("Edit", {"file_path": "docs/new/page.md"}),
        ("NotebookEdit", {"notebook_path": "docs/a.ipynb"}),
        ("Read", {"file_path": "src/b.c"}),
        ("Bash", {"command": "cat src/b.c"}),
        ("Write", {"file_path": "build.log"}),
        ("Write", {"file_path": "/tmp/scratch.txt"}),
        (
            "apply_patch",
            {"command": "*** Begin Patch\n*** Update File: src/a.c\n@@\n-a\n+b\n*** End Patch\n"},
        ),
    ],
)
def test_what_is_owned_or_can_never_be_merged_passes(
    task: TaskWorktree, tool: str, given: dict[str, Any]
) -> None:
    assert ask(task, tool, given) == (0, "")


@pytest.mark.parametrize(
    ("tool", "given", "path"),
    [
        ("MultiEdit", {"file_path": "src/b.c"}, "src/b.c"),
        ("NotebookEdit", {"notebook_path": "b.ipynb"}, "b.ipynb"),
        ("write_file", {"file_path": "src/./b.c"}, "src/b.c"),
        ("replace", {"file_path": "docs/../src/b.c"}, "src/b.c"),
        (
            "apply_patch",
            {"command": "*** Begin Patch\n*** Add File: docs/a.md\n*** Move to: src/b.c\n"},
            "src/b.c",
        ),
        ("apply_patch", {"command": ["apply_patch", "*** Begin Patch\n*** Delete File: x y\n"]}, "x y"),
        ("edit", {"filePath": "link"}, "src/b.c"),
    ],
)
def test_every_way_to_name_a_file_is_seen_through(
    task: TaskWorktree, tool: str, given: dict[str, Any], path: str
) -> None:
    (task.folder / "link").symlink_to("src/b.c")
    code, said = ask(task, tool, given)
    assert code == 2
    assert said.startswith(f"error: refused by git-waves: '{path}' belongs to ")


def test_a_path_counts_from_where_the_agent_stands(task: TaskWorktree) -> None:
    assert ask(task, "Write", {"file_path": "a.c"}, cwd=task.folder / "src") == (0, "")
    assert ask(task, "Write", {"file_path": "a.c"})[0] == 2


def test_the_users_own_checkout_and_other_worktrees_are_refused(
    task: TaskWorktree, repo: RepoBuilder
) -> None:
    code, said = ask(task, "Write", {"file_path": str(repo.folder / "src/a.c")})
    assert code == 2
    assert f"is not in the worktree of task 't1'; yours is '{task.folder / 'src/a.c'}'" in said
    assert ask(task, "Write", {"file_path": str(task.folder.parent / "t2/src/b.c")})[0] == 2


def test_a_fenced_task_whose_repository_is_its_own_is_answered_too(task: TaskWorktree) -> None:
    private = task.run_dir.path / "private/t1.1"
    private.mkdir(parents=True)
    (private / "waves-lease.json").write_bytes((task.admin / "waves-lease.json").read_bytes())
    assert ask(task, "Write", {"file_path": "src/b.c"}, admin=private) == (2, OWNER + WAY_OUT)
    assert ask(task, "Write", {"file_path": "docs/x.md"}, admin=private) == (0, "")
    assert ask(task, "Write", {"file_path": str(task.repo.folder / "src/a.c")}, admin=private)[0] == 2


def test_what_is_no_question_stops_nobody(task: TaskWorktree) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", edit_hook(task.run_dir, task.lease, task.admin)],
        input="no json",
        cwd=task.folder,
        env=task.repo.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, "not 2: other exit codes let the agent go on"


def test_the_command_finds_the_task_of_the_worktree_it_is_typed_in(
    task: TaskWorktree, repo: RepoBuilder
) -> None:
    asked = json.dumps(
        {"tool_name": "Write", "tool_input": {"file_path": "src/b.c"}, "cwd": str(task.folder)}
    )
    refused = repo.run_waves("agent-hook", cwd=task.folder, stdin=asked)
    assert (refused.returncode, refused.stderr) == (2, OWNER + WAY_OUT)
    elsewhere = repo.run_waves("agent-hook", cwd=repo.folder, stdin=asked)
    assert (elsewhere.returncode, elsewhere.stderr) == (0, ""), "no task's worktree: none of our business"
