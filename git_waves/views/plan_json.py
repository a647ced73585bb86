"""`git waves plan --json`: everything that was derived, as one JSON value. Keys are only ever added."""

from __future__ import annotations

from typing import Any

from git_waves.core.analysis import Analysis
from git_waves.core.bounds import Bounds
from git_waves.core.model import Finding, ScheduledGroup
from git_waves.core.repository import RepositoryFacts
from git_waves.core.sharing import Cost
from git_waves.core.speedup import SpeedUp
from git_waves.errors import PlanError

VERSION = 1


def plan_json(analysis: Analysis) -> dict[str, Any]:
    """Plain values ready for `json.dumps`; bytes of paths that are no UTF-8 stand as lone surrogates."""
    plan, schedule = analysis.plan, analysis.schedule
    return {
        "version": VERSION,
        "plan": plan.name,
        "source": plan.source,
        "format": plan.format,
        "scheduler": schedule.scheduler,
        "scheduler_reason": schedule.scheduler_reason,
        "on_failure": schedule.on_failure,
        "max_parallel": schedule.max_parallel,
        "bounds": {**_bounds(analysis.bounds), **_speedup(analysis.speedup)},
        "shared": [_cost(cost) for cost in analysis.costs.found],
        "groups": [_group(group) for group in schedule.groups],
        "needs": [
            {"task": need.task, "on": need.on, "kind": need.kind, "path": need.path}
            for need in schedule.needs
        ],
        "attended": [task.id for task in plan.tasks if task.attended],
        "findings": [finding_json(finding) for finding in analysis.findings],
        "manifest": analysis.manifest.to_json(),
        "repository": _repository(analysis.repository),
    }


def _bounds(bounds: Bounds) -> dict[str, Any]:
    return {
        "tasks": bounds.tasks,
        "groups": bounds.groups,
        "rounds": bounds.rounds,
        "longest_chain": bounds.longest_chain,
        "widest_round": bounds.widest_round,
    }


def _speedup(found: SpeedUp | None) -> dict[str, Any]:
    """Work in `unit`; `speedup` is what the schedule reaches, `best_speedup` what none can beat; null without tasks."""
    if found is None:
        names = (
            "fewest_rounds",
            "unit",
            "weights",
            "total_work",
            "critical_path",
            "speedup",
            "best_speedup",
            "limit",
        )
        return dict.fromkeys(names)
    weights = found.weights
    return {
        "fewest_rounds": found.fewest_rounds,
        "unit": "seconds" if weights.is_timed else "tasks",
        "weights": {
            "estimated": weights.estimated,
            "measured": weights.measured,
            "assumed": weights.assumed,
        },
        "total_work": found.total_work,
        "critical_path": {"tasks": list(found.critical_path), "work": found.critical_work},
        "speedup": round(found.factor, 3),
        "best_speedup": round(found.best, 3),
        "limit": {"kind": found.limit.kind, "what": found.limit.what, "tasks": list(found.limit.tasks)},
    }


def _cost(cost: Cost) -> dict[str, Any]:
    """Rounds of the whole plan: `now`, with one last task for the names (`hoisted`), and with each task its own."""
    row = cost.registration
    return {
        "kind": cost.kind,
        "names": list(cost.names),
        "tasks": list(cost.tasks),
        "now": cost.now,
        "hoisted": cost.hoisted,
        "apart": cost.apart,
        "left_without_files": list(cost.emptied),
        "remedy": None if row is None else row.remedy,
        "because": None if row is None else row.why,
    }


def _repository(facts: RepositoryFacts | None) -> dict[str, Any] | None:
    """Which commit the plan was held against, and how many commits of its history were read."""
    if facts is None:
        return None
    history = facts.history
    return {
        "base": facts.base,
        "base_name": facts.base_name,
        "history": None if history is None else {"commits": history.commits, "limit": history.limit},
    }


def _group(group: ScheduledGroup) -> dict[str, Any]:
    return {
        "name": group.name,
        "tasks": list(group.tasks),
        "rounds": [list(one_round) for one_round in group.rounds],
        "gates": list(group.gates),
        "holds": [
            {"task": hold.task, "kind": hold.kind, "by": hold.by, "what": hold.what} for hold in group.holds
        ],
    }


def finding_json(finding: Finding) -> dict[str, Any]:
    """One finding."""
    return {
        "code": finding.code,
        "level": finding.level,
        "message": finding.message,
        "line": finding.line,
        "tasks": list(finding.tasks),
        "paths": list(finding.paths),
        "evidence": list(finding.evidence),
        "hint": finding.hint,
    }


def plan_error_json(error: PlanError) -> dict[str, Any]:
    """What stands in place of all that when the plan could not be read: its problems."""
    return {
        "version": VERSION,
        "source": error.source,
        "problems": [
            {"line": problem.line, "message": problem.message, "hint": problem.hint}
            for problem in error.problems
        ],
    }
