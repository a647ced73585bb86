"""The one road into the integration ref: merge into the candidate, then, behind green gates, publish."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from git_waves import refs, resetting
from git_waves.adapters import eventlog
from git_waves.adapters.merge import Candidate, Conflict, Refused, merge_tip
from git_waves.core.fold import RunState, TaskState
from git_waves.core.model import Oid, RepoPath
from git_waves.core.registration import is_made_by_a_program
from git_waves.core.treenames import TreeNames
from git_waves.setting import Setting


class Integration:
    """Moves the candidate and the integration ref of one run; `record` writes an event and folds it into the state."""

    def __init__(
        self, setting: Setting, state: RunState, record: Callable[[eventlog.AnyEvent], None]
    ) -> None:
        self._setting = setting
        self._state = state
        self._record = record
        self._names = TreeNames()

    def merge(self, task: TaskState) -> None:
        """Merge the task's tip into the candidate, or park the task with what stands in the way."""
        if not self.refs_are_ours():
            return
        git, candidate = self._setting.git, Oid(self._state.candidate)
        if git.is_ancestor(Oid(task.tip), candidate):  # an empty task, or one that is in there already
            self._merged(task, candidate, Oid(self._state.candidate_tree))
            return
        result = merge_tip(
            git,
            candidate=candidate,
            tree=Oid(self._state.candidate_tree),
            base=Oid(task.base),
            tip=Oid(task.tip),
            rules=self._setting.rules_of(task),
            message=refs.merge_message(self._state, task),
            names=self._names,
            scratch=self._setting.run_dir.path,
        )
        match result:
            case Candidate():
                if refs.move_candidate(git, self._state, task, result.commit):
                    self._merged(task, result.commit, result.tree)
                else:
                    self._park(task, "the candidate ref moved under the coordinator", (), "git waves run")
            case Conflict():
                other = refs.last_to_change(self._state, result.paths)
                beside = f" with what task '{other}' merged" if other else ""
                made = next(filter(is_made_by_a_program, result.paths), None)
                anew = f"; '{made}' is made by a program: another attempt makes it anew" if made else ""
                self._park(task, f"it conflicts{beside}{anew}", result.paths, f"git waves retry {task.id}")
            case Refused():
                self._park(task, result.reason, result.paths, f"git waves show {task.id}")
            case _:
                assert_never(result)

    def _merged(self, task: TaskState, commit: Oid, tree: Oid) -> None:
        self._record(
            eventlog.TaskMerged(task=task.id, attempt=task.attempt, tip=task.tip, commit=commit, tree=tree)
        )

    def _park(self, task: TaskState, reason: str, paths: tuple[RepoPath, ...], hint: str) -> None:
        self._record(
            eventlog.TaskParked(
                task=task.id, attempt=task.attempt, rung="merge", reason=reason, paths=list(paths), hint=hint
            )
        )

    def take_out(self, task: str, *, reason: str, hint: str) -> None:
        """Take a merged task out of the candidate and park it; raises as `resetting.follow`."""
        if self.refs_are_ours():
            self._record(resetting.reset_without(self._state, task, reason=reason, hint=hint))
            resetting.follow(self._setting.git, self._state)

    def publish(self, group: str) -> bool:
        """Move the integration ref, from the value we know, to the candidate whose gates are green; whether it moved."""
        if not self.refs_are_ours():
            return False
        state = self._state
        old, new = state.integration, state.candidate
        warning = refs.publish(self._setting.git, state)
        if warning is None:  # moved between the look and the compare-and-swap
            self.refs_are_ours()
            return False
        self._record(eventlog.Published(group=group, old=old, new=new))
        if warning:
            self._record(eventlog.Warned(message=warning))
        return True

    def refs_are_ours(self) -> bool:
        """Whether the integration ref is where the log says; else it is written down, and the run will halt."""
        if refs.integration_is_ours(self._setting.git, self._state):
            return True
        if not self._state.refs_moved:
            self._record(eventlog.RefsMoved(message=refs.moved_elsewhere(self._setting.git, self._state)))
        return False
