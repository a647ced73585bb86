"""`git waves run --dry-run`: every step the run would take, in order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from git_waves.core.analysis import Analysis
from git_waves.core.fold import RunState
from git_waves.core.model import Plan, SchedulerName, Task
from git_waves.core.ownership import OwnershipManifest
from git_waves.views.safe import clean, quoted
from git_waves.views.standing import counts

_END = "nothing was changed; without --dry-run it is done\n"


def goes_on_text(state: RunState) -> str:
    """When there is a run already."""
    if state.finished:
        return f"run {quoted(state.run)} of plan {quoted(state.plan)} is finished: {counts(state)}; nothing is to do\n"
    return (
        f"would go on with run {quoted(state.run)} of plan {quoted(state.plan)}: {counts(state)}\n"
        f"what it does next stands in 'git waves status'\n{_END}"
    )


def begins_text(
    analysis: Analysis,
    *,
    base: str,
    base_name: str,
    done: dict[str, str],
    worktrees: Path,
    notice: str = "",
    fence: str = "",
) -> str:
    """A new run from `base`; `done` maps tasks that are not run to why, `worktrees` is where their folders go, `notice`
    is what the run would say first, `fence` what the kernel's fences are."""
    plan, schedule = analysis.plan, analysis.schedule
    tasks = {task.id: task for task in plan.tasks}
    lines = [
        *([clean(notice)] if notice else []),
        f"would run plan {quoted(plan.name)} from {quoted(base_name)} ({base[:10]}): "
        f"{schedule.scheduler}, up to {schedule.max_parallel} at once, on failure {schedule.on_failure}",
        *([clean(fence)] if fence else []),
        f"worktrees would lie in {quoted(str(worktrees))}; your own checkout stays as it is",
    ]
    lines += _worktrees(plan)
    if schedule.scheduler is SchedulerName.READY_SET:
        lines.append(
            "each task would start as soon as its needs are integrated, and be merged and proved by itself"
        )
    lines += [f"would not run {quoted(task)}: {clean(why)}" for task, why in sorted(done.items())]
    for writer in plan.background:
        if writer.quiesce is not None:
            after = (
                f", and after it: {clean(str(writer.resume).strip())}" if writer.resume is not None else ""
            )
            words = f"would stop background writer {quoted(writer.name)} for the run: "
            lines.append(words + clean(str(writer.quiesce).strip()) + after)
    for group in schedule.groups:
        lines += ["", f"group {clean(group.name)}"]
        merged = []
        for number, one_round in enumerate(group.rounds, start=1):
            todo = [tasks[task] for task in one_round if task not in done]
            merged += [task.id for task in todo]
            if todo and len(group.rounds) > 1:
                lines.append(f"  round {number}")
            for task in todo:
                lines += _task(plan, task, analysis.manifest)
        if merged:
            lines.append(f"  merge into the candidate, in this order: {', '.join(map(clean, merged))}")
            lines += [
                f"  gate {clean(gate.name)}: {clean(str(gate.command).strip())}"
                for gate in plan.gates
                if gate.name in group.gates
            ]
            lines.append(f"  move 'waves/{plan.name}/integration' to the candidate")
    return "\n".join(lines) + f"\n\n{_END}"


def _worktrees(plan: Plan) -> Iterator[str]:
    """What every worktree would be given before anybody starts there."""
    for one in plan.include:
        place = f", as {quoted(one.to)}" if one.to is not None else ""
        yield f"each would be given {quoted(one.pattern)} of your checkout: {one.how}{place}"
    for command in plan.setup:
        yield f"each would be set up with {clean(str(command).strip())}"


def _task(plan: Plan, task: Task, manifest: OwnershipManifest) -> Iterator[str]:
    yield f"  {clean(task.id)}: branch 'waves/{plan.name}/{task.id}/1'" + (
        f", {clean(task.title)}" if task.title else ""
    )
    agent = task.agent or plan.agent
    if task.run is not None:
        yield f"    runs {clean(str(task.run).strip())}"
    elif agent is not None:
        yield f"    agent {clean(str(agent.command if agent.command is not None else agent.name))}"
    claims = manifest.claims(task.id)
    for pattern in claims.explicit or claims.inferred:
        yield f"    may change {clean(str(pattern))}"
    for command in task.verify:
        yield f"    verified by {clean(str(command).strip())}"
    for path in task.handoff:
        yield f"    hands on {clean(path)}"
    for stage in plan.stages_of(task.id):
        yield f"    stage {clean(stage.name)}: {clean(str(stage.command).strip())}"
