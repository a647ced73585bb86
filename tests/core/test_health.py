"""What the doctor makes of facts: each trouble by itself, with its level and the way out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from git_waves.core.health import Health, is_well
from git_waves.core.health.machine import Machine, Program, judge_machine
from git_waves.core.health.repository import LeftRun, Lock, Repository, judge_repository

MACHINE = Machine(
    system="Linux",
    git=(2, 39, 5),
    least_git=(2, 38),
    python=(3, 11, 7),
    version="0.1.0",
    agents=(Program(name="codex", path="/usr/bin/codex", version="0.171.0"),),
    known_agents=("claude", "codex"),
    has_man=True,
    manual="/usr/share/man/man1/git-waves.1",
    identity="",
    hooks=True,
    state_folder="/home/u/.local/state/git-waves",
    is_state_writable=True,
)
REPOSITORY = Repository(
    place="/home/u/r",
    branch="main",
    has_commit=True,
    ahead=-60.0,
    plan=".waves/plan.yaml",
    plan_tasks=3,
    plan_trouble="",
    plan_hint="",
    base=None,
    has_base=False,
    uncommitted=(),
    file_system="ext4",
    folds_case=False,
    free=1 << 40,
    least_free=1 << 26,
    worktrees="/home/u/r.waves",
    worktrees_inside=False,
    worktrees_trouble="",
    hooks_setting="",
    hooks_folder=True,
    hooks=False,
    extension="",
    dormant=(),
    broken_worktrees=(),
    locks=(),
    runs=(),
    settings_trouble="",
    settings_hint="",
)


def test_a_good_machine_and_a_good_repository_are_well() -> None:
    checks = (*judge_machine(MACHINE), *judge_repository(REPOSITORY))
    assert {check.health for check in checks} == {Health.OK}
    assert is_well(checks)


@pytest.mark.parametrize(
    ("change", "name", "health", "words", "hint"),
    [
        ({"git": None}, "git", "problem", "cannot find the program 'git'", "install git 2.38 or newer"),
        ({"git": (2, 30, 1)}, "git", "problem", "git 2.30.1 is too old", "install git 2.38"),
        ({"agents": ()}, "agents", "warning", "none of these is installed: claude, codex", "agent: {run:"),
        ({"manual": None}, "manual", "warning", "git help waves", "git waves man --install"),
        ({"manual": None, "has_man": False}, "manual", "note", "no 'man' here", "git waves -h"),
        (
            {"identity": "empty ident name"},
            "identity",
            "problem",
            "empty ident name",
            "git config --global user.name",
        ),
        ({"hooks": False}, "installation", "problem", "are missing", "install git-waves again"),
        ({"is_state_writable": False}, "state folder", "warning", "cannot be written", "XDG_STATE_HOME"),
        ({"system": "Darwin"}, "system", "note", "macOS", ""),
        ({"system": "Windows"}, "system", "warning", "not tried on Windows", "WSL"),
    ],
)
def test_what_ails_a_machine(change: dict[str, Any], name: str, health: str, words: str, hint: str) -> None:
    (check,) = (one for one in judge_machine(replace(MACHINE, **change)) if one.health is not Health.OK)
    assert (check.name, check.health) == (name, health)
    assert words in check.words
    assert hint in check.hint


def test_an_agent_in_the_repository_is_told_and_not_asked() -> None:
    inside = Program(name="claude", path="/home/u/r/bin/claude", is_inside=True)
    (check,) = (c for c in judge_machine(replace(MACHINE, agents=(inside,))) if c.name == "agent claude")
    assert (
        check.words == "'/home/u/r/bin/claude'; not asked for its version, because it lies in the repository"
    )


LOCK = Lock(path="/r/.git/index.lock", age=7300.0, is_dead=True)
RUN = LeftRun(run="20261130-090000-aaaa", plan="p")


@pytest.mark.parametrize(
    ("change", "name", "health", "words", "hint"),
    [
        ({"has_commit": False}, "base", "problem", "no commit yet", "git commit --allow-empty"),
        ({"branch": None}, "base", "warning", "HEAD is detached", "git waves run --base REV"),
        ({"base": "next"}, "base", "problem", "'next', which does not exist", "git branch --all"),
        ({"ahead": 3 * 86400.0}, "clock", "warning", "3 days ahead", "set the clock"),
        ({"plan_tasks": None}, "plan", "note", "none at '.waves/plan.yaml'", "git waves init"),
        ({"plan_trouble": "'p:3': x", "plan_hint": "h"}, "plan", "problem", "'p:3': x", "h"),
        ({"settings_trouble": "bad", "settings_hint": "h"}, "settings", "problem", "bad", "h"),
        ({"uncommitted": ("a", "b", "c", "d")}, "work tree", "note", "'a', 'b', 'c' and 1 more are", "commit"),
        ({"hooks_setting": ".husky/_", "hooks_folder": False}, "hooks", "warning", "do not run", "--show-origin"),
        ({"dormant": ("/r/.git/config.worktree",)}, "worktree config", "problem", "not in use", "remove the file"),
        ({"file_system": "nfs4"}, "file system", "warning", "network folder (nfs4)", "clone on a disk"),
        ({"file_system": ""}, "file system", "note", "cannot see", ""),
        ({"folds_case": True}, "file system", "note", "upper and lower case", "git waves plan"),
        ({"free": 1 << 20}, "disk", "problem", "only 1 MiB", "64 MiB free"),
        ({"free": 1 << 29}, "disk", "warning", "only 512 MiB", "make room"),
        ({"worktrees_trouble": "is a file"}, "worktree folder", "problem", "is a file", "waves.worktreeDir"),
        ({"worktrees_inside": True}, "worktree folder", "warning", "in your checkout", "--unset"),
        ({"broken_worktrees": ("/r/w",)}, "worktrees", "problem", "'/r/w/commondir' is empty", "printf"),
        ({"locks": (LOCK,)}, "locks", "problem", "for 2 hours, and no git is at work", "rm '/r/.git/index.lock'"),
        ({"locks": (replace(LOCK, is_dead=None),)}, "locks", "warning", "cannot be seen", "if no git is at work"),
        ({"locks": (replace(LOCK, is_dead=False),)}, "locks", "note", "a git is at work", ""),
        ({"runs": (replace(RUN, damage="torn"),)}, "runs", "problem", "torn", "git waves run --new"),
        ({"runs": (replace(RUN, owed=("sync",)),)}, "runs", "problem", "left stopped: 'sync'", "git waves stop"),
        ({"runs": (RUN,)}, "runs", "note", "is not finished", "git waves status --plan p"),
    ],
)  # fmt: skip
def test_what_ails_a_repository(
    change: dict[str, Any], name: str, health: str, words: str, hint: str
) -> None:
    (check,) = (one for one in judge_repository(replace(REPOSITORY, **change)) if one.health is not Health.OK)
    assert (check.name, check.health) == (name, health)
    assert words in check.words
    assert hint in check.hint
    assert is_well((check,)) == (health != "problem")
