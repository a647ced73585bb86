"""Whether a gate can be red: its control, or the group's change to what it guards taken back, in a worktree that is thrown
away. Red is the proof; green is blind; everything else is no measurement and is said to be none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from git_waves.adapters.eventlog import GateFinished
from git_waves.adapters.git import GitError
from git_waves.core.gatewords import Purpose, Verdict
from git_waves.core.judging import GateRun, is_accepted, proof
from git_waves.core.model import Control, Gate, Oid, RepoPath
from git_waves.core.paths import matches
from git_waves.gateroom import JOBS, Order, Room, Rooms, SetUpError, is_green

_MOST_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wrong:
    """A tree made wrong: the commit to check out, what differs, and in words; `control` is still to be run there."""

    commit: Oid
    paths: tuple[RepoPath, ...]
    words: str
    control: Control | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What came of it."""

    verdict: Verdict
    reason: str
    runs: tuple[GateRun, ...] = ()
    paths: tuple[RepoPath, ...] = ()


def prove(order: Order, rooms: Rooms) -> Iterator[GateFinished]:
    """An event for each gate of an order whose purpose is CONTROL or MUTATION."""
    for gate in order.plan.gates:
        if gate.name in order.gates:
            yield _finished(order, gate, _proved(order, rooms, gate))


def _proved(order: Order, rooms: Rooms, gate: Gate) -> _Found:
    wrong = _controlled(order, gate) if order.purpose is Purpose.CONTROL else _mutated(order, gate)
    if isinstance(wrong, _Found):
        return wrong
    known = order.known.get(gate.name)
    runs: list[GateRun] = []
    paths = wrong.paths
    for number in range(gate.retries + 1):  # red once may be chance where a gate is known to be flaky
        with rooms.room(commit=wrong.commit, tag=f"{number + 1}" if number else "") as room:
            tried = _tried(room, gate, wrong)
        if isinstance(tried, _Found):
            return tried
        run, changed = tried
        paths = paths or changed
        runs.append(run)
        if is_accepted(run, known):
            break
    if wrong.control is not None and not paths and is_accepted(runs[0], known):
        return _Found(
            verdict=Verdict.UNMEASURED,
            reason=f"its control '{wrong.control.command}' changed nothing",
            runs=tuple(runs),
        )
    verdict, words = proof(runs, known=known)
    return _Found(verdict=verdict, reason=f"with {wrong.words} {words}", runs=tuple(runs), paths=paths)


def _tried(room: Room, gate: Gate, wrong: _Wrong) -> tuple[GateRun, tuple[RepoPath, ...]] | _Found:
    """One run of the gate in a room that is wrong already, or is made so first: before the set-up, as a bad commit is."""
    changed: tuple[RepoPath, ...] = ()
    if wrong.control is not None and wrong.control.command is not None:
        log = room.log(gate.name, f"control{room.tag}")
        result = room.execute(wrong.control.command, f"{gate.name}-control", log, timeout=gate.timeout)
        if not is_green(result):
            how = f"ended with exit code {result.code}" if result.code else f"ended: {result.reason}"
            run = GateRun(code=result.code, reason=how, seconds=result.seconds, log=str(log))
            words = f"its control '{wrong.control.command}' {how}"
            return _Found(verdict=Verdict.UNMEASURED, reason=words, runs=(run,))
        changed = room.changed_paths()
    try:
        room.set_up()
    except SetUpError as error:
        words = f"with {wrong.words} {error.run.reason}"
        return _Found(verdict=Verdict.UNMEASURED, reason=words, runs=(error.run,))
    room.prepare_for(gate)
    return room.run(gate), changed


# ---------------------------------------------------------------------- making trees wrong


def _controlled(order: Order, gate: Gate) -> _Wrong | _Found:
    control = gate.control
    assert control is not None, "only gates with a control are asked for one"
    words = "its control in place"
    if control.patch is None:
        return _Wrong(commit=order.commit, paths=(), words=words, control=control)
    patch = order.git.blob(f"{order.base}:{control.patch}")
    if patch is None:
        reason = f"its control '{control.patch}' is not in {order.base[:10]}, which the run began from"
        return _Found(verdict=Verdict.UNMEASURED, reason=reason)
    try:
        tree = order.git.apply_patch(order.tree, patch, index=_index(order))
    except GitError as error:
        reason = f"its control '{control.patch}' does not apply: {error.stderr}"
        return _Found(verdict=Verdict.UNMEASURED, reason=reason)
    finally:
        _index(order).unlink(missing_ok=True)
    paths = tuple(change.path for change in order.git.changes(order.tree, tree))
    if not paths:
        return _Found(verdict=Verdict.UNMEASURED, reason=f"its control '{control.patch}' changes nothing")
    return _Wrong(commit=_commit(order, tree), paths=paths, words=words)


def _mutated(order: Order, gate: Gate) -> _Wrong | _Found:
    changes = [
        change
        for change in order.git.changes(order.integration, order.commit)
        if any(matches(guard, change.path) for guard in gate.guards)
    ]
    paths = tuple(change.path for change in changes)
    if not paths:
        reason = f"group '{order.group}' changed nothing that it guards"
        return _Found(verdict=Verdict.INAPPLICABLE, reason=reason)
    try:
        tree = order.git.tree_with(order.tree, changes, index=_index(order))
    finally:
        _index(order).unlink(missing_ok=True)
    return _Wrong(commit=_commit(order, tree), paths=paths, words=f"{_names(paths)} taken back")


def _index(order: Order) -> Path:
    return order.run_dir.path / "index" / f"{JOBS}{order.number}"


def _commit(order: Order, tree: Oid) -> Oid:
    message = f"waves: made wrong on purpose for gates of group '{order.group}'\n"
    return order.git.commit_tree(tree, (order.commit,), message, may_sign=False)


def _names(paths: tuple[RepoPath, ...]) -> str:
    shown = ", ".join(f"'{path}'" for path in paths[:_MOST_NAMED])
    more = len(paths) - _MOST_NAMED
    return f"{shown} and {more} more" if more > 0 else shown


def _finished(order: Order, gate: Gate, found: _Found) -> GateFinished:
    last = found.runs[-1] if found.runs else GateRun(code=None)
    known = order.known.get(gate.name)
    accepted = sum(is_accepted(run, known) for run in found.runs)
    return GateFinished(
        purpose=order.purpose,
        group=order.group,
        gate=gate.name,
        tree=order.tree,
        passed=accepted > 0,
        code=last.code,
        reason=found.reason,
        seconds=round(sum(run.seconds for run in found.runs), 3),
        log=last.log,
        runs=len(found.runs),
        greens=accepted,
        failures=list(last.failures or ()),
        verdict=found.verdict,
        paths=list(found.paths),
    )
