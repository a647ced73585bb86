"""What is not there: claims (W601, W602), work to do (W603), proof (W604), tasks (W605). Silence is never success."""

from __future__ import annotations

from git_waves.core.findings.wording import count, listed
from git_waves.core.model import Finding, Level, Plan

UNMEASURED_CODES = frozenset({"W602", "W605"})
"""Findings that say that collisions could not be looked for at all."""


def check_empty(plan: Plan) -> tuple[Finding, ...]:
    """What a plan lacks."""
    if not plan.tasks:
        hint = "add tasks, or see whether this is the plan you meant"
        return (Finding(code="W605", level=Level.WARNING, message="the plan has no tasks", hint=hint),)
    return (*_without_files(plan), *_without_work(plan), *_without_proof(plan))


def _without_files(plan: Plan) -> tuple[Finding, ...]:
    if not any(task.claims for task in plan.tasks):
        return (
            Finding(
                code="W602",
                level=Level.WARNING,
                message="no task claims any file, so collisions cannot be measured",
                line=plan.tasks[0].line,
                hint="give each task its 'files'",
            ),
        )
    return tuple(
        Finding(
            code="W601",
            level=Level.WARNING,
            message=f"task '{task.id}' claims no files, so every change it makes is foreign",
            line=task.line,
            tasks=(task.id,),
            hint=f"give '{task.id}' its 'files'",
        )
        for task in plan.tasks
        if not task.is_done and not task.claims and not task.attended  # a checkpoint changes nothing
    )


def _without_work(plan: Plan) -> tuple[Finding, ...]:
    """Tasks that a run would refuse. Other tools' plans cannot name an agent, so there a prompt is enough."""
    if plan.agent is not None:
        return ()
    idle = [
        task
        for task in plan.tasks
        if not task.is_done
        and not task.attended
        and task.run is None
        and task.agent is None
        and (task.prompt is None or plan.format == "native")
    ]
    if not idle:
        return ()
    silent = all(task.prompt is None for task in idle)
    return (
        Finding(
            code="W603",
            level=Level.NOTE,
            message=f"nothing says how to do {count(len(idle), 'task')}: no 'run', "
            f"{'no prompt, ' if silent else ''}and no agent",
            line=idle[0].line,
            tasks=tuple(task.id for task in idle),
            evidence=listed(f"task '{task.id}'" for task in idle),
            hint="say what to do with 'prompt' or 'run'"
            if silent
            else "name who reads the prompts, e.g. agent: {run: 'my-agent < \"$WAVES_PROMPT_FILE\"'}",
        ),
    )


def _without_proof(plan: Plan) -> tuple[Finding, ...]:
    unproved = [
        task
        for task in plan.tasks
        if not task.is_done and not task.verify and (task.claims or not task.attended)
    ]
    if plan.gates or not unproved:
        return ()
    return (
        Finding(
            code="W604",
            level=Level.NOTE,
            message=f"nothing proves {count(len(unproved), 'task')}: no 'verify', and the plan has no gates",
            line=unproved[0].line,
            tasks=tuple(task.id for task in unproved),
            evidence=listed(f"task '{task.id}'" for task in unproved),
            hint="add a gate that builds and tests everything",
        ),
    )
