"""The seal of a task worktree: every change of what decides how git behaves there is named."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from git_waves.adapters.seal import Seal, check_seal, seal_files
from git_waves.errors import SurroundingsError
from tests.support.repo import RepoBuilder
from tests.support.taskworktree import TaskWorktree, rules_for, start_run


def scene(folder: Path) -> tuple[Path, Path, Seal]:
    """A hook, a control file, and their seal."""
    hooks = folder / "hooks"
    hooks.mkdir()
    hook, control = hooks / "pre-commit", folder / "control"
    hook.write_text("#!/bin/sh\n")
    hook.chmod(0o700)
    control.write_text("gitdir: x\n")
    return hook, control, seal_files(hooks, [control])


def replace_with(make: Callable[[Path], object]) -> Callable[[Path], object]:
    def act(path: Path) -> object:
        path.unlink()
        return make(path)

    return act


@pytest.mark.parametrize(
    ("tamper", "words"),
    [
        (lambda path: path.unlink(), "is gone"),
        (lambda path: path.write_text("#!/bin/sh\nexit 0\n"), "has another content"),
        (lambda path: path.write_text(""), "has another content"),
        (lambda path: os.truncate(path, 1 << 40), "has another content"),
        (lambda path: path.chmod(0o600), "has another mode"),
        (replace_with(lambda path: path.mkdir()), "is no longer a plain file"),
        (replace_with(lambda path: path.symlink_to("/dev/null")), "is no longer a plain file"),
        (replace_with(os.mkfifo), "is no longer a plain file"),
    ],
)
def test_a_change_of_a_hook_is_named(tmp_path: Path, tamper: Callable[[Path], object], words: str) -> None:
    hook, _, seal = scene(tmp_path)
    tamper(hook)
    assert [str(found) for found in check_seal(seal)] == [f"'{hook}' {words}"]


def test_what_is_as_it_was_has_nothing_to_name(tmp_path: Path) -> None:
    _, _, seal = scene(tmp_path)
    assert check_seal(seal) == ()


def test_a_hook_that_was_added_is_named(tmp_path: Path) -> None:
    hook, control, seal = scene(tmp_path)
    (hook.parent / "commit-msg").touch()
    control.unlink()
    assert [str(found) for found in check_seal(seal)] == [
        f"'{control}' is gone",
        f"'{hook.parent}/commit-msg' was not there before",
    ]


def test_a_hook_folder_that_is_gone_names_its_hooks(tmp_path: Path) -> None:
    hook, _, seal = scene(tmp_path)
    hook.unlink()
    hook.parent.rmdir()
    assert [str(found) for found in check_seal(seal)] == [f"'{hook}' is gone"]


def test_a_seal_reads_back_as_it_was_written(tmp_path: Path) -> None:
    _, _, seal = scene(tmp_path)
    assert Seal.from_bytes(seal.to_bytes()) == seal


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[]", b'{"version": 2}', b"\xff", b'{"version": 1, "files": [1]}']
)
def test_a_damaged_seal_is_an_error(content: bytes) -> None:
    with pytest.raises(SurroundingsError, match=r"^the seal of a worktree cannot be read: "):
        Seal.from_bytes(content)


def test_sealing_what_is_not_there_is_an_error(tmp_path: Path) -> None:
    hook, _, _ = scene(tmp_path)
    with pytest.raises(SurroundingsError, match="is gone"):
        seal_files(hook.parent, [tmp_path / "nothing"])


def test_everything_that_could_lead_git_astray_is_sealed_and_ordinary_work_leaves_it_alone(
    repo: RepoBuilder,
) -> None:
    start_run(repo, {"src/a.c": "a\n"})
    task = TaskWorktree(repo, "t1", rules_for("src/"), owners={})
    outside = {file.path for file in task.seal.files if file.path.parent != task.hooks}
    admin = (
        "commondir",
        "gitdir",
        "config.worktree",
        "waves-lease.json",
        "waves-owned-files",
        "waves-owned-patterns",
    )
    assert outside == {task.folder / ".git", *(task.admin / name for name in admin)}
    task.write({"src/b.c": "b\n"})
    task.git("add", "--all")
    task.git("commit", "--quiet", "-m", "work")
    task.git("rebase", "--quiet", "--force-rebase", "HEAD~1")
    task.git("status")
    repo.git("worktree", "repair")
    repo.git("gc", "--quiet")
    assert check_seal(task.seal) == ()
    task.git("config", "--worktree", "core.hooksPath", "/dev/null")
    assert [str(found) for found in check_seal(task.seal)] == [
        f"'{task.admin}/config.worktree' has another content"
    ]
