"""`git waves status` for people: a header, one table with a line for each task, and what to type next.

Plain aligned text, with colour when `Paint` is on. Imports nothing that is not free (see adapters/glance).
"""

from __future__ import annotations

from git_waves.core import fold
from git_waves.views import age, amounts
from git_waves.views.culprit_text import changed_lines
from git_waves.views.paint import PLAIN, Paint
from git_waves.views.safe import clean, cut, quoted
from git_waves.views.standing import (
    DIED,
    FINISHED,
    HALTED,
    RUNNING,
    STOPPED,
    STOPPING,
    counts,
    is_told_by_tasks,
    next_step,
    standing,
    still_stopped,
    whole_story,
)
from git_waves.views.waiting import waits
from git_waves.views.wrapping import labelled, wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from git_waves.core.fold import GroupState, RunState, TaskState

STYLE = {
    fold.PENDING: "dim",
    fold.LEASED: "busy",
    fold.RUNNING: "busy",
    fold.PASSED: "good",
    fold.MERGED: "good",
    fold.INTEGRATED: "good",
    fold.DONE: "good",
    fold.AWAITING: "odd",
    fold.FAILED: "bad",
    fold.PARKED: "bad",
    fold.BLOCKED: "odd",
    fold.SKIPPED: "odd",
}
_STANDING_STYLE = {
    RUNNING: "busy",
    STOPPING: "odd",
    HALTED: "bad",
    STOPPED: "odd",
    DIED: "odd",
    FINISHED: "good",
}


def status_text(
    state: RunState, *, is_running: bool, now: float, width: int | None = None, paint: Paint = PLAIN
) -> str:
    """The whole answer, ending with a newline. `now` is in seconds since 1970; `width` None cuts nothing."""
    lines = [*header(state, is_running=is_running, now=now, width=width, paint=paint), ""]
    lines += [line for _task, line in table(state, now=now, width=width, paint=paint)]
    lines += ["", *footer(state, is_running=is_running, width=width, paint=paint)]
    return "\n".join(lines) + "\n"


def header(
    state: RunState, *, is_running: bool, now: float, width: int | None = None, paint: Paint = PLAIN
) -> list[str]:
    """Which plan, how it stands, which run, who coordinates, how many tasks are where."""
    word = standing(state, is_running=is_running)
    plan = f"plan {quoted(state.plan)} "
    how = (
        f"run {clean(state.run)}: {state.scheduler}, up to {state.max_parallel} at once, "
        f"from {quoted(state.base_name)} ({state.base[:7]})"
    )
    lines = [paint("bold", plan) + paint(_STANDING_STYLE[word], f"is {word}"), *wrapped(how, "", width)]
    if word in (RUNNING, STOPPING, DIED):
        who = state.coordinator
        since = age.words(now - age.seconds_of(state.started))
        gone = ", which is gone" if word == DIED else ""
        where = f"coordinator: process {who['pid']} on {quoted(who['host'])}{gone}; began {since} ago"
        lines += wrapped(where, "", width)
    lines += wrapped(
        f"{len(state.tasks)} task{'s' if len(state.tasks) != 1 else ''}: {counts(state)}", "", width
    )
    used = amounts.both(*state.spent(), state.budget.get("tokens"), state.budget.get("cost"))
    if used:
        lines += wrapped(f"used: {used}", "", width)
    return lines


def footer(state: RunState, *, is_running: bool, width: int | None = None, paint: Paint = PLAIN) -> list[str]:
    """Why it halted, what was warned of, the next thing to type, and where the whole story is."""
    lines = []
    for name, command in state.quiesced.items():
        lines += labelled(*_quiesced(name, command, is_running=is_running), width, paint)
    for name, one in state.limited.items():
        until = f"until {one.until[:16].replace('T', ' ')} UTC" if one.until else "until you run it again"
        words = f"agent {quoted(name)} is left alone {until}: {clean(one.reason)}"
        lines += labelled("limited: ", words, "odd", width, paint)
    for words in _of_gates(state):
        lines += labelled("note: ", words, "odd", width, paint)
    for warning in state.warnings:
        lines += labelled("warning: ", clean(warning), "odd", width, paint)
    if standing(state, is_running=is_running) == HALTED and not is_told_by_tasks(state):
        lines += labelled("halted: ", clean(state.halted), "bad", width, paint)
        for changed in changed_lines(state):
            lines += wrapped(changed, "  ", width)
    if paint.advises("next"):
        lines += labelled("next: ", next_step(state, is_running=is_running), "hint", width, paint)
    if standing(state, is_running=is_running) in (HALTED, FINISHED):
        lines += labelled("report: ", whole_story(state), "hint", width, paint)
    return lines


def _quiesced(name: str, command: str, *, is_running: bool) -> tuple[str, str, str]:
    if is_running:
        return "quiesced: ", f"background writer {quoted(name)}, until the run ends", "dim"
    return "warning: ", still_stopped(name, command), "bad"


def table(
    state: RunState, *, now: float, width: int | None = None, paint: Paint = PLAIN
) -> list[tuple[str, str]]:
    """The table's lines, each with the id of the task it speaks of (empty for headings)."""
    waiting = waits(state)
    rows = {task.id: _row(task, waiting.get(task.id, ""), now) for task in state.tasks.values()}
    # What nobody told is no column.
    wide = [
        max(len(heading), *(len(row[n]) for row in rows.values()))
        if n not in _OPTIONAL or any(row[n] for row in rows.values())
        else 0
        for n, heading in enumerate(_HEADINGS)
    ]
    lines = [("", paint("dim", _line(_HEADINGS, wide, "TITLE", width, "", PLAIN)))]
    for group in state.groups:
        lines.append(("", paint("bold", _group_line(state, group))))
        for one_round in group.rounds:
            for task_id in one_round:
                task = state.tasks[task_id]
                row = rows[task_id]
                lines.append((task_id, _line(row, wide, clean(task.title), width, STYLE[task.status], paint)))
                lines += [(task_id, line) for line in _notes(task, wide[0], width, paint)]
    return lines


_HEADINGS = ("TASK", "STATE", "TIME", "TRY", "TOKENS", "COST", "AT")
_OPTIONAL = (4, 5)
_TO_THE_RIGHT = (2, 3, 4, 5)
_TAKEN_UP = {"adopted": " (adopted)", "finished": " (agent finished)", "resumed": " (resumed)"}
"""How an attempt in flight came to this coordinator; nothing when it began it itself."""


def _line(
    row: tuple[str, ...], wide: list[int], title: str, width: int | None, style: str, paint: Paint
) -> str:
    cells = [
        f"{cell:>{wide[n]}}" if n in _TO_THE_RIGHT else f"{cell:<{wide[n]}}"
        for n, cell in enumerate(row)
        if wide[n]
    ]
    if width is not None:
        title = cut(title, width - 2 * len(cells) - sum(map(len, cells)) - 2)
    return "  ".join(["", cells[0], paint(style, cells[1]), *cells[2:], title]).rstrip()


def _row(task: TaskState, waiting: str, now: float) -> tuple[str, ...]:
    attempt = str(task.attempt) if task.attempt else ""
    is_at_rung = task.status in fold.LIVE or task.status in fold.STUCK or task.status == fold.AWAITING
    rung = task.rung if is_at_rung else ""
    status = task.status
    if status in fold.LIVE and task.taken_up:
        status += _TAKEN_UP[task.taken_up]
    elif status == fold.PENDING and task.is_resumable:
        status += " (to resume)"
    tokens, cost = task.total()
    spent = amounts.tokens(tokens), amounts.money(cost)
    return clean(task.id), status, _time(task, now), attempt, *spent, rung or waiting


def _time(task: TaskState, now: float) -> str:
    """How long the attempt runs, or took."""
    if not task.attempt or task.status in (fold.PENDING, fold.SKIPPED, fold.BLOCKED):
        return ""
    end = now if task.status in fold.LIVE else age.seconds_of(task.ended or task.since)
    return age.words(end - age.seconds_of(task.started))


def _group_line(state: RunState, group: GroupState) -> str:
    statuses = {state.status_of(task) for one_round in group.rounds for task in one_round}
    through = (
        statuses <= {fold.INTEGRATED, fold.DONE, fold.SKIPPED, fold.BLOCKED} and fold.INTEGRATED in statuses
    )
    if through:
        return f"group {clean(group.name)}: integrated"
    if fold.MERGED not in statuses or not group.gates:
        return f"group {clean(group.name)}"
    return f"group {clean(group.name)}: " + ", ".join(_gate(state, gate) for gate in group.gates)


def _gate(state: RunState, gate: str) -> str:
    result = state.gates.get((gate, state.candidate_tree))
    return f"gate {clean(gate)} {'due' if result is None else 'green' if result.passed else 'red'}"


def _of_gates(state: RunState) -> Iterator[str]:
    """What green and red alone do not tell: gates that were red before any task, flaky, tolerated or not shown to work."""
    for result in state.baseline.values():
        if not result.passed:
            yield f"gate {quoted(result.gate)} was red before the run: {clean(result.reason)}"
    for result in state.gates.values():
        if result.passed and result.reason:
            yield f"gate {quoted(result.gate)} passed at group {quoted(result.group)}, {clean(result.reason)}"
    proved = {result.gate for result in state.proofs.values() if result.verdict == "proved"}
    for gate in dict.fromkeys(result.gate for result in state.proofs.values()):
        if gate not in proved and state.gate_rules[gate].guards and not state.halted:
            yield f"gate {quoted(gate)} has proved nothing yet: no group so far has changed what it guards"


def _notes(task: TaskState, indent: int, width: int | None, paint: Paint) -> list[str]:
    """Reasons and the way out, on lines of their own: what a person must read is never cut."""
    start = " " * (indent + 4)
    notes = []
    if task.reason and task.status not in (fold.PENDING, fold.INTEGRATED, fold.MERGED, fold.DONE):
        notes += wrapped(clean(task.reason), start, width)
    if task.held:
        notes += wrapped(clean(task.held), start, width)
    if task.status in fold.STUCK or task.status == fold.AWAITING:
        notes += [f"{start}path {quoted(path)}" for path in task.paths if path not in task.reason][:5]
        if (
            paint.advises("task") and task.hint and task.hint != f"git waves show {task.id}"
        ):  # the last line says that anyway
            notes += labelled(f"{start}hint: ", clean(task.hint), "hint", width, paint)
    for other, paths in task.foreseen.items():
        beside = f"task {quoted(other)}" if other else "what is merged"
        shown = ", ".join(quoted(path) for path in paths[:3]) + (", ..." if len(paths) > 3 else "")
        notes += wrapped(f"will conflict with {beside} in {shown}, as things stand", start, width)
    for request in task.requests:
        owner = request["owner"]
        whose = f"belongs to {quoted(owner)}" if owner else "belongs to nobody"
        notes += wrapped(
            f"asked for {quoted(request['path'])}, which {whose}: {clean(request['reason'])}", start, width
        )
    return notes
