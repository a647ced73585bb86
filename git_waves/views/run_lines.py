"""What `git waves run` says while it works: a plain line for the events people care about, and the last words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from git_waves.core import fold
from git_waves.core.fold import RunState, TaskState
from git_waves.views import age, amounts, gate_lines
from git_waves.views.culprit_text import changed_lines
from git_waves.views.paint import PLAIN, Paint
from git_waves.views.safe import clean, cut, quoted
from git_waves.views.standing import (
    FINISHED,
    HALTED,
    awaiting_tasks,
    counts,
    is_told_by_tasks,
    next_step,
    standing,
    still_stopped,
    stuck_tasks,
    whole_story,
)

Event = Mapping[str, Any]


def line_for(event: Event, state: RunState, *, is_verbose: bool = False, paint: Paint = PLAIN) -> str | None:
    """The line for an event that `state` has already taken in; None for what only matters to `--verbose` or to nobody.

    Lines begin with the time since the run began, then the task, gate or group they speak of.
    """
    told = _WORDS.get(event["event"]) or (_VERBOSE.get(event["event"]) if is_verbose else None)
    if told is None:
        return None
    subject, words, style = told(event, state)
    elapsed = age.words(age.seconds_of(event["at"]) - age.seconds_of(state.started)) if state.started else ""
    return f"{paint('dim', f'{elapsed:>8}')}  {clean(subject)}: {paint(style, clean(words))}"


def end_summary(state: RunState, *, paint: Paint = PLAIN) -> str:
    """How the run ended, each task that waits for a person with its reason and paths, and what to type next."""
    word = standing(state, is_running=False)
    lines = [f"plan {quoted(state.plan)} is {word}: {counts(state)}"]
    for task in stuck_tasks(state):
        lines += _stuck(task, paint)
    for task in awaiting_tasks(state):
        lines += _awaiting(task, paint)
    for task in state.tasks.values():
        if task.status in (fold.SKIPPED, fold.BLOCKED):
            lines.append(f"  {clean(task.id)} {task.status}: {clean(task.reason)}")
    if word == HALTED and not is_told_by_tasks(state):
        lines.append(f"{paint('bad', 'halted:')} {clean(state.halted)}")
        lines += [f"  {changed}" for changed in changed_lines(state)]
    for name, command in state.quiesced.items():
        lines.append(f"{paint('bad', 'warning:')} {still_stopped(name, command)}")
    used = amounts.both(*state.spent())
    if used:
        lines.append(f"used: {used}")
    lines.append(
        f"integration: branch 'waves/{clean(state.plan)}/integration' at {state.integration[:10]}"
        + (", where the run began" if state.integration == state.base else "")
    )
    if paint.advises("next"):
        lines.append(paint("hint", "next: ") + next_step(state, is_running=False))
    if word in (HALTED, FINISHED):
        lines.append(paint("hint", "report: ") + whole_story(state))
    return "\n".join(lines) + "\n"


def _stuck(task: TaskState, paint: Paint) -> list[str]:
    lines = [f"  {clean(task.id)} {task.status} at {task.rung or 'its start'}: {clean(task.reason)}"]
    lines += [f"    {clean(path)}" for path in task.paths[:_MOST]]
    if len(task.paths) > _MOST:
        lines.append(f"    and {len(task.paths) - _MOST} more")
    if (
        paint.advises("task") and task.hint and task.hint != f"git waves show {task.id}"
    ):  # the last line says that anyway
        lines.append(f"    {paint('hint', 'hint:')} {clean(task.hint)}")
    return lines


def _awaiting(task: TaskState, paint: Paint) -> list[str]:
    title = f" ({clean(task.title)})" if task.title else ""
    if not task.reason:
        return [f"  {clean(task.id)} waits for a person{title}"]
    where = f" again, it fell at {task.rung}" if task.rung else ""
    return [f"  {clean(task.id)} waits for a person{where}: {clean(task.reason)}", *_stuck(task, paint)[1:]]


_LONGEST = 60  # letters of a command that is an agent
_MOST = 10  # paths listed of one task; `git waves show` has all

TAKEN_UP = {
    "adopted": "adopted: its agent outlived its coordinator",
    "finished": "taken over: its agent ended while no coordinator ran",
    "resumed": "resumed: its agent goes on in its worktree, with its session",
}
"""What a later coordinator made of an attempt in flight."""

Told = tuple[str, str, str]
"""What a line is about, what it says, and in which style."""


def _run_started(_event: Event, state: RunState) -> Told:
    tasks, groups = len(state.tasks), len(state.groups)
    return (
        f"plan {state.plan}",
        f"{tasks} task{'s' * (tasks != 1)} in {groups} group{'s' * (groups != 1)}, {state.scheduler}, "
        f"up to {state.max_parallel} at once, from '{state.base_name}'",
        "bold",
    )


def _run_resumed(_event: Event, state: RunState) -> Told:
    return f"plan {state.plan}", f"going on with run {state.run}: {counts(state)}", "bold"


def _stop_requested(event: Event, state: RunState) -> Told:
    how = "ending the agents" if event["now"] else "waiting for what is in flight"
    why = event.get("reason") or f"as {event['by']} asked"
    return f"plan {state.plan}", f"stopping, {why}: {how}", "odd"


def _background_quiesced(event: Event, _state: RunState) -> Told:
    return f"background {event['name']}", "is being stopped for the run", ""


def _background_restored(event: Event, _state: RunState) -> Told:
    if not event["command"]:
        return f"background {event['name']}", "stays as it is: the plan says no 'resume' command", "odd"
    return f"background {event['name']}", "goes on", ""


def _warned(event: Event, _state: RunState) -> Told:
    return "warning", event["message"], "odd"


def _task_leased(event: Event, state: RunState) -> Told:
    title = state.tasks[event["task"]].title
    return event["task"], f"attempt {event['attempt']} starts" + (f" ({title})" if title else ""), ""


def _rung_reached(event: Event, _state: RunState) -> Told:
    return event["task"], event["rung"], "dim"


def _task_passed(event: Event, state: RunState) -> Told:
    task = state.tasks[event["task"]]
    took = age.words(age.seconds_of(event["at"]) - age.seconds_of(task.started))
    used = amounts.both(*task.spent.get(task.attempt, (0, 0.0)))
    words = f"passed after {took}, {_paths(len(event['paths']))} changed" + (f", {used}" if used else "")
    return task.id, words, "good"


def _fell(event: Event, state: RunState) -> Told:
    task = state.tasks[event["task"]]
    return task.id, f"{task.status} at {event['rung']}: {event['reason']}", "bad"


def _task_awaited(event: Event, state: RunState) -> Told:
    task = state.tasks[event["task"]]
    why = f" again, it fell at {event['rung']}: {event['reason']}" if event["rung"] else ""
    why = why or (f": {event['reason']}" if event["reason"] else "")
    return task.id, f"waits for a person{why}", "odd"


def _task_handed_in(event: Event, _state: RunState) -> Told:
    return event["task"], f"handed in by {event['by']}", ""


def _task_tried_again(event: Event, state: RunState) -> Told:
    task = state.tasks[event["task"]]
    who = f", by {cut(task.agents[task.agent], _LONGEST)}" if len(task.agents) > 1 else ""
    return task.id, f"gets another attempt{who}, as the plan says", ""


def _agent_limited(event: Event, _state: RunState) -> Told:
    until = f"until {event['until'][:16].replace('T', ' ')} UTC" if event["until"] else "in this run"
    what = "goes on in its worktree then" if event["session"] else "starts over"
    name = quoted(cut(event["agent"], _LONGEST))
    return event["task"], f"{event['reason']}; agent {name} is left alone {until}, the task {what}", "odd"


def _task_interrupted(event: Event, _state: RunState) -> Told:
    what = "it will go on in its worktree" if event.get("session") else "it starts over"
    return event["task"], f"interrupted: {event['reason']}; {what}", "odd"


def _task_taken_up(event: Event, _state: RunState) -> Told:
    return event["task"], TAKEN_UP[event["how"]], "odd" if event["how"] == "resumed" else ""


def _spending_noted(event: Event, _state: RunState) -> Told:
    return event["task"], f"{amounts.both(event['tokens'], event['cost']) or 'nothing'} used so far", "dim"


def _task_held(event: Event, _state: RunState) -> Told:
    return event["task"], event["reason"] or "waits no more", "odd" if event["reason"] else "dim"


def _task_blocked(event: Event, _state: RunState) -> Told:
    return event["task"], f"blocked: {event['reason']}", "odd"


def _task_retried(event: Event, _state: RunState) -> Told:
    granted = f", and may change {', '.join(map(quoted, event['grant']))} too" if event["grant"] else ""
    limits = f", with other limits: {amounts.limits(event['budget'])}" if event.get("budget") else ""
    return event["task"], f"gets another attempt{granted}{limits}", ""


def _task_skipped(event: Event, _state: RunState) -> Told:
    return event["task"], f"skipped: {event['reason']}", "odd"


def _task_merged(event: Event, _state: RunState) -> Told:
    return event["task"], "merged into the candidate", "good"


def _worktree_removed(event: Event, _state: RunState) -> Told:
    saved = f", what it held is in {event['archive']}" if event["archive"] else ""
    return event["task"], f"worktree of attempt {event['attempt']} removed{saved}", "dim"


def _request_made(event: Event, _state: RunState) -> Told:
    whose = f"which belongs to '{event['owner']}'" if event["owner"] else "which belongs to nobody"
    return event["task"], f"asks for '{event['path']}', {whose}: {event['reason']}", "odd"


def _conflict_foreseen(event: Event, _state: RunState) -> Told:
    other = f"'{event['other']}'" if event["other"] else "what is merged"
    if not event["paths"]:
        return event["task"], f"no conflict with {other} any more, as things stand", ""
    paths = ", ".join(f"'{path}'" for path in event["paths"][:3])
    return event["task"], f"will conflict with {other} in {paths}, as things stand", "odd"


def _culprit_found(event: Event, _state: RunState) -> Told:
    return f"gate {event['gate']}", event["evidence"], "bad"


def _candidate_reset(event: Event, _state: RunState) -> Told:
    out = event["culprits"][0]
    words = "taken out of what is merged"
    for tasks, what in ((event["again"], "merged again"), (event["restart"], "to start over")):
        if tasks:
            words += f"; {', '.join(tasks)} {'is' if len(tasks) == 1 else 'are'} {what}"
    return out, words, "odd"


def _published(event: Event, state: RunState) -> Told:
    through = state.count(fold.INTEGRATED, fold.DONE)
    words = f"integrated at {event['new'][:10]}, {through} of {len(state.tasks)} tasks are through"
    return f"group {event['group']}", words, "good"


def _refs_moved(event: Event, state: RunState) -> Told:
    return f"plan {state.plan}", f"{event['message']}; halting when nothing is in flight", "bad"


def _integration_accepted(event: Event, state: RunState) -> Told:
    return (
        f"plan {state.plan}",
        f"going on from {event['new'][:10]}, where the integration ref was moved to",
        "odd",
    )


def _paths(number: int) -> str:
    return f"{number} path{'s' * (number != 1)}"


_WORDS: dict[str, Callable[[Event, RunState], Told]] = {
    "run_started": _run_started,
    "run_resumed": _run_resumed,
    "stop_requested": _stop_requested,
    "background_quiesced": _background_quiesced,
    "background_restored": _background_restored,
    "warned": _warned,
    "task_leased": _task_leased,
    "task_passed": _task_passed,
    "task_failed": _fell,
    "task_parked": _fell,
    "task_interrupted": _task_interrupted,
    "task_awaited": _task_awaited,
    "task_handed_in": _task_handed_in,
    "task_tried_again": _task_tried_again,
    "agent_limited": _agent_limited,
    "task_held": _task_held,
    "task_taken_up": _task_taken_up,
    "task_blocked": _task_blocked,
    "task_retried": _task_retried,
    "task_skipped": _task_skipped,
    "task_merged": _task_merged,
    "request_made": _request_made,
    "conflict_foreseen": _conflict_foreseen,
    "gates_started": gate_lines.started,
    "gate_finished": gate_lines.finished,
    "culprit_found": _culprit_found,
    "candidate_reset": _candidate_reset,
    "published": _published,
    "refs_moved": _refs_moved,
    "integration_accepted": _integration_accepted,
}
_VERBOSE: dict[str, Callable[[Event, RunState], Told]] = {
    "rung_reached": _rung_reached,
    "worktree_removed": _worktree_removed,
    "spending_noted": _spending_noted,
}
SILENT = frozenset({"run_stopped", "run_halted", "run_finished"})
"""Events that have no line because the last words tell them."""


def told_events() -> frozenset[str]:
    """Every event this view knows, for the test that holds it and the log together."""
    return frozenset({*_WORDS, *_VERBOSE, *SILENT})
