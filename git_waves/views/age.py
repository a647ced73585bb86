"""Times of the event log in words for people. Imports nothing that is not free: `status` uses it."""

from __future__ import annotations

from git_waves.core.moments import seconds_of

__all__ = ["seconds_of", "words"]


def words(seconds: float) -> str:
    """A length of time in at most two units: `7s`, `4m 12s`, `2h 14m`, `3d 5h`; negative (a clock set back) is `0s`."""
    whole = max(int(seconds), 0)
    if whole < 60:
        return f"{whole}s"
    minutes, left = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes}m {left:02d}s"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{hours}h {minutes:02d}m"
    days, hours = divmod(hours, 24)
    return f"{days}d {hours}h"
