"""What a coordinator does first about what an earlier one left: half-made things mended, pinned things as they were pinned,
nothing running that nobody waits for.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from git_waves import control
from git_waves.adapters import admins, dead_locks, eventlog, process, throwaway
from git_waves.adapters.git import Git
from git_waves.adapters.repo import Repository
from git_waves.adapters.rundir import RunDir, write_durably
from git_waves.background import QUIESCES, RESUMES, Scene, settle, wait_for_strays
from git_waves.core.fold import LIVE, RunState
from git_waves.core.model import Oid, Plan
from git_waves.errors import SurroundingsError
from git_waves.formats import read_plan
from git_waves.formats.source import PlanText
from git_waves.gateroom import JOBS as GATE_JOBS


def restore_pinned(git: Git, run_dir: RunDir, state: RunState) -> Iterator[str]:
    """See to it that plan and manifest are what the run began with, and tell which were not: agents can write them.

    Raises SurroundingsError when the pinned content is nowhere to be had.
    """
    for path, blob in ((run_dir.plan, state.plan_blob), (run_dir.manifest, state.manifest_blob)):
        # Written, not only compared: until the run has its refs nothing else keeps the object.
        if not blob or (path.is_file() and git.hash_blob(path.read_bytes()) == blob):
            continue
        content = git.blob(blob)
        if content is None:
            raise SurroundingsError(
                f"'{path}' was changed since the run began, and git does not have it any more",
                hint="'git waves run --new' starts over, merged work stays in its refs",
            )
        write_durably(path, content)
        yield f"'{path}' was changed by somebody since the run began, and was put back"


def pinned_plan(run_dir: RunDir) -> Plan:
    """The plan as it was when the run began. SurroundingsError when what it was called cannot be read any more."""
    path = run_dir.path / "plan.json"
    try:
        pinned = json.loads(path.read_bytes())
        name, source = pinned["name"], pinned["source"]
    except (FileNotFoundError, ValueError, KeyError, TypeError) as error:
        raise SurroundingsError(
            f"'{path}' is damaged: {error}",
            hint="'git waves run --new' starts over, merged work stays in its refs",
        ) from error
    text = PlanText(name_hint=name, source=source, data=run_dir.plan.read_bytes())
    return read_plan(text, known_agents=None)


def settle_background(
    repository: Repository,
    run_dir: RunDir,
    state: RunState,
    record: Callable[[eventlog.AnyEvent], None],
    *,
    folder: Path,
) -> None:
    """Let the background writers go on that a run without a coordinator has left stopped. Under the plan's lock."""
    if state.quiesced:
        wait_for_strays(run_dir)
        for words in restore_pinned(
            repository.git, run_dir, state
        ):  # whose commands these are is not for agents to say
            record(eventlog.Warned(message=words))
        scene = Scene(
            git=repository.git,
            run_dir=run_dir,
            plan=pinned_plan(run_dir),
            base=Oid(state.base),
            folder=folder,
            main_work_tree=repository.main_work_tree,
        )
        settle(scene, state, record)


def settle_debts(
    repository: Repository, run_dir: RunDir, *, folder: Path
) -> tuple[RunState, tuple[str, ...]]:
    """The same for a run that nobody goes on with, written into its log: its state, and what became of it in words."""
    state, size = control.load(run_dir)
    if not state.quiesced:
        return state, ()
    told: list[str] = []
    log = eventlog.EventLog(run_dir.events, events=state.events, size=size)

    def record(event: eventlog.AnyEvent) -> None:
        state.apply(log.append(event))
        if isinstance(event, eventlog.BackgroundRestored):
            told.append(f"background writer '{event.name}' goes on")
        elif isinstance(event, eventlog.Warned):
            told.append(f"warning: {event.message}")

    try:
        settle_background(repository, run_dir, state, record, folder=folder)
    finally:
        log.close()
    return state, tuple(told)


def is_at_work(run_dir: RunDir) -> bool:
    """Whether some command of the run still runs, other than those of background writers."""
    return any(
        process.is_alive(process.Job(folder))
        for folder in run_dir.job_folders()
        if not folder.name.startswith((QUIESCES, RESUMES))
    )


def mend_half_made(git: Git, state: RunState, folder: Path) -> None:
    """Remove what a killed `git worktree add` left of attempts that are to go on and of the last gates: it can break git for
    the whole repository. `folder` is where the plan's worktrees are."""
    places = [Path(task.worktree) for task in state.tasks.values() if task.worktree and task.status in LIVE]
    gates = {folder / f"gate.{state.gate_rounds}", *folder.glob("gate.*")}
    admins.mend_half_made(git, [*places, *sorted(gates)])


def drop_scratch(run_dir: RunDir) -> None:
    """Remove what a coordinator that was killed had unpacked for the moment: attributes of a merge, a quarantine, a canary."""
    for kind in ("attributes-*", "foresight-*", "canary-*", "submodule-*"):
        for folder in run_dir.path.glob(kind):
            shutil.rmtree(folder, ignore_errors=True)


def remove_dead_locks(repository: Repository, run_dir: RunDir, plan: str, *, folder: Path) -> Iterator[str]:
    """Remove the locks on refs and worktrees of the plan that a killed git left; yields what people should know. `folder` is
    where the plan's worktrees are."""
    began = (run_dir.path / "plan.json").stat().st_mtime
    common_dir, main = repository.common_dir, repository.main_work_tree
    for lock in dead_locks.remove_dead(common_dir, main, folder, plan, since=began):
        yield f"removed the lock '{lock}', which a git that was killed had left"


def end_stray_gates(git: Git, run_dir: RunDir, folder: Path) -> Iterator[str]:
    """End gates that a dead coordinator left running and drop their worktrees; gates are simply run again. Yields what
    people should know."""
    for job_folder in run_dir.job_folders():
        job = process.Job(job_folder)
        if job_folder.name.startswith(GATE_JOBS) and process.stop(job):
            process.wait(job)
    for gate in throwaway.gates_in(git, folder):
        left = throwaway.drop(git, gate)
        if left:
            yield f"the gates' worktree '{gate}' is still there, git would not remove it: {left}"


def end_jobs(run_dir: RunDir) -> int:
    """End everything that still runs of a run nobody will go on with; how many commands that were. Their worktrees stay."""
    wait_for_strays(run_dir)
    jobs = [process.Job(folder) for folder in run_dir.job_folders()]
    asked = [job for job in jobs if process.stop(job)]
    for job in asked:
        process.wait(job)
    return len(asked)
