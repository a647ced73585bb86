"""The coordinator's side of a supervised command: start it, wait for it, stop it, take its result.

A job is a folder. Its `lock` is the only sign of life, its `exit.json` the only result, so any process can take up
what another began. A pid is used to send a signal, after its start time was compared, and never to learn anything.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import overload

from git_waves.adapters import supervisor
from git_waves.adapters.durable import sync_path
from git_waves.adapters.environment import environment
from git_waves.adapters.jobs import (
    Job,
    JobResult,
    JobSpec,
    Reason,
    as_result,
    is_alive,
    outcome,
    read_cookie,
    read_identity,
    read_result,
    was_in_another_boot,
)
from git_waves.adapters.leftovers import open_process, send, sweep
from git_waves.errors import SurroundingsError

__all__ = [
    "Job",
    "JobResult",
    "JobSpec",
    "Reason",
    "environment",
    "is_alive",
    "kill",
    "outcome",
    "revoke",
    "start",
    "stop",
    "wait",
    "was_in_another_boot",
]

_READY_WITHIN = 30.0  # seconds for a supervisor to come up on a machine that is very busy

# Imported by its bare name from the folder it lies in: nothing of ours is loaded with it, and Python keeps its compiled
# form (4 ms a job).
_PROGRAM = (
    "import os, sys; sys.path.append(sys.argv[1]); import supervisor;"
    "os._exit(supervisor.main(sys.argv[2], sys.argv[3:]))"
)

# Supervisors this process started and has not buried yet, by job folder.
_ours: dict[Path, subprocess.Popen[bytes]] = {}


# ---------------------------------------------------------------------- starting


def start(job: Job, spec: JobSpec, *, keep: Sequence[int] = ()) -> None:
    """Start the job unless it was started before; return when its supervisor holds the lock or has finished.

    The supervisor keeps the descriptors `keep` (of locks) open until it ends, whatever becomes of us. Safe to call again with the same job, from any process. Raises SurroundingsError when no supervisor can be started.
    """
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
    try:
        cookie = _write_spec(job, spec)
        if job.file("exit.json").exists() or is_alive(job):
            return
        complaints = os.open(job.file("supervisor.log"), flags, 0o600)
    except OSError as error:
        raise _cannot_write(job, error) from error
    python = [sys.executable, "-I", "-S", "-X", "utf8", "-c", _PROGRAM]
    try:
        process = subprocess.Popen(
            [
                *python,
                str(Path(supervisor.__file__).parent),
                str(job.file("spec.json").absolute()),
                *map(str, keep),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=complaints,
            env={**spec.env, "WAVES_COOKIE": cookie},
            cwd="/",  # pins no worktree and no mount
            start_new_session=True,
            pass_fds=keep,
        )
    except OSError as error:
        raise SurroundingsError(
            f"cannot start a supervisor for '{job}': {error.strerror}",
            hint="look at the limits of this machine with 'ulimit -a'",
        ) from error
    finally:
        os.close(complaints)
    if _is_ready(process):
        _ours[job.folder] = process
    elif process.wait() not in (0, supervisor.LOCKED) and not job.file("exit.json").exists():
        raise SurroundingsError(
            f"the supervisor of '{job}' failed with exit code {process.returncode}",
            hint=f"see '{job.file('supervisor.log')}'",
        )


def _cannot_write(job: Job, error: OSError) -> SurroundingsError:
    hint = f"look at the room and the rights there with 'df {job.folder}' and 'ls -ld {job.folder}'"
    return SurroundingsError(f"cannot write to '{job.folder}': {error.strerror}", hint=hint)


def _is_ready(process: subprocess.Popen[bytes]) -> bool:
    """Wait for the supervisor's one byte. True when it runs (or is merely slow), False when it has ended already."""
    assert process.stdout is not None
    with process.stdout:
        poller = select.poll()
        poller.register(process.stdout, select.POLLIN)
        if not poller.poll(_READY_WITHIN * 1000):
            return True
        return os.read(process.stdout.fileno(), 1) != b""


def _write_spec(job: Job, spec: JobSpec) -> str:
    """Write `spec.json` unless it is there; return the cookie in it, whoever wrote it."""
    temporary = job.file(f"spec.json.{secrets.token_hex(8)}")
    values: dict[str, object] = {
        "argv": [_utf8(word) for word in spec.argv],
        "cwd": _utf8(spec.cwd.absolute()),
        "log": _utf8(spec.log.absolute()),
        "stdin": None if spec.stdin is None else _utf8(spec.stdin.absolute()),
        "watch": None if spec.watch is None else _utf8(spec.watch.absolute()),
        "wall_clock": spec.wall_clock,
        "quiet": spec.quiet,
        "grace": spec.grace,
        "log_limit": spec.log_limit,
        "leaves": spec.leaves,
        "cookie": secrets.token_hex(16),
        "fence": None
        if spec.fence is None
        else {
            "kind": spec.fence.kind,
            "program": spec.fence.program,
            "writes": [_utf8(path.absolute()) for path in spec.fence.writes],
        },
    }
    supervisor.write_json(str(temporary), values)
    path = job.file("spec.json")
    try:
        path.hardlink_to(temporary)  # the first one wins: processes already running carry its cookie
    except FileExistsError:
        pass
    except OSError:  # a file system without hard links
        if not path.exists():
            temporary.replace(path)
    temporary.unlink(missing_ok=True)
    sync_path(job.folder)
    return read_cookie(job)


def _utf8(word: str | Path) -> str:
    """The text that stands for the same bytes in a supervisor, which reads them as UTF-8 whatever the locale."""
    return os.fsencode(word).decode("utf-8", "surrogateescape")


# ---------------------------------------------------------------------- waiting


@overload
def wait(job: Job, *, poll: float = 0.05, until: None = None) -> JobResult: ...
@overload
def wait(job: Job, *, poll: float = 0.05, until: Callable[[], bool]) -> JobResult | None: ...
def wait(job: Job, *, poll: float = 0.05, until: Callable[[], bool] | None = None) -> JobResult | None:
    """The job's result as soon as there is one; None when `until()` became true before. `poll` is in seconds.

    Works for jobs of another process too. A job that has no supervisor and no result gets one here (LOST, or REVOKED
    if it never started), after what is left of it was ended. Raises SurroundingsError for an unreadable result.
    """
    handle = _exit_handle(job)
    try:
        while True:
            result = _collect(job)
            if result is not None:
                return result
            if not _await_change(handle, poll, until):
                return None
            if handle is not None:  # it has fired; from here on the lock is looked at every `poll` seconds
                os.close(handle)
                handle = None
    finally:
        if handle is not None:
            os.close(handle)


def _collect(job: Job) -> JobResult | None:
    process = _ours.get(job.folder)
    if is_alive(job) or (
        process is not None and process.poll() is None and not job.file("exit.json").exists()
    ):
        return None
    result = read_result(job) or revoke(job)
    if result is not None and process is not None:
        process.wait()  # it has let the lock go, so this is the last instant of its life
        _ours.pop(job.folder, None)
    return result


def _await_change(handle: int | None, poll: float, until: Callable[[], bool] | None) -> bool:
    """Wait until the supervisor may have ended (True) or `until()` holds (False)."""
    poller = select.poll()
    if handle is not None:
        poller.register(handle, select.POLLIN)
    while True:
        if until is not None and until():
            return False
        has_ended = poller.poll(poll * 1000 if until is not None or handle is None else None)
        if has_ended or handle is None:
            return True


def _exit_handle(job: Job) -> int | None:
    """A descriptor that becomes readable when the supervisor ends (Linux pidfd), or None."""
    process = _ours.get(job.folder)
    if process is not None:
        return open_process(process.pid, birth=None) if process.returncode is None else None
    identity = read_identity(job)
    return None if identity is None else open_process(identity.supervisor, birth=identity.supervisor_birth)


# ---------------------------------------------------------------------- ending


def stop(job: Job, *, grace: float | None = None) -> bool:
    """Ask the supervisor to end the job: SIGTERM to its whole tree, SIGKILL after `grace` seconds (the spec's own
    when None). Returns at once, False when nobody is there to ask. A second call may shorten the grace. A supervisor
    that is only just starting finds the request before it lets the command go.
    """
    if not is_alive(job):
        return False
    text = "" if grace is None else repr(float(grace))
    temporary = job.file(f"stop.{secrets.token_hex(8)}")
    with contextlib.suppress(OSError):  # on a full disk it stops all the same, with the grace of its spec
        temporary.write_text(text, encoding="ascii")
        temporary.replace(job.file("stop"))
    identity = read_identity(job)
    if identity is None:
        return True
    was_asked = send(identity.supervisor, signal.SIGTERM, birth=identity.supervisor_birth)
    # One that somebody suspended must hear us too; one that obeyed at once is gone by now.
    send(identity.supervisor, signal.SIGCONT, birth=identity.supervisor_birth)
    return was_asked


def kill(job: Job) -> bool:
    """End the job's whole tree now, without grace; see `stop`."""
    return stop(job, grace=0.0)


def revoke(job: Job) -> JobResult | None:
    """Close the account of a job that nobody runs: its result, old or new; None when its supervisor is alive.

    Done under the job's lock: a supervisor that was spawned and has not yet taken the lock finds `exit.json` and leaves
    without starting anything. REVOKED when the command never ran; LOST when it did and its supervisor is gone, after
    every process that carries the job's cookie, or stands below one, was killed.
    """
    with _hold(job) as is_held:
        if not is_held:
            return None
        result = read_result(job)
        if result is not None:
            return result
        identity = read_identity(job)
        if identity is None:
            values = _closing(Reason.REVOKED, "taken back before it started")
        elif identity.boot != supervisor.boot_id():
            values = _closing(Reason.LOST, "the machine was restarted meanwhile", started=identity.started)
        else:
            ended, survivors = sweep(identity)
            values = _closing(Reason.LOST, "its supervisor was killed", started=identity.started)
            values |= {"leftover": ended, "survivors": list(survivors)}
        try:
            supervisor.write_json(str(job.file("exit.json")), values)
        except OSError as error:
            raise _cannot_write(job, error) from error
        return as_result(values)


def _closing(reason: Reason, message: str, *, started: float = 0.0) -> dict[str, object]:
    return {
        "reason": reason,
        "code": None,
        "signal": None,
        "leftover": 0,
        "survivors": [],
        "dropped": 0,
        "seconds": 0.0,
        "started": started,
        "ended": time.time(),
        "message": message,
        "boot": supervisor.boot_id(),
    }


@contextlib.contextmanager
def _hold(job: Job) -> Iterator[bool]:
    """Hold the job's lock; False when a supervisor (or another coordinator closing the account) has it."""
    descriptor = os.open(job.file("lock"), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        yield _is_taken(descriptor)
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


def _is_taken(descriptor: int) -> bool:
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            fcntl.flock(descriptor, fcntl.LOCK_UN)  # only someone asking `is_alive`: over in a moment
            time.sleep(0.001)
        else:
            return True
