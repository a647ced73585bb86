"""What reviewers said about one content of a plan, and what that adds up to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from git_waves.core.analysis import Analysis
from git_waves.core.model import Oid


class Word(StrEnum):
    """A reviewer's answer."""

    APPROVE = "approve"
    REVISE = "revise"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Who said what about a plan, and when (UTC, ISO 8601)."""

    word: Word
    by: str
    note: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What the verdicts on one content add up to. `objection` is the newest that still stands."""

    is_approved: bool
    objection: Verdict | None = None


def standing(verdicts: Iterable[Verdict]) -> Standing:
    """Of each reviewer the last word counts; one who says revise outweighs all who approve. `verdicts` oldest first."""
    last: dict[str, Verdict] = {}
    for verdict in verdicts:
        last.pop(verdict.by, None)  # so that the newest word comes last
        last[verdict.by] = verdict
    objections = [verdict for verdict in last.values() if verdict.word is Word.REVISE]
    return Standing(
        is_approved=bool(last) and not objections, objection=objections[-1] if objections else None
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A plan, the id of its content, everything that follows from it, and the verdicts on it so far, oldest first."""

    analysis: Analysis
    blob: Oid
    verdicts: tuple[Verdict, ...]

    @property
    def standing(self) -> Standing:
        """What the verdicts add up to."""
        return standing(self.verdicts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A verdict that is kept now, for which plan and content, and what all verdicts on it add up to."""

    plan: str
    blob: Oid
    verdict: Verdict
    standing: Standing
