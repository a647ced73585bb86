"""`git waves status --watch` on a terminal of its own: it draws while a run goes on, and leaves its last word behind."""

from __future__ import annotations

import os
import select
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest

from git_waves.adapters.locks import coordinator_lock
from tests.support import scenes
from tests.support.repo import ROOT, RepoBuilder


class Terminal:
    """A pseudo-terminal of 100 columns and 30 lines with `git waves status --watch` in it."""

    def __init__(self, repo: RepoBuilder) -> None:
        import fcntl
        import termios

        self.screen = b""
        self._master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        environment = {
            name: value for name, value in repo.environment.items() if name not in ("NO_COLOR", "COLUMNS")
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "git_waves", "status", "--watch"],
            cwd=repo.folder,
            env={**environment, "PYTHONPATH": str(ROOT), "TERM": "xterm"},
            stdin=slave,
            stdout=slave,
            stderr=slave,
        )
        os.close(slave)

    def read_until(self, is_there: Callable[[bytes], bool]) -> None:
        """Read what is drawn until it holds what is waited for, or the program ends."""
        deadline = time.monotonic() + 60
        while not is_there(self.screen):
            assert time.monotonic() < deadline, self.screen
            if select.select([self._master], [], [], 0.1)[0]:
                try:
                    self.screen += os.read(self._master, 65536)
                except OSError:  # Linux's way to say that nobody holds the other end any more
                    return

    def close(self) -> None:
        """End it if it still runs."""
        self.process.kill()
        self.process.wait()
        os.close(self._master)


@pytest.fixture
def terminal(repo: RepoBuilder) -> Iterator[Terminal]:
    """Looking on at a run that has not ended yet; the test holds the coordinator's lock in its stead."""
    scenes.morning(repo.folder / ".git")
    with coordinator_lock(repo.folder / ".git", "demo"):
        terminal = Terminal(repo)
        terminal.read_until(lambda screen: b"1 of 7 integrated" in screen)
    try:
        yield terminal
    finally:
        terminal.close()


def test_it_draws_until_the_run_ends_and_then_prints_the_status_once(terminal: Terminal) -> None:
    assert b"\x1b[?1049h" in terminal.screen, "on the screen that leaves no trace"
    terminal.read_until(
        lambda screen: b"is interrupted" in screen and b"next: " in screen.rpartition(b"\x1b[?1049l")[2]
    )
    assert terminal.process.wait() == 0


def test_ctrl_c_leaves_without_complaint_and_gives_the_screen_back(repo: RepoBuilder) -> None:
    scenes.morning(repo.folder / ".git")
    with coordinator_lock(repo.folder / ".git", "demo"):
        terminal = Terminal(repo)
        try:
            terminal.read_until(lambda screen: b"1 of 7 integrated" in screen)
            terminal.process.send_signal(signal.SIGINT)
            terminal.read_until(lambda screen: b"\x1b[?1049l" in screen)
            assert terminal.process.wait() == 0
        finally:
            terminal.close()
    assert b"Traceback" not in terminal.screen
