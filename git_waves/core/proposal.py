"""A pull request that was made, or is left to a person."""

from __future__ import annotations

from dataclasses import dataclass

from git_waves.core.model import Oid


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """One pull request: branch `head` at `commit` into `base`; the words behind `git` of the push, and those of the forge's
    program that make it. `body_file` is where the body lies."""

    head: str
    commit: Oid
    base: str
    title: str
    body_file: str
    push_words: tuple[str, ...]
    create_words: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A pull request that is open now; `was_there` when it was before and only got a new body."""

    proposal: Proposal
    address: str
    was_there: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """What became of it: requests that are open, and those left to a person, with the reason."""

    made: tuple[Made, ...] = ()
    left: tuple[Proposal, ...] = ()
    why_not: str = ""
