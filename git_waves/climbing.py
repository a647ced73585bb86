"""With what an attempt begins to climb: everything the ladder is to know of a task, put together from plan and state."""

from __future__ import annotations

from collections.abc import Callable

from git_waves import fencing, ladder, news
from git_waves.adapters.ports import NoPorts, Ports
from git_waves.core.fold import RunState, TaskState
from git_waves.core.handoff import Received
from git_waves.core.model import RepoPath, Sandbox, TaskId
from git_waves.core.spending import Spent
from git_waves.core.trying import with_agent
from git_waves.setting import Setting


def climb_of(
    setting: Setting,
    state: RunState,
    task: TaskState,
    *,
    is_inherited: bool,
    hold: Callable[[], tuple[int, ...]],
    lend: Callable[[int | None], Ports | NoPorts],
    received: tuple[Received, ...],
    tell: Callable[[news.News], None],
) -> ladder.Climb:
    """The task's current attempt, ready to climb; `is_inherited` when an earlier coordinator began it."""
    name, attempt = task.id, task.attempt
    plan_task = with_agent(setting.plan, setting.plan.task(TaskId(name)), task.agent)
    return ladder.Climb(
        git=setting.git,
        run_dir=setting.run_dir,
        plan=setting.plan,
        agents=setting.agents,
        task=plan_task,
        lease=setting.lease_of(task),
        rules=setting.rules_of(task),
        granted=tuple(RepoPath(path) for path in task.granted),
        reached=lambda rung: tell(news.RungReached(name, attempt, rung)),
        tell=lambda what: tell(news.Told(name, attempt, what)),
        budget=setting.budget_of(task),
        run_limits=dict(state.budget),
        spent=Spent(*task.spent.get(attempt, (0, 0.0))),
        turn=task.resumes,
        session=task.session,
        is_inherited=is_inherited,
        handed_in=task.handed_in,
        earlier=tuple(task.earlier),
        hold=hold,
        lend=lend,
        received=received,
        taken_up_at=task.rung,
        include=setting.include,
        fence=fencing.fence_of(Sandbox(task.sandbox), setting.plan, plan_task),
        home=fencing.home_of(setting.plan, plan_task, setting.agents) if task.sandbox != Sandbox.NONE else (),
    )
