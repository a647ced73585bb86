"""All that is derived from a plan without executing anything: the value that `plan` shows and `run` starts from."""

from __future__ import annotations

from dataclasses import dataclass

from git_waves.core.bounds import Bounds
from git_waves.core.findings.empty import UNMEASURED_CODES
from git_waves.core.model import Finding, Level, Plan, Schedule
from git_waves.core.ownership import OwnershipManifest
from git_waves.core.repository import RepositoryFacts
from git_waves.core.sharing import Costs
from git_waves.core.speedup import SpeedUp


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """A plan, who owns what, what runs when, everything wrong with it, and how parallel it can be.

    `speedup` is None when nothing is left to do; `costs` are what shared paths make longer. `repository` is what the repository says about the plan's paths; None where there is no commit.
    """

    plan: Plan
    manifest: OwnershipManifest
    schedule: Schedule
    findings: tuple[Finding, ...]
    bounds: Bounds
    speedup: SpeedUp | None
    costs: Costs
    repository: RepositoryFacts | None = None

    @property
    def violations(self) -> tuple[Finding, ...]:
        """What makes `plan` exit 1 and `run` refuse."""
        return tuple(finding for finding in self.findings if finding.level is Level.VIOLATION)

    @property
    def is_measured(self) -> bool:
        """Whether anything was declared that could be checked; silence is never success (P8)."""
        return not any(finding.code in UNMEASURED_CODES for finding in self.findings)
