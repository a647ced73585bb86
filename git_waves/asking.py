"""What a person asks of a run from another terminal: stop, retry, skip, done. Checked here, carried out by `control`."""

from __future__ import annotations

import getpass
import json
import os
from collections.abc import Mapping
from dataclasses import replace

from git_waves import control, lookup, preflight, resetting
from git_waves.adapters import locks
from git_waves.adapters.repo import Repository
from git_waves.core import fold
from git_waves.core.answers import Asked
from git_waves.core.fold import TaskState
from git_waves.errors import UsageError
from git_waves.inheriting import is_at_work, settle_debts
from git_waves.requests import file_path


def stop(repository: Repository, *, plan: str | None, now: bool) -> Asked:
    """Ask the coordinator to leave. When none runs, let the background writers go on that one left stopped; UsageError
    when there are none, or agents still work."""
    found = _find_run(repository, plan)
    name = found.state.plan
    if not lookup.is_running(repository, found):
        if found.state.quiesced:
            return _settle(repository, found)
        raise UsageError(f"plan '{name}' is not being run", hint="'git waves status' says how it stands")
    message = {"kind": "stop", "now": "yes" if now else "no", "by": f"{_user()} (process {os.getpid()})"}
    return Asked(
        plan=name,
        source=found.state.source,
        task="",
        is_running=control.send(repository.common_dir, found.run_dir, message),
    )


def _settle(repository: Repository, found: lookup.FoundRun) -> Asked:
    plan = found.state.plan
    with locks.coordinator_lock(repository.common_dir, plan):
        if is_at_work(found.run_dir):
            names = ", ".join(f"'{name}'" for name in found.state.quiesced)
            raise UsageError(
                f"agents of plan '{plan}' still work without a coordinator, so {names} must stay stopped",
                hint="'git waves run' takes them up, then 'git waves stop'",
            )
        folder = preflight.worktree_folder(repository) / plan
        state, told = settle_debts(repository, found.run_dir, folder=folder)
    return Asked(
        plan=plan, source=state.source, task="", is_running=False, told=told, is_done=not state.quiesced
    )


def retry(
    repository: Repository,
    task_id: str,
    *,
    plan: str | None,
    grant: tuple[str, ...],
    budget: Mapping[str, float | None],
) -> Asked:
    """Ask for another attempt, with paths (from the current folder) granted besides the task's own, and with limits that are
    new.

    Raises UsageError when the task cannot be tried again, or a path is another unfinished task's.
    """
    found = _find_run(repository, plan)
    task = lookup.find_task(found, task_id)
    paths = tuple(file_path(repository, text) for text in grant)
    control.check_retry(found.state, task.id, paths, control.read_manifest(found.run_dir))
    if (paths or budget) and lookup.is_running(repository, found):
        why = control.NO_GRANT if paths else control.NO_LIMITS
        raise UsageError(why, hint="'git waves stop', and then again")
    message = {
        "kind": "retry",
        "task": task.id,
        "grant": json.dumps(paths),
        "budget": json.dumps(dict(budget)),
    }
    asked = _asked(repository, found, task, message)
    return replace(asked, granted=paths, limits=dict(budget))


def done(repository: Repository, task_id: str, *, plan: str | None) -> Asked:
    """Hand an attended task in: what is left of its rungs is climbed. UsageError when it does not wait for a person."""
    found = _find_run(repository, plan)
    task = lookup.find_task(found, task_id)
    control.check_done(found.state, task.id)
    message = {"kind": "done", "task": task.id, "attempt": str(task.attempt), "by": _user()}
    return _asked(repository, found, task, message)


def skip(repository: Repository, task_id: str, *, plan: str | None, reason: str) -> Asked:
    """Ask to go on without a task; UsageError when it is through already, or no reason is given."""
    found = _find_run(repository, plan)
    task = lookup.find_task(found, task_id)
    if not reason.strip():
        raise UsageError(
            "a skip needs a reason, the morning's reader will ask", hint="--reason 'not needed any more'"
        )
    control.check_skip(found.state, task.id)
    message = {"kind": "skip", "task": task.id, "reason": reason}
    return _asked(repository, found, task, message)


def _asked(repository: Repository, found: lookup.FoundRun, task: TaskState, message: dict[str, str]) -> Asked:
    rest = resetting.rest_without(found.state, task.id) if task.status == fold.MERGED else None
    return Asked(
        plan=found.state.plan,
        source=found.state.source,
        task=task.id,
        is_running=control.send(repository.common_dir, found.run_dir, message),
        rest=rest,
    )


def _find_run(repository: Repository, plan: str | None) -> lookup.FoundRun:
    """The run that is meant; UsageError for one of its own agents, which may ask for a path and decides nothing."""
    found = lookup.find_run(repository, plan)
    if os.environ.get("WAVES_RUN") == found.state.run:
        raise UsageError(
            f"this is for the people who watch run '{found.state.run}', not for its agents",
            hint="git waves request PATH --reason WHY",
        )
    return found


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "somebody"
