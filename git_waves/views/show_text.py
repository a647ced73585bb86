"""`git waves show TASK`: one task from what it owns to how it ended, and what to type next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from git_waves.core import fold
from git_waves.core.answers import Shown
from git_waves.core.fold import TaskState
from git_waves.core.model import Intent, Origin
from git_waves.views import age, amounts
from git_waves.views.paint import PLAIN, Paint
from git_waves.views.run_lines import TAKEN_UP
from git_waves.views.safe import clean, clean_lines, cut, quoted, shell_word
from git_waves.views.standing import next_step
from git_waves.views.status_text import STYLE

_LONGEST = 60  # letters of a command
_WIDE = 10  # columns of the names on the left


def show_text(shown: Shown, *, now: float, paint: Paint = PLAIN) -> str:
    """The whole answer, ending with a newline. `now` is in seconds since 1970."""
    task = shown.task
    status = paint(STYLE[task.status], task.status)
    lines = [f"{paint('bold', f'task {quoted(task.id)}')} of plan {quoted(shown.state.plan)}: {status}"]
    if task.title:
        lines.append(f"    {clean(task.title)}")
    lines += ["", *_facts(shown, now)]
    if shown.rungs:
        lines += ["", "rungs", *_rungs(shown, now)]
    if shown.stat:
        lines += ["", "changes, base to tip", *clean_lines(shown.stat).split("\n")]
    if paint.advises("next"):
        lines += ["", paint("hint", "next: ") + _next(shown)]
    return "\n".join(lines) + "\n"


def _facts(shown: Shown, now: float) -> Iterator[str]:
    task, state = shown.task, shown.state
    yield from _fact("group", [clean(task.group)] if task.group else [])
    yield from _fact("needs", [f"{clean(need)} ({state.status_of(need)})" for need in task.needs])
    yield from _fact("owns", _claims(shown))
    yield from _fact("granted", map(clean, task.granted))
    yield from _fact("given", (f"{clean(path)} (from {clean(who)})" for path, who in shown.given))
    yield from _fact("hands on", map(clean, shown.handed_on))
    if task.attempt:
        began = age.words(now - age.seconds_of(task.started))
        took = (
            f", took {age.words(age.seconds_of(task.ended) - age.seconds_of(task.started))}"
            if task.ended
            else ""
        )
        yield from _fact("attempt", [f"{task.attempt}, started {began} ago{took}"])
        where = f" at {shown.tip[:10]}" if shown.tip else " (gone)"
        yield from _fact("branch", [clean(task.branch.removeprefix("refs/heads/")) + where])
        yield from _fact("base", [task.base[:10]])
        yield from _fact("worktree", [clean(task.worktree)] if task.worktree else [])
        yield from _fact("fence", [clean(task.fence)] if task.fence else [])
        yield from _fact("taken up", [TAKEN_UP[task.taken_up]] if task.taken_up else [])
        yield from _fact("session", [clean(task.session)] if task.session else [])
    yield from _fact("agent", _agent(task))
    yield from _fact("before", map(clean, _earlier(task)))
    yield from _fact("limits", [limits] if (limits := amounts.limits(shown.limits)) else [])
    yield from _fact("used", _used(task))
    yield from _fact("merged", [task.commit[:10]] if task.commit else [])
    yield from _fact("kept", map(clean, task.kept))
    yield from _fact(
        "at", [task.rung] if task.status in (*fold.LIVE, *fold.STUCK, fold.AWAITING) and task.rung else []
    )
    yield from _fact("reason", [clean(task.reason)] if task.reason else [])
    yield from _fact("paths", map(clean, task.paths))
    yield from _fact("asked for", map(_request, task.requests))
    is_this = task.hint == f"git waves show {task.id}"  # what was just typed
    yield from _fact("hint", [clean(task.hint)] if task.hint and not is_this else [])


def _earlier(task: TaskState) -> list[str]:
    """What came of attempts before; of the current one, if that is where the task is stuck, `reason` tells."""
    told = (
        task.status in fold.STUCK and task.earlier and task.earlier[-1].startswith(f"attempt {task.attempt} ")
    )
    return task.earlier[:-1] if told else task.earlier


def _agent(task: TaskState) -> Iterator[str]:
    """Who does it, how often without a person, and who would be next."""
    if task.attempts == 1 and len(task.agents) < 2:
        return
    who = clean(cut(task.agents[task.agent], _LONGEST)) if task.agents else "its command"
    yield f"{who}, {task.tried} of {task.attempts} attempt{'s' * (task.attempts != 1)} failed"
    yield from (f"then {clean(cut(name, _LONGEST))}" for name in task.agents[task.agent + 1 :])


def _used(task: TaskState) -> Iterator[str]:
    """What every attempt used, and all of them together."""
    if len(task.spent) > 1:
        yield f"{amounts.both(*task.total())} in {len(task.spent)} attempts"
    for attempt, figures in sorted(task.spent.items()):
        yield f"attempt {attempt}: {amounts.both(*figures)}"


def _fact(name: str, values: Iterable[str]) -> Iterator[str]:
    for number, value in enumerate(values):
        yield f"{name if number == 0 else '':<{_WIDE}}{value}"


def _claims(shown: Shown) -> list[str]:
    rows = [
        f"{name:<9} {clean(str(pattern))}"
        for name in (*Intent, Origin.INFERRED)
        for pattern in getattr(shown.claims, name)
    ]
    return rows or ["no path"]


def _request(request: dict[str, str]) -> str:
    whose = f"belongs to {quoted(request['owner'])}" if request["owner"] else "belongs to nobody"
    return f"{clean(request['path'])} ({whose}): {clean(request['reason'])}"


def _rungs(shown: Shown, now: float) -> Iterator[str]:
    for rung in shown.rungs:
        end = age.seconds_of(rung.ended) if rung.ended else now
        took = age.words(end - age.seconds_of(rung.began))
        yield f"  {f'attempt {rung.attempt}':<12}{clean(rung.rung):<14}{took:>8}{'' if rung.ended else ' so far'}"


def _next(shown: Shown) -> str:
    task = shown.task
    name = shell_word(task.id)
    if task.status in fold.STUCK:
        return (
            f"'git waves log {name}', then 'git waves retry {name}' or 'git waves skip {name} --reason WHY'"
        )
    if task.status == fold.AWAITING:
        return f"'git waves open {name}', then 'git waves done {name}'"
    if task.status in fold.LIVE:
        return f"'git waves log {name} -f' to look on"
    return next_step(shown.state, is_running=shown.is_running)
