"""What a plan is told, for tests of single families: only the codes asked about."""

from __future__ import annotations

from git_waves.core.findings import check_plan
from git_waves.core.model import Finding, Plan
from git_waves.core.ownership import build_manifest
from git_waves.core.schedule import build_schedule


def findings(some: Plan, codes: str) -> list[Finding]:
    """The findings whose code begins with one of `codes` (separated by blanks), in the order they are told."""
    manifest = build_manifest(some)
    found = check_plan(some, manifest, build_schedule(some, manifest=manifest))
    return [finding for finding in found if finding.code.startswith(tuple(codes.split()))]


def told(some: Plan, codes: str) -> list[str]:
    """The same in one line each."""
    return [f"{finding.code} {finding.level}: {finding.message}" for finding in findings(some, codes)]
