"""A supervised command seen from outside: the folder it is known by, what was asked, and how it ended.

The folder's `lock` is the only sign of life and its `exit.json` the only result, so any process can take up what
another began. Cheap to import, because `git waves status` looks at every running job.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from git_waves.adapters import supervisor
from git_waves.errors import SurroundingsError


class Reason(StrEnum):
    """Why a job ended. Only EXITED is the command's own doing; its code or signal tells the rest."""

    EXITED = "exited"
    WALL_CLOCK = "wall-clock"
    QUIET = "quiet"
    OUTPUT_LIMIT = "output-limit"  # only where the file system cannot shorten a log in its middle
    STOPPED = "stopped"
    REVOKED = "revoked"  # taken back before it started
    LOST = "lost"  # its supervisor was killed, or the machine stopped
    NOT_STARTED = "not-started"


@dataclass(frozen=True, slots=True)
class Job:
    """One supervised command, known by its folder, which the caller creates: one folder for each attempt."""

    folder: Path

    def file(self, name: str) -> Path:
        """One of the job's files: `spec.json`, `lock`, `start.json`, `stop`, `exit.json`, `supervisor.log`."""
        return self.folder / name

    def __str__(self) -> str:
        return self.folder.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Fence:
    """What the kernel lets a command write: what lies below `writes` (folders, files), and a temporary folder of its own.
    `kind` is `landlock` or `bwrap`, `program` the path of the one that the latter needs."""

    kind: str
    writes: tuple[Path, ...]
    program: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSpec:
    """What to run. Times in seconds, None is no limit.

    `env` is the whole environment (see `environment`). `log` is appended to by the command itself, both streams.
    `quiet` ends a command that neither wrote nor changed a file below `watch` for so long. `grace` is the time between
    SIGTERM and SIGKILL. With `leaves` what the command leaves running when it ends by itself goes on. A log that takes more than `log_limit` bytes on the disk keeps its head and its tail. Without a `fence` it may write whatever
    its user may.
    """

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]
    log: Path
    stdin: Path | None = None
    wall_clock: float | None = None
    quiet: float | None = None
    grace: float = 10.0
    watch: Path | None = None
    log_limit: int = 64 << 20
    leaves: bool = False
    fence: Fence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobResult:
    """How a job ended.

    `code` is None when a signal ended the command or it never ran. `leftover` counts the processes, besides the
    command, that did not end by themselves; `survivors` are pids that could not be ended at all (another user's, stuck
    in the kernel): the job's folder may still change under us. `dropped` bytes are missing in the middle of the log.
    `seconds` is monotonic and 0 when nobody measured; `started` and `ended` are wall times (seconds since 1970). `boot`
    names the time since the machine started in which the result was written; empty where the system has no such name.
    """

    reason: Reason
    code: int | None = None
    signal: int | None = None
    leftover: int = 0
    survivors: tuple[int, ...] = ()
    dropped: int = 0
    seconds: float = 0.0
    started: float = 0.0
    ended: float = 0.0
    message: str = ""
    boot: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """`start.json`: who runs the job. A pid alone is no identity; its birth (clock ticks since boot) makes it one.
    `cookie` is the value of `WAVES_COOKIE` in the environment of everything the job started."""

    supervisor: int = 0
    supervisor_birth: int | None = None
    child: int = 0
    child_birth: int | None = None
    boot: str = ""
    cookie: str = ""
    started: float = 0.0


def is_alive(job: Job) -> bool:
    """Whether a supervisor holds the job's lock right now."""
    try:
        descriptor = os.open(job.file("lock"), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        fcntl.flock(descriptor, fcntl.LOCK_UN)  # at once, also if a fork elsewhere holds a copy for a moment
        return False
    finally:
        os.close(descriptor)


def outcome(job: Job) -> JobResult | None:
    """The job's result; None while it has none, or while its supervisor lives, who alone may write it.

    Raises SurroundingsError when `exit.json` is not what a supervisor writes.
    """
    if is_alive(job):
        return None
    return read_result(job)


def is_of_another_boot(job: Job) -> bool:
    """Whether the job ended before the machine went down: its result was synced, and what it wrote besides need not be."""
    try:
        result = outcome(job)
    except SurroundingsError:  # whoever takes the result will say so
        return False
    return result is not None and result.boot != supervisor.boot_id()


def was_in_another_boot(job: Job) -> bool:
    """Whether the job was begun before the machine went down."""
    identity = read_identity(job)
    return identity is not None and identity.boot != supervisor.boot_id()


def read_result(job: Job) -> JobResult | None:
    """What `exit.json` says, whoever may be alive; see `outcome`."""
    path = job.file("exit.json")
    try:
        values = supervisor.read_json(str(path))
        return as_result(values)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise SurroundingsError(
            f"cannot read the result of '{job}': {error}",
            hint=f"remove '{path}' and run again; the attempt then counts as lost",
        ) from error


def as_result(values: Mapping[str, object]) -> JobResult:
    """The values of an `exit.json`, checked. Raises ValueError, TypeError or KeyError."""
    survivors = values["survivors"]
    if not isinstance(survivors, list):
        raise TypeError("'survivors' is not a list")
    return JobResult(
        reason=Reason(str(values["reason"])),
        code=_integer_or_none(values["code"]),
        signal=_integer_or_none(values["signal"]),
        leftover=_integer(values["leftover"]),
        survivors=tuple(_integer(pid) for pid in survivors),
        dropped=_integer(values["dropped"]),
        seconds=_number(values["seconds"]),
        started=_number(values["started"]),
        ended=_number(values["ended"]),
        message=str(values["message"]),
        boot=str(values["boot"]),
    )


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{value!r} is not a number")
    return value


def _integer(value: object) -> int:
    return int(_number(value))


def _integer_or_none(value: object) -> int | None:
    return None if value is None else _integer(value)


def kept_ranges(log: Path) -> tuple[tuple[int, int], ...]:
    """The byte ranges (start, end) of a log that still hold output, in order; more than one when its middle was
    dropped. Where the file system knows no holes this is the whole file."""
    with log.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        ranges = []
        position = 0
        while position < size:
            try:
                begin = os.lseek(file.fileno(), position, os.SEEK_DATA)
                position = os.lseek(file.fileno(), begin, os.SEEK_HOLE)
            except OSError:  # nothing but a hole up to the end
                break
            ranges.append((begin, min(position, size)))
    return tuple(ranges)


def read_identity(job: Job) -> Identity | None:
    """Who runs or ran the job; None when it never started. Of a damaged file (a hostile agent) only the cookie is
    known, from `spec.json`."""
    try:
        values = supervisor.read_json(str(job.file("start.json")))
        return Identity(
            supervisor=_integer(values["supervisor"]),
            supervisor_birth=_integer_or_none(values["supervisor_birth"]),
            child=_integer(values["child"]),
            child_birth=_integer_or_none(values["child_birth"]),
            boot=str(values["boot"]),
            cookie=str(values["cookie"]),
            started=_number(values["started"]),
        )
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError):
        return Identity(boot=supervisor.boot_id(), cookie=read_cookie(job))


def read_cookie(job: Job) -> str:
    """The cookie in `spec.json`. Raises SurroundingsError when it cannot be read."""
    path = job.file("spec.json")
    try:
        return str(supervisor.read_json(str(path))["cookie"])
    except (OSError, ValueError, KeyError) as error:
        raise SurroundingsError(
            f"cannot read what '{job}' was to do: {error}",
            hint=f"look for processes it may have left, then remove '{job.folder}'",
        ) from error
