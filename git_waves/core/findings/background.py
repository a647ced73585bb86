"""Writers that are no tasks: W711 one writes what a task owns, W712 the gate that should notice it does not exist."""

from __future__ import annotations

from collections.abc import Iterator

from git_waves.core.collision import Collision
from git_waves.core.findings.facts import Facts
from git_waves.core.findings.wording import count, listed, quoted
from git_waves.core.model import Background, Finding, Level, Origin, TaskId
from git_waves.core.overlaps import find_collisions


def check_background(facts: Facts) -> tuple[Finding, ...]:
    """What the plan's `background` entries put at risk. One that is stopped before the run puts nothing at risk."""
    gates = {gate.name for gate in facts.plan.gates}
    absent = [
        writer for writer in facts.plan.background if writer.gate is not None and writer.gate not in gates
    ]
    return (*_written(facts), *(_no_gate(facts, writer) for writer in absent))


def _written(facts: Facts) -> Iterator[Finding]:
    writers = [writer for writer in facts.plan.background if writer.quiesce is None and writer.writes]
    if not writers:
        return
    # No task has such an id, so one search finds who meets whom.
    ids = {TaskId(f"\0{number}"): writer for number, writer in enumerate(writers)}
    claims = [
        (task.id, claim.pattern, claim.origin is Origin.EXPLICIT)
        for task in facts.plan.tasks
        if not task.is_done
        for claim in task.claims
    ]
    claims += [(name, pattern, True) for name, writer in ids.items() for pattern in writer.writes]
    found: dict[TaskId, dict[tuple[TaskId, str], str]] = {}
    for collision in find_collisions(claims):
        for name, task, path in _meetings(collision, set(ids)):
            found.setdefault(name, {}).setdefault((task, path), path)
    for name, writer in ids.items():
        if name in found:
            yield _writes_owned(facts, writer, tuple(found[name]))


def _meetings(collision: Collision, writers: set[TaskId]) -> Iterator[tuple[TaskId, TaskId, str]]:
    """Each writer with each task it meets, and the task's own claim there."""
    second = dict(zip(collision.second, collision.others, strict=True))
    for one in collision.first:
        for other, path in second.items():
            if one in writers and other not in writers:
                yield one, other, path
            elif other in writers and one not in writers:
                yield other, one, collision.path


def _writes_owned(facts: Facts, writer: Background, met: tuple[tuple[TaskId, str], ...]) -> Finding:
    tasks = facts.in_plan_order({task for task, _ in met})
    paths = tuple(dict.fromkeys(path for _, path in met))
    what = quoted(paths) if len(paths) == 1 else count(len(paths), "path")
    owners = f"task '{tasks[0]}' owns" if len(tasks) == 1 else f"{count(len(tasks), 'task')} own"
    return Finding(
        code="W711",
        level=Level.WARNING,
        message=f"background writer '{writer.name}' writes {what} that {owners}, and nothing stops it",
        line=writer.line,
        tasks=tasks,
        evidence=listed(facts.deed(task, path) for each in tasks for task, path in met if task == each),
        hint="say how to stop it for the run with 'quiesce', or leave the path to it",
    )


def _no_gate(facts: Facts, writer: Background) -> Finding:
    known = [gate.name for gate in facts.plan.gates]
    return Finding(
        code="W712",
        level=Level.VIOLATION,
        message=f"background writer '{writer.name}' relies on gate '{writer.gate}', which the plan does not have",
        line=writer.line,
        hint=f"name {'one of ' if len(known) > 1 else ''}{quoted(known)}"
        if known
        else "add the gate, or 'quiesce'",
    )
