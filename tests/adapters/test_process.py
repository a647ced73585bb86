"""Supervised commands: how they start, what comes back, which limits end them, and how they are asked to end."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from git_waves.adapters import process, supervisor
from git_waves.adapters.jobs import kept_ranges
from git_waves.adapters.process import JobResult, Reason
from git_waves.errors import SurroundingsError
from tests.support.jobs import JobScene, altered, eventually, scene
from tests.support.plans import wait_for

__all__ = ["scene"]  # the fixture


# ---------------------------------------------------------------------- the result


@pytest.mark.parametrize("code", [0, 1, 3, 127, 255])
def test_the_exit_code_comes_back(scene: JobScene, code: int) -> None:
    result = scene.run("sh", "-c", f"exit {code}")
    assert (result.reason, result.code, result.signal, result.message) == (Reason.EXITED, code, None, "")
    assert result.leftover == 0


def test_a_signal_is_told_from_an_exit_code(scene: JobScene) -> None:
    result = scene.run("sh", "-c", "kill -9 $$")
    assert (result.reason, result.code, result.signal) == (Reason.EXITED, None, 9)


def test_times_are_wall_times_and_a_monotonic_length(scene: JobScene) -> None:
    before, begun = time.time(), time.monotonic()
    result = scene.run("sleep", "0.1")
    assert before <= result.started <= result.ended <= time.time()
    assert 0.1 <= result.seconds <= time.monotonic() - begun


def test_stdin_is_at_its_end(scene: JobScene) -> None:
    assert scene.run("sh", "-c", "cat; echo over").code == 0
    assert scene.output == b"over\n"


def test_a_command_that_closes_its_streams_goes_on_to_its_own_end(scene: JobScene) -> None:
    result = scene.run("sh", "-c", "echo before; exec <&- >&- 2>&-; sleep 0.2; exit 7")
    assert (result.reason, result.code) == (Reason.EXITED, 7)
    assert scene.output == b"before\n"


def test_stdin_comes_from_a_file(scene: JobScene) -> None:
    prompt = scene.folder / "prompt"
    prompt.write_bytes(b"do this\0and that")
    assert scene.run("cat", stdin=prompt).code == 0
    assert scene.output == b"do this\0and that"


def test_output_goes_to_the_log_byte_for_byte_and_both_streams_in_order(scene: JobScene) -> None:
    log = scene.folder / "output.log"
    log.write_bytes(b"before\n")
    scene.run("sh", "-c", r"printf 'one\000\377\r\n'; printf 'two\n' >&2; printf three")
    assert scene.output == b"before\none\0\xff\r\ntwo\nthree"


def test_a_new_log_is_for_the_users_eyes_only(scene: JobScene) -> None:
    scene.run("true")
    assert (scene.folder / "output.log").stat().st_mode & 0o777 == 0o600


def test_words_and_folders_that_are_not_utf8_arrive_as_they_are(scene: JobScene) -> None:
    folder = scene.folder / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    scene.run("sh", "-c", 'printf "%s" "$1"; pwd', "sh", os.fsdecode(b"\xff \n'\""), cwd=folder)
    assert scene.output == b"\xff \n'\"" + os.fsencode(folder) + b"\n"


def test_the_environment_is_the_given_one_and_lies_in_no_file(scene: JobScene) -> None:
    scene.run("env", env={"PATH": os.environ["PATH"], "SECRET": "s3cret", "LC_ALL": "C"})
    names = sorted(line.partition(b"=")[0] for line in scene.output.splitlines())
    assert names == [b"LC_ALL", b"PATH", b"SECRET", b"WAVES_COOKIE"]
    for file in scene.job().folder.iterdir():
        assert b"s3cret" not in file.read_bytes(), file.name


def test_the_command_inherits_neither_the_lock_nor_any_other_file(scene: JobScene) -> None:
    inherited = os.open(scene.folder, os.O_RDONLY)
    os.set_inheritable(inherited, True)
    try:
        scene.run("sh", "-c", "ls -l /proc/$$/fd")
    finally:
        os.close(inherited)
    targets = [line.split(b" -> ")[1] for line in scene.output.splitlines() if b" -> " in line]
    log = os.fsencode(scene.folder / "output.log")
    assert targets == [b"/dev/null", log, log]


def test_signals_are_not_ignored_in_the_command(scene: JobScene) -> None:
    scene.run("grep", "-E", "Sig(Ign|Blk)", "/proc/self/status")
    # 32 and 33 are glibc's own: below a program that uses posix_spawn (make, say) they are ignored, and stay so.
    masks = [int(line.split()[1], 16) & ~(0b11 << 31) for line in scene.output.splitlines()]
    assert masks == [0, 0]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("no-such-program-here",), "cannot find the program 'no-such-program-here'"),
        (("./nowhere/tool", "x"), "cannot find the program './nowhere/tool'"),
        (("./plain",), "cannot execute './plain': Permission denied"),
        (("./noformat",), "cannot execute './noformat': Exec format error"),
        (("echo", "a\0b"), "cannot execute 'echo': Invalid argument"),
    ],
)
def test_a_program_that_cannot_run_is_said_in_words(
    scene: JobScene, argv: tuple[str, ...], message: str
) -> None:
    (scene.work / "plain").write_text("echo")
    (scene.work / "noformat").write_text("echo")
    (scene.work / "noformat").chmod(0o755)
    result = scene.run(*argv)
    assert (result.reason, result.code, result.message) == (Reason.NOT_STARTED, None, message)


def test_a_missing_folder_stdin_or_log_place_is_said_in_words(scene: JobScene) -> None:
    gone = scene.folder / "gone"
    assert scene.run("true", name="a", cwd=gone).message == (
        f"cannot enter the folder '{gone}': No such file or directory"
    )
    assert (
        scene.run("true", name="b", stdin=gone).message == f"cannot open '{gone}': No such file or directory"
    )
    log = gone / "x.log"
    assert scene.run("true", name="c", log=log).message == (
        f"cannot open the log '{log}': No such file or directory"
    )


def test_a_log_that_is_a_link_is_not_followed(scene: JobScene) -> None:
    precious = scene.folder / "precious"
    precious.write_text("mine")
    (scene.folder / "output.log").symlink_to(precious)
    assert scene.run("echo", "yours").reason is Reason.NOT_STARTED
    assert precious.read_text() == "mine"


# ---------------------------------------------------------------------- once


def test_a_job_starts_once_however_often_it_is_started(scene: JobScene) -> None:
    spec = scene.spec("sh", "-c", "echo started; sleep 0.3")
    job = scene.job()
    together = threading.Barrier(3)

    def begin() -> None:
        together.wait()
        process.start(job, spec)

    threads = [threading.Thread(target=begin) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    process.start(job, spec)
    assert process.wait(job).code == 0
    process.start(job, spec)
    assert scene.output == b"started\n"


def test_a_second_supervisor_leaves_with_75_while_the_first_works_and_with_0_afterwards(
    scene: JobScene,
) -> None:
    job = scene.start("sh", "-c", f"echo started; {wait_for('go')}")
    argv = ["python3", "-I", "-S", supervisor.__file__, str(job.file("spec.json"))]
    assert subprocess.run(argv, check=False).returncode == supervisor.LOCKED
    (scene.work / "go").touch()
    assert process.wait(job).code == 0
    assert subprocess.run(argv, check=False).returncode == 0
    assert scene.output == b"started\n"


def test_alive_and_finished_are_never_both(scene: JobScene) -> None:
    job = scene.job()
    assert (process.is_alive(job), process.outcome(job)) == (False, None)
    scene.start("sh", "-c", wait_for("go"))
    assert (process.is_alive(job), process.outcome(job)) == (True, None)
    # A result that the command forges while it runs is not believed.
    job.file("exit.json").write_text("{}")
    assert process.outcome(job) is None
    (scene.work / "go").touch()
    result = process.wait(job)
    assert (process.is_alive(job), process.outcome(job)) == (False, result)
    assert result.code == 0


def test_waiting_may_be_broken_off_and_the_job_goes_on(scene: JobScene) -> None:
    job = scene.start("sh", "-c", wait_for("go"))
    asked = []

    def enough() -> bool:
        asked.append(True)
        return len(asked) > 2

    assert process.wait(job, poll=0.01, until=enough) is None
    assert process.is_alive(job)
    (scene.work / "go").touch()
    assert process.wait(job).code == 0


# ---------------------------------------------------------------------- limits


def test_the_wall_clock_ends_the_whole_tree(scene: JobScene) -> None:
    result = scene.run("sh", "-c", "sleep 600 & setsid sleep 600 & echo up; wait", wall_clock=0.3)
    assert (result.reason, result.signal) == (Reason.WALL_CLOCK, 15)
    assert result.message == "ran longer than 0.3 seconds"
    assert eventually(lambda: not scene.living())


def test_the_grace_time_is_enough_to_tidy_up(scene: JobScene) -> None:
    result = scene.run(
        "sh", "-c", "trap 'echo bye; exit 7' TERM; while :; do sleep 0.02; done", wall_clock=1.5, grace=60
    )
    assert (result.reason, result.code, result.leftover) == (Reason.WALL_CLOCK, 7, 0)
    assert scene.output.endswith(b"bye\n")


def test_quiet_ends_a_command_that_neither_writes_nor_works_on_files(scene: JobScene) -> None:
    result = scene.run("sleep", "600", quiet=0.3, watch=scene.work)
    assert (result.reason, result.signal) == (Reason.QUIET, 15)
    assert result.message == "no output and no file change for 0.3 seconds"
    assert result.seconds >= 0.3


# Each command takes a little longer than the limit, which leaves a busy machine time to come round to it.


def test_quiet_spares_a_command_that_writes(scene: JobScene) -> None:
    result = scene.run(*scene.agent("chatty.py"), "22000", "0.1", quiet=2, watch=scene.work)
    assert (result.reason, result.code) == (Reason.EXITED, 0)


def test_quiet_spares_a_command_that_works_on_files(scene: JobScene) -> None:
    (scene.work / "deep" / "er").mkdir(parents=True)
    result = scene.run(*scene.agent("toucher.sh"), "deep/er/file", "22", quiet=2, watch=scene.work)
    assert (result.reason, result.code) == (Reason.EXITED, 0)


def test_quiet_counts_a_deleted_file(scene: JobScene) -> None:
    (scene.work / "file").touch()
    result = scene.run("sh", "-c", "sleep 1.1; rm file; sleep 1.1", quiet=2, watch=scene.work)
    assert (result.reason, result.code) == (Reason.EXITED, 0)


def test_quiet_does_not_count_what_happens_inside_git(scene: JobScene) -> None:
    (scene.work / ".git").mkdir()
    result = scene.run(*scene.agent("toucher.sh"), ".git/file", "30", quiet=0.4, watch=scene.work)
    assert result.reason is Reason.QUIET


def test_a_log_over_its_limit_loses_its_middle_and_nothing_else(scene: JobScene) -> None:
    count, limit = 200_000, 4 << 20
    result = scene.run(*scene.agent("chatty.py"), str(count), "0.002", log_limit=limit)
    assert (result.reason, result.code) == (Reason.EXITED, 0)
    log = scene.folder / "output.log"
    assert log.stat().st_size == count * 64
    assert result.dropped > 0
    head, tail = kept_ranges(log)
    assert tail[0] - head[1] == result.dropped
    content = scene.output
    lines = [content[start:end].split(b"\n") for start, end in (head, tail)]
    assert [line.split() for line in lines[0][:-1]] == [[b"%d" % line] for line in range(head[1] // 64)]
    assert [line.split() for line in lines[1][:-1]] == [
        [b"%d" % line] for line in range(tail[0] // 64, count)
    ]


def test_an_ordinary_log_is_one_range(scene: JobScene) -> None:
    scene.run("echo", "hello")
    assert kept_ranges(scene.folder / "output.log") == ((0, 6),)
    (scene.folder / "empty").touch()
    assert kept_ranges(scene.folder / "empty") == ()


# ---------------------------------------------------------------------- stopping


def test_stop_gives_the_command_its_grace(scene: JobScene) -> None:
    job = scene.start("sh", "-c", "trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.02; done")
    assert scene.has_written(b"up")
    assert process.stop(job, grace=60)
    result = process.wait(job)
    assert (result.reason, result.code, result.message) == (Reason.STOPPED, 0, "stopped on request")
    assert scene.output.endswith(b"bye\n")
    assert not process.stop(job)


def test_a_second_stop_shortens_the_grace(scene: JobScene) -> None:
    job = scene.start(*scene.agent("term_ignorer.sh"), grace=600)
    assert scene.has_written(b"child")
    assert process.stop(job)
    begun = time.monotonic()
    assert process.wait(job, until=lambda: time.monotonic() > begun + 0.2) is None
    assert process.kill(job)
    result = process.wait(job)
    assert (result.reason, result.signal) == (Reason.STOPPED, 9)
    assert result.leftover >= 1


def test_a_suspended_supervisor_hears_the_stop(scene: JobScene) -> None:
    job = scene.start("sleep", "600")
    os.kill(scene.identity(job)["supervisor"], signal.SIGSTOP)
    assert process.kill(job)
    assert process.wait(job).reason is Reason.STOPPED


def test_a_stop_that_comes_before_the_command_is_let_go_keeps_it_from_starting(scene: JobScene) -> None:
    job = scene.job()
    job.file("stop").write_text("")
    process.start(job, scene.spec("echo", "ran"))
    result = process.wait(job)
    assert (result.reason, result.message) == (Reason.STOPPED, "stopped before it started")
    assert scene.output == b""


def test_a_stranger_with_the_supervisors_old_pid_is_not_signalled(scene: JobScene) -> None:
    job = scene.job()
    with subprocess.Popen(["sleep", "600"]) as stranger, job.file("lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        born = supervisor.birth(stranger.pid)
        assert born is not None
        identity: dict[str, object] = {
            "supervisor": stranger.pid,
            "supervisor_birth": born - 1,
            "child": stranger.pid,
            "child_birth": born - 1,
            "boot": supervisor.boot_id(),
            "cookie": "none",
            "started": 0.0,
        }
        supervisor.write_json(str(job.file("start.json")), identity)
        assert not process.stop(job)
        fcntl.flock(lock, fcntl.LOCK_UN)
        result = process.revoke(job)
        assert stranger.poll() is None
        stranger.kill()
    assert result is not None
    assert (result.reason, result.leftover, result.survivors) == (Reason.LOST, 0, ())


# ---------------------------------------------------------------------- files that are not what they should be


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "not JSON"),
        (b'{"reason": "exi', "Unterminated string starting at: line 1 column 12 (char 11)"),
        (b"[]", "not one JSON object"),
        (b"{} {}", "not one JSON object"),
        (b'{"reason": "bored", "survivors": []}', "'bored' is not a valid Reason"),
        (b'{"reason": "exited", "survivors": [], "code": "0"}', "'0' is not a number"),
        (b"[" * 100_000, "not JSON"),
        (b"\xff", "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"),
    ],
)
def test_a_damaged_result_is_a_clear_error(scene: JobScene, content: bytes, problem: str) -> None:
    job = scene.job()
    job.file("exit.json").write_bytes(content)
    for ask in (process.outcome, process.wait, process.revoke):
        with pytest.raises(SurroundingsError) as caught:
            ask(job)
        assert caught.value.message == f"cannot read the result of 't1.1.agent': {problem}"
        assert caught.value.hint == (
            f"remove '{job.file('exit.json')}' and run again; the attempt then counts as lost"
        )


def test_a_supervisor_that_fails_is_a_clear_error(scene: JobScene) -> None:
    job = scene.job()
    job.file("spec.json").write_text('{"cookie": "x", "argv": []}')
    with pytest.raises(SurroundingsError) as caught:
        process.start(job, scene.spec("true"))
    assert caught.value.message == "the supervisor of 't1.1.agent' failed with exit code 1"
    assert caught.value.hint == f"see '{job.file('supervisor.log')}'"
    assert "'argv' is not a list with a program in it" in job.file("supervisor.log").read_text()


def test_a_folder_that_is_not_there_is_a_clear_error(scene: JobScene) -> None:
    job = process.Job(scene.folder / "nowhere")
    with pytest.raises(SurroundingsError) as caught:
        process.start(job, scene.spec("true"))
    assert caught.value.message == f"cannot write to '{job.folder}': No such file or directory"


def test_a_full_disk_does_not_keep_a_job_from_being_stopped(
    scene: JobScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = scene.start("sleep", "600")

    def fail(*_: object, **__: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", fail)
    assert process.stop(job, grace=60)
    assert process.wait(job).reason is Reason.STOPPED


def test_what_is_written_is_what_json_reads(tmp_path: Path) -> None:
    values: dict[str, object] = {
        "text": 'a"\\\n\x00\u2028\udcff😀',
        "list": [1, -2.5, True, False, None, []],
        "empty": {},
    }
    path = str(tmp_path / "x.json")
    supervisor.write_json(path, values)
    assert supervisor.read_json(path) == values
    assert [file.name for file in tmp_path.iterdir()] == ["x.json"]


def test_a_result_says_by_itself_what_is_usual() -> None:
    assert JobResult(reason=Reason.LOST) == JobResult(
        reason=Reason.LOST, code=None, signal=None, leftover=0, survivors=(), dropped=0, message=""
    )


# ---------------------------------------------------------------------- what a supervisor cannot change


def test_processes_out_of_reach_are_named_and_do_not_hold_up_the_result(
    scene: JobScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What a process of another user (sudo) is to a supervisor: visible, and deaf to its signals.
    change = "supervisor._GIVE_UP = 0.1; supervisor._send = lambda *_: None"
    monkeypatch.setattr(process, "_PROGRAM", altered(change))
    result = scene.run("sh", "-c", "setsid sleep 600 & exit 0", grace=0)
    (pid,) = result.survivors
    assert (result.reason, result.code, result.leftover) == (Reason.EXITED, 0, 1)
    assert result.message == f"processes that could not be ended: {pid}"
    os.kill(pid, signal.SIGKILL)


def test_a_result_that_finds_no_room_is_written_when_there_is_some(
    scene: JobScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = f"""
write = supervisor.write_json
def fail_at_first(path, values):
    if path.endswith("exit.json") and not os.path.exists({str(scene.folder / "room")!r}):
        raise OSError(errno.ENOSPC, "No space left on device")
    write(path, values)
supervisor.write_json = fail_at_first
"""
    monkeypatch.setattr(process, "_PROGRAM", altered(change))
    job = scene.start("sh", "-c", "exit 3")
    assert eventually(lambda: supervisor.birth(scene.identity(job)["child"]) is None)
    assert process.wait(job, until=lambda: True) is None
    assert process.is_alive(job), "it keeps the lock meanwhile"
    (scene.folder / "room").touch()
    assert process.wait(job).code == 3


def test_a_folder_too_large_to_see_through_counts_as_changing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "one" / "two").mkdir(parents=True)
    later = time.time() + 100
    assert supervisor.newest_change(str(tmp_path), after=later, enough=later) is None
    monkeypatch.setattr(supervisor, "_SCAN_ENTRIES", 0)
    assert supervisor.newest_change(str(tmp_path), after=later, enough=later) is not None


def test_a_clock_that_jumps_ends_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values: dict[str, object] = {"argv": ["x"], "cwd": "/", "log": "x", "cookie": "x", "quiet": 0.01}
    values["watch"] = str(tmp_path)
    log = os.open(tmp_path / "log", os.O_CREAT | os.O_WRONLY)
    monkeypatch.setattr(supervisor._System, "control", lambda *_: False)  # nothing of that for this process
    try:
        activity = supervisor._Activity(supervisor._Spec(values), log, supervisor._System())
        assert activity.look() is None
        wall = time.time
        monkeypatch.setattr(time, "time", lambda: wall() - 3600)
        time.sleep(0.05)
        assert activity.look() is None, "file times and the clock do not agree just now"
        time.sleep(0.05)
        assert activity.look() is None, "the log's folder was changed after what the clock says"
    finally:
        os.close(log)
