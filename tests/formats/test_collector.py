"""The cyclic collector rests while a plan is built, and only then."""

from __future__ import annotations

import gc

import pytest

from git_waves.errors import PlanError
from git_waves.formats.collector import paused_collector
from tests.formats.shown import read


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
