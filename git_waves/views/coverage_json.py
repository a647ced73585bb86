"""The report of an import as JSON: every number and every place that was passed over, none cut."""

from __future__ import annotations

from typing import Any

from git_waves.core.coverage import Coverage, ImportReport, Skipped


def coverage_json(report: ImportReport) -> dict[str, Any]:
    """`plan`, `tasks`, `left_out`, `conflicts`, `renamed`, `blocked`, `notes`, and `sources` with a value for each."""
    return {
        "plan": report.name,
        "tasks": report.tasks,
        "left_out": report.left_out,
        "conflicts": list(report.conflicts),
        "renamed": {str(task): raw for task, raw in report.renamed},
        "blocked": {str(task): why for task, why in report.blocked},
        "notes": [_skipped(one) for one in report.notes],
        "sources": [_source(one) for one in report.coverages],
    }


def _source(one: Coverage) -> dict[str, Any]:
    return {
        "source": one.source,
        "format": one.format,
        "tasks": one.tasks,
        "done": one.done,
        "blocked": one.blocked,
        "attended": one.attended,
        "files": {"declared": one.declared, "guessed": one.guessed, "none": one.silent},
        "verify": one.proved,
        "needs": one.needs,
        "groups": one.groups,
        "conflicts": list(one.conflicts),
        "skipped": [_skipped(each) for each in one.skipped],
    }


def _skipped(one: Skipped) -> dict[str, Any]:
    return {"source": one.source, "line": one.line, "what": one.what, "why": one.why}
