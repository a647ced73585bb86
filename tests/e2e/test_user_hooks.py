"""The user's own hooks still run on agents' commits: a plain hook, the pre-commit framework, husky, all of them real."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.digest import digest_of_users_things
from tests.support.plans import plan, task
from tests.support.repo import RepoBuilder

AGENT = "echo t1 > t1.txt; git add t1.txt; git commit -qm 'by the agent' || exit 7"
FOREIGN = "echo x > foreign.txt; git add foreign.txt; git commit -qm x && exit 8; git restore --staged foreign.txt; git restore foreign.txt;"


def run(repo: RepoBuilder, note: Path) -> str:
    """Run a plan whose agent tries a foreign path, then commits its own; return what the user's hook noted."""
    text = plan(task("t1", run=f"{FOREIGN} {AGENT}"))
    repo.commit({".waves/plan.yaml": text, "foreign.txt": "1\n"})
    note.unlink(missing_ok=True)
    before = digest_of_users_things(repo)
    repo.waves("run")
    assert digest_of_users_things(repo) == before
    assert repo.git("show", "refs/waves/integration/p:t1.txt") == "t1"
    assert "'foreign.txt' belongs to no task" in repo.waves("log", "t1")
    return note.read_text()


def test_a_plain_hook_runs_in_front_of_ours(repo: RepoBuilder, tmp_path: Path) -> None:
    note = tmp_path / "note"
    hook = repo.folder / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f'#!/bin/sh\necho "in $(pwd)" >> {note}\n')
    hook.chmod(0o755)
    assert run(repo, note).splitlines() == [f"in {repo.folder}.waves/p/t1.1"] * 2


def test_a_users_hook_that_refuses_is_obeyed(repo: RepoBuilder) -> None:
    hook = repo.folder / ".git/hooks/pre-commit"
    repo.commit({".waves/plan.yaml": plan(task("t1", run=AGENT))})
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'not on a Monday'; exit 1\n")
    hook.chmod(0o755)
    assert repo.run_waves("run").returncode == 1
    assert "not on a Monday" in repo.waves("log", "t1")


def test_the_pre_commit_framework_runs_in_a_task_worktree(repo: RepoBuilder, tmp_path: Path) -> None:
    note = tmp_path / "note"
    config = (
        "repos:\n- repo: local\n  hooks:\n  - id: note\n    name: note\n    language: system\n"
        f"    entry: sh -c 'echo \"$@\" >> {note}' --\n"
    )
    repo.commit({".pre-commit-config.yaml": config})
    subprocess.run(
        ["pre-commit", "install"], cwd=repo.folder, env=repo.environment, check=True, capture_output=True
    )
    assert run(repo, note).splitlines()[-1] == "t1.txt"


@pytest.mark.long
@pytest.mark.skipif(shutil.which("npm") is None, reason="husky comes from npm, which is not on this machine")
def test_husky_runs_in_a_task_worktree(repo: RepoBuilder, tmp_path: Path) -> None:
    note = tmp_path / "note"
    repo.environment["PATH"] += f":{Path(shutil.which('node') or '').parent}"
    repo.write({"package.json": '{"private": true}\n', ".gitignore": "node_modules/\n"})
    for words in (["npm", "install", "--silent", "--no-fund", "--no-audit", "husky@9"], ["npx", "husky"]):
        done = subprocess.run(
            words, cwd=repo.folder, env=repo.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert repo.git("config", "core.hooksPath") == ".husky/_"
    repo.commit({".husky/pre-commit": f"echo husky >> {note}\n"})
    assert run(repo, note).splitlines() == ["husky", "husky"]
