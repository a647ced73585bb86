"""The rungs a plan adds between verify and merge: a risk check, a reader, whatever looks at one task's finished work."""

from __future__ import annotations

from collections.abc import Callable

from git_waves.adapters.process import Reason
from git_waves.core.model import Stage
from git_waves.ladder.attempt import Climb, Fell, Interrupted
from git_waves.ladder.jobs import how_it_ended, supervise


def rung_of(stage: Stage) -> Callable[[Climb], Fell | Interrupted | None]:
    """The rung that one stage is: its command in the task's worktree, with what the task changed in a file."""

    def rung(state: Climb) -> Fell | Interrupted | None:
        assert state.since is not None and state.tip is not None, "the ownership rung comes before"
        diff = state.run_dir.diff(state.lease.name)
        state.git.write_diff(state.since, state.tip, diff)
        result = supervise(
            state,
            stage.command,
            stage.name,
            is_known=state.has_reached(stage.name),
            timeout=stage.timeout,
            extra={"WAVES_STAGE": stage.name, "WAVES_DIFF_FILE": str(diff)},
        )
        if result.reason is Reason.STOPPED:
            return Interrupted(reason=f"stopped during {stage.name}")
        if result.code != 0:
            return Fell(
                rung="",
                reason=f"stage '{stage.name}' {how_it_ended(result)}",
                hint=f"git waves log {state.task.id} --rung {stage.name}",
            )
        return None

    return rung
