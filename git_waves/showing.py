"""Everything about one task of a run, gathered from the log, the frozen manifest and git."""

from __future__ import annotations

from git_waves import control, handing, inheriting, lookup, planning
from git_waves.adapters import eventlog
from git_waves.adapters.git import GitError
from git_waves.adapters.repo import Repository
from git_waves.adapters.rundir import latest_run
from git_waves.core import fold
from git_waves.core.answers import RungTime, Shown
from git_waves.core.fold import TaskState
from git_waves.core.model import Oid, RepoPath, TaskId
from git_waves.core.prompt import build_prompt
from git_waves.core.spending import changed, limits_of
from git_waves.errors import PlanError, SurroundingsError, UsageError


def gather(repository: Repository, task_id: str, *, plan: str | None) -> Shown:
    """The task of that id in the newest run; UsageError when there is none."""
    found = lookup.find_run(repository, plan)
    task = lookup.find_task(found, task_id)
    tip = repository.git.ref(task.branch) if task.branch else None
    return Shown(
        state=found.state,
        task=task,
        claims=control.read_manifest(found.run_dir).claims(TaskId(task.id)),
        limits=_limits(found, task),
        rungs=_rungs(found, task.id),
        tip=tip,
        stat=_stat(repository, task, tip),
        given=tuple(
            (path, need) for need in task.needs for path in _handed_on(repository, found.state.tasks[need])
        ),
        handed_on=_handed_on(repository, task),
        is_running=lookup.is_running(repository, found),
    )


def prompt_of(repository: Repository, task_id: str, *, plan: str | None) -> str:
    """What the agent of the task was told; for a task that waits, and before any run, what it would be told.

    UsageError when there is no such task, PlanError when nothing has run and the plan cannot be read.
    """
    if plan is None and latest_run(repository.common_dir, None) is None:
        return _prompt_before_a_run(repository, task_id)
    found = lookup.find_run(repository, plan)
    task = lookup.find_task(found, task_id)
    if task.attempt and task.status != fold.PENDING:
        place = found.run_dir.resume_prompt if task.resumes else found.run_dir.prompt
        try:
            return place(task.id, task.attempt).read_text(encoding="utf-8", errors="surrogateescape")
        except OSError:  # it fell before its agent, or somebody cleaned up
            pass
    pinned = inheriting.pinned_plan(found.run_dir)
    return build_prompt(
        pinned,
        pinned.task(TaskId(task.id)),
        tuple(RepoPath(path) for path in task.granted),
        handing.received(repository.git, pinned, found.state, task),
        tuple(task.earlier),
    )


def _prompt_before_a_run(repository: Repository, task_id: str) -> str:
    plan = planning.read(planning.read_text(repository, None), repository)
    try:
        return build_prompt(plan, plan.task(TaskId(task_id)))
    except KeyError as unknown:
        raise UsageError(
            f"plan '{plan.name}' has no task '{task_id}'", hint="'git waves plan' lists them"
        ) from unknown


def _limits(found: lookup.FoundRun, task: TaskState) -> dict[str, float | None]:
    try:
        plan = inheriting.pinned_plan(found.run_dir)
    except (
        PlanError,
        SurroundingsError,
        OSError,
        ValueError,
        KeyError,
    ):  # somebody changed it; the run says so
        return {}
    return limits_of(changed(plan.task(TaskId(task.id)).budget, task.budget))


def _handed_on(repository: Repository, task: TaskState) -> tuple[RepoPath, ...]:
    return repository.git.paths_in(Oid(task.handed_on)) if task.handed_on else ()


def _stat(repository: Repository, task: TaskState, tip: Oid | None) -> str:
    newest = Oid(task.tip) if task.tip else tip
    if newest is None or not task.base or newest == task.base:
        return ""
    try:
        return repository.git.diff_stat(Oid(task.base), newest)
    except GitError:  # collected since; the rest is still worth showing
        return ""


def _rungs(found: lookup.FoundRun, task_id: str) -> tuple[RungTime, ...]:
    """Read from the log; what counts as the end of a rung is the next event of the same task."""
    rungs: list[RungTime] = []
    events, _size = eventlog.read_events(found.run_dir.events)
    for event in events:
        if event.get("task") != task_id:
            continue
        if rungs and not rungs[-1].ended:
            last = rungs.pop()
            rungs.append(RungTime(attempt=last.attempt, rung=last.rung, began=last.began, ended=event["at"]))
        if event["event"] == "rung_reached":
            rungs.append(RungTime(attempt=event["attempt"], rung=event["rung"], began=event["at"], ended=""))
    return tuple(rungs)
