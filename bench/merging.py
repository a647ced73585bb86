"""A run that stands before its merges: one made by hand, so that single merges of it can be measured."""

from __future__ import annotations

import itertools
from pathlib import Path

from bench.scene import add_branches, git, make_repository
from bench.timing import Sample, run_here, run_process
from git_waves import refs
from git_waves.adapters import eventlog
from git_waves.adapters.git import Git
from git_waves.adapters.rundir import RunDir
from git_waves.adapters.worktrees import branch_of
from git_waves.core.fold import RunState
from git_waves.core.model import Claim, Intent, Oid, PathPattern, PatternKind, Plan, RepoPath, Task, TaskId
from git_waves.core.ownership import build_manifest
from git_waves.integrate import Integration
from git_waves.setting import Setting

PLAN = "bench"


class Merging:
    """A repository of `files` files and so many passed tasks, each with a tip that adds one file.

    `merge_ours` merges the next tip as the coordinator does: fence, commit, candidate ref, durable event.
    `merge_with_git` merges the same tip with `git merge` in a worktree.
    """

    def __init__(self, folder: Path, files: int, *, tips: int) -> None:
        repository = folder / "repository"
        common_dir = make_repository(repository, files, checkout=False)
        names = [f"t{number}" for number in range(tips)]
        paths = {name: f"work/{name}.txt" for name in names}
        add_branches(repository, {branch_of(PLAN, name, 1): path for name, path in paths.items()})
        self._git = Git(common_dir)
        self._run_dir = RunDir(common_dir / "waves" / "runs" / "r1")
        self._run_dir.make()
        self._log = eventlog.EventLog.create(self._run_dir.events)
        self._state = RunState()
        plan = _plan(paths)
        self._begin(plan, Oid(git("rev-parse", "main", cwd=repository)))
        setting = Setting(
            git=self._git,
            main_work_tree=repository,
            worktree_folder=folder / "worktrees",
            run_dir=self._run_dir,
            plan=plan,
            manifest=build_manifest(plan),
            conflicts={},
            resources={},
        )
        self._integration = Integration(setting, self._state, self._record)
        self._ours, self._theirs = itertools.cycle(names), itertools.cycle(names)
        self._checkout = folder / "integration"
        git("worktree", "add", "-q", "-b", "integration", str(self._checkout), "main", cwd=repository)

    def _record(self, event: eventlog.AnyEvent) -> None:
        self._state.apply(self._log.append(event))

    def _begin(self, plan: Plan, base: Oid) -> None:
        names = [task.id for task in plan.tasks]
        self._record(
            eventlog.RunStarted(
                run=self._run_dir.run,
                plan=PLAN,
                source="plan.yaml",
                plan_blob=self._git.hash_blob(b"plan"),
                previous="",
                base=base,
                base_tree=self._git.tree_of(base),
                base_name="main",
                scheduler="dag-parallel",
                on_failure="halt",
                max_parallel=2,
                groups=[eventlog.GroupRecord(name="1", rounds=[list(names)], gates=[], holds=[])],
                tasks=[
                    eventlog.TaskRecord(id=name, title="", group="1", needs=[], status="pending")
                    for name in names
                ],
                coordinator=eventlog.Coordinator(pid=1, host="bench", started="", version="0"),
            )
        )
        refs.begin(self._git, self._state, previous="")
        tips = self._git.refs(f"refs/heads/waves/{PLAN}/")
        for task in plan.tasks:
            branch = branch_of(PLAN, task.id, 1)
            paths = [claim.pattern.text for claim in task.claims]
            self._record(eventlog.TaskLeased(task=task.id, attempt=1, branch=branch, base=base, worktree=""))
            self._record(eventlog.TaskPassed(task=task.id, attempt=1, tip=tips[branch], paths=list(paths)))

    def merge_ours(self) -> Sample:
        """Merge the next task into the candidate; RuntimeError when it was not merged."""
        task = self._state.tasks[next(self._ours)]
        sample = run_here(lambda: self._integration.merge(task))
        if task.status != "merged":
            raise RuntimeError(f"task '{task.id}' is {task.status}: {task.reason}")
        return sample

    def merge_with_git(self) -> Sample:
        """Merge the same task's branch in a worktree."""
        branch = branch_of(PLAN, next(self._theirs), 1)
        return run_process(["git", "merge", "--quiet", "--no-ff", "--no-edit", branch], cwd=self._checkout)

    def close(self) -> None:
        """Let go of the log."""
        self._log.close()


def _plan(paths: dict[str, str]) -> Plan:
    return Plan(
        name=PLAN,
        source="plan.yaml",
        tasks=tuple(
            Task(
                id=TaskId(name),
                claims=(
                    Claim(
                        pattern=PathPattern(kind=PatternKind.FILE, text=RepoPath(path)), intent=Intent.CREATE
                    ),
                ),
            )
            for name, path in paths.items()
        ),
    )
