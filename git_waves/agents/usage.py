"""What an agent tells of itself while it works: tokens, money, its session, and how it says it ended.

One small file for each program, all with the same `read`. Lines are recognised by what is in them, so a plan's own command
may start any of these programs. What is read was written by an agent: nothing in it is believed further than it can be
checked, no number is beyond all measure, and nothing raises.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Protocol

MOST_TOKENS = 10**12  # of one attempt; whoever tells more is taken at this
MOST_COST = 10**6  # US dollars, likewise
_LATEST = 10**11  # seconds since 1970, in the year 5138
_LONGEST = 4000  # letters kept of an answer or a message
_MOST_SESSIONS = 100  # one program may tell of; figures of later ones are added up as one
_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,199}").fullmatch


class Trouble(StrEnum):
    """Why an agent says that it did not get through; what to do differs from one to the next."""

    LIMIT = "its own limit"  # of turns, money or context: it will not get further by itself
    RATE_LIMIT = "a rate limit"  # later it may work
    LOGIN = "its login"  # a person must see to it
    REFUSAL = "a refusal"  # the model will not do it
    ERROR = "an error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Running totals of everything one reader has read. Tokens that came from a cache are not counted: they are a tenth of
    the price and most of the number. `cost` is in US dollars; 0 is not told. `is_final` when the agent said it was through:
    then `answer` is its last word, `denied` the tools it asked for and was not given, and `trouble` with `message` what went
    wrong. A rate limit may name its end: `retry_after` in seconds, or `retry_at` in seconds since 1970; 0 is not told."""

    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    session: str = ""
    is_final: bool = False
    answer: str = ""
    denied: tuple[str, ...] = ()
    trouble: Trouble | None = None
    message: str = ""
    retry_after: float = 0.0
    retry_at: float = 0.0


class Reader(Protocol):
    """Reads one program's output. It keeps what it needs between two lines."""

    def read(self, line: str) -> Usage | None:
        """The totals so far when this line told something; None for any other line."""
        ...


class Sessions:
    """Figures that a program tells as totals of a session: they go on counting when the session is resumed."""

    def __init__(self) -> None:
        self._figures: dict[str, tuple[int, int, float]] = {}

    def tell(self, session: str, tokens_in: int = 0, tokens_out: int = 0, cost: float = 0.0) -> None:
        """A session now stands there; it never goes back."""
        if session not in self._figures and len(self._figures) >= _MOST_SESSIONS:
            session = ""
        old = self._figures.get(session, (0, 0, 0.0))
        self._figures[session] = (max(old[0], tokens_in), max(old[1], tokens_out), max(old[2], cost))

    def total(self) -> tuple[int, int, float]:
        """All sessions together: tokens in, tokens out, US dollars."""
        figures = self._figures.values()
        return sum(f[0] for f in figures), sum(f[1] for f in figures), math.fsum(f[2] for f in figures)


# ---------------------------------------------------------------------- values nobody vouches for


@lru_cache(maxsize=1)  # every reader looks at the same line
def parsed(line: str) -> object:
    """The JSON of a line that is an object or a list; None for anything else."""
    if not line.startswith(("{", "[")):
        return None
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def mapping(value: object) -> dict[str, object]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def count(value: object) -> int:
    """A number of tokens; 0 for anything that is none."""
    return int(_number(value, MOST_TOKENS))


def dollars(value: object) -> float:
    """An amount of money; 0 for anything that is none."""
    return _number(value, MOST_COST)


def _number(value: object, most: int) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
        return 0  # not a number is not above 0 either
    return min(value, most)


def text(value: object) -> str:
    """A text, not longer than people read; empty for anything else."""
    return value[:_LONGEST] if isinstance(value, str) else ""


def moment(value: object) -> float:
    """A time in seconds; 0 for anything that is none."""
    return _number(value, _LATEST)


def session_id(value: object) -> str:
    """The id of a session; empty for what is none, such as words that a shell or a program would take for an option."""
    return value if isinstance(value, str) and _SESSION(value) else ""


# ---------------------------------------------------------------------- what went wrong

_BY_STATUS = {401: Trouble.LOGIN, 403: Trouble.LOGIN, 429: Trouble.RATE_LIMIT, 529: Trouble.RATE_LIMIT}
_BY_WORDS = tuple(
    (re.compile(words, re.IGNORECASE).search, trouble)
    for words, trouble in (
        (r"max(imum)?[ _-]*(session)?[ _-]*turns|turn[ _]?limit|max_budget|context.{0,20}(window|length|exceed)", Trouble.LIMIT),
        (r"rate.?limit|\b429\b|\b529\b|too many requests|overloaded|quota|exhausted|(usage|hit your|hour) limit", Trouble.RATE_LIMIT),
        (r"\b40[13]\b|unauthori[sz]ed|authenticat|api.?key|log(ged)? ?in|login|credential|expired", Trouble.LOGIN),
        (r"refus|safety|recitation|content.?policy|blocked", Trouble.REFUSAL),
    )
)  # fmt: skip


def trouble_of(words: str, status: object = None) -> Trouble:
    """Which trouble a program's own words, or an HTTP status, speak of."""
    if isinstance(status, int) and status in _BY_STATUS:
        return _BY_STATUS[status]
    return next((trouble for search, trouble in _BY_WORDS if search(words[:_LONGEST])), Trouble.ERROR)


_WAIT = re.compile(
    r"(?:retry|again)[ _-]?(?:after|in)\D{0,3}([0-9]{1,6}(?:\.[0-9]+)?) ?(ms|s\b|sec|min|m\b|h)?",
    re.IGNORECASE,
)
_UNITS = {"ms": 0.001, "m": 60.0, "min": 60.0, "h": 3600.0}


def wait_in(words: str) -> float:
    """The time that a message says to wait, in seconds ("try again in 20s", "retry-after: 7"); 0 when it names none."""
    found = _WAIT.search(words[:_LONGEST])
    return float(found[1]) * _UNITS.get((found[2] or "").lower(), 1.0) if found else 0.0
