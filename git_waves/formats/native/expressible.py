"""A plan reduced to what the native format can say, so that it can be written and is read back as the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from git_waves.core.model import (
    DEFAULT_SETUP_TIMEOUT,
    Claim,
    Command,
    Intent,
    Origin,
    PathPattern,
    Plan,
    Task,
    TaskId,
)

_PLAIN_WORD = re.compile(r"[A-Za-z0-9_./@%+,][A-Za-z0-9_./@%+,:-]*")


def expressible(plan: Plan) -> Plan:
    """The plan as the native format can say it: without tasks that are done (nothing waits for them) and blockers.

    Several commands that are all single words would read like the words of one; they are written as lists, which run
    the same. A guess has no intent.
    """
    done = {task.id for task in plan.tasks if task.is_done}
    is_sparse = plan.sparse is not None
    tasks = tuple(_expressible(task, done, is_sparse=is_sparse) for task in plan.tasks if task.id not in done)
    used = {task.group for task in tasks}
    wanted = {group for gate in plan.gates for group in gate.groups}
    stages = tuple(
        replace(stage, tasks=tuple(task for task in stage.tasks if task not in done))
        for stage in plan.stages
        if not stage.tasks or not done.issuperset(stage.tasks)
    )
    groups = tuple(group for group in plan.groups if group.name in used or group.name in wanted)
    return replace(
        plan,
        source="",
        format="native",
        stages=stages,
        groups=groups,
        tasks=tasks,
        setup=_several(plan.setup),
        setup_timeout=plan.setup_timeout if plan.setup else DEFAULT_SETUP_TIMEOUT,
    )


def _expressible(task: Task, done: set[TaskId], *, is_sparse: bool) -> Task:
    claims: dict[PathPattern, Claim] = {}
    for claim in _in_order(task.claims):
        is_intent_lost = claim.origin is Origin.INFERRED and claim.intent is not Intent.EDIT
        claims.setdefault(claim.pattern, replace(claim, intent=Intent.EDIT) if is_intent_lost else claim)
    return replace(
        task,
        needs=tuple(on for on in task.needs if on not in done),
        claims=tuple(claims.values()),
        reads=task.reads if is_sparse else (),
        verify=_several(task.verify),
        blocker=None,
    )


def _in_order(claims: Sequence[Claim]) -> list[Claim]:
    """Claims in the order in which the keys of `files` are read; a plain list keeps its own."""
    declared = [claim for claim in claims if claim.origin is Origin.EXPLICIT]
    guessed = [claim for claim in claims if claim.origin is Origin.INFERRED]
    return [*(claim for intent in Intent for claim in declared if claim.intent is intent), *guessed]


def _several(commands: Sequence[Command]) -> tuple[Command, ...]:
    """Commands of a list, none of which the reader would take for a word of another one."""
    texts = [command.shell for command in commands if command.shell is not None]
    reads_as_one = (
        len(texts) > 1 and len(texts) == len(commands) and not any(" " in text.strip() for text in texts)
    )
    return tuple(
        _as_list(command) if reads_as_one or (command.shell or "").startswith("-") else command
        for command in commands
    )


def _as_list(command: Command) -> Command:
    if command.shell is None:
        return command
    word = command.shell.strip()
    argv = (word,) if _PLAIN_WORD.fullmatch(word) else ("sh", "-c", command.shell)
    return Command(argv=argv, line=command.line)
