"""What `git waves doctor` says: one check after the other, each judged from facts alone and with its way out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Health(StrEnum):
    """How a check came out. Only a problem keeps runs from working, and makes the exit code 1."""

    OK = "ok"
    NOTE = "note"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at: `name` is a word, `words` say what is so, `hint` what to type or do next (or nothing)."""

    name: str
    health: Health
    words: str
    hint: str = ""


def ok(name: str, words: str, hint: str = "") -> Check:
    """All is well; a hint only tells what else there is."""
    return Check(name=name, health=Health.OK, words=words, hint=hint)


def note(name: str, words: str, hint: str = "") -> Check:
    """Good to know; also what could not be seen."""
    return Check(name=name, health=Health.NOTE, words=words, hint=hint)


def warning(name: str, words: str, hint: str = "") -> Check:
    """Runs work, and something will surprise."""
    return Check(name=name, health=Health.WARNING, words=words, hint=hint)


def problem(name: str, words: str, hint: str = "") -> Check:
    """Runs do not work, or not for long."""
    return Check(name=name, health=Health.PROBLEM, words=words, hint=hint)


def is_well(checks: tuple[Check, ...]) -> bool:
    """Whether no check found a problem."""
    return all(check.health is not Health.PROBLEM for check in checks)


def dotted(numbers: tuple[int, ...]) -> str:
    """A version as people write it."""
    return ".".join(map(str, numbers))
