"""Locks between processes: who holds a plan, and who only asks."""

from __future__ import annotations

import fcntl
import threading
from pathlib import Path

import pytest

from git_waves.adapters import glance, locks
from git_waves.errors import SurroundingsError


def test_asking_whether_a_plan_is_run_keeps_nobody_from_running_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "_GLANCE", 60)
    lock = tmp_path / "waves" / "p.lock"
    lock.parent.mkdir()
    lock.touch()
    with lock.open() as file:
        fcntl.flock(file, fcntl.LOCK_SH)  # as `status` does, only longer
        let_go = threading.Timer(0.1, lambda: fcntl.flock(file, fcntl.LOCK_UN))
        let_go.start()
        with locks.coordinator_lock(tmp_path, "p"):
            assert locks.is_running(tmp_path, "p")
            assert glance.is_held(str(lock))
        let_go.join()


def test_a_plan_that_is_run_is_refused_with_its_holder_and_another_is_not(tmp_path: Path) -> None:
    with locks.coordinator_lock(tmp_path, "p"), locks.coordinator_lock(tmp_path, "q"):
        with pytest.raises(SurroundingsError) as caught, locks.coordinator_lock(tmp_path, "p"):
            raise AssertionError("two at once")
        assert caught.value.message == f"plan 'p' is already being run by {locks.holder(tmp_path, 'p')}"
    assert not locks.is_running(tmp_path, "p")
