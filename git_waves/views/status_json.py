"""`git waves status --json`: the state as one JSON value. Keys are only ever added; `version` says when one changed."""

from __future__ import annotations

from git_waves.views.standing import next_step, standing
from git_waves.views.waiting import waits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from git_waves.core.fold import GateResult, RunState, TaskState

VERSION = 1


def status_json(state: RunState | None, *, is_running: bool) -> dict[str, Any]:
    """Plain values ready for `json.dumps`; texts are as they were written, bytes that were not UTF-8 as surrogates.

    `run` is null when nothing has run.
    """
    if state is None:
        return {"version": VERSION, "run": None}
    waiting = waits(state)
    return {
        "version": VERSION,
        "plan": state.plan,
        "source": state.source,
        "run": state.run,
        "scheduler": state.scheduler,
        "on_failure": state.on_failure,
        "max_parallel": state.max_parallel,
        "state": standing(state, is_running=is_running),
        "started": state.started,
        "last_event": state.last,
        "coordinator": state.coordinator,
        "base": state.base,
        "base_name": state.base_name,
        "integration": state.integration,
        "candidate": state.candidate,
        "halted": {"kind": state.halt_kind, "reason": state.halted, "hint": state.halt_hint}
        if state.halted
        else None,
        "quiesced": [{"name": name, "resume": command} for name, command in state.quiesced.items()],
        "warnings": state.warnings,
        "budget": state.budget,
        "limited": [
            {"agent": name, "until": one.until or None, "count": one.count, "reason": one.reason}
            for name, one in state.limited.items()
        ],
        "spent": _spent(*state.spent()),
        "counts": {
            status: state.count(status) for status in sorted({t.status for t in state.tasks.values()})
        },
        "groups": [
            {"name": group.name, "rounds": group.rounds, "gates": group.gates, "holds": group.holds}
            for group in state.groups
        ],
        "tasks": [_task(task, waiting.get(task.id, "")) for task in state.tasks.values()],
        "gates": [_gate(result) for result in state.gates.values()],
        "baseline": [_gate(result) for result in state.baseline.values()],
        "proofs": [_gate(result) for result in state.proofs.values()],
        "culprits": [
            {
                "gate": culprit.gate,
                "group": culprit.group,
                "tree": culprit.tree,
                "tasks": culprit.tasks,
                "suspect": culprit.suspect,
                "evidence": culprit.evidence,
            }
            for culprit in state.culprits.values()
        ],
        "next": next_step(state, is_running=is_running),
    }


def _gate(result: GateResult) -> dict[str, Any]:
    return {
        "gate": result.gate,
        "purpose": result.purpose,
        "group": result.group,
        "tree": result.tree,
        "passed": result.passed,
        "verdict": result.verdict or None,
        "code": result.code,
        "reason": result.reason,
        "runs": result.runs,
        "greens": result.greens,
        "failures": result.failures,
        "tolerated": result.tolerated,
        "paths": result.paths,
        "reused": result.reused or None,
        "seconds": result.seconds,
        "at": result.at,
    }


def _task(task: TaskState, waiting: str) -> dict[str, Any]:
    return {
        "id": task.id,
        "title": task.title,
        "group": task.group,
        "needs": task.needs,
        "state": task.status,
        "since": task.since,
        "attempt": task.attempt,
        "agent": task.agents[task.agent] if task.agents else None,
        "failed_before": task.earlier,
        "rung": task.rung,
        "started": task.started,
        "ended": task.ended,
        "waits_for": waiting,
        "held": task.held,
        "reason": task.reason,
        "hint": task.hint,
        "branch": task.branch,
        "worktree": task.worktree,
        "fence": task.fence,
        "tip": task.tip,
        "commit": task.commit,
        "paths": task.paths,
        "granted": task.granted,
        "requests": task.requests,
        "foreseen_conflicts": [{"with": other, "paths": paths} for other, paths in task.foreseen.items()],
        "kept": task.kept,
        "taken_up": task.taken_up,
        "session": task.session,
        "spent": _spent(*task.total()),
        "attempts": [
            {"attempt": attempt, **_spent(*figures)} for attempt, figures in sorted(task.spent.items())
        ],
    }


def _spent(tokens: int, cost: float) -> dict[str, Any]:
    """`cost` in US dollars; null is not told, which is not nothing."""
    return {"tokens": tokens or None, "cost": round(cost, 6) or None}
