"""Limits as a person types them: `tokens=2M,cost=5`, `wall_clock=none`."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from git_waves.errors import UsageError
from git_waves.formats.values import cost, seconds, tokens

_NOTATIONS: dict[str, tuple[Callable[[str], float | None], str]] = {
    "wall_clock": (seconds, "90, 90s, 15m or 1.5h"),
    "quiet": (seconds, "90, 90s, 15m or 1.5h"),
    "tokens": (tokens, "200000, 200k or 1.5M"),
    "cost": (cost, "US dollars: 2 or 2.50"),
}
_NONE = "none"


def read_limits(texts: Iterable[str]) -> dict[str, float | None]:
    """Each limit by its name, the last word counting; None lifts it. Raises UsageError for what is no limit."""
    limits: dict[str, float | None] = {}
    for text in texts:
        for part in text.split(","):
            name, equals, value = part.strip().partition("=")
            if name not in _NOTATIONS or not equals:
                known = ", ".join(f"{name}=..." for name in _NOTATIONS)
                raise UsageError(f"'{part}' is no limit", hint=f"known: {known}")
            read, notation = _NOTATIONS[name]
            limit = read(value)
            if limit is None and value != _NONE:
                raise UsageError(f"'{value}' is no {name}", hint=f"write {notation}, or {name}=none")
            limits[name] = limit
    return limits
