"""Times of the event log as numbers. Imports nothing: `datetime` would cost `status` more than its work."""

from __future__ import annotations


def seconds_of(moment: str) -> float:
    """Seconds since 1970 of a time as the log writes it (`2026-11-30T10:46:00.123Z`, always UTC).

    Days are counted by the proleptic Gregorian rule with the year beginning in March, so that a leap day comes last.
    """
    year, month, day = int(moment[0:4]), int(moment[5:7]), int(moment[8:10])
    if month < 3:
        year, month = year - 1, month + 12
    days = 365 * year + year // 4 - year // 100 + year // 400 + (153 * (month - 3) + 2) // 5 + day - 719469
    return days * 86400 + int(moment[11:13]) * 3600 + int(moment[14:16]) * 60 + float(moment[17:].rstrip("Z"))
