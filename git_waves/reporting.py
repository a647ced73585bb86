"""Everything a report is made of, gathered from a run's log, git and the logs of agents, and where a report is written."""

from __future__ import annotations

import json
import os
import stat
import time
from itertools import islice
from pathlib import Path

from git_waves import lookup
from git_waves.adapters import eventlog
from git_waves.adapters.git import Git, GitError
from git_waves.adapters.repo import Repository
from git_waves.adapters.rundir import RunDir, latest_run, run_dirs, write_durably
from git_waves.core import fold
from git_waves.core.archived import PREFIX
from git_waves.core.fold import RunState
from git_waves.core.model import Oid, Plan
from git_waves.core.ownership import OwnershipManifest
from git_waves.core.report import LogEnd, Material, Report, build_report
from git_waves.core.report.model import Change
from git_waves.errors import PlanError, UsageError
from git_waves.formats import read_plan
from git_waves.formats.source import PlanText

_TAIL = 24 * 1024  # bytes of a log that are read, from its end
MARK = b"git-waves report"
"""What the beginning of every report holds, so that one is told from somebody's work."""


def report(repository: Repository, *, plan: str | None = None, run: str | None = None) -> Report:
    """The report of the run of that name, else of the newest run of the plan, else of the newest of all.

    Raises UsageError when there is none, LogDamagedError when its log cannot be believed.
    """
    run_dir = _find(repository.common_dir, plan, run)
    events, size = eventlog.read_events(run_dir.events)
    found = lookup.FoundRun(run_dir=run_dir, state=fold.fold(events), size=size)
    newest = latest_run(repository.common_dir, found.state.plan)
    is_newest = newest is not None and newest.run == run_dir.run
    pinned, manifest, unknown = _pinned(repository.git, run_dir, found.state)
    return build_report(
        Material(
            events=events,
            is_running=is_newest and lookup.is_running(repository, found),
            now=time.time(),
            plan=pinned,
            manifest=manifest,
            unknown=unknown,
            archives=frozenset(repository.git.refs(f"{PREFIX}{found.state.run}/")),
            change=_change(repository.git, found.state),
            logs=frozenset(path.name for path in (run_dir.path / "logs").glob("*.log")),
            read_log=lambda name: _end_of(run_dir.path / "logs", name),
        )
    )


def _find(common_dir: Path, plan: str | None, run: str | None) -> RunDir:
    if run is None:
        return lookup.newest(common_dir, plan)
    for run_dir in run_dirs(common_dir):
        if run_dir.run == run:
            return run_dir
    names = ", ".join(f"'{run_dir.run}'" for run_dir in islice(run_dirs(common_dir), 3))
    raise UsageError(
        f"there is no run '{run}' here", hint=f"the newest are {names}" if names else "git waves run"
    )


def _pinned(git: Git, run_dir: RunDir, state: RunState) -> tuple[Plan | None, OwnershipManifest | None, str]:
    """Plan and manifest as the run pinned them, or why they cannot be had. Git's copies: the files are in agents' reach."""
    try:
        plan = git.blob(state.plan_blob)
        manifest = git.blob(state.manifest_blob) if state.manifest_blob else None
        if plan is None or manifest is None:
            return None, None, "git does not have the plan and the manifest of this run any more"
        facts = json.loads((run_dir.path / "plan.json").read_bytes())
        text = PlanText(name_hint=facts["name"], source=facts["source"], data=plan)
        return (
            read_plan(text, known_agents=None),
            OwnershipManifest.from_json(json.loads(manifest)),
            "",
        )
    except (PlanError, OSError, ValueError, KeyError, TypeError) as error:
        why = error.problems[0].message if isinstance(error, PlanError) else str(error)
        return None, None, f"the pinned plan or manifest of this run cannot be read: {why}"


def _change(git: Git, state: RunState) -> Change | None:
    base, integration = Oid(state.base), Oid(state.integration)
    try:
        return Change(commits=git.count_commits(base, integration), files=len(git.changes(base, integration)))
    except GitError:  # collected since
        return None


def _end_of(folder: Path, name: str) -> LogEnd | None:
    """Agents can write in this folder: only plain files that lie in it are read, and of those only the end."""
    if not name or "/" in name:
        return None
    try:
        descriptor = os.open(folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode):
            return None
        start = max(about.st_size - _TAIL, 0)
        file.seek(start)
        return LogEnd(text=file.read(_TAIL).decode("utf-8", "surrogateescape"), is_cut=start > 0)


def write(folder: Path, name: str, text: str) -> None:
    """Write a report to a file, named from `folder`, in one step, readable by its user only; over an older report, but
    over nothing else. Raises UsageError when something else is there, or it cannot be written."""
    file = folder / name
    try:
        if file.is_dir():
            raise UsageError(f"'{name}' is a directory", hint="name a file")
        if file.exists() and not _is_ours(file):
            raise UsageError(f"'{name}' is there already, and is no report of ours", hint="name another file")
        file.parent.mkdir(parents=True, exist_ok=True)
        write_durably(file, text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise UsageError(f"cannot write '{name}': {error.strerror}") from error


def _is_ours(file: Path) -> bool:
    with file.open("rb") as old:
        return MARK in old.read(200)
