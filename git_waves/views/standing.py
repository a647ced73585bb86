"""How a run stands, in one word, and what a person types next. Imports nothing: `status` uses it."""

from __future__ import annotations

from git_waves.core import fold
from git_waves.views.culprit_text import suspects_now
from git_waves.views.safe import as_command, clean, quoted, shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_waves.core.fold import RunState, TaskState

RUNNING = "running"  # a coordinator works on it
STOPPING = "stopping"  # it was asked to leave and finishes what is in flight
HALTED = "halted"  # a person must decide
STOPPED = "stopped"  # it left as asked
FINISHED = "finished"  # everything is settled and published
DIED = "interrupted"  # no coordinator, and none said goodbye

DEFAULT_SOURCE = ".waves/plan.yaml"
PIPE = "standard input"

ORDER = (
    fold.INTEGRATED,
    fold.DONE,
    fold.MERGED,
    fold.PASSED,
    fold.RUNNING,
    fold.LEASED,
    fold.AWAITING,
    fold.FAILED,
    fold.PARKED,
    fold.BLOCKED,
    fold.SKIPPED,
    fold.PENDING,
)
"""Every state of a task, in the order people count them."""


_OF_TASKS = ("failed", "parked", "conflict", "attended")  # what halts a run because of a task


def standing(state: RunState, *, is_running: bool) -> str:
    """One word for the run. `is_running` is whether a coordinator holds the plan's lock."""
    if state.finished:
        return FINISHED
    if state.halt_kind == "stopped":
        return RUNNING if is_running else STOPPED
    if state.halted and (is_told_by_tasks(state) or state.halt_kind not in _OF_TASKS):
        return HALTED
    if state.halted:  # a person has answered for every task that halted it; it only has to go on
        return RUNNING if is_running else STOPPED
    if not is_running:
        return DIED
    return STOPPING if state.stopping else RUNNING


def counts(state: RunState) -> str:
    """How many tasks stand where: `4 integrated, 2 running, 6 pending`."""
    numbers = {status: state.count(status) for status in ORDER}
    return ", ".join(f"{number} {status}" for status, number in numbers.items() if number) or "no tasks"


def stuck_tasks(state: RunState) -> list[TaskState]:
    """Tasks that wait for a person."""
    return [task for task in state.tasks.values() if task.status in fold.STUCK]


def awaiting_tasks(state: RunState) -> list[TaskState]:
    """Tasks that a person is to do."""
    return [task for task in state.tasks.values() if task.status == fold.AWAITING]


def is_told_by_tasks(state: RunState) -> bool:
    """Whether the reason of a halt is that of a task, which is shown with it anyway."""
    return state.halt_kind in _OF_TASKS and bool(stuck_tasks(state) or awaiting_tasks(state))


def go_on(source: str, options: str = "") -> str:
    """The command that goes on with the run of the plan that was read from `source`, as it is typed."""
    named = "" if source == DEFAULT_SOURCE else " -" if source == PIPE else f" {shell_word(source)}"
    return f"git waves run{named}{options}"


def run_again(source: str, options: str = "") -> str:
    """The same inside a sentence."""
    return as_command(go_on(source, options))


def whole_story(state: RunState) -> str:
    """The command that tells everything, for whoever comes back to a run that is over or halted."""
    return f"'git waves report {clean(state.plan)}', as one page with '--html FILE'"


def still_stopped(name: str, command: str) -> str:
    """Words for a background writer that nobody has let go on, and how to."""
    way = f"; or type it yourself: {clean(command)}" if command else ""
    return f"background writer {quoted(name)} is still stopped; 'git waves stop' lets it go on{way}"


def _way_out(state: RunState) -> str:
    """What to do about the task that turned a gate red, which is merged and not proven."""
    suspects = suspects_now(state)
    if state.halt_kind != "gate" or not suspects:
        return ""
    task = shell_word(suspects[0])
    return f"'git waves retry {task}' or 'git waves skip {task} --reason WHY', and "


def next_step(state: RunState, *, is_running: bool) -> str:
    """The command to type next, and a few words about it."""
    word = standing(state, is_running=is_running)
    stuck = stuck_tasks(state)
    awaiting = awaiting_tasks(state)
    if word == RUNNING:
        meanwhile = f"{_attend(awaiting)} meanwhile, or " if awaiting else ""
        return f"{meanwhile}'git waves status --watch' to look on"
    if word == STOPPING:
        return "wait, or 'git waves stop --now' to end the agents too"
    if word == FINISHED:
        return f"'git merge waves/{clean(state.plan)}/integration' to take the work in"
    # What halted it comes before tasks that failed besides: nothing can be done about these until it is settled.
    if word == HALTED and state.halt_kind == "budget" and "--budget" in state.halt_hint:
        limit = state.halt_hint.partition(" --budget ")[2]
        return f"{run_again(state.source, f' --budget {limit}')} goes on with another limit"
    if word == HALTED and state.halt_kind in ("gate", "refs", "background") and state.halt_hint:
        return (
            f"{as_command(clean(state.halt_hint))}, then {_way_out(state)}{run_again(state.source)} goes on"
        )
    if len(stuck) == 1:
        task = shell_word(stuck[0].id)
        return (
            f"'git waves show {task}', then 'git waves retry {task}' or 'git waves skip {task} --reason WHY'"
        )
    if stuck:
        return "'git waves show TASK' for each of them, then 'git waves retry TASK' or 'git waves skip TASK --reason WHY'"
    if awaiting:
        return f"{_attend(awaiting)}, then {run_again(state.source)} goes on"
    return f"{run_again(state.source)} goes on"


def _attend(awaiting: list[TaskState]) -> str:
    """How a person does what waits for them."""
    task = shell_word(awaiting[0].id) if len(awaiting) == 1 else "TASK"
    each = "" if len(awaiting) == 1 else " for each of them"
    return f"'git waves open {task}', then 'git waves done {task}'{each}"
