"""`git waves run --dry-run`: the same checks as a real run, and then words instead of deeds."""

from __future__ import annotations

from dataclasses import dataclass

from git_waves import control, planning, starting
from git_waves.adapters.repo import open_repository
from git_waves.adapters.rundir import latest_run
from git_waves.core.fold import RunState


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal:
    """What a run would do: go on with `unfinished`, or begin with `beginning`. Exactly one is set."""

    unfinished: RunState | None = None
    beginning: starting.Beginning | None = None


def rehearse(options: starting.RunOptions) -> Rehearsal:
    """Check everything `run` would check and change nothing. Raises what `run` would raise."""
    repository = open_repository(options.directory)
    text = planning.read_text(repository, options.plan)
    plan = planning.read(text, repository)
    earlier = latest_run(repository.common_dir, plan.name)
    if earlier is not None and not options.is_new:
        state, _size = control.load(earlier)
        is_same = state.finished and state.plan_blob == repository.git.blob_id(text.data)
        if not state.finished or (is_same and not options.only):
            return Rehearsal(unfinished=state)
    beginning = starting.prepare(repository, options, text, plan, earlier if not options.is_new else None)
    return Rehearsal(beginning=beginning)
