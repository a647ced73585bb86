"""The canary: a worktree whose hooks do not hold is found out before an agent starts, and nothing stays behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from git_waves.adapters.canary import CanaryMissed, CanaryRefused
from tests.support.repo import RepoBuilder
from tests.support.taskworktree import TaskWorktree, rules_for, start_run


@pytest.fixture
def task(repo: RepoBuilder) -> TaskWorktree:
    """A task worktree in which everything holds."""
    start_run(repo, {"src/a.c": "a\n", "README": "r\n"})
    return TaskWorktree(repo, "t1", rules_for("src/"), owners={"t1": rules_for("src/")})


def everything(task: TaskWorktree) -> object:
    """All that a canary could leave behind: refs, reflogs, index, files."""
    files = {
        path: path.read_bytes() for path in sorted(task.common.parent.parent.rglob("*")) if path.is_file()
    }
    return {path: content for path, content in files.items() if "objects" not in path.parts}


def test_hooks_that_hold_refuse_every_plant_and_nothing_stays(task: TaskWorktree) -> None:
    before = everything(task)
    assert task.canary() == CanaryRefused()
    assert everything(task) == before


def test_it_sings_again_when_an_agent_has_worked_there(task: TaskWorktree) -> None:
    task.write({"src/a.c": "mine\n"})
    task.git("commit", "--quiet", "-am", "work")
    task.write({"src/a.c": "staged\n", "README": "dirty\n"})
    task.git("add", "--all")
    task.git("checkout", "--quiet", "--detach")
    assert task.canary() == CanaryRefused()


@pytest.mark.parametrize(
    ("break_it", "reason"),
    [
        (
            lambda task: task.git("config", "--worktree", "core.hooksPath", "/dev/null"),
            "a move of the foreign ref 'refs/waves/archive/canary' was not refused",
        ),
        (
            lambda task: (task.hooks / "reference-transaction").chmod(0o600),
            "a move of the foreign ref 'refs/waves/archive/canary' was not refused",
        ),
        (
            lambda task: (task.hooks / "pre-commit").chmod(0o600),
            "a commit of the foreign path '.waves-canary' was refused by something else: "
            "hint: The '{hooks}/pre-commit' hook was ignored because it's not set as executable.",
        ),
        (
            lambda task: (task.hooks / "pre-commit").unlink(),
            "a commit of the foreign path '.waves-canary' was refused by something else: "
            "error: cannot find a hook named pre-commit",
        ),
        (
            lambda task: (task.hooks / "pre-commit").write_text("#!/bin/sh\n"),
            "a commit of the foreign path '.waves-canary' was not refused",
        ),
        (
            lambda task: (task.hooks / "pre-commit").write_text(
                "#!/bin/sh\necho .waves-canary >&2\nexit 1\n"
            ),
            "a commit of the foreign path '.waves-canary' was refused by something else: .waves-canary",
        ),
        (
            lambda task: (task.hooks / "guard.py").write_text("raise SystemExit(0)\n"),
            "a move of the foreign ref 'refs/waves/archive/canary' was not refused",
        ),
        (
            lambda task: (task.hooks / "guard.py").unlink(),
            "a move of the foreign ref 'refs/waves/archive/canary' was refused by something else: ",
        ),
        (
            lambda task: (task.admin / "waves-owned-files").write_text(".waves-canary\n"),
            "a commit of the foreign path '.waves-canary' was not refused",
        ),
        (
            lambda task: (task.hooks / "reference-transaction").write_text("#!/bin/sh\nexit 1\n"),
            "a move of the foreign ref 'refs/waves/archive/canary' was refused by something else: "
            "fatal: ref updates aborted by hook",
        ),
        (
            lambda task: (task.hooks / "settings.sh").write_text("_waves_lease=/nonexistent/lease\n"),
            "a move of the foreign ref 'refs/waves/archive/canary' was not refused",
        ),
        (
            lambda task: task.repo.git("update-ref", "-d", f"refs/heads/{task.branch}"),
            "branch 'waves/p/t1/1' does not exist",
        ),
    ],
)
def test_hooks_that_do_not_hold_are_found_out(
    task: TaskWorktree, break_it: Callable[[TaskWorktree], object], reason: str
) -> None:
    break_it(task)
    refs = task.repo.git("for-each-ref")
    missed = task.canary()
    assert isinstance(missed, CanaryMissed)
    assert missed.reason.startswith(reason.replace("{hooks}", str(task.hooks)))
    assert task.repo.git("for-each-ref") == refs, "a plant that got through was aborted"


def test_a_surrounding_that_switches_hooks_off_is_found_out(task: TaskWorktree) -> None:
    override = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.hooksPath",
        "GIT_CONFIG_VALUE_0": "/dev/null",
    }
    assert isinstance(task.canary(override), CanaryMissed)


def test_hooks_that_refuse_what_is_allowed_are_found_out(task: TaskWorktree) -> None:
    settings = task.hooks / "settings.sh"
    settings.write_text(
        settings.read_text().replace("_waves_branch='refs/heads/", "_waves_branch='refs/heads/not/")
    )
    lease = task.admin / "waves-lease.json"
    lease.write_text(lease.read_text().replace("refs/heads/waves", "refs/heads/not/waves"))
    assert task.canary() == CanaryMissed(
        reason="what is allowed was refused: error: refused by git-waves: branch 'waves/p/t1/1' does not belong to task 't1'"
    )


def test_the_users_hooks_are_not_bothered(task: TaskWorktree, tmp_path: Path) -> None:
    for name in ("pre-commit", "reference-transaction"):
        hook = task.common / "hooks" / name
        hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/bothered\nexit 1\n")
        hook.chmod(0o755)
    task.install()
    assert task.canary() == CanaryRefused()
    assert not (tmp_path / "bothered").exists()


def test_a_task_that_owns_everything_is_tried_with_a_foreign_ref(repo: RepoBuilder) -> None:
    start_run(repo, {"a": "1"})
    task = TaskWorktree(repo, "t1", rules_for("**"), owners={"t1": rules_for("**")})
    assert task.canary() == CanaryRefused()
    (task.hooks / "reference-transaction").chmod(0o600)
    assert isinstance(task.canary(), CanaryMissed)


def test_it_needs_no_identity_and_signs_nothing(task: TaskWorktree, monkeypatch: pytest.MonkeyPatch) -> None:
    for key in list(task.repo.environment):
        if key.startswith(("GIT_AUTHOR", "GIT_COMMITTER")):
            monkeypatch.delenv(key)
    task.repo.git("config", "user.useConfigOnly", "true")
    task.repo.git("config", "commit.gpgSign", "true")
    task.repo.git("config", "gpg.program", "/nonexistent")
    assert task.canary() == CanaryRefused()
