"""Supervised commands in few words, and proof that none of their processes outlives a test."""

from __future__ import annotations

import os
import secrets
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from git_waves.adapters import process, supervisor
from git_waves.adapters.process import Job, JobResult, JobSpec

AGENTS = Path(__file__).parent / "agents"
MARK = "WAVES_TEST_MARK"


_PATIENCE = 60.0  # seconds; a busy machine is no failure


def eventually(condition: Callable[[], object]) -> bool:
    """Whether the condition comes true in a time that is enough everywhere; asked every few milliseconds."""
    give_up = time.monotonic() + _PATIENCE
    while not condition():
        if time.monotonic() > give_up:
            return False
        time.sleep(0.005)
    return True


def altered(change: str) -> str:
    """The start of a supervisor with something replaced in it, for `process._PROGRAM`."""
    return (
        "import errno, os, sys; sys.path.append(sys.argv[1]); import supervisor\n"
        f"{change}\n"
        "os._exit(supervisor.main(sys.argv[2]))"
    )


class JobScene:
    """Jobs in one folder, all marked in their environment. `scene.run("true").code`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.work = folder / "work"
        self.work.mkdir()
        self.mark = secrets.token_hex(8)

    def job(self, name: str = "t1.1.agent") -> Job:
        """A job whose folder is there and empty."""
        folder = self.folder / "jobs" / name
        folder.mkdir(parents=True, exist_ok=True)
        return Job(folder)

    def spec(self, *argv: str, **more: Any) -> JobSpec:
        """What to run, in the work folder, with a short grace time."""
        values: dict[str, Any] = {
            "cwd": self.work,
            "env": {**os.environ, MARK: self.mark},
            "log": self.folder / "output.log",
            "grace": 0.2,
            **more,
        }
        return JobSpec(argv=argv, **values)

    def start(self, *argv: str, name: str = "t1.1.agent", **more: Any) -> Job:
        """Start a job and hand it back."""
        job = self.job(name)
        process.start(job, self.spec(*argv, **more))
        return job

    def run(self, *argv: str, name: str = "t1.1.agent", **more: Any) -> JobResult:
        """Start a job and wait for its result."""
        return process.wait(self.start(*argv, name=name, **more))

    def agent(self, script: str) -> tuple[str, ...]:
        """The words that run one of the scripts in `tests/support/agents`."""
        path = str(AGENTS / script)
        return ("sh", path) if script.endswith(".sh") else (sys.executable, "-I", "-S", path)

    @property
    def output(self) -> bytes:
        """What the jobs wrote so far."""
        log = self.folder / "output.log"
        return log.read_bytes() if log.exists() else b""

    def has_written(self, text: bytes) -> bool:
        """Whether this text comes up in the log in time."""
        return eventually(lambda: text in self.output)

    def living(self, job: Job | None = None) -> set[int]:
        """The pids that carry our mark, or one job's cookie; supervisors are among them."""
        wanted = f"{MARK}={self.mark}"
        if job is not None:
            wanted = f"WAVES_COOKIE={supervisor.read_json(str(job.file('spec.json')))['cookie']}"
        found = set()
        for pid in supervisor.processes():
            try:
                environment = Path(f"/proc/{pid}/environ").read_bytes()
            except OSError:
                continue
            if wanted.encode() in environment.split(b"\0"):
                found.add(pid)
        return found

    def identity(self, job: Job) -> dict[str, Any]:
        """The job's `start.json`."""
        return supervisor.read_json(str(job.file("start.json")))


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[JobScene]:
    """A scene; afterwards no process that it started may be alive."""
    made = JobScene(tmp_path)
    yield made
    living = made.living()
    # A supervisor that has just written its result needs another instant to be gone.
    is_empty = eventually(lambda: not made.living())
    for pid in made.living():
        os.kill(pid, signal.SIGKILL)
    assert is_empty, f"processes left behind: {living}"
