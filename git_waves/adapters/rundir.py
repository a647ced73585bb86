"""Where things lie at run time: the folder of one run below the repository's common git directory.

<common>/waves/runs/<run>/plan            the pinned plan, as bytes
                          manifest.json   who owns which path, frozen
                          events.jsonl    the event log
                          coordinator.log what `git waves run --detach` says
                          logs/           what agents, verify commands and gates printed
                          jobs/           one folder per supervised command (adapters/process)
                          hooks/          one folder of hooks per task attempt, and its seal
                          index/          our own index file per task attempt
                          prompts/        what each agent was told
                          usage/          what each agent says it has used
                          agents/         what agent programs keep of an attempt
                          inbox/          what other commands ask of the coordinator
                          private/        a repository for each fenced attempt (adapters/private)
<common>/waves/reviews/                   verdicts on plans (adapters/reviews)
<common>/waves/cache/                     what may be deleted at any time (adapters/history)
<common>/waves/<plan>.lock                held by the coordinator of that plan
<common>/waves/<plan>.holder.json         who holds it, for people
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from git_waves.adapters.durable import sync, sync_path
from git_waves.core.model import TaskId


class RunDir:
    """The folder of one run and the names inside it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.run = path.name
        self.events = path / "events.jsonl"
        self.plan = path / "plan"
        self.manifest = path / "manifest.json"
        self.inbox = path / "inbox"
        self.hooks = path / "hooks"
        self.empty = path / "empty"
        self.words = path / "coordinator.log"

    def make(self) -> None:
        """Create the folders, readable by the user only: logs may hold secrets (faults 36)."""
        self.path.mkdir(mode=0o700, parents=True)
        for name in ("logs", "jobs", "hooks", "index", "prompts", "usage", "inbox", "empty"):
            (self.path / name).mkdir(mode=0o700)

    def log(self, task: TaskId | str, attempt: int, rung: str = "agent") -> Path:
        """The log of one rung of an attempt; the agent's has the short name."""
        return (
            self.path
            / "logs"
            / (f"{task}.{attempt}.log" if rung == "agent" else f"{task}.{attempt}.{rung}.log")
        )

    def job(self, name: str) -> Path:
        """The folder of a supervised command."""
        return self.path / "jobs" / name

    def agent_state(self, task: TaskId | str, attempt: int) -> Path:
        """The folder in which the agent's program keeps what it needs between two starts of the attempt."""
        return self.path / "agents" / f"{task}.{attempt}"

    def agent_job(self, task: TaskId | str, attempt: int, turn: int = 0) -> Path:
        """The folder of an attempt's agent: `turn` counts how often it was started again in the same attempt."""
        return self.job(f"{task}.{attempt}.agent" + (f".{turn}" if turn else ""))

    def agent_jobs(self, task: TaskId | str, attempt: int) -> tuple[Path, ...]:
        """The folder of every start of an attempt's agent so far."""
        first = self.agent_job(task, attempt)
        return tuple(folder for folder in self.job_folders() if _is_turn_of(first.name, folder.name))

    def job_folders(self) -> tuple[Path, ...]:
        """The folder of every supervised command so far."""
        jobs = self.path / "jobs"
        return tuple(sorted(path for path in jobs.iterdir() if path.is_dir())) if jobs.is_dir() else ()

    def index(self, task: TaskId | str, attempt: int) -> Path:
        """Our own index file of an attempt."""
        return self.path / "index" / f"{task}.{attempt}"

    def included(self, task: TaskId | str, attempt: int) -> Path:
        """Which ignored files an attempt was given, NUL between the paths."""
        return self.path / "index" / f"{task}.{attempt}.included"

    def prompt(self, task: TaskId | str, attempt: int) -> Path:
        """What the agent of an attempt is told."""
        return self.path / "prompts" / f"{task}.{attempt}.md"

    def owned(self, task: TaskId | str, attempt: int) -> Path:
        """The list of owned paths an agent can read, one a line."""
        return self.path / "prompts" / f"{task}.{attempt}.owned"

    def diff(self, name: str) -> Path:
        """Where the diff lies that a stage (of the attempt `name`) or an integration review reads."""
        return self.path / "prompts" / f"{name}.diff"

    def resume_prompt(self, task: TaskId | str, attempt: int) -> Path:
        """What the agent of an interrupted attempt is told when it goes on."""
        return self.path / "prompts" / f"{task}.{attempt}.resume.md"

    def usage(self, task: TaskId | str, attempt: int) -> Path:
        """Where the agent of an attempt, or what wraps it, may write down what it uses."""
        return self.path / "usage" / f"{task}.{attempt}.jsonl"

    def seal(self, task: TaskId | str, attempt: int) -> Path:
        """The digests of what must not change in an attempt's worktree."""
        return self.hooks / f"{task}.{attempt}.seal.json"


def _is_turn_of(first: str, name: str) -> bool:
    turn = name.removeprefix(first)
    return name.startswith(first) and (not turn or (turn[0] == "." and turn[1:].isdecimal()))


def new_run_id(common_dir: Path) -> str:
    """A name for a new run, later in order than every run before it: the UTC time, or the second after the newest run's
    where the clock was put back or two runs begin in one second; and a few letters."""
    now = datetime.now(UTC).replace(microsecond=0, tzinfo=None)
    times = [time for run_dir in run_dirs(common_dir) if (time := _time_of(run_dir.run)) is not None]
    if times and max(times) >= now:
        now = max(times) + timedelta(seconds=1)
    return now.strftime(_TIME) + f"-{secrets.token_hex(2)}"


_TIME = "%Y%m%d-%H%M%S"


def _time_of(run: str) -> datetime | None:
    try:
        time = datetime.strptime(run.rpartition("-")[0], _TIME)  # noqa: DTZ007  # UTC throughout
    except ValueError:
        return None
    return time if time.year < 9999 else None  # planted: no run of ours comes after it


def unborn(common_dir: Path, plan: str) -> RunDir:
    """The place where a run of the plan is put together, empty: it becomes a run only with its first event.

    What a coordinator that died there left is removed; call it under the plan's lock.
    """
    path = waves_folder(common_dir) / "runs" / f".{plan}"
    if path.is_dir():
        shutil.rmtree(path)
    return RunDir(path)


def be_born(run_dir: RunDir, run: str) -> RunDir:
    """Give the run its name, in one step that survives a power cut."""
    path = run_dir.path.rename(run_dir.path.with_name(run))
    sync_path(path)
    sync_path(path.parent)
    return RunDir(path)


def waves_folder(common_dir: Path) -> Path:
    """The folder that holds everything of ours in a repository."""
    return common_dir / "waves"


def run_dirs(common_dir: Path) -> Iterator[RunDir]:
    """Every run of the repository that got as far as its first event, newest first."""
    folder = waves_folder(common_dir) / "runs"
    if folder.is_dir():
        for path in sorted(folder.iterdir(), reverse=True):
            if not path.name.startswith(".") and (path / "events.jsonl").is_file():
                yield RunDir(path)


def first_event(run_dir: RunDir) -> dict[str, Any] | None:
    """The `run_started` event, read without checking; None when the log holds no whole line or is damaged there."""
    with run_dir.events.open("rb") as file:
        line = file.readline()
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) and event.get("event") == "run_started" else None


def latest_run(common_dir: Path, plan: str | None = None) -> RunDir | None:
    """The newest run of the plan of that name, or of any plan."""
    for run_dir in run_dirs(common_dir):
        event = first_event(run_dir)
        if event is not None and (plan is None or event.get("plan") == plan):
            return run_dir
    return None


def write_durably(path: Path, content: bytes, *, mode: int = 0o600) -> None:
    """Replace a file in one step that survives a power cut: temporary name, sync, rename, sync of the folder."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            sync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_path(path.parent)


def make_durable_folder(folder: Path) -> None:
    """Make a folder and those above it, readable by the user only, so that they survive a power cut."""
    missing = [one for one in (folder, *folder.parents) if not one.is_dir()]
    for one in reversed(missing):
        one.mkdir(mode=0o700, exist_ok=True)
        sync_path(one.parent)
