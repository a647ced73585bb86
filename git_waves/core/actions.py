"""What a run may do next: the words in which `core.decide` answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from git_waves.core.gatewords import Purpose


@dataclass(frozen=True, slots=True)
class Start:
    """Give the task a lease for its next attempt, cut from `base`, and let it climb the ladder."""

    task: str
    attempt: int
    base: str


@dataclass(frozen=True, slots=True)
class Climb:
    """Go on with an attempt that an earlier coordinator leased."""

    task: str


@dataclass(frozen=True, slots=True)
class Resume:
    """Let an interrupted attempt go on in its worktree, with its session."""

    task: str


@dataclass(frozen=True, slots=True)
class Block:
    """Write down that a need of the task will not come."""

    task: str
    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class TryAgain:
    """Write down that the run makes another attempt by itself, with this one of the task's agents."""

    task: str
    agent: int


@dataclass(frozen=True, slots=True)
class Merge:
    """Merge the task's tip into the candidate."""

    task: str


@dataclass(frozen=True, slots=True)
class RunGates:
    """Run these gates in this order: on the candidate, or for another purpose on the tree that it speaks of."""

    group: str
    gates: tuple[str, ...]
    purpose: Purpose = Purpose.BARRIER


@dataclass(frozen=True, slots=True)
class FindCulprit:
    """Take the next step of the search for who turned the gate red on the candidate."""

    group: str
    gate: str


@dataclass(frozen=True, slots=True)
class ResetCandidate:
    """Take the task out of the candidate, for this reason, and park it; the rest of what is merged stays, or comes again."""

    group: str
    task: str
    reason: str
    hint: str


@dataclass(frozen=True, slots=True)
class Publish:
    """Move the integration ref to the candidate: every gate that is due is green on its tree."""

    group: str


HaltKind = Literal[
    "failed", "parked", "conflict", "gate", "stuck", "refs", "budget", "background", "attended"
]


@dataclass(frozen=True, slots=True)
class Halt:
    """Stop for a person."""

    kind: HaltKind
    reason: str
    hint: str


@dataclass(frozen=True, slots=True)
class Stop:
    """Leave as asked; nothing is in flight any more."""


@dataclass(frozen=True, slots=True)
class Finish:
    """Everything is settled and published."""


Action = (
    Start
    | Climb
    | Resume
    | Block
    | TryAgain
    | Merge
    | RunGates
    | FindCulprit
    | ResetCandidate
    | Publish
    | Halt
    | Stop
    | Finish
)
