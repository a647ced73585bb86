"""A merged task taken out of the candidate again, because of a red gate or because a person says so.

The event comes first and the ref follows it: a coordinator that dies in between leaves the candidate's ref where it was,
and the next one moves it. What the ref pointed at is archived before it moves.
"""

from __future__ import annotations

from git_waves import refs
from git_waves.adapters import archive, eventlog
from git_waves.adapters.git import Git
from git_waves.core import fold
from git_waves.core.chain import Rest
from git_waves.core.fold import RunState
from git_waves.errors import HaltError, SurroundingsError


def reset_without(state: RunState, task: str, *, reason: str, hint: str) -> eventlog.CandidateReset:
    """The event that takes an unproven task out. What holds its work starts over, the rest is merged again."""
    rest = rest_without(state, task)
    return eventlog.CandidateReset(
        group=state.tasks[task].group,
        commit=rest.commit,
        tree=rest.tree,
        culprits=[task],
        again=rest.again,
        restart=rest.restart,
        reason=reason,
        hint=hint,
    )


def rest_without(state: RunState, task: str) -> Rest:
    """What is left of the candidate without an unproven task."""
    unmerged = [
        (other.id, other.base)
        for other in state.tasks.values()
        if other.status == fold.PASSED or (other.status == fold.PENDING and other.is_resumable)
    ]
    return state.chain.without(task, unmerged=unmerged)


def follow(git: Git, state: RunState) -> None:
    """Move the candidate's ref to where the log went back to, if that is still to be done; safe to repeat.

    Raises HaltError when it moves at the same moment, SurroundingsError when nothing can be archived.
    """
    ref = refs.candidate_ref(state.plan, state.run)
    now = git.ref(ref)
    if now is None or now == state.candidate or now not in state.chain.left_behind:
        return  # none of ours to move: what else it may mean is told by `refs.reconcile`
    if archive.keep(git, refs.reset_candidate_ref(state.run), now) is None:
        raise SurroundingsError(f"'{refs.reset_candidate_ref(state.run)}' could not be written")
    commands = [f"update {ref} {state.candidate} {now}"]
    for task in state.tasks.values():  # a tip hangs on the candidate or on its pin
        pin = refs.passed_ref(state.plan, state.run, task.id, task.attempt)
        if task.status == fold.PASSED and git.ref(pin) is None:
            commands.append(f"create {pin} {task.tip}")
    if not git.update_refs(commands, message="waves: take a task out of the candidate"):
        raise HaltError(
            f"'{ref}' moved under the coordinator",
            hint=f"put it back: git update-ref {ref} {state.candidate}",
        )
