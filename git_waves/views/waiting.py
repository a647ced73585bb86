"""What each pending task waits for, in a few words. Imports nothing: `status` uses it."""

from __future__ import annotations

from git_waves.core import fold
from git_waves.views.safe import clean, cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_waves.core.fold import RunState

WIDEST = 28  # columns; a longer list of needs is counted instead of written


def waits(state: RunState) -> dict[str, str]:
    """Task id to `after t2, t3`, `after t2 (tests/Kbuild)`, `after group g1` `until 14:05 for claude` (UTC), which is
    limited, or `for database`, which somebody else on the machine holds; nothing for a task that may start."""
    holds = {hold["task"]: hold for group in state.groups for hold in group.holds if hold["by"]}
    barrier = _barrier(state)
    found = {}
    for task in state.tasks.values():
        if task.status != fold.PENDING:
            continue
        if task.held:
            found[task.id] = cut(f"for {clean(task.held_at)}", WIDEST)
            continue
        if task.agents and all(name in state.limited for name in task.agents[task.agent :]):
            found[task.id] = cut(_limited(state, task.agents[task.agent :]), WIDEST)
            continue
        needs = [need for need in task.needs if state.status_of(need) not in (fold.INTEGRATED, fold.DONE)]
        if needs:
            found[task.id] = _listed([clean(need) for need in needs])
            continue
        hold = holds.get(task.id)
        if hold is not None and state.status_of(hold["by"]) not in fold.SETTLED:
            what = f" ({clean(hold['what'])})" if hold["what"] else ""
            found[task.id] = cut(f"after {clean(hold['by'])}{what}", WIDEST)
        elif barrier and task.group != barrier:
            found[task.id] = cut(f"after group {clean(barrier)}", WIDEST)
    return found


def _limited(state: RunState, agents: list[str]) -> str:
    """For which of the agents the task waits: the one that may work again first."""
    first = min(agents, key=lambda name: state.limited[name].until or "~")
    until = state.limited[first].until
    return f"until {until[11:16]} for {clean(first)}" if until else f"for {clean(first)}"


def _barrier(state: RunState) -> str:
    """The first group that is not through; those behind it wait for its barrier. `ready-set` knows no barriers."""
    if state.scheduler == "ready-set":
        return ""
    for group in state.groups:
        if any(state.status_of(task) not in fold.SETTLED for one_round in group.rounds for task in one_round):
            return group.name
    return ""


def _listed(names: list[str]) -> str:
    """As many names as fit, and how many more there are."""
    for shown in range(len(names), 0, -1):
        left = len(names) - shown
        text = "after " + ", ".join(names[:shown]) + (f" and {left} more" if left else "")
        if len(text) <= WIDEST or shown == 1:
            return text
    return ""
