"""The ladder: the rungs that one attempt of one task climbs, the same for every scheduler.

Climbing is safe to repeat: each rung finds in git and in the job folders what an earlier coordinator already did, takes
the result of an agent that finished meanwhile, waits for one that still runs, and starts only what never started. So a
resumed run climbs the same ladder again from the bottom. It runs in a worker thread, decides nothing about other tasks,
writes no events itself, and hands back one outcome.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace

from git_waves import refs
from git_waves.adapters import archive
from git_waves.adapters.jobs import is_of_another_boot
from git_waves.errors import WavesError, machine_error
from git_waves.ladder.attempt import (
    Awaits,
    Climb,
    EndedWaitingError,
    Fell,
    Interrupted,
    Noticed,
    Outcome,
    Passed,
    TakenUp,
    Told,
    Unavailable,
    Used,
)
from git_waves.ladder.handoff import hand_on
from git_waves.ladder.prepare import canary, environment
from git_waves.ladder.stages import rung_of
from git_waves.ladder.verdict import commit, ownership, verify
from git_waves.ladder.work import agent, taken_up

__all__ = [
    "RUNGS",
    "Awaits",
    "Climb",
    "Fell",
    "Interrupted",
    "Noticed",
    "Outcome",
    "Passed",
    "TakenUp",
    "Told",
    "Unavailable",
    "Used",
    "climb",
]

Rung = tuple[str, Callable[[Climb], Fell | Interrupted | Awaits | Unavailable | None]]

RUNGS: tuple[Rung, ...] = (
    ("environment", environment),
    ("canary", canary),
    ("agent", agent),
    ("commit", commit),
    ("ownership", ownership),
    ("verify", verify),
)
"""The rungs of every task. The plan may add stages behind the last one; what is handed on is taken after them."""


def _rungs(state: Climb) -> tuple[Rung, ...]:
    stages = state.plan.stages_of(state.task.id)
    return (*RUNGS, *((stage.name, rung_of(stage)) for stage in stages), ("handoff", hand_on))


def climb(state: Climb) -> Outcome:
    """Climb every rung in order; the first that does not hold is the outcome."""
    if any(is_of_another_boot(job) for job in state.last_jobs()):
        return Interrupted(reason="the machine went down before what it had done was safe on the disk")
    if state.is_inherited:
        with contextlib.suppress(WavesError):  # the rung that meets it says it
            if (found := taken_up(state)) is not None:
                state.tell(found)
    rungs = _rungs(state)
    for name, rung in rungs:
        if _takes_time(state, name):
            state.reached(name)
        try:
            fallen = rung(state)
        except EndedWaitingError:
            session = state.session if state.turn else ""
            return Interrupted(reason="stopped while it waited for a resource", session=session)
        except WavesError as error:
            return Fell(rung=name, reason=error.message, hint=error.hint, is_parked=True)
        except (
            OSError
        ) as error:  # a file of ours that is gone, or is something else now: somebody's hand, and this task's
            if machine_error(error, str(state.run_dir.path)) is not None:
                raise
            why = f"what git-waves keeps of it was changed by somebody: {error.strerror}: '{error.filename}'"
            return Fell(rung=name, reason=why, hint=f"git waves retry {state.task.id}", is_parked=True)
        if fallen is not None:
            return replace(fallen, rung=name) if isinstance(fallen, Fell) else fallen
    assert state.tip is not None, "the commit rung sets the tip"
    # With a git of other settings, the agent may not have seen to it.
    state.git.make_durable(state.lease.base, state.tip)
    pin = refs.passed_ref(state.plan.name, state.lease.run, state.task.id, state.lease.attempt)
    if archive.keep(state.git, pin, state.tip) != pin:
        return Fell(
            rung=rungs[-2][0],
            reason=f"'{pin}' could not be written, and nothing else holds its work",
            is_parked=True,
        )
    return Passed(tip=state.tip, paths=state.paths, handed_on=state.handed_on)


def _takes_time(state: Climb, rung: str) -> bool:
    """Whether people may see the attempt wait at this rung. The others are over at once, and not worth a synced event."""
    at_once = {
        "environment": not state.plan.setup,
        "canary": True,
        "agent": state.task.attended,
        "commit": True,
        "ownership": True,
        "verify": not state.task.verify,
        "handoff": True,
    }
    return not at_once.get(rung, False)
