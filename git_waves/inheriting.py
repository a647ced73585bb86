"""What a coordinator does first about what an earlier one left: half-made things mended, pinned things as they were pinned,
nothing running that nobody waits for.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from git_waves.adapters import admins, process, worktrees
from git_waves.adapters.git import Git
from git_waves.adapters.rundir import RunDir, write_durably
from git_waves.core.fold import LIVE, RunState
from git_waves.errors import SurroundingsError
from git_waves.gates import JOBS as GATE_JOBS


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


def mend_half_made(git: Git, state: RunState, folder: Path) -> None:
    """Remove what a killed `git worktree add` left of attempts that are to go on and of the last gates: it can break git for
    the whole repository. `folder` is where the plan's worktrees are."""
    places = [Path(task.worktree) for task in state.tasks.values() if task.worktree and task.status in LIVE]
    admins.mend_half_made(git, [*places, folder / f"gate.{state.gate_rounds}"])


def drop_scratch(run_dir: RunDir) -> None:
    """Remove what a coordinator that was killed had unpacked for the moment: attributes of a merge, a quarantine, a canary."""
    for kind in ("attributes-*", "foresight-*", "canary-*"):
        for folder in run_dir.path.glob(kind):
            shutil.rmtree(folder, ignore_errors=True)


def end_stray_gates(git: Git, run_dir: RunDir, folder: Path) -> Iterator[str]:
    """End gates that a dead coordinator left running and drop their worktrees; gates are simply run again. Yields what
    people should know."""
    for job_folder in run_dir.job_folders():
        job = process.Job(job_folder)
        if job_folder.name.startswith(GATE_JOBS) and process.stop(job):
            process.wait(job)
    for gate in sorted(folder.glob("gate.*")):
        left = worktrees.drop_throwaway(git, gate)
        if left:
            yield f"the gates' worktree '{gate}' is still there, git would not remove it: {left}"


def end_jobs(run_dir: RunDir) -> int:
    """End everything that still runs of a run nobody will go on with; how many commands that were. Their worktrees stay."""
    jobs = [process.Job(folder) for folder in run_dir.job_folders()]
    asked = [job for job in jobs if process.stop(job)]
    for job in asked:
        process.wait(job)
    return len(asked)
