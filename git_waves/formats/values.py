"""The small notations of a plan: durations, token counts and money, as text to numbers."""

from __future__ import annotations

import re

DURATION = r"[0-9]{1,9}(\.[0-9]{1,6})?(s|m|h)?"
TOKENS = r"[0-9]{1,12}(\.[0-9]{1,6})?(k|K|M)?"
COST = r"[0-9]{1,9}(\.[0-9]{1,6})?"
_duration = re.compile(DURATION).fullmatch
_tokens = re.compile(TOKENS).fullmatch
_cost = re.compile(COST).fullmatch
_whole = re.compile(r"[0-9]{1,9}").fullmatch
_SECONDS = {"s": 1, "m": 60, "h": 3600}
_TIMES = {"k": 1_000, "K": 1_000, "M": 1_000_000}


def seconds(text: str) -> float | None:
    """`90`, `90s`, `15m`, `1.5h` in seconds; None when `text` is no duration above zero."""
    if not _duration(text):
        return None
    number = float(text.rstrip("smh")) * _SECONDS.get(text[-1], 1)
    return number if number > 0 else None


def tokens(text: str) -> int | None:
    """`200000`, `200k`, `1.5M` as a count; None when `text` is no count above zero."""
    if not _tokens(text):
        return None
    number = round(float(text.rstrip("kKM")) * _TIMES.get(text[-1], 1))
    return number if number > 0 else None


def cost(text: str) -> float | None:
    """`2`, `2.50` in US dollars; None when `text` is no amount above zero."""
    return float(text) or None if _cost(text) else None


def whole_number(text: str) -> int | None:
    """A count written in digits, zero included; None when `text` is anything else."""
    return int(text) if _whole(text) else None
