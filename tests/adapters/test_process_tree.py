"""Nothing outlives a supervised command, nothing of a sibling is touched, and any process may die at any time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from git_waves.adapters import process, supervisor
from git_waves.adapters.process import Job, JobResult, Reason
from tests.support.jobs import JobScene, altered, eventually, scene
from tests.support.repo import ROOT

__all__ = ["scene"]  # the fixture


# ---------------------------------------------------------------------- what a command leaves behind


def left_behind(scene: JobScene, result: JobResult, job: Job) -> set[int]:
    """What still carries the job's cookie, once its supervisor is gone too."""
    assert result.survivors == ()
    eventually(lambda: not scene.living(job))
    return scene.living(job)


def test_a_background_child_in_a_session_of_its_own_ends_with_the_command(scene: JobScene) -> None:
    result = scene.run("sh", "-c", "setsid sleep 600 & sleep 600 & exit 4")
    assert (result.reason, result.code, result.leftover) == (Reason.EXITED, 4, 2)
    assert left_behind(scene, result, scene.job()) == set()


def test_a_daemon_that_ignores_term_ends_with_the_command(scene: JobScene) -> None:
    result = scene.run(*scene.agent("daemonizer.py"), str(scene.folder / "pid"))
    assert (result.reason, result.code, result.leftover) == (Reason.EXITED, 0, 1)
    assert supervisor.birth(int((scene.folder / "pid").read_text())) is None
    assert left_behind(scene, result, scene.job()) == set()


def test_a_daemon_without_the_cookie_ends_with_the_command_too(scene: JobScene) -> None:
    pid = scene.folder / "pid"
    result = scene.run("env", "-i", *scene.agent("daemonizer.py"), str(pid))
    assert (result.code, result.leftover) == (0, 1)
    assert supervisor.birth(int(pid.read_text())) is None


def test_a_tree_that_ignores_term_is_killed_after_the_grace(scene: JobScene) -> None:
    job = scene.start(*scene.agent("term_ignorer.sh"), grace=0.3)
    assert scene.has_written(b"child")
    begun = time.monotonic()
    process.stop(job)
    result = process.wait(job)
    assert (result.reason, result.signal) == (Reason.STOPPED, 9)
    assert time.monotonic() - begun >= 0.3
    assert left_behind(scene, result, job) == set()


@pytest.mark.parametrize("words", [("0.0005",), ("0",), ("0.0005", "setsid"), ("0", "setsid")])
def test_a_chain_of_forks_is_caught(scene: JobScene, words: tuple[str, ...]) -> None:
    job = scene.start(*scene.agent("forker.py"), *words, grace=0.05)
    assert scene.has_written(b"chain")
    result = process.wait(job)
    assert (result.reason, result.code) == (Reason.EXITED, 0)
    assert result.leftover >= 1
    assert left_behind(scene, result, job) == set()


def test_children_that_are_just_ending_are_waited_for_and_not_counted(
    scene: JobScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_PROGRAM", altered("supervisor._LINGER = 60"))
    result = scene.run("sh", "-c", "(sleep 0.1; echo last words) & exit 0")
    assert (result.code, result.leftover) == (0, 0)
    assert scene.output == b"last words\n"


def test_a_thousand_orphans_leave_no_zombie(scene: JobScene) -> None:
    assert scene.run(*scene.agent("orphans.py"), "1000").code == 0
    assert scene.output == b"0 zombies\n"


def test_the_processes_of_a_sibling_are_not_touched(scene: JobScene) -> None:
    sibling = scene.start("sh", "-c", "setsid sleep 600 & sleep 600 & wait", name="t2.1.agent")
    assert eventually(lambda: len(scene.living(sibling)) == 4), "supervisor, shell, two sleeps"
    before = scene.living(sibling)
    scene.run(*scene.agent("daemonizer.py"), str(scene.folder / "pid"), name="a")
    scene.run(*scene.agent("forker.py"), "0", grace=0.05, name="b")
    job = scene.start("sleep", "600", name="c")
    os.kill(scene.identity(job)["supervisor"], signal.SIGKILL)
    assert process.wait(job).reason is Reason.LOST
    assert scene.living(sibling) == before
    assert process.is_alive(sibling)
    process.kill(sibling)
    assert process.wait(sibling).reason is Reason.STOPPED


# ---------------------------------------------------------------------- without the Linux calls

PORTABLE = altered(
    "supervisor._HAS_PROC = False\nsupervisor._System.control = supervisor._System.punch = lambda *_: False"
)


def run_portable(scene: JobScene, monkeypatch: pytest.MonkeyPatch, *argv: str, **more: Any) -> JobResult:
    """Run a job as on a system that has no /proc, no subreaper and no way to shorten a log in its middle."""
    monkeypatch.setattr(process, "_PROGRAM", PORTABLE)
    return scene.run(*argv, **more)


def test_elsewhere_the_process_group_of_the_command_ends_with_it(
    scene: JobScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = run_portable(scene, monkeypatch, "sh", "-c", "(trap '' TERM; sleep 600; sleep 600) & exit 5")
    assert (result.reason, result.code, result.survivors) == (Reason.EXITED, 5, ())
    assert result.leftover >= 1
    assert left_behind(scene, result, scene.job()) == set()


def test_elsewhere_a_limit_ends_sessions_below_the_command(
    scene: JobScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    argv = ("sh", "-c", "setsid sleep 600 & sleep 600 & wait")
    result = run_portable(scene, monkeypatch, *argv, wall_clock=0.3)
    assert (result.reason, result.survivors) == (Reason.WALL_CLOCK, ())
    assert left_behind(scene, result, scene.job()) == set()


def test_elsewhere_too_much_output_ends_the_command(scene: JobScene, monkeypatch: pytest.MonkeyPatch) -> None:
    argv = (*scene.agent("chatty.py"), "2000000", "0.001")
    result = run_portable(scene, monkeypatch, *argv, log_limit=1 << 20)
    assert (result.reason, result.dropped) == (Reason.OUTPUT_LIMIT, 0)
    assert result.message == "wrote more than 1048576 bytes of output"


def test_ps_shows_the_same_tree_as_proc() -> None:
    pid = os.getpid()
    assert supervisor.processes_by_ps()[pid] == supervisor.processes()[pid] == (os.getppid(), os.getpgrp())


# ---------------------------------------------------------------------- death of the coordinator

COORDINATOR = """
import os, signal, sys
from pathlib import Path
from git_waves.adapters.process import Job, JobSpec, start
folder, work, log, script = sys.argv[1:]
spec = JobSpec(argv=("sh", "-c", script), cwd=Path(work), env=dict(os.environ), log=Path(log), grace=0.2)
start(Job(Path(folder)), spec)
os.kill(os.getpid(), signal.SIGKILL)
"""


def start_and_die(scene: JobScene, script: str) -> Job:
    """A real coordinator that starts a job and is killed at once."""
    job = scene.job()
    environment = {**scene.spec("true").env, "PYTHONPATH": str(ROOT)}
    words = [str(job.folder), str(scene.work), str(scene.folder / "output.log"), script]
    done = subprocess.run([sys.executable, "-c", COORDINATOR, *words], env=environment, check=False)
    assert done.returncode == -signal.SIGKILL
    return job


def test_a_job_outlives_its_coordinator_and_another_one_takes_the_result(scene: JobScene) -> None:
    job = start_and_die(scene, "echo up; until [ -e go ]; do sleep 0.02; done; echo down; exit 6")
    assert scene.has_written(b"up")
    assert process.is_alive(job)
    assert process.revoke(job) is None, "a running job is not taken back"
    (scene.work / "go").touch()
    result = process.wait(job)
    assert (result.reason, result.code) == (Reason.EXITED, 6)
    assert scene.output == b"up\ndown\n"


def test_a_job_that_finished_meanwhile_is_found_finished(scene: JobScene) -> None:
    job = start_and_die(scene, "exit 6")
    assert eventually(lambda: process.outcome(job) is not None)
    result = process.revoke(job)
    assert result == process.outcome(job) == process.wait(job)
    assert result is not None
    assert (result.reason, result.code) == (Reason.EXITED, 6)


def test_an_adopted_job_can_be_stopped(scene: JobScene) -> None:
    job = start_and_die(scene, "sleep 600 & setsid sleep 600 & wait")
    assert process.stop(job)
    assert process.wait(job).reason is Reason.STOPPED


# ---------------------------------------------------------------------- death of the supervisor


def test_the_command_dies_with_its_supervisor_and_what_escaped_is_swept(scene: JobScene) -> None:
    job = scene.start("sh", "-c", "setsid sh -c 'trap \"\" TERM; echo up; sleep 600; sleep 600' & wait")
    assert scene.has_written(b"up")
    identity = scene.identity(job)
    os.kill(identity["supervisor"], signal.SIGKILL)
    assert eventually(lambda: supervisor.birth(identity["child"]) is None), "the command itself"
    assert scene.living(job), "the session of its own is still there"
    result = process.wait(job)
    assert (result.reason, result.code, result.survivors) == (Reason.LOST, None, ())
    assert result.message == "its supervisor was killed"
    assert result.leftover >= 1
    assert result.started == identity["started"]
    assert scene.living(job) == set()
    assert process.outcome(job) == result


def test_a_damaged_identity_still_leads_to_the_leftovers(scene: JobScene) -> None:
    job = scene.start("sh", "-c", "setsid sh -c 'echo up; sleep 600' & wait")
    assert scene.has_written(b"up")
    supervising = scene.identity(job)["supervisor"]
    job.file("start.json").write_text('{"super')
    os.kill(supervising, signal.SIGKILL)
    assert process.wait(job).reason is Reason.LOST
    assert scene.living(job) == set()


def test_a_job_of_before_a_restart_of_the_machine_is_lost_without_a_search(scene: JobScene) -> None:
    job = scene.start("true")
    process.wait(job)
    identity = {**scene.identity(job), "boot": "another", "child": os.getpid(), "cookie": ""}
    identity["child_birth"] = supervisor.birth(os.getpid())
    supervisor.write_json(str(job.file("start.json")), identity)
    job.file("exit.json").unlink()
    result = process.wait(job)
    assert (result.reason, result.leftover) == (Reason.LOST, 0)
    assert result.message == "the machine was restarted meanwhile"


def test_a_lost_job_is_not_started_again(scene: JobScene) -> None:
    job = scene.start("sh", "-c", "echo ran; sleep 600")
    assert scene.has_written(b"ran")
    os.kill(scene.identity(job)["supervisor"], signal.SIGKILL)
    assert eventually(lambda: not process.is_alive(job))
    process.start(job, scene.spec("sh", "-c", "echo ran"))
    assert process.wait(job).reason is Reason.LOST
    assert scene.output == b"ran\n"


# ---------------------------------------------------------------------- taking back


def test_a_job_taken_back_before_it_took_its_lock_never_starts(scene: JobScene) -> None:
    job = scene.job()
    result = process.revoke(job)
    assert result is not None
    assert (result.reason, result.message) == (Reason.REVOKED, "taken back before it started")
    process.start(job, scene.spec("echo", "ran"))
    assert process.wait(job) == process.revoke(job) == result
    assert scene.output == b""


def test_a_job_taken_back_while_it_starts_either_runs_once_or_not_at_all(scene: JobScene) -> None:
    seen = set()
    for turn in range(12):
        job = scene.job(f"job{turn}")
        log = scene.folder / f"{turn}.log"
        thread = threading.Thread(target=process.start, args=(job, scene.spec("echo", "ran", log=log)))
        thread.start()
        time.sleep(turn * 0.002)
        taken = process.revoke(job)
        thread.join()
        result = process.wait(job)
        output = log.read_text() if log.exists() else ""
        assert taken in (None, result)
        assert output == ("ran\n" if result.reason is Reason.EXITED else "")
        assert result.reason in (Reason.EXITED, Reason.REVOKED)
        seen.add(result.reason)
    assert Reason.REVOKED in seen


def test_someone_who_only_looks_does_not_keep_a_job_from_starting(scene: JobScene) -> None:
    over = threading.Event()
    job = scene.job()
    job.file("lock").touch()

    def look() -> None:
        while not over.is_set():
            process.is_alive(job)

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        process.start(job, scene.spec("echo", "ran"))
        assert process.wait(job).code == 0
        assert process.revoke(job) is not None
    finally:
        over.set()
        watcher.join()
    assert scene.output == b"ran\n"


def test_no_child_of_ours_is_left_unburied(scene: JobScene) -> None:
    job = scene.start("true")
    pid = scene.identity(job)["supervisor"]
    process.wait(job)
    assert not Path(f"/proc/{pid}").exists()
