"""Places at machine-wide resources: who gets one, who is told what, and that a place lives as long as its holders."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from git_waves.adapters import machine_locks, process
from git_waves.adapters.jobs import read_identity
from git_waves.adapters.machine_locks import Held, Holder, Taken, check, take
from git_waves.core.model import Resource, Scope
from git_waves.errors import SurroundingsError
from tests.support.jobs import JobScene, eventually
from tests.support.repo import ROOT


@pytest.fixture(autouse=True)
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder of this test's own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def resource(name: str = "database", capacity: int = 1) -> Resource:
    return Resource(name=name, capacity=capacity, scope=Scope.MACHINE)


def who(task: str = "t1", run: str = "r1") -> Holder:
    return Holder(run=run, repository="/repo", task=task)


def held(*resources: Resource, task: str = "t1") -> Held:
    """Places that must be free."""
    found = take(resources, who(task))
    assert isinstance(found, Held), found
    return found


def taken(*resources: Resource, task: str = "t9") -> Taken:
    """Places of which one must be taken."""
    found = take(resources, who(task))
    assert isinstance(found, Taken), "it was free"
    return found


def test_one_place_is_held_once_and_the_next_is_told_by_whom() -> None:
    first = held(resource())
    assert taken(resource()) == Taken(
        resource="database", reason="waits for 'database', held by task 't1' of run r1 in '/repo'"
    )
    first.release()
    held(resource()).release()


def test_as_many_hold_it_as_its_capacity_says() -> None:
    both = [held(resource(capacity=2), task=name) for name in ("t1", "t2")]
    assert (
        taken(resource(capacity=2)).reason
        == "waits for 'database', held by task 't1' of run r1 in '/repo' and 1 more"
    )
    both[0].release()
    held(resource(capacity=2)).release()
    both[1].release()


def test_of_two_plans_that_differ_the_stricter_one_counts() -> None:
    alone = held(resource(capacity=1))
    assert taken(resource(capacity=5))
    alone.release()
    crowd = held(resource(capacity=5))
    assert taken(resource(capacity=1))
    held(resource(capacity=5)).release()
    crowd.release()


def test_a_task_takes_all_its_resources_or_none() -> None:
    port = held(resource("port"))
    assert taken(resource("database"), resource("port")).resource == "port"
    held(resource("database")).release()
    port.release()


def test_names_that_begin_alike_are_different_resources() -> None:
    one = held(resource("db"))
    held(resource("db.1")).release()
    one.release()


def test_a_place_whose_holder_was_killed_is_free_whatever_its_file_says(state_folder: Path) -> None:
    program = (
        "from git_waves.adapters.machine_locks import *\nfrom git_waves.core.model import Resource\n"
        "take([Resource(name='database')], Holder(run='r0', repository='/gone', task='t0'))\n"
        "print('taken', flush=True)\ninput()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as other:
        assert other.stdout is not None and other.stdout.readline() == "taken\n"
        assert "'t0' of run r0 in '/gone'" in taken(resource()).reason
        other.kill()
    assert b"r0" in (state_folder / "git-waves/resources/database/0").read_bytes()
    held(resource()).release()


def test_a_supervisor_holds_the_place_of_its_command_when_the_coordinator_is_gone(tmp_path: Path) -> None:
    scene = JobScene(tmp_path)
    place = held(resource())
    job = scene.job()
    process.start(job, scene.spec("sh", "-c", "ls -l /proc/self/fd; sleep 30"), keep=place.descriptors)
    for descriptor in place.descriptors:
        os.close(descriptor)  # as the kernel does for a process that is killed
    assert taken(resource())
    assert scene.has_written(b"-> /proc")
    assert b"git-waves/resources" not in scene.output, "the command itself could give the place away"
    assert process.stop(job)
    assert process.wait(job).reason is process.Reason.STOPPED
    held(resource()).release()


def test_a_supervisor_that_is_killed_lets_go(tmp_path: Path) -> None:
    scene = JobScene(tmp_path)
    place = held(resource())
    job = scene.job()
    process.start(job, scene.spec("sleep", "30"), keep=place.descriptors)
    for descriptor in place.descriptors:
        os.close(descriptor)
    identity = read_identity(job)
    assert identity is not None
    os.kill(identity.supervisor, signal.SIGKILL)
    assert process.wait(job).reason is process.Reason.LOST
    assert eventually(lambda: isinstance(take([resource()], who()), Held)), "a place that nobody gives back"


def test_a_place_that_says_nonsense_is_held_by_somebody(state_folder: Path) -> None:
    place = held(resource())
    file = state_folder / "git-waves/resources/database/0"
    for nonsense in (
        b"",
        b"[" * 4000,
        b'{"run": 1}',
        b'{"capacity": 1e999, "run": "", "repository": "", "task": ""}',
    ):
        file.write_bytes(nonsense)
        assert taken(resource()).reason == "waits for 'database', held by somebody who left no name"
    place.release()


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "No space left on device"),
        (errno.EROFS, "Read-only file system"),
        (errno.EACCES, "Permission denied"),
    ],
)
def test_a_folder_that_cannot_be_used_is_told_with_the_way_out(
    state_folder: Path, monkeypatch: pytest.MonkeyPatch, number: int, words: str
) -> None:
    def refuse(path: Path) -> int:
        raise OSError(number, os.strerror(number), str(path))

    monkeypatch.setattr(machine_locks, "_open", refuse)
    folder = state_folder / "git-waves" / "resources"
    for ask in (lambda: check([resource()]), lambda: take([resource()], who())):
        with pytest.raises(SurroundingsError) as caught:
            ask()
        assert caught.value.message == f"cannot lock machine-wide resources at '{folder / '_door'}': {words}"
        assert caught.value.hint == f"look at the room and the rights there: df '{folder}'; ls -lR '{folder}'"


def test_a_file_of_another_user_is_told_with_whose_it_is(
    state_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check([resource()])
    monkeypatch.setattr(os, "geteuid", lambda: 4_000_000)
    place = state_folder / "git-waves/resources/database/0"
    place.unlink()
    place.mkdir()  # cannot be opened for writing by anybody
    owner = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
    with pytest.raises(SurroundingsError) as caught:
        check([resource()])
    assert caught.value.message.endswith(f": Is a directory; it belongs to user '{owner}'")


def test_asking_about_nothing_makes_no_folder(state_folder: Path) -> None:
    check([])
    assert not state_folder.exists()
