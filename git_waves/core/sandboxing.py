"""Which fence a command gets: the strictest that anybody asks for, unless a person says otherwise on the command line."""

from __future__ import annotations

from collections.abc import Iterable

from git_waves.core.model import Plan, Sandbox, Task


def strictest(kinds: Iterable[Sandbox | None]) -> Sandbox:
    """The strictest of these; who says nothing asks for none."""
    order = list(Sandbox)
    return max((kind for kind in kinds if kind is not None), key=order.index, default=Sandbox.NONE)


def of_task(plan: Plan, task: Task, *, setting: Sandbox | None, said: Sandbox | None) -> Sandbox:
    """The fence around everything that runs in the task's worktree. `setting` is what the user has for all runs, which no
    plan can lower; `said` is for this run and goes before everything."""
    if said is not None:
        return said
    own = task.sandbox or plan.sandbox
    return strictest((setting, own.kind if own is not None else None))


def of_gates(plan: Plan, *, setting: Sandbox | None, said: Sandbox | None) -> Sandbox:
    """The fence around gates: they run the work of all tasks, so they are fenced as the strictest of them."""
    if said is not None:
        return said
    plans = plan.sandbox.kind if plan.sandbox is not None else None
    tasks = (task.sandbox.kind for task in plan.tasks if task.sandbox is not None)
    return strictest((setting, plans, *tasks))


def writes_of(plan: Plan, task: Task | None = None) -> tuple[str, ...]:
    """What the plan lets be written besides: the task's own list, else the plan's."""
    own = (task.sandbox if task is not None else None) or plan.sandbox
    return own.writes if own is not None else ()
