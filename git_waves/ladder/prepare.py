"""The first rungs: a worktree with files, hooks and set-up, and the proof that its hooks hold."""

from __future__ import annotations

import json
from pathlib import Path

from git_waves.adapters import hooks, worktrees
from git_waves.adapters.canary import CanaryMissed
from git_waves.adapters.canary import canary as sing
from git_waves.adapters.process import Reason
from git_waves.adapters.rundir import write_durably
from git_waves.adapters.seal import check_seal
from git_waves.core.cone import cone_of
from git_waves.errors import SurroundingsError
from git_waves.ladder.attempt import Climb, Fell, Interrupted
from git_waves.ladder.handoff import give, outside
from git_waves.ladder.include import bring_along, refuse_unclean
from git_waves.ladder.jobs import how_it_ended, last_words, supervise


def environment(state: Climb) -> Fell | Interrupted | None:
    """A worktree at the base with its files, hooks and set-up commands; left alone where an agent already began."""
    if state.has_begun():
        state.admin = _noted_admin(state)
        return None
    if state.has_reached("agent"):  # never filled again: an agent may have worked there
        return Interrupted(reason="nobody can tell any more whether its agent began")
    is_set_up_begun = bool(state.plan.setup) and state.job("setup-0").file("spec.json").exists()
    if is_set_up_begun:  # and may be at work there this moment
        state.admin = _noted_admin(state)
    else:
        try:
            fallen = _make(state)
        except SurroundingsError as error:
            if not state.is_inherited:
                raise
            # A power cut may have left half of it. No agent was there, so the next attempt begins on clean ground.
            return Interrupted(reason=f"its worktree could not be made whole: {error.message}")
        if fallen is not None:
            return fallen
    for number, command in enumerate(state.plan.setup):
        result = supervise(state, command, f"setup-{number}", timeout=state.plan.setup_timeout)
        if result.reason is Reason.STOPPED:
            return Interrupted(reason="stopped during set-up")
        if result.code != 0:
            return Fell(
                rung="",
                reason=f"set-up command '{command}' {how_it_ended(result)}{last_words(state, f'setup-{number}')}",
                hint=f"git waves log {state.task.id} --rung setup-{number}",
                is_parked=True,
            )
    return refuse_unclean(state)


def _make(state: Climb) -> Fell | None:
    """The worktree, its files and what the task is given, its hooks, and the seal on what must not change in it."""
    state.admin = worktrees.ensure(state.git, state.lease)
    write_durably(_admin_note(state), json.dumps({"admin": state.admin.name}).encode())
    worktrees.fill(state.lease, state.admin, cone=cone_of(state.plan, state.task, state.granted))
    fallen = bring_along(state) or give(state)
    if fallen is not None:
        return fallen
    if state.fence is not None:
        state.admin = worktrees.fence_in(state.git, state.lease, state.admin)
    seal = hooks.install(
        state.git,
        run_dir=state.run_dir,
        common_dir=state.git.git_dir,
        worktree=state.lease.folder,
        admin=state.admin,
        lease=state.lease_file(),
        outside=outside(state),
    )
    state.sealed = seal
    write_durably(state.run_dir.seal(state.task.id, state.lease.attempt), seal.to_bytes())
    return None


def canary(state: Climb) -> Fell | None:
    """Before an agent starts, its worktree must have refused a planted violation (product 4.3)."""
    if state.has_begun():
        return None
    tampered = check_seal(state.seal())
    if tampered:  # a set-up command that brings hooks of its own, say
        return Fell(
            rung="",
            reason=f"a set-up command changed the worktree's git files: {tampered[0]}",
            hint=f"git waves log {state.task.id} --rung setup-0",
            is_parked=True,
        )
    sung = sing(
        worktree=state.lease.folder,
        admin=state.admin,
        lease=state.lease_file(),
        scratch=state.run_dir.path,
    )
    if isinstance(sung, CanaryMissed):
        return Fell(
            rung="",
            reason=f"the hooks do not hold in its worktree: {sung.reason}",
            hint="git config --show-origin --get-all core.hooksPath",
            is_parked=True,
        )
    return None


def _noted_admin(state: Climb) -> Path:
    if state.lease.private.is_dir():
        return state.lease.private
    note = _admin_note(state)
    try:
        return state.git.git_dir / "worktrees" / Path(json.loads(note.read_bytes())["admin"]).name
    except (ValueError, KeyError, TypeError) as damage:
        raise SurroundingsError(
            f"'{note}' cannot be read any more", hint=f"git waves retry {state.task.id}"
        ) from damage


def _admin_note(state: Climb) -> Path:
    """Which administrative folder is the attempt's: noted by us, never asked of the worktree again."""
    return state.run_dir.path / "index" / f"{state.lease.name}.admin.json"
