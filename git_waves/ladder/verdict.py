"""The last rungs: what the agent did, whether all of it is the task's own, and whether it holds."""

from __future__ import annotations

import stat
from collections.abc import Iterable

from git_waves import refs
from git_waves.adapters import admins, archive, worktrees
from git_waves.adapters.git import Git
from git_waves.adapters.merge import ABSENT, Refused, judge
from git_waves.adapters.process import Reason
from git_waves.adapters.seal import check_seal
from git_waves.agents.verdict import nothing_done
from git_waves.core.model import CommitPolicy, Intent, Oid, RepoPath
from git_waves.core.ownership import compile_rules, foreign_paths
from git_waves.ladder.attempt import Climb, Fell, Interrupted
from git_waves.ladder.handoff import outside
from git_waves.ladder.include import given
from git_waves.ladder.jobs import how_it_ended, supervise

FEW = 10  # files; who deletes fewer has not emptied the tree, however small it is
_UNFINISHED = {
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "BISECT_LOG": "bisect",
}


def commit(state: Climb) -> Fell | None:
    """Find what the agent did: its branch's tip, and what it left uncommitted. Exit 0 alone is not success."""
    if not state.lease.folder.is_dir():
        return Fell(
            rung="",
            reason=f"its worktree '{state.lease.folder}' is gone: deleted, moved, or on a disk that is not there",
            hint=f"bring it back if it holds work, then 'git waves retry {state.task.id}'",
            is_parked=True,
        )
    tampered = check_seal(state.seal())
    if tampered:
        admins.mend_half_made(state.git, ())  # what it broke for everybody else is given back
        return Fell(
            rung="",
            reason="its worktree's git files were tampered with: "
            + ", ".join(str(one) for one in tampered[:3]),
            hint=f"look at it in '{state.lease.folder}', then 'git waves retry {state.task.id}'",
            is_parked=True,
        )
    tip, head, detached = _where_it_is(state)
    if tip is None:
        return Fell(
            rung="", reason="its branch is gone", hint=f"git waves retry {state.task.id}", is_parked=True
        )
    if head != state.lease.branch:
        return _strayed(state, head, detached)
    unfinished = [name for name in _UNFINISHED if (state.admin / name).exists()]
    if unfinished:
        return Fell(
            rung="",
            reason=f"it left an unfinished {_UNFINISHED[unfinished[0]]}",
            hint=f"finish or abort it in '{state.lease.folder}', then 'git waves retry {state.task.id}'",
            is_parked=True,
        )
    return _settle_tip(state, tip)


def _settle_tip(state: Climb, tip: Oid) -> Fell | None:
    tree, left = worktrees.uncommitted(state.git, state.lease, tip, without=outside(state))
    astray = tuple(change.path for change in left if change.path in outside(state))
    if astray:  # they were looked away from, so only its commits can say so
        return Fell(
            rung="",
            reason="it committed what is handed on and never merged",
            paths=astray,
            hint=f"such files stay uncommitted; 'git waves retry {state.task.id}'",
        )
    given_files = given(state)
    if any(change.path in given_files for change in left):
        return _took_what_was_given(change.path for change in left if change.path in given_files)
    if left:
        foreign = foreign_paths(state.rules, [change.path for change in left])
        if foreign:
            return Fell(
                rung="",
                reason="it left changes to paths it does not own",
                paths=foreign,
                hint=f"git waves show {state.task.id}",
            )
        if state.task.commit is CommitPolicy.AGENT:
            return Fell(
                rung="",
                reason="it left work uncommitted",
                paths=tuple(change.path for change in left),
                hint=f"commit it in '{state.lease.folder}' or set 'commit: auto', then 'git waves retry {state.task.id}'",
            )
        message = f"{state.task.title or state.task.id}\n\nWaves-Task: {state.task.id}\n"
        committed = worktrees.commit_leftovers(state.git, state.lease, tip, tree, message)
        if committed is None:
            return Fell(
                rung="", reason="its branch moved after it ended", hint=state.log_hint(), is_parked=True
            )
        tip = committed
    state.tip = tip
    return None


def _took_what_was_given(paths: Iterable[RepoPath]) -> Fell:
    return Fell(
        rung="",
        reason="it would merge ignored files that its worktree was given",
        paths=tuple(paths),
        hint="they stay ignored and uncommitted, whoever owns the path: see 'include' in git-waves-plan(5)",
    )


def _where_it_is(state: Climb) -> tuple[Oid | None, str | None, Oid | None]:
    """The tip of its branch, the full name of the branch that HEAD is on, and where HEAD is when it is on none."""
    own = worktrees.take_over(state.git, state.lease)
    if own is not None:
        return own.tip, own.head, own.detached
    admin = Git(state.admin)  # what the seal holds decides where git looks from there
    head = (
        admin.symbolic_head()
        if stat.S_ISREG((state.admin / "HEAD").lstat().st_mode)
        else "nothing git can read"
    )
    return state.git.ref(state.lease.branch), head, admin.resolve("HEAD") if head is None else None


def _strayed(state: Climb, head: str | None, oid: Oid | None) -> Fell:
    """HEAD is not on the task's branch. What a detached HEAD holds is pinned before anything else happens to it."""
    pin = archive.archive_of(state.lease.run, state.task.id, state.lease.attempt) + ".head"
    if oid is not None:
        archive.keep(state.git, pin, oid)
    where = f"the detached commit {oid[:12]}" if oid is not None else head or "nothing"
    return Fell(
        rung="",
        reason=f"it left its branch: HEAD is at {where}",
        hint=f"move its work to '{state.lease.branch.removeprefix('refs/heads/')}' or 'git waves retry {state.task.id}'",
        is_parked=True,
    )


def ownership(state: Climb) -> Fell | None:
    """Judge the whole attempt from trees, base to tip (product 4.4); the merge judges it again."""
    assert state.tip is not None, "the commit rung sets the tip"
    # A task may have merged what was integrated meanwhile; that is no change of its own. The ref is only a hint here:
    # the merge judges against the candidate that the event log knows.
    base = state.lease.base
    integrated = state.git.ref(refs.integration_ref(state.plan.name))
    onto = integrated if integrated is not None and state.git.is_ancestor(base, integrated) else base
    judged = judge(state.git, onto=onto, base=base, tip=state.tip, rules=state.rules)
    if isinstance(judged, Refused):
        return Fell(rung="", reason=judged.reason, paths=judged.paths, hint=f"git waves show {state.task.id}")
    given_files = given(state)
    if not given_files.isdisjoint(judged):
        return _took_what_was_given(path for path in judged if path in given_files)
    if not judged and not state.task.allow_empty and not state.task.is_checkpoint:
        return _changed_nothing(state)
    state.since, state.paths = state.git.merge_bases(onto, state.tip)[0], judged
    if len(judged) < FEW or state.handed_in:
        return None
    return _unless_it_deletes_too_much(state, state.since, state.tip)


def _unless_it_deletes_too_much(state: Climb, since: Oid, tip: Oid) -> Fell | None:
    """An agent that empties the tree, though all of it is its own, is more likely to be mistaken than to be right: unless the
    plan names what is to be deleted, a person looks. Files that were only moved are not gone."""
    changes = state.git.changes(since, tip)
    kept = {change.new for change in changes}
    gone = [change.path for change in changes if change.new_mode == ABSENT and change.old not in kept]
    meant = compile_rules(claim.pattern for claim in state.task.claims if claim.intent is Intent.DELETE)
    unmeant = foreign_paths(meant, gone)
    if len(unmeant) < FEW or 2 * len(unmeant) <= len(all_paths := state.git.paths_in(since)):
        return None
    return Fell(
        rung="",
        reason=f"it deletes {len(unmeant)} of the {len(all_paths)} files there were, and the plan does not say so",
        paths=unmeant,
        hint=f"'git waves retry {state.task.id}', or let the plan say what goes ('files: {{delete: [...]}}') and begin anew",
        is_parked=True,
    )


def _changed_nothing(state: Climb) -> Fell:
    if state.handed_in:
        return Fell(rung="", reason="it was handed in, and changes nothing", hint=state.log_hint())
    verdict = nothing_done(state.told)
    says = f": {verdict.message}" if verdict.message else ""
    return Fell(
        rung="",
        reason=f"the agent ended well and changed nothing{says}",
        hint=state.log_hint(),
        verdict=verdict,
    )


def verify(state: Climb) -> Fell | Interrupted | None:
    """The task's own checks, in its worktree. The tip is fixed: what they write is not merged."""
    for number, command in enumerate(state.task.verify):
        result = supervise(state, command, f"verify-{number}", is_known=state.has_reached("verify"))
        if result.reason is Reason.STOPPED:
            return Interrupted(reason="stopped during verify")
        if result.code != 0:
            return Fell(
                rung="",
                reason=f"verify command '{command}' {how_it_ended(result)}",
                hint=f"git waves log {state.task.id} --rung verify-{number}",
            )
    return None
