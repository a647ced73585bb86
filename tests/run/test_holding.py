"""Places of machine-wide resources that a run takes for its tasks, at any time since the machine was started."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from git_waves import control
from git_waves.adapters.git import Git
from git_waves.core.model import Resource, Scope
from git_waves.core.ownership import build_manifest
from git_waves.holding import Holdings
from git_waves.setting import Setting
from tests.core.plans import plan, task
from tests.support import scenes
from tests.support.repo import RepoBuilder


# 0.4 seconds before the clock and back again are less than 0.4 seconds in some of these hours: a number has only so many bits.
@pytest.mark.parametrize("uptime", [70.0, 300.0, 1_000.0, 3_000.0, 5_000.0, 9_000.0, 20_000.0, 1e5, 1e6])
def test_a_place_that_nobody_gave_back_is_left_to_nobody(
    repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch, uptime: float
) -> None:
    scene = scenes.Scene(repo.folder / ".git", plan="demo")
    scene.begin({"1": [["t1"]]})
    wanted = plan(task("t1", "a.txt", resources=("database",)))
    wanted = replace(wanted, resources=(Resource(name="database", scope=Scope.MACHINE),))
    setting = Setting(
        git=Git(repo.folder / ".git"),
        main_work_tree=repo.folder,
        worktree_folder=repo.folder,
        run_dir=scene.run_dir,
        plan=wanted,
        manifest=build_manifest(wanted),
        conflicts={},
        resources={},
    )
    state, _ = control.load(scene.run_dir)
    monkeypatch.setattr(time, "monotonic", lambda: uptime)
    holdings = Holdings(setting, state, lambda _: None, tell=lambda _: None)
    assert holdings.has_all(state.tasks["t1"])
    holdings.release("t1")
    assert not holdings.has_all(state.tasks["t1"]), "others who wait for it come first"
