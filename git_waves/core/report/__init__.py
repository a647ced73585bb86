"""The morning report as a value: what happened in a run, what it is worth, and what a person has to decide."""

from __future__ import annotations

from git_waves.core.report.build import LogEnd, Material, build_report
from git_waves.core.report.model import Report

__all__ = ["LogEnd", "Material", "Report", "build_report"]
