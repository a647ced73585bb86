"""Values for what is known of a command: what it is there for, and how much its failing would say."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum

from git_waves.core.shell.wrappers import Words


class Strength(IntEnum):
    """How much a failure would say: it cannot happen; it happens, but not when the work is bad; it means something."""

    NONE = 0
    WEAK = 1
    STRONG = 2


class Kind(Enum):
    """What a command is there for. Losing the exit code of some kinds is no loss."""

    CHECK = "check"  # known to test, build or lint
    QUESTION = "question"  # `test`, `grep -q`: an answer, used by what stands around it
    MOVE = "move"  # `cd`: what comes next happens elsewhere
    PREPARE = "prepare"  # `rm`, `mkdir`: whoever needs it will notice
    SHOW = "show"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Cause:
    """Why something passes: `word` is what makes it pass, `why` a clause that says so, `hint` the way out.

    `is_dull` when there is nothing wrong with it, so that any other cause is told first.
    """

    word: str
    why: str
    hint: str
    is_dull: bool = False


@dataclass(frozen=True, slots=True)
class Habit:
    """What is known of one command; `cause` when its failing is not `STRONG`."""

    kind: Kind
    strength: Strength = Strength.STRONG
    cause: Cause | None = None


CHECK = Habit(Kind.CHECK)
QUESTION = Habit(Kind.QUESTION)
UNKNOWN = Habit(Kind.UNKNOWN)
ASSERT = "let the exit code decide: 'grep -q', 'test', or the check itself"


def prints(word: str, *, strength: Strength = Strength.NONE, hint: str = ASSERT) -> Habit:
    """It shows something and passes."""
    return Habit(Kind.SHOW, strength, Cause(word, f"'{word}' prints and passes", hint))


def passes(word: str, why: str, hint: str, *, strength: Strength = Strength.WEAK) -> Habit:
    """It would check something, and passes because of `word`."""
    return Habit(Kind.CHECK, strength, Cause(word, why, hint))


def readies(word: str, kind: Kind) -> Habit:
    """It gets things ready: when it fails, that says nothing about the work."""
    cause = Cause(word, f"'{word}' gets things ready and checks nothing", "check what was made", is_dull=True)
    return Habit(kind, Strength.WEAK, cause)


def names(words: Words) -> tuple[str, str]:
    """The program without its folder, and the word after it; empty where unknown."""
    name = (words[0] or "").rpartition("/")[2] if words else ""
    second = words[1] if len(words) > 1 else None
    return name, second or ""
