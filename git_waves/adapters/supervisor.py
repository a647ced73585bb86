"""The small process that stands over one command: it starts it, limits it, ends its whole tree, and records the result.

Run as `python -I -S supervisor.py JOB/spec.json` (or imported by its bare name, so that its compiled form is used), one
process a command, so that a command outlives the coordinator and nothing outlives the command. It therefore imports
nothing of ours and next to nothing of the standard library: `signal` and `json` alone would double its start-up (enum
and re), hence the C modules below them.

Descriptors that it is started with and told of stay open until it ends: the locks of what the command uses.

Files in the job's folder: `spec.json` (what to do, written by the coordinator), `lock` (held for life: the only sign
of life), `start.json` (who runs), `stop` (a grace time in seconds, written by whoever asks to stop), `exit.json` (the
result; written once, last, durably). The environment of the command is the supervisor's own, handed over at its
start, so that secrets in it never lie on disk.

On Linux every orphan of the command becomes the supervisor's child (PR_SET_CHILD_SUBREAPER), so "no child left" is
proof that nothing is left, and the command dies with its supervisor (PR_SET_PDEATHSIG). Elsewhere the tree is what
`ps` shows below the command and in its process group.

Output goes from the command straight into the log file; nothing is pumped. A log that outgrows its limit loses its
middle: the kernel frees the blocks between the first MiB and the last 8 MiB (FALLOC_FL_PUNCH_HOLE) while the command
keeps appending behind them, so there is nothing to race with; offsets stay, the hole reads as NUL bytes. Where the
file system cannot do that, the command is ended instead (`output-limit`).
"""

# pathlib and contextlib cost more start-up than everything else here.
# ruff: noqa: PTH100, PTH104, PTH110, PTH116, PTH120, PTH123, PTH208, SIM105

from __future__ import annotations

import errno
import fcntl
import os
import select
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ctypes
    from collections.abc import Callable, Sequence
    from typing import Any

LOCKED = 75  # sysexits' EX_TEMPFAIL: another supervisor has this job
LOG_HEAD = 1 << 20  # bytes of a too long log that are kept
LOG_TAIL = 8 << 20
# Children that are just ending (`tee` behind a pipe) get this many seconds before they count as left behind.
_LINGER = 0.25
_GIVE_UP = 10.0  # seconds of SIGKILL after which a process is out of our reach (another user's, or stuck in the kernel)
_DISK_FULL_PATIENCE = 3600.0  # seconds to wait for room for the result; the job counts as running meanwhile
_SCAN_ENTRIES = 200_000
_SCAN_SECONDS = 2.0
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_PUNCH_HOLE_KEEP_SIZE = 0x02 | 0x01
_HAS_PROC = os.path.exists("/proc/self/stat")


class _PlainJson:
    """What the C scanner of the json package asks its decoder for; the values `json.loads` would give it."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int, parse_constant = float, int, float


try:
    # The modules below `signal` and `json`: with these two, start-up takes 17 ms instead of 10.
    import _signal as signal  # type: ignore[import-not-found]  # has no stub
    from _json import encode_basestring_ascii as _quote
    from _json import make_scanner

    _scan: Callable[[str, int], tuple[object, int]] = make_scanner(_PlainJson)  # type: ignore[arg-type]  # see above
except (ImportError, AttributeError, TypeError):  # another Python than we know
    import json
    import signal

    _quote = json.dumps
    _scan = json.JSONDecoder().raw_decode


# ---------------------------------------------------------------------- files


def read_json(path: str) -> dict[str, object]:
    """A JSON object from a file. Raises OSError, or ValueError when the text is not one."""
    with open(path, encoding="utf-8") as file:
        text = file.read().strip()
    try:
        values, end = _scan(text, 0)
    except (StopIteration, RecursionError) as stop:
        raise ValueError("not JSON") from stop
    if end != len(text) or not isinstance(values, dict):
        raise ValueError("not one JSON object")
    return values


def _encode(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_encode(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_encode(key)}: {_encode(item)}" for key, item in value.items()) + "}"
    return _quote(str(value))


def sync(descriptor: int) -> None:
    """Bring a file or folder to the disk itself; plain fsync stops at the drive's cache on macOS."""
    if hasattr(fcntl, "F_FULLFSYNC"):
        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
    else:
        os.fsync(descriptor)


def write_json(path: str, values: dict[str, object]) -> None:
    """Make a file appear whole or not at all, and still be there after a power loss. Raises OSError."""
    temporary = f"{path}.{os.getpid()}"
    with open(temporary, "w", encoding="ascii", opener=_private) as file:
        file.write(_encode(values) + "\n")
        file.flush()
        sync(file.fileno())
    os.rename(temporary, path)
    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    try:
        sync(folder)
    finally:
        os.close(folder)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW, 0o600)


# ---------------------------------------------------------------------- processes


def _stat_fields(pid: int) -> list[bytes] | None:
    """The fields of /proc/PID/stat after the name (which may hold blanks and brackets): state, parent, group, …"""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()
    except OSError:
        return None


def birth(pid: int) -> int | None:
    """When a process started, in clock ticks since boot: with the pid, its identity. None when gone or unknowable."""
    fields = _stat_fields(pid)
    return int(fields[19]) if fields and fields[0] not in (b"Z", b"X") else None


def boot_id() -> str:
    """A name for the time since the machine started; empty where the system has none."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


def processes() -> dict[int, tuple[int, int]]:
    """Every living process we can see: its pid to (parent, process group). Zombies are left out."""
    if not _HAS_PROC:
        return processes_by_ps()
    table = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            fields = _stat_fields(int(name))
            if fields and fields[0] not in (b"Z", b"X"):
                table[int(name)] = (int(fields[1]), int(fields[2]))
    return table


def processes_by_ps() -> dict[int, tuple[int, int]]:
    """`processes` where there is no /proc."""
    import subprocess

    words = ["ps", "-A", "-o", "pid=", "-o", "ppid=", "-o", "pgid=", "-o", "stat="]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as listing:
        rows = [row.split() for row in listing.communicate()[0].splitlines()]
    table = {int(row[0]): (int(row[1]), int(row[2])) for row in rows if len(row) > 3 and row[3][:1] != b"Z"}
    table.pop(listing.pid, None)  # our own child, and gone
    return table


def descendants(roots: set[int], table: dict[int, tuple[int, int]]) -> dict[int, int]:
    """Every process of the table below one of the roots, itself not included: pid to process group."""
    children: dict[int, list[int]] = {}
    for pid, (parent, _) in table.items():
        children.setdefault(parent, []).append(pid)
    found: dict[int, int] = {}
    waiting = list(roots)
    while waiting:
        for pid in children.get(waiting.pop(), ()):
            if pid not in found and pid not in roots:
                found[pid] = table[pid][1]
                waiting.append(pid)
    return found


def newest_pid() -> int:
    """The pid that the kernel gave out last; 0 where it does not say."""
    try:
        with open("/proc/loadavg", encoding="ascii") as file:
            return int(file.read().split()[-1])
    except (OSError, ValueError):
        return 0


def _group_below(root: int, pid: int) -> int | None:
    """The process group of a process, if it lives a few generations below `root`."""
    group = None
    for _ in range(4):
        fields = _stat_fields(pid)
        if not fields or fields[0] in (b"Z", b"X"):
            return None
        if group is None:
            group = int(fields[2])
        pid = int(fields[1])
        if pid == root:
            return group
    return None


class _System:
    """The two kernel calls the standard library lacks; both answer False where the system has no such thing."""

    def __init__(self) -> None:
        try:
            import ctypes

            self._library: ctypes.CDLL | None = ctypes.CDLL(None)
            self._unsigned, self._wide = ctypes.c_ulong, ctypes.c_int64
        except (ImportError, OSError):
            self._library = None
        self.is_subreaper = self.control(_PR_SET_CHILD_SUBREAPER, 1)

    def control(self, option: int, value: int) -> bool:
        """prctl(option, value): what happens to this process's orphans, or to it when its parent dies."""
        call = getattr(self._library, "prctl", None) if sys.platform == "linux" else None
        if call is None:
            return False
        unsigned = self._unsigned  # a plain int would go through "..." as 32 bits
        return bool(call(option, unsigned(value), unsigned(0), unsigned(0), unsigned(0)) == 0)

    def punch(self, descriptor: int, start: int, length: int) -> bool:
        """Free the blocks of a part of a file; its size and the rest of it stay."""
        names = ("fallocate64", "fallocate") if sys.platform == "linux" else ()
        call = next((found for name in names if (found := getattr(self._library, name, None))), None)
        if call is None:
            return False
        return bool(call(descriptor, _PUNCH_HOLE_KEEP_SIZE, self._wide(start), self._wide(length)) == 0)


# ---------------------------------------------------------------------- the command's own limits


def newest_change(folder: str, *, after: float, enough: float) -> float | None:
    """The wall time of the newest change below `folder` that is later than `after`; None when there is none. One later
    than `enough` ends the search.

    Change times (ctime) are compared, which a program cannot set, so unpacking an old archive counts. `.git` is left
    out. The scan is bounded; a folder too large to see through counts as changing now, for ending an agent that works
    is worse than leaving a silent one to its wall clock.
    """
    give_up = time.monotonic() + _SCAN_SECONDS
    newest = max(after, _changed(folder))  # a folder changes when something in it comes or goes
    seen = 0
    folders = [folder]
    while folders and newest <= enough:
        if seen > _SCAN_ENTRIES or time.monotonic() > give_up:
            return time.time()
        try:
            with os.scandir(folders.pop()) as entries:
                inside = [entry for entry in entries if entry.name != ".git"]
        except OSError:  # gone or closed to us meanwhile
            continue
        seen += len(inside)
        newest = max(newest, max((_changed(entry.path) for entry in inside), default=after))
        folders += [entry.path for entry in inside if entry.is_dir(follow_symlinks=False)]
    return newest if newest > after else None


def _changed(path: str) -> float:
    try:
        return os.stat(path, follow_symlinks=False).st_ctime
    except OSError:
        return 0.0


class _Spec:
    """`spec.json`, each value with its type. Times are seconds, sizes bytes, None is no limit."""

    def __init__(self, values: dict[str, object]) -> None:
        argv = values["argv"]
        if not isinstance(argv, list) or not argv:
            raise ValueError("'argv' is not a list with a program in it")
        self.argv = [os.fsencode(str(word)) for word in argv]
        self.cwd = str(values["cwd"])
        self.log = str(values["log"])
        self.stdin = str(values.get("stdin") or "/dev/null")
        self.watch = str(values.get("watch") or "")
        self.cookie = str(values["cookie"])
        self.wall_clock = _seconds(values.get("wall_clock"))
        self.quiet = _seconds(values.get("quiet"))
        self.grace = _seconds(values.get("grace")) or 0.0
        self.log_limit = int(_seconds(values.get("log_limit")) or 64 << 20)
        self.leaves = values.get("leaves") is True
        self.fence = _Fence(values["fence"]) if isinstance(values.get("fence"), dict) else None


class _Fence:
    """`fence` in `spec.json`: which one, the paths that may be written, and the program it needs, if any."""

    def __init__(self, values: Any) -> None:
        self.kind = str(values["kind"])
        self.program = str(values.get("program") or "")
        self.writes = [str(path) for path in values["writes"]]
        self.temporary = ""


def _seconds(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


class Stillness:
    """Since when nothing has moved: by a clock that nobody can set, held against the change times of files."""

    def __init__(self, now: float) -> None:
        self.note(now)

    def note(self, now: float) -> None:
        """Something moved; `now` is monotonic."""
        self.last = now
        self._skew = time.time() - time.monotonic()

    def lasts(self, now: float, limit: float, folders: list[str]) -> bool:
        """Whether nothing was noted, and nothing changed below the folders, for `limit` seconds."""
        if now - self.last < limit:
            return False
        skew = time.time() - time.monotonic()
        if abs(skew - self._skew) > 1.0:  # the clock was set or the machine slept: file times say nothing now
            self.note(now)
            return False
        after = self.last + skew
        for folder in folders:
            changed = newest_change(folder, after=after, enough=(after + now + skew) / 2)
            if changed is not None:
                self.last = min(now, changed - skew)
                return False
        return True


class _Activity:
    """When the command last gave a sign of life, and whether its log stays within bounds."""

    def __init__(self, spec: _Spec, log: int, system: _System) -> None:
        self._spec = spec
        self._log = log
        self._system = system
        self._size = os.fstat(log).st_size
        self._mark: tuple[int, int] | None = None
        self._watched = [spec.watch] if spec.watch else []
        self.still = Stillness(time.monotonic())
        self.dropped = 0
        self.pace = 0.1  # seconds until the next look: quick while output pours in

    def look(self) -> str | None:
        """Take notice of new output and of new files; a reason to end the command, or None."""
        now = time.monotonic()
        status = os.fstat(self._log)
        grown, self._size = status.st_size - self._size, status.st_size
        self.pace = 0.1 if grown > self._spec.log_limit // 8 else min(1.0, self.pace * 2)
        mark = (status.st_size, status.st_mtime_ns)
        if mark != self._mark:
            self._mark = mark
            self.still.note(now)
        if status.st_blocks * 512 > self._spec.log_limit and not self._drop_middle(status.st_size):
            return "output-limit"
        if self._spec.quiet is not None and self.still.lasts(now, self._spec.quiet, self._watched):
            return "quiet"
        return None

    def _drop_middle(self, size: int) -> bool:
        tail = min(LOG_TAIL, self._spec.log_limit // 2)
        start, end = min(LOG_HEAD, self._spec.log_limit // 4), size - tail
        start, end = -(-start // 4096) * 4096, end // 4096 * 4096
        if end <= start or not self._system.punch(self._log, start, end - start):
            return False
        self.dropped = end - start
        return True


# ---------------------------------------------------------------------- the supervisor


class _Supervisor:
    """One command from its start to the record of its end."""

    def __init__(self, folder: str, spec: _Spec) -> None:
        self._folder = folder
        self._spec = spec
        self._system = _System()
        self._child = 0
        self._status: int | None = None
        self._begun = time.monotonic()
        self._begun_wall = time.time()
        self._asked = False
        self._grace = spec.grace
        self._left_behind: set[int] = set()
        self._survivors: list[int] = []
        self._dropped = 0
        self._waker = self._catch_signals()

    # -- signals and waiting

    def _catch_signals(self) -> int:
        reader, writer = os.pipe()
        os.set_blocking(reader, False)
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # only to be woken
        signal.signal(signal.SIGTERM, lambda *_: self._take_request())
        for ignored in (signal.SIGHUP, signal.SIGINT):
            signal.signal(ignored, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())  # the thread that started us may have blocked some
        return reader

    def _take_request(self) -> None:
        """Someone asks to stop. The `stop` file says how much grace; a second request may shorten it."""
        earlier = self._grace if self._asked else float("inf")
        self._asked = True
        try:
            with open(f"{self._folder}/stop", encoding="ascii") as file:
                self._grace = min(earlier, float(file.read()))
        except (OSError, ValueError):
            return

    def _pause(self, seconds: float) -> None:
        """Sleep until a signal comes or the time is over."""
        poller = select.poll()
        poller.register(self._waker, select.POLLIN)
        poller.poll(max(0, int(seconds * 1000) + 1))
        try:
            os.read(self._waker, 4096)
        except BlockingIOError:
            return

    # -- the life of the command

    def run(self) -> None:
        """Start the command, wait, empty the tree, record."""
        try:
            log = _private(self._spec.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        except OSError as error:
            self._record("not-started", f"cannot open the log '{self._spec.log}': {error.strerror}")
            return
        try:
            self._run(log)
        finally:
            self._drop_temporary()

    def _run(self, log: int) -> None:
        try:
            if self._spec.fence is not None:
                self._spec.fence.temporary = _fence().make_temporary()
            problem = self._start(log)
        except OSError as error:
            problem = f"cannot start a process: {error.strerror}"
        if problem is not None:
            self._record("stopped" if self._asked else "not-started", problem)
            return
        activity = _Activity(self._spec, log, self._system)
        reason, message = self._wait(activity)
        if not (self._spec.leaves and reason == "exited"):
            self._end_tree(is_natural=reason == "exited")
        self._dropped = activity.dropped
        self._drop_temporary()
        self._record(reason, message)

    def _drop_temporary(self) -> None:
        """What a fenced command left in its temporary folder goes with it."""
        fence = self._spec.fence
        if fence is not None and fence.temporary:
            _fence().remove_temporary(fence.temporary)
            fence.temporary = ""

    def _start(self, log: int) -> str | None:
        """Fork, note who runs, let the command go. A problem in words, or None."""
        try:
            stdin = os.open(self._spec.stdin, os.O_RDONLY)
        except OSError as error:
            return f"cannot open '{self._spec.stdin}': {error.strerror}"
        go, let_go = os.pipe()
        trouble, report = os.pipe()
        supervisor = os.getpid()
        self._begun, self._begun_wall = time.monotonic(), time.time()
        self._child = os.fork()
        if self._child == 0:
            self._become_command(supervisor, stdin, log, go, let_go, report)
        for descriptor in (stdin, go, report):
            os.close(descriptor)
        try:
            write_json(f"{self._folder}/start.json", self._identity(supervisor))
            # Whoever asks to stop writes `stop` first and reads start.json then; we do it the other way round, so
            # one of us sees the other.
            if os.path.exists(f"{self._folder}/stop"):
                self._take_request()
                return self._abandon(let_go, trouble, "stopped before it started")
        except OSError as error:
            return self._abandon(let_go, trouble, f"cannot write to '{self._folder}': {error.strerror}")
        announce()
        os.write(let_go, b"1")
        os.close(let_go)
        with open(trouble, "rb") as file:
            problem = file.read()  # empty once exec closed the other end
        if not problem:
            return None
        os.waitpid(self._child, 0)
        stage, _, number = problem.decode().partition(" ")
        return self._explain(stage, int(number))

    def _abandon(self, let_go: int, trouble: int, problem: str) -> str:
        os.close(let_go)  # the child reads the end of the pipe and leaves
        os.waitpid(self._child, 0)
        os.close(trouble)
        return problem

    def _identity(self, supervisor: int) -> dict[str, object]:
        return {
            "supervisor": supervisor,
            "supervisor_birth": birth(supervisor),
            "child": self._child,
            "child_birth": birth(self._child),
            "boot": boot_id(),
            "cookie": self._spec.cookie,
            "started": self._begun_wall,
        }

    def _explain(self, stage: str, number: int) -> str:
        program = os.fsdecode(self._spec.argv[0])
        if stage == "fence":
            return f"cannot put up the fence around it: {os.strerror(number)}"
        if stage == "cwd":
            return f"cannot enter the folder '{self._spec.cwd}': {os.strerror(number)}"
        if number in (errno.ENOENT, errno.ENOTDIR):
            return f"cannot find the program '{program}'"
        return f"cannot execute '{program}': {os.strerror(number)}"

    def _become_command(self, parent: int, stdin: int, log: int, go: int, let_go: int, report: int) -> None:
        """In the child: leave the supervisor's session, wait for leave to go, become the command. Never returns."""
        stage = "cwd"
        try:
            os.setsid()
            self._system.control(_PR_SET_PDEATHSIG, signal.SIGKILL)
            signal.set_wakeup_fd(-1)
            for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGPIPE, signal.SIGXFSZ):
                signal.signal(number, signal.SIG_DFL)
            os.close(let_go)
            if os.read(go, 1) != b"1" or os.getppid() != parent:
                os._exit(127)
            os.chdir(self._spec.cwd)
            stage = "exec"
            for source, target in ((stdin, 0), (log, 1), (log, 2)):
                os.dup2(source, target)
            os.environ["WAVES_COOKIE"] = self._spec.cookie
            stage = "fence"
            argv = self._fenced()
            stage = "exec"
            os.execvpe(argv[0], argv, os.environ)
        except OSError as error:
            os.write(report, f"{stage} {error.errno}".encode())
        except ValueError:  # a NUL byte among the words
            os.write(report, f"{stage} {errno.EINVAL}".encode())
        finally:
            os._exit(127)

    def _fenced(self) -> list[bytes]:
        """In the child: put the fence up around this process, or in front of its words. What to execute then."""
        fence, spec = self._spec.fence, self._spec
        if fence is None:
            return spec.argv
        code = _fence()
        is_all_of_tmp = fence.kind == code.BWRAP and code.may_hide("/tmp", fence.writes)
        for name in ("TMPDIR", "TMP", "TEMP"):
            os.environ[name] = "/tmp" if is_all_of_tmp else fence.temporary
        if fence.kind == code.BWRAP:
            words = code.bwrap_words(fence.program, fence.writes, cwd=spec.cwd, temporary=fence.temporary)
            return [*map(os.fsencode, words), *spec.argv]
        code.enter_landlock([*fence.writes, fence.temporary])
        return spec.argv

    def _wait(self, activity: _Activity) -> tuple[str, str]:
        """Until the command ends, someone asks to stop, or a limit is passed: the reason and words for it."""
        spec = self._spec
        while True:
            self._reap()
            now = time.monotonic()
            if self._status is not None:
                return "exited", ""
            if self._asked:
                return "stopped", "stopped on request"
            if spec.wall_clock is not None and now - self._begun >= spec.wall_clock:
                return "wall-clock", f"ran longer than {spec.wall_clock:g} seconds"
            reason = activity.look()
            if reason == "quiet":
                return reason, f"no output and no file change for {spec.quiet:g} seconds"
            if reason is not None:
                return reason, f"wrote more than {spec.log_limit} bytes of output"
            waits = [activity.pace]
            if spec.wall_clock is not None:
                waits.append(self._begun + spec.wall_clock - now)
            if spec.quiet is not None:
                waits.append(activity.still.last + spec.quiet - now)
            self._pause(min(waits))

    # -- the end of the tree

    def _reap(self) -> bool:
        """Collect what has ended; True when nothing is left below us.

        With every orphan coming to us, having no child means having no descendant: a chain of parents that are alive
        ends here. That makes it exact, where a walk through /proc is a guess.
        """
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return self._system.is_subreaper or not self._family()
            if pid == 0:
                return False
            if pid == self._child:
                self._status = status

    def _family(self) -> dict[int, int]:
        """What can be seen of the tree: pid to process group."""
        table = processes()
        family = descendants({os.getpid()}, table)
        if not self._system.is_subreaper:
            # Orphans went to init; those that kept the command's process group are still to be known.
            family.update({pid: group for pid, (_, group) in table.items() if group == self._child})
            family = {**family, **descendants(set(family), table)}
        return family

    def _is_empty_within(self, seconds: float | None) -> bool:
        """Wait until the tree is empty; `None` waits for the grace time, which a stop request may shorten."""
        begun = time.monotonic()
        while not self._reap():
            limit = self._grace if seconds is None else seconds
            left = begun + limit - time.monotonic()
            if left <= 0:
                return False
            self._pause(left if self._system.is_subreaper else min(left, 0.05))
        return True

    def _end_tree(self, *, is_natural: bool) -> None:
        """SIGTERM to everyone once, the grace time, then SIGKILL until nobody is left."""
        if is_natural and self._is_empty_within(_LINGER):
            return
        family = self._family()
        for pid in family:
            _send(os.kill, pid, signal.SIGTERM)
        if is_natural:
            self._left_behind.update(family)
        if self._is_empty_within(None):
            return
        give_up = time.monotonic() + _GIVE_UP
        nap = 0.001
        while time.monotonic() < give_up:
            self._kill(self._family())
            if self._is_empty_within(nap) or self._catch_chain():
                return
            nap = min(nap * 2, 0.1)
        self._survivors = sorted(self._family())

    def _kill(self, family: dict[int, int]) -> None:
        """SIGKILL to these processes and to their groups.

        A group is killed in one step, so a fork under way does not slip through. Only groups of the command's own
        sessions can be among them: each began at or below its setsid().
        """
        self._left_behind.update(family)
        for group in set(family.values()) - {0, os.getpgrp()}:
            _send(os.killpg, group, signal.SIGKILL)
        for pid in family:
            _send(os.kill, pid, signal.SIGKILL)

    def _catch_chain(self) -> bool:
        """Go after a chain of forks that is quicker than a walk through /proc: its living link is one of the newest
        processes of the machine, and these are few to look at. True when nothing is left."""
        for _ in range(50):
            newest = newest_pid()
            for pid in range(newest, newest - 4, -1):
                group = _group_below(os.getpid(), pid)
                if group is not None:
                    self._kill({pid: group})
            if self._reap():
                return True
        return False

    # -- the record

    def _record(self, reason: str, message: str) -> None:
        """Write the result; on a full disk wait for room, still holding the lock, unless asked to stop."""
        if self._survivors:
            pids = ", ".join(str(pid) for pid in self._survivors)
            message = "; ".join(filter(None, (message, f"processes that could not be ended: {pids}")))
        status = self._status
        values: dict[str, object] = {
            "reason": reason,
            "code": os.WEXITSTATUS(status) if status is not None and os.WIFEXITED(status) else None,
            "signal": os.WTERMSIG(status) if status is not None and os.WIFSIGNALED(status) else None,
            "leftover": len(self._left_behind - {self._child}),
            "survivors": self._survivors,
            "dropped": self._dropped,
            "seconds": round(time.monotonic() - self._begun, 6),
            "started": self._begun_wall,
            "ended": time.time(),
            "message": message,
            "boot": boot_id(),
        }
        give_up = time.monotonic() + _DISK_FULL_PATIENCE
        self._asked = False
        while True:
            try:
                write_json(f"{self._folder}/exit.json", values)
                return
            except OSError as error:
                is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
                if not is_full or self._asked or time.monotonic() > give_up:
                    raise
            announce()
            self._pause(1.0)


def _fence() -> Any:
    """The code of the fence, which lies beside this file and is only loaded where there is one."""
    import fence  # type: ignore[import-not-found]  # by its bare name, as this file is

    return fence


def _send(kill: Callable[[int, int], None], target: int, number: int) -> None:
    """Signal a process or group that may be gone, or be another user's by now (sudo)."""
    try:
        kill(target, number)
    except (ProcessLookupError, PermissionError):
        return


def announce() -> None:
    """Tell whoever started us that the lock is ours and the identity written: one byte, and the pipe is closed."""
    try:
        os.write(1, b"1")
    except OSError:  # it died; we go on without it
        pass
    null = os.open("/dev/null", os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)


def take_lock(folder: str) -> int | None:
    """The job's lock for as long as this process lives; None when another supervisor has it.

    Whoever asks "is it alive?" holds the lock for a moment, so as long as nobody has started we try again.
    """
    descriptor = _private(f"{folder}/lock", os.O_RDWR | os.O_CREAT)
    patience = time.monotonic() + 5.0
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            has_started = os.path.exists(f"{folder}/start.json")
            if has_started or time.monotonic() > patience:
                os.close(descriptor)
                return None
            time.sleep(0.005)
        else:
            return descriptor


def main(path: str, kept: Sequence[str] = ()) -> int:
    """Supervise the job of this `spec.json`; the process's exit code. `kept` are descriptors that stay open for as long as
    this process lives (locks that the job needs), and that the command does not get."""
    for descriptor in kept:
        os.set_inheritable(int(descriptor), False)
    folder = os.path.dirname(os.path.abspath(path))
    if take_lock(folder) is None:
        return LOCKED
    if os.path.exists(f"{folder}/exit.json") or os.path.exists(f"{folder}/start.json"):
        return 0  # finished, taken back, or lost on the way: a job is started once
    try:
        os.setsid()
    except PermissionError:  # the coordinator has seen to it
        pass
    _Supervisor(folder, _Spec(read_json(path))).run()
    return 0


if __name__ == "__main__":
    os._exit(main(sys.argv[1], sys.argv[2:]))
