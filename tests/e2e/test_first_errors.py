"""What people meet first, for real; the README's table names all of it by the words that are said."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from git_waves.adapters.locks import coordinator_lock
from tests.support.plans import plan, task
from tests.support.repo import ROOT, RepoBuilder

PLAN = ".waves/plan.yaml"
PROMPTED = (
    "version: 1\nname: p\n{agent}tasks:\n  - {{id: t1, prompt: x, files: [a.txt], verify: test -s a.txt}}\n"
)


def said(repo: RepoBuilder, *words: str, **environment: str) -> str:
    """All that `git waves` prints."""
    done = repo.run_waves(*words, environment=environment)
    return done.stdout + done.stderr


def program(repo: RepoBuilder, name: str, script: str) -> str:
    """PATH with a program of that name in front."""
    folder = repo.folder.parent / "programs"
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    (folder / name).chmod(0o755)
    return f"{folder}:{repo.environment['PATH']}"


def no_command(repo: RepoBuilder) -> str:
    environment = {**repo.environment, "PATH": "/usr/bin:/bin"}
    if shutil.which("git-waves", path=environment["PATH"]):
        pytest.skip("git-waves is installed for everybody")
    done = subprocess.run(
        ["git", "waves"], cwd=repo.folder, env=environment, capture_output=True, text=True, check=False
    )
    return done.stderr


def no_manual(repo: RepoBuilder) -> str:
    if shutil.which("man") is None:
        pytest.skip("there is no 'man' here")
    environment = {**repo.environment, "MANPATH": str(repo.folder)}
    done = subprocess.run(
        ["git", "waves", "--help"],
        cwd=repo.folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stderr


def old_git(repo: RepoBuilder) -> str:
    return said(repo, "plan", PATH=program(repo, "git", "echo git version 2.30.1"))


def no_repository(repo: RepoBuilder) -> str:
    return said(repo, "-C", str(repo.folder.parent), "plan")


def bare(repo: RepoBuilder) -> str:
    repo.git("init", "-q", "--bare", "../bare.git")
    return said(repo, "-C", "../bare.git", "plan")


def no_commit(repo: RepoBuilder) -> str:
    repo.write({PLAN: plan(task("t1"))})
    return said(repo, "run")


def detached(repo: RepoBuilder) -> str:
    repo.commit({PLAN: plan(task("t1"))})
    repo.git("checkout", "-q", "--detach")
    return said(repo, "run")


def no_plan(repo: RepoBuilder) -> str:
    return said(repo, "plan")


def no_agent(repo: RepoBuilder) -> str:
    repo.commit({PLAN: PROMPTED.format(agent="agent: {run: surely-no-such-agent -p}\n")})
    return said(repo, "run")


def nobody(repo: RepoBuilder) -> str:
    repo.commit({PLAN: PROMPTED.format(agent="")})
    return said(repo, "run")


def dirty(repo: RepoBuilder) -> str:
    repo.commit({"mine.txt": "a", PLAN: plan(task("t1"))})
    repo.write({"mine.txt": "b", PLAN: plan(task("t1"), head="# changed\n")})
    return said(repo, "run")


def logged_out(repo: RepoBuilder) -> str:
    answer = {
        "type": "result",
        "subtype": "success",
        "is_error": True,
        "result": "Not logged in · Please run /login",
    }
    path = program(repo, "claude", f"echo '{json.dumps(answer)}'; exit 1")
    repo.commit({PLAN: PROMPTED.format(agent="agent: {run: claude -p --output-format stream-json}\n")})
    told = said(repo, "run", PATH=path)
    assert "hint: start it once by hand and log in, then 'git waves retry t1'\n" in told
    return told


def no_hooks(repo: RepoBuilder) -> str:
    repo.commit({PLAN: plan(task("t1"))})
    elsewhere = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.hooksPath",
        "GIT_CONFIG_VALUE_0": "/nowhere",
    }
    return said(repo, "run", **elsewhere)


def two_at_once(repo: RepoBuilder) -> str:
    repo.commit({PLAN: plan(task("t1"))})
    with coordinator_lock(repo.folder / ".git", "p"):
        return said(repo, "run")


def no_sandbox(repo: RepoBuilder) -> str:
    repo.commit({PLAN: plan(task("t1"))})
    return said(repo, "run", "--sandbox", "bwrap", PATH=program(repo, "bwrap", "exit 1"))


def a_folder_in_the_way(repo: RepoBuilder) -> str:
    repo.commit({PLAN: plan(task("t1"))})
    Path(f"{repo.folder}.waves/p/t1.1").mkdir(parents=True)
    return said(repo, "run")


def moved(repo: RepoBuilder) -> str:
    repo.commit({PLAN: plan(task("t1", run="exit 1"))})
    said(repo, "run")
    repo.git("update-ref", "refs/waves/integration/p", repo.commit({"other.txt": ""}))
    return said(repo, "run")


SCENES: dict[str, Callable[[RepoBuilder], str]] = {
    "'waves' is not a git command": no_command,
    "No manual entry for git-waves": no_manual,
    "is too old: git-waves merges without a checkout": old_git,
    "not a git repository": no_repository,
    "is a bare repository": bare,
    "the repository has no commit yet": no_commit,
    "HEAD is detached": detached,
    "there is no such plan": no_plan,
    "does not exist on this machine": no_agent,
    "nothing says how to do": nobody,
    "speaks of its login": logged_out,
    "not committed: tasks start from": dirty,
    "the hooks do not hold in its worktree": no_hooks,
    "is already being run by process": two_at_once,
    "is asked for, and": no_sandbox,
    "already exists and is not ours": a_folder_in_the_way,
    "was moved by somebody else": moved,
}
QUICK = {no_repository, bare, no_plan, two_at_once, old_git}


@pytest.mark.parametrize(
    "words", [pytest.param(one, marks=() if SCENES[one] in QUICK else pytest.mark.long) for one in SCENES]
)
def test_what_people_meet_first_is_said_in_these_words(repo: RepoBuilder, words: str) -> None:
    assert words in SCENES[words](repo)


def test_the_readme_helps_with_each_of_them_and_with_nothing_that_is_never_said() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    table = re.search(r"^\| it says \| do \|\n\|---\|---\|\n((?:\|.*\n)+)", readme, re.MULTILINE)
    assert table is not None
    named = [
        words for row in table[1].splitlines() for words in re.findall(r"`([^`]+)`", row.split(" | ")[0])
    ]
    assert named == list(SCENES)


@pytest.mark.long
def test_a_broken_index_of_the_user_is_told_when_a_run_begins(repo: RepoBuilder) -> None:
    repo.commit({PLAN: plan(task("t1"))})
    (repo.folder / ".git/index").write_bytes(b"broken")
    told = said(repo, "run")
    assert "note: cannot see whether everything is committed: git ls-files failed" in told


@pytest.mark.long
def test_what_is_not_committed_is_told_without_the_plan_itself(repo: RepoBuilder) -> None:
    assert "note: 'mine.txt' is not committed: tasks start from 'main', and will not see that" in dirty(repo)
