"""From what lies about a run to its report."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from git_waves.core import fold
from git_waves.core.archived import archive_name
from git_waves.core.dress import undressed
from git_waves.core.fold import Event, RunState, TaskState
from git_waves.core.model import Gate, Plan
from git_waves.core.ownership import OwnershipManifest
from git_waves.core.report import chronicle, declared, overlap
from git_waves.core.report.model import (
    Change,
    Declarations,
    Excerpt,
    GateReport,
    GateRun,
    Kept,
    Overlap,
    Report,
    TaskReport,
)
from git_waves.core.secrets import redact, redacted

MOST_LINES = 30
"""Of a log that are shown."""
_LONGEST = 4000  # letters of any other text
_WIDEST = 400  # letters of one line of a log
_AFTER_CUT = re.compile(r"\A(?:[^\n]*\n|\S*)")

ReadLog = Callable[[str], "LogEnd | None"]
"""The end of the log of that name in the run's folder (`gate.1.tests.log`); None when there is none that may be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEnd:
    """The last bytes of a log as text, and whether something stands before them."""

    text: str
    is_cut: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What a report is made of. `plan` and `manifest` are as they were pinned, None with the reason in `unknown` when they
    cannot be had; `archives` are the names of the refs that keep work of the run; `logs` are the names of the run's logs.
    """

    events: Sequence[Event]
    is_running: bool
    now: float
    plan: Plan | None
    manifest: OwnershipManifest | None
    unknown: str
    archives: frozenset[str]
    change: Change | None
    logs: frozenset[str]
    read_log: ReadLog


def build_report(material: Material) -> Report:
    """The report. Every text of others is redacted as it comes in, so nothing can be shown that was not looked at."""
    events = [_limited(redacted(dict(event))) for event in material.events]
    state = fold.fold(events)
    told = chronicle.read(events, now=material.now, is_running=material.is_running)
    tasks = tuple(_tasks(material, state, told))
    granted = frozenset((grant.task, path) for grant in told.grants for path in grant.paths)
    return Report(
        state=state,
        is_running=material.is_running,
        now=material.now,
        span=told.span,
        tasks=tasks,
        gates=tuple(_gates(material, state, told.gates)),
        barriers=tuple(told.barriers),
        culprits=tuple(told.culprits),
        resets=tuple(told.resets),
        sessions=tuple(told.sessions),
        overlap=_overlap(material, state, told, tasks),
        declarations=_declarations(material, tasks, granted),
        requests=tuple(replace(one, is_granted=(one.task, one.path) in granted) for one in told.requests),
        grants=tuple(told.grants),
        waits=tuple(told.waits),
        foreseen=tuple(told.foreseen.values()),
        kept=tuple(_kept(material.archives, tasks)),
        change=material.change,
    )


def _limited(value: Any) -> Any:
    """A value of JSON's with every text in it cut that nobody would read to its end."""
    if isinstance(value, str):
        left = len(value) - _LONGEST
        return value if left <= 0 else f"{value[:_LONGEST]}... ({left} letters more)"
    if isinstance(value, dict):
        return {key: _limited(entry) for key, entry in value.items()}
    return [_limited(entry) for entry in value] if isinstance(value, list) else value


# ---------------------------------------------------------------------- tasks


def _tasks(material: Material, state: RunState, told: chronicle.Chronicle) -> Iterator[TaskReport]:
    """In the order of the groups, then what was in none."""
    order = [task for group in state.groups for each in group.rounds for task in each]
    for task_id in dict.fromkeys([*order, *state.tasks]):
        task = state.tasks[task_id]
        tokens, cost = task.total()
        yield TaskReport(
            id=task.id,
            title=task.title,
            group=task.group,
            needs=tuple(task.needs),
            status=task.status,
            rung=task.rung,
            attempts=tuple(told.attempts.get(task.id, ())),
            merged_at=told.merged.get(task.id),
            excerpt=_task_excerpt(material, state, task) if task.status in fold.STUCK else None,
            tokens=tokens,
            cost=cost,
        )


def _task_excerpt(material: Material, state: RunState, task: TaskState) -> Excerpt | None:
    """The end of the log of the rung it fell at, or of the gate that it broke, else of its agent."""
    for culprit in state.culprits.values():
        if task.rung == "gate" and culprit.suspect == task.id:
            return _excerpt(material.read_log(f"gate.{culprit.round}.{culprit.gate}.log"), task.hint)
    start = f"{task.id}.{task.attempt}."
    # A stage has one log of its own name; the checks before it are numbered.
    kind = {"verify": "verify-", "environment": "setup-"}.get(task.rung, f"{task.rung}.log")
    numbered = sorted(
        (name for name in material.logs if kind and name.startswith(start + kind)),
        key=lambda name: (len(name), name),
    )
    name = numbered[-1] if numbered else f"{start}log"
    rung = name.removeprefix(start).removesuffix(".log")
    command = f"git waves log {task.id}" + (f" --rung {rung}" if numbered else "")
    return _excerpt(material.read_log(name), command)


def _excerpt(end: LogEnd | None, command: str) -> Excerpt | None:
    """None when the log says nothing."""
    if end is None:
        return None
    # Undressed before it is searched, searched before it is cut: a key must not hide in either.
    text = redact(undressed(end.text))
    if end.is_cut:  # in the middle of a line, perhaps of a key
        text = _AFTER_CUT.sub("", text, count=1)
    lines = text.split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        return None
    shown = tuple(line if len(line) <= _WIDEST else line[:_WIDEST] + "..." for line in lines[-MOST_LINES:])
    return Excerpt(lines=shown, is_cut=end.is_cut or len(lines) > MOST_LINES, command=command)


# ---------------------------------------------------------------------- gates


def _gates(material: Material, state: RunState, runs: Sequence[GateRun]) -> Iterator[GateReport]:
    """The plan's gates in its order, then those the log alone knows."""
    planned: dict[str, Gate] = {gate.name: gate for gate in material.plan.gates} if material.plan else {}
    of_groups = dict.fromkeys(gate for group in state.groups for gate in group.gates)
    for name in dict.fromkeys([*planned, *of_groups, *(run.gate for run in runs)]):
        gate, rule = planned.get(name), state.gate_rules.get(name)
        asks = {}
        if rule is not None:
            asks = {"baseline": rule.baseline != "skip", "control": rule.control, "mutation": rule.guards}
        yield GateReport(
            name=name,
            command=redact(str(gate.command)) if gate is not None else "",
            groups=tuple(group.name for group in state.groups if name in group.gates),
            is_claim=rule.claim if rule is not None else gate is not None and gate.is_claim,
            runs=tuple(_with_log(material, run) for run in runs if run.gate == name),
            asks=tuple(what for what, is_asked in asks.items() if is_asked),
            is_red_all_along=state.is_red_all_along(name),
        )


def _with_log(material: Material, run: GateRun) -> GateRun:
    """A gate shows how its log ends where somebody has to look: red, flaky, or blind."""
    is_proof = run.purpose in ("control", "mutation")
    if run.verdict in ("proved", "inapplicable") if is_proof else run.passed and not run.is_flaky:
        return run
    name = run.log.rpartition("/")[2]
    return replace(run, excerpt=_excerpt(material.read_log(name), f"git waves log gate:{run.gate}"))


# ---------------------------------------------------------------------- overlap, declarations, what is kept


def _overlap(
    material: Material, state: RunState, told: chronicle.Chronicle, tasks: Iterable[TaskReport]
) -> Overlap:
    ideal, unknown = None, material.unknown
    if material.plan is not None:
        ideal = overlap.ideal_of(material.plan, state, {task.id: task.seconds for task in tasks})
        unknown = "" if ideal is not None else "no attempt has taken any time"
    return overlap.measure(
        {task: [attempt.span for attempt in attempts] for task, attempts in told.attempts.items()},
        sessions=[session.span for session in told.sessions],
        gates=[run.span for run in told.gates],
        ideal=ideal,
        unknown=unknown,
    )


def _declarations(
    material: Material, tasks: Sequence[TaskReport], granted: frozenset[tuple[str, str]]
) -> Declarations:
    if material.manifest is None:
        return Declarations(untouched=(), foreign=(), checked=0, unknown=material.unknown)
    found = declared.compare(tasks, material.manifest, granted)
    return replace(
        found,
        untouched=tuple(
            replace(one, paths=tuple(redact(path) for path in one.paths)) for one in found.untouched
        ),
    )


def _kept(archives: frozenset[str], tasks: Iterable[TaskReport]) -> Iterator[Kept]:
    """Every archive ref that there is, and those the log tells of that are gone."""
    told = [attempt.archive for task in tasks for attempt in task.attempts if attempt.archive]
    for ref in dict.fromkeys([*sorted(archives), *told]):
        name = archive_name(ref)
        if name is not None:
            yield Kept(task=name.task, name=name.short, ref=ref, is_there=ref in archives)
