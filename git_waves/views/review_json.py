"""`git waves review --json`: the sheet as one JSON value, for a reader that is a program. Keys are only ever added."""

from __future__ import annotations

from typing import Any

from git_waves.core.findings.facts import Facts
from git_waves.core.review import Recorded, Review, Verdict
from git_waves.core.sheet import Meeting, Point, Proof, checklist, meetings, proofs
from git_waves.views.plan_json import finding_json, plan_json

VERSION = 1


def review_json(review: Review) -> dict[str, Any]:
    """Plain values ready for `json.dumps`; `plan` is what `git waves plan --json` says."""
    analysis = review.analysis
    facts = Facts(plan=analysis.plan, manifest=analysis.manifest, schedule=analysis.schedule)
    return {
        "version": VERSION,
        "content": review.blob,
        "require_review": analysis.plan.require_review,
        "is_approved": review.standing.is_approved,
        "verdicts": [_verdict(verdict) for verdict in review.verdicts],
        "checklist": [_point(point) for point in checklist(analysis.findings)],
        "meetings": [_meeting(meeting) for meeting in meetings(facts)],
        "validation": [_proof(proof) for proof in proofs(analysis.plan, analysis.schedule)],
        "plan": plan_json(analysis),
    }


def recorded_json(done: Recorded) -> dict[str, Any]:
    """What `--record` did."""
    return {
        "version": VERSION,
        "plan": done.plan,
        "content": done.blob,
        "recorded": _verdict(done.verdict),
        "is_approved": done.standing.is_approved,
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {"verdict": verdict.word, "by": verdict.by, "note": verdict.note, "at": verdict.at}


def _point(point: Point) -> dict[str, Any]:
    return {
        "title": point.title,
        "question": point.question,
        "findings": [finding_json(finding) for finding in point.findings],
    }


def _meeting(meeting: Meeting) -> dict[str, Any]:
    return {
        "paths": list(meeting.paths),
        "kept_apart_by": meeting.between,
        "tasks": list(meeting.tasks),
        "pairs": None if meeting.pairs is None else [list(pair) for pair in meeting.pairs],
    }


def _proof(proof: Proof) -> dict[str, Any]:
    return {
        str(proof.kind): proof.of,
        "command": None if proof.command is None else str(proof.command),
        "line": proof.line,
        "groups": list(proof.groups),
        "tasks": list(proof.tasks),
    }
