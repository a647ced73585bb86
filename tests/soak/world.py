"""One small repository with its own home, and `git waves` run in a forked child: a whole run costs a second, not four.

Everything lies in memory where the machine has such a file system. Processes that a dead coordinator leaves come to us
(PR_SET_CHILD_SUBREAPER), so "no child is left" is proof that none is.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from git_waves import entry
from tests.support.repo import ROOT, RepoBuilder, sealed_environment

MEMORY = Path("/dev/shm")
_PR_SET_CHILD_SUBREAPER = 36
_PATIENCE = 60.0  # seconds for one command, on a machine that is very busy; no test asserts a time
BUSY = 0.002


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """How one command ended: its exit code (negative: the signal that killed it) and all it printed."""

    code: int
    words: str


def place_for_worlds() -> Path:
    """Where scenes lie: in memory if that may be used, else in the usual temporary folder."""
    return MEMORY if os.access(MEMORY, os.W_OK | os.X_OK) else Path(os.environ.get("TMPDIR", "/tmp"))


def become_subreaper() -> None:
    """Let orphans below this process come to it instead of to init."""
    library = ctypes.CDLL(None)
    assert library.prctl(_PR_SET_CHILD_SUBREAPER, ctypes.c_ulong(1), 0, 0, 0) == 0, (
        "Linux, and not an old one"
    )


class World:
    """A folder with `home`, `notes`, `tmp` and `repo`. `make` fills it; `copy_from` gives the same world elsewhere, quickly."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.notes = folder / "notes"
        self.repo = folder / "repo"
        self.git_dir = self.repo / ".git"
        self.worktrees = folder / "repo.waves"
        self.output = folder / "output"
        self.environment = {
            **sealed_environment(self.home),
            "NOTES": str(self.notes),
            "TMPDIR": str(folder / "tmp"),
            "PYTHONPATH": str(ROOT),
            "GIT_TEMPLATE_DIR": "",  # no sample hooks: they would be most of the files
            "GIT_WAVES_DEBUG": "1",  # a bug shows its story here
        }
        self.user = RepoBuilder(self.repo, self.environment, is_there=True)
        self.git = self.user.git
        self.commit = self.user.commit

    def make(self, files: Mapping[str, str]) -> None:
        """A repository with one commit of these files."""
        for path in (self.home, self.notes, self.folder / "tmp"):
            path.mkdir(parents=True)
        RepoBuilder(self.repo, self.environment)
        self.git(
            "config", "gc.reflogExpire", "never"
        )  # commits here are old, and say that their plan is the user's own
        self.commit(files)

    def copy_from(self, other: World) -> None:
        """The same as the other world, which no command has touched yet."""
        shutil.copytree(other.folder, self.folder, symlinks=True)

    # ------------------------------------------------------------------ git waves

    def begin(self, *words: str, before: Callable[[], None] = lambda: None) -> int:
        """Start `git waves …` in a child and return its pid; `before` is called in the child first."""
        sys.stdout.flush()
        pid = os.fork()
        if pid:
            return pid
        code = 99
        try:
            os.setsid()
            os.environ.clear()
            os.environ.update(self.environment)
            os.chdir(self.repo)
            null = os.open(os.devnull, os.O_RDONLY)
            out = os.open(self.output, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            for source, target in ((null, 0), (out, 1), (out, 2)):
                os.dup2(source, target)
            before()
            code = entry.main(words)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def wait(self, pid: int, *, on_stop: Callable[[], None] | None = None) -> int:
        """The exit code of a child. When it stops itself, `on_stop` is called and it goes on."""
        give_up = time.monotonic() + _PATIENCE
        while True:
            ended, status = os.waitpid(pid, os.WNOHANG | os.WUNTRACED)
            if ended == 0:
                if time.monotonic() > give_up:
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
                    return -99
                time.sleep(BUSY)
            elif os.WIFSTOPPED(status):
                try:
                    if on_stop is not None:
                        on_stop()
                finally:
                    os.kill(pid, signal.SIGCONT)
            else:
                return os.waitstatus_to_exitcode(status)

    def waves(
        self,
        *words: str,
        before: Callable[[], None] = lambda: None,
        on_stop: Callable[[], None] | None = None,
    ) -> Done:
        """Run one command to its end."""
        start = self.output.stat().st_size if self.output.exists() else 0
        with self.output.open("a") as file:
            file.write(f"$ git waves {' '.join(words)}\n")
        code = self.wait(self.begin(*words, before=before), on_stop=on_stop)
        with self.output.open("a") as file:
            file.write(f"-> {code}\n")
        return Done(code=code, words=self.output.read_bytes()[start:].decode(errors="backslashreplace"))

    # ------------------------------------------------------------------ processes

    def settle(self, *, within: float = 10.0) -> list[str]:
        """Wait until every process below us has ended and bury it; the command lines of those that have not."""
        give_up = time.monotonic() + within
        while True:
            try:
                pid, _ = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return []
            if pid == 0:
                if time.monotonic() > give_up:
                    return [_words_of(child) for child in descendants()]
                time.sleep(BUSY)

    def kill_everything(self) -> None:
        """SIGKILL to every process below us, until none is left: what is left of them is what a power cut leaves."""
        while children := descendants():
            for pid in children:
                _signal(pid, signal.SIGKILL)
            try:
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            except ChildProcessError:
                return
            time.sleep(BUSY)

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Nothing below us runs meanwhile: a copy of files that are being written is no picture of any moment."""
        children = descendants()
        while True:
            for pid in children:
                _signal(pid, signal.SIGSTOP)
            known, children = children, descendants()
            if set(children) <= set(known):
                break
        try:
            yield
        finally:
            for pid in children:
                _signal(pid, signal.SIGCONT)

    # ------------------------------------------------------------------ what was written down

    def events(self) -> list[dict[str, Any]]:
        """Every event of the newest run; a torn last line left out."""
        logs = sorted(self.git_dir.glob("waves/runs/[!.]*/events.jsonl"))
        data = logs[-1].read_bytes() if logs else b""
        return [json.loads(line) for line in data[: data.rfind(b"\n") + 1].splitlines()]

    def lines(self, name: str) -> list[str]:
        """The lines of a file among the notes, where agents and gates note what they did."""
        path = self.notes / name
        return path.read_text().splitlines() if path.exists() else []

    def remove(self) -> None:
        """Give back the place."""
        shutil.rmtree(self.folder, ignore_errors=True)


def descendants() -> list[int]:
    """Every living process below this one, zombies left out."""
    found: list[int] = []
    waiting = [os.getpid()]
    table: dict[int, list[int]] = {}
    for entry_ in os.listdir("/proc"):  # noqa: PTH208  # a list of names, quickly
        if entry_.isdigit():
            try:
                fields = Path(f"/proc/{entry_}/stat").read_bytes().rpartition(b")")[2].split()
            except OSError:
                continue
            if fields[0] not in (b"Z", b"X"):
                table.setdefault(int(fields[1]), []).append(int(entry_))
    while waiting:
        children = table.get(waiting.pop(), [])
        found += children
        waiting += children
    return found


def _signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def _words_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return f"process {pid}"
