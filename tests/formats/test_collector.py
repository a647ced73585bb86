"""The cyclic collector rests while a plan is built, and only then."""

from __future__ import annotations

import gc

import pytest

from git_waves.adapters import terminal
from git_waves.cli import app
from git_waves.errors import PlanError
from git_waves.formats.collector import paused_collector
from tests.formats.shown import read
from tests.support.plans import plan, task
from tests.support.repo import RepoBuilder


def test_the_collector_runs_again_afterwards_if_it_ran_before() -> None:
    with paused_collector():
        assert not gc.isenabled()
        with paused_collector():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_runs_again_after_a_plan_that_was_refused() -> None:
    with pytest.raises(PlanError):
        read("version: 1\ntasks: [\n")
    assert gc.isenabled()


@pytest.mark.parametrize("command", ["plan", "import"])
def test_it_rests_while_a_plan_is_answered_and_runs_again_afterwards(
    command: str, repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit({"plan.yaml": plan(task("t1"))})
    ran = []
    monkeypatch.setattr(terminal, "write", lambda _: ran.append(gc.isenabled()))
    monkeypatch.chdir(repo.folder)
    app.run([command, "plan.yaml"])
    assert ran == [False]
    assert gc.isenabled()
