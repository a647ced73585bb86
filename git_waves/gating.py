"""`git waves gate`: the gates of one barrier, or the proof that they can fail, by hand and outside of the loop of a run.

Nothing is recorded and no ref moves: the answer is for a person who writes gates. A run proves them again for itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from git_waves import control, fencing, gates, including, planning, preflight, refs, trusting
from git_waves.adapters import throwaway
from git_waves.adapters.eventlog import GateFinished
from git_waves.adapters.git import Git
from git_waves.adapters.locks import coordinator_lock
from git_waves.adapters.repo import Repository
from git_waves.adapters.rundir import RunDir, latest_run, waves_folder
from git_waves.core import sandboxing
from git_waves.core.gatewords import Purpose
from git_waves.core.model import Oid, Plan
from git_waves.errors import UsageError
from git_waves.gateroom import Order
from git_waves.inheriting import end_jobs
from git_waves.settings import read_settings

__all__ = ["Tried", "try_gates"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What came of it: `commit` is what the gates were run on and `place` what that is, `results` one for each gate and
    purpose, `unproved` the gates that say nothing by which they could be proved."""

    group: str
    commit: Oid
    place: str
    results: tuple[GateFinished, ...]
    unproved: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trees:
    """What there is to measure: `commit` as it is now, and `base`, which the group's changes are told from."""

    base: Oid
    commit: Oid
    place: str


def try_gates(repository: Repository, spec: str | None, group: str, *, is_proof: bool) -> Tried:
    """Run the gates of a group's barrier on what is integrated, or on the base where nothing ran yet; with `is_proof` run
    their controls and mutations instead.

    Raises UsageError when there is no such group or it has no gates, HaltError for a plan of others that nobody allowed,
    SurroundingsError while a run of the plan is at work.
    """
    text = planning.read_text(repository, spec)
    plan = planning.read(text, repository)
    names = _gates_of(repository, plan, group)
    stranger = trusting.check_trusted(repository, text, plan)
    if stranger is not None:
        raise trusting.refuse(stranger)
    kind = sandboxing.of_gates(plan, setting=read_settings(repository.git).sandbox, said=None)
    fencing.check([kind])
    with coordinator_lock(repository.common_dir, plan.name):
        trees = _trees(repository, plan)
        run_dir = _run_dir(repository, plan)
        order = Order(
            git=repository.git,
            run_dir=run_dir,
            plan=plan,
            folder=preflight.worktree_folder(repository) / plan.name / "gate.by-hand",
            group=group,
            number=1 + sum(1 for _ in (run_dir.path / "logs").iterdir()),
            commit=trees.commit,
            tree=repository.git.tree_of(trees.commit),
            gates=names,
            base=trees.base,
            integration=trees.base,
            is_stopping=lambda: False,
            include=including.wanted_by(repository.git, plan, trees.base, checkout=repository.main_work_tree),
            fence=fencing.fence_of(kind, plan),
        )
        try:
            results = tuple(_proofs(order, trees) if is_proof else _measured(order))
        except BaseException:
            end_jobs(run_dir)  # Ctrl-C is for us; the gate is in a session of its own
            for folder in order.folder.parent.glob(f"{order.folder.name}*"):
                throwaway.drop(repository.git, folder)
            raise
    proved = {result.gate for result in results}
    return Tried(
        group=group,
        commit=trees.commit,
        place=trees.place,
        results=results,
        unproved=tuple(name for name in names if name not in proved) if is_proof else (),
    )


def _gates_of(repository: Repository, plan: Plan, group: str) -> tuple[str, ...]:
    schedule = planning.analyse(plan, repository=repository).schedule
    found = {one.name: one.gates for one in schedule.groups}
    if group not in found:
        known = ", ".join(f"'{name}'" for name in found)
        raise UsageError(f"the plan has no group '{group}'", hint=f"the groups are {known}")
    if not found[group]:
        raise UsageError(f"group '{group}' has no gate", hint="add one under 'gates:' in the plan")
    return found[group]


def _trees(repository: Repository, plan: Plan) -> _Trees:
    """What the newest run has integrated, told from where it began; else the base alone."""
    integration = repository.git.ref(refs.integration_ref(plan.name))
    newest = latest_run(repository.common_dir, plan.name)
    if integration is not None and newest is not None:
        base = Oid(control.load(newest)[0].base)
        return _Trees(base=base, commit=integration, place=refs.shown_branch(plan.name))
    base, name = preflight.find_base(Git(repository.git_dir), plan.base)
    return _Trees(base=base, commit=base, place=name)


def _run_dir(repository: Repository, plan: Plan) -> RunDir:
    """Where the gates' logs go: not a run, so in a folder of its own."""
    run_dir = RunDir(waves_folder(repository.common_dir) / "gates" / plan.name)
    if not run_dir.path.is_dir():
        run_dir.make()
    return run_dir


def _measured(order: Order) -> Iterator[GateFinished]:
    yield from (event for event in gates.run_gates(order) if isinstance(event, GateFinished))


def _proofs(order: Order, trees: _Trees) -> Iterator[GateFinished]:
    """The control of each gate that has one, then what the plan's work so far changed in the files it guards taken back."""
    wanted = [gate for gate in order.plan.gates if gate.name in order.gates]
    controlled = tuple(gate.name for gate in wanted if gate.control is not None)
    guarded = tuple(gate.name for gate in wanted if gate.guards) if trees.commit != trees.base else ()
    for purpose, names in ((Purpose.CONTROL, controlled), (Purpose.MUTATION, guarded)):
        if names:
            one = replace(
                order, purpose=purpose, gates=names, before=frozenset(order.gates).difference(names)
            )
            yield from (event for event in gates.run_gates(one) if isinstance(event, GateFinished))
