"""What must hold before a new run changes anything. Each check raises its own clear error, with the way out."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

from git_waves import planning, refs
from git_waves.adapters import machine_locks
from git_waves.adapters.git import Git, GitError
from git_waves.adapters.repo import Repository
from git_waves.adapters.rundir import run_dirs
from git_waves.core import fold
from git_waves.core.fold import RunState
from git_waves.core.model import Level, Oid, Plan, Schedule, Scope, Task
from git_waves.core.trying import tries_of
from git_waves.errors import HaltError, SurroundingsError, UsageError

ROOM = (
    64 * 1024 * 1024
)  # bytes that must be free before a run starts: logs, objects and one more event always fit


def refuse_violations(analysis: planning.Analysis) -> None:
    found = [finding for finding in analysis.findings if finding.level is Level.VIOLATION]
    if not found:
        return
    first = found[0]
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    error = UsageError(
        f"the plan has {len(found)} violation{'s' if len(found) > 1 else ''}: {first.code} {first.message}{more}",
        hint="'git waves plan' shows them all",
    )
    error.exit_code = 1
    raise error


def refuse_nothing_to_run(plan: Plan) -> None:
    idle = [
        task
        for task in plan.tasks
        if not task.is_done and not task.attended and task.run is None and (task.agent or plan.agent) is None
    ]
    if idle:
        names = ", ".join(f"'{task.id}'" for task in idle[:5]) + (", ..." if len(idle) > 5 else "")
        hint = (
            "name an agent in the plan: 'agent: claude', or agent: {run: 'my-agent < \"$WAVES_PROMPT_FILE\"'}"
        )
        if plan.format != "native":
            taken_over = f"git waves import {shlex.quote(plan.source)} -o .waves/plan.yaml"
            hint = f"a plan of format '{plan.format}' cannot name one: {taken_over}, then {hint}"
        raise UsageError(f"nothing says how to do {names}: no 'run', and no agent", hint=hint)


def find_base(git: Git, name: str | None) -> tuple[Oid, str]:
    """The commit a new run starts from, and how people call it. `git` is the door of the worktree the command was typed in."""
    if name is not None:
        oid = git.resolve(name)
        if oid is None:
            raise UsageError(
                f"the base '{name}' does not exist", hint="'git branch --all' lists what there is"
            )
        return oid, name
    head = git.symbolic_head()
    oid = git.resolve("HEAD")
    if oid is None:
        raise SurroundingsError("the repository has no commit yet", hint="git commit --allow-empty -m start")
    if head is None:
        raise UsageError(
            "HEAD is detached, so it is not clear what the run starts from",
            hint="name it: git waves run --base REV, or 'base:' in the plan",
        )
    return oid, head.removeprefix("refs/heads/")


def continue_from(
    git: Git, earlier: RunState, integration: Oid, base: Oid, base_name: str
) -> tuple[Oid, str, dict[str, str]]:
    """A plan that grew: what an earlier run integrated is not done again. Git decides what is in there."""
    done = {
        task.id: f"integrated by run '{earlier.run}'"
        for task in earlier.tasks.values()
        if task.status in (fold.INTEGRATED, fold.DONE)
    }
    if git.is_ancestor(integration, base):
        return base, base_name, done
    if git.is_ancestor(base, integration):
        return integration, refs.shown_branch(earlier.plan), done
    raise HaltError(
        f"'{base_name}' and '{refs.shown_branch(earlier.plan)}' have gone separate ways since run '{earlier.run}'",
        hint=f"merge one into the other, or start over from '{base_name}': git waves run --new",
    )


def changed_since(earlier: RunState, then: Plan, now: Plan) -> Iterator[str]:
    """What the plan says otherwise than when an earlier run integrated it: none of it is done again, or undone, silently."""
    integrated = {task.id for task in earlier.tasks.values() if task.status == fold.INTEGRATED}
    old = {task.id: task for task in then.tasks if task.id in integrated}
    new = {task.id: task for task in now.tasks}
    for name, task in old.items():
        if name not in new:
            yield f"task '{name}' is not in the plan any more; what it did stays in '{refs.shown_branch(now.name)}'"
        elif _meaning(task) != _meaning(new[name]):
            yield f"task '{name}' was integrated before the plan said this about it, and is not done again"
    for group in now.groups:
        members = [task for task in now.tasks if task.group == group.name]
        late = [task for task in members if task.id not in integrated and not task.is_done]
        if late and len(late) < len(members):
            names = ", ".join(f"'{task.id}'" for task in late)
            yield f"group '{group.name}' was passed before {names} came into it, and is passed once more"


def _meaning(task: Task) -> tuple[object, ...]:
    """What would make the work of a task another work."""
    claims = frozenset((str(claim.pattern), claim.intent) for claim in task.claims)
    return (claims, task.prompt, task.run, task.verify, task.handoff)


def left_out(analysis: planning.Analysis, *, only: tuple[str, ...], start_from: str | None) -> dict[str, str]:
    """Tasks that --only and --from leave out: taken as being in the base already."""
    known = {task.id for task in analysis.plan.tasks}
    for name in (*only, *([start_from] if start_from else [])):
        if name not in known:
            raise UsageError(f"the plan has no task '{name}'", hint="'git waves plan' lists them")
    out: dict[str, str] = {}
    if only:
        out.update({task: "left out by --only" for task in known if task not in only})
    if start_from:
        for group in analysis.schedule.groups:
            if start_from in group.tasks:
                break
            out.update(dict.fromkeys(group.tasks, "left out by --from"))
    return out


def refuse_taken_names(repository: Repository, plan: Plan, previous: Oid | None) -> None:
    """Branches and refs in the way: other people's below our names, and names that are a folder of ours."""
    git = repository.git
    ours = _branches_of_runs(repository.common_dir, plan.name)
    for part in ("refs/heads/waves", f"refs/heads/waves/{plan.name}", f"refs/waves/{plan.name}"):
        if git.ref(part) is not None:
            raise SurroundingsError(
                f"'{part}' exists, and is needed as a folder",
                hint=f"rename it: git branch -m {part.removeprefix('refs/heads/')} NEW",
            )
    shown = refs.shown_branch(plan.name)
    tag = f"refs/tags/{shown}"
    if git.ref(tag) is not None:
        raise SurroundingsError(
            f"the tag '{shown}' exists, and git would take it for the branch of that name",
            hint=f"rename it: git tag NEW {tag}; git tag -d {shown}",
        )
    for name in git.refs(f"refs/heads/waves/{plan.name}/"):
        is_shown = name == refs.integration_branch(plan.name) and previous is not None
        if name not in ours and not is_shown:
            short = name.removeprefix("refs/heads/")
            raise SurroundingsError(
                f"the branch '{short}' exists and belongs to no run",
                hint=f"rename it: git branch -m {short} NEW",
            )


def _branches_of_runs(common_dir: Path, plan: str) -> set[str]:
    """Every branch some run of the plan ever leased, and the one people see; of damaged logs as far as they can be read."""
    names: set[str] = set()
    for run_dir in run_dirs(common_dir):
        for line in run_dir.events.read_bytes().splitlines():
            if b'"task_leased"' in line or b'"run_started"' in line:
                names.update(_branches_in(line))
    return {name for name in names if name.startswith(f"refs/heads/waves/{plan}/")}


def _branches_in(line: bytes) -> Iterator[str]:
    try:
        event = json.loads(line)
        yield str(event["branch"]) if "branch" in event else refs.integration_branch(str(event["plan"]))
    except (ValueError, KeyError, TypeError):
        return


def worktree_folder(repository: Repository) -> Path:
    """Where worktrees go: beside the repository, or where `waves.worktreeDir` says."""
    configured = repository.git.config_path("waves.worktreeDir")
    if configured is not None:
        return configured if configured.is_absolute() else repository.main_work_tree / configured
    return repository.main_work_tree.with_name(repository.main_work_tree.name + ".waves")


def refuse_foreign_folders(git: Git, folder: Path, schedule: Schedule) -> None:
    known = {entry["worktree"] for entry in git.worktrees()}
    for group in schedule.groups:
        for task in group.tasks:
            place = folder / f"{task}.1"
            if place.exists() and str(place.resolve()) not in known:
                raise SurroundingsError(
                    f"the worktree folder '{place}' already exists and is not ours",
                    hint="move it away, or set another place: git config waves.worktreeDir PATH",
                )
    there = next(place for place in (folder, *folder.parents) if os.path.lexists(place))
    if not there.is_dir():
        raise SurroundingsError(
            f"'{there}' is in the way of the worktrees: it is no folder",
            hint="move it away, or set another place: git config waves.worktreeDir PATH",
        )


def unseen(repository: Repository, base: str, plan: str) -> str:
    """A line about work that is not committed, which no task will see; empty when there is none besides the file `plan`."""
    try:
        found = Git(repository.git_dir, work_tree=repository.work_tree).uncommitted_paths()
    except GitError as error:  # of the user's own index; a run has no need of it
        return f"note: cannot see whether everything is committed: {error.message}"
    paths = [path for path in found if path != plan]
    if not paths:
        return ""
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    are = "are" if len(paths) > 1 else "is"
    return f"note: '{paths[0]}'{more} {are} not committed: tasks start from '{base}', and will not see that"


def not_repeated(plan: Plan) -> tuple[str, ...]:
    """For which tasks the plan's own `attempts` and `fallback` do not count, in words: that must not look like obeying."""
    keys = [f"'{key}'" for key, value in (("attempts", plan.attempts), ("fallback", plan.fallback)) if value]
    found = {
        task.id: why for task in plan.tasks if not task.is_done and (why := tries_of(plan, task).ignored)
    }
    if not found:
        return ()
    names = ", ".join(f"'{task}'" for task in list(found)[:5]) + (", ..." if len(found) > 5 else "")
    why = next(iter(found.values())) if len(found) == 1 else "they may do more than change their files"
    what = f"{' and '.join(keys)} of the plan {'does' if len(keys) == 1 else 'do'} not count"
    return (f"{what} for task{'s' * (len(found) > 1)} {names}: {why}; say it in the task",)


def refuse_unusable_locks(plan: Plan) -> None:
    """What tasks share with other runs on this machine must be lockable here, whoever holds it now."""
    held = {name for task in plan.tasks for name in task.resources}
    machine_locks.check(one for one in plan.resources if one.scope is Scope.MACHINE and one.name in held)


def refuse_no_identity(git: Git) -> None:
    problem = git.identity_problem()
    if problem:
        raise SurroundingsError(
            f"git does not know who commits: {problem}",
            hint='git config user.name "Your Name"; git config user.email you@example.com',
        )


def refuse_full_disk(common_dir: Path) -> None:
    free = shutil.disk_usage(common_dir).free
    if free < ROOM:
        raise SurroundingsError(
            f"only {free // 2**20} MiB are free in '{common_dir}'",
            hint=f"make at least {ROOM // 2**20} MiB free",
        )
