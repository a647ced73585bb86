"""Times without `datetime`: the same answers, for less."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_waves.views.age import seconds_of, words


@given(st.datetimes(datetime(1970, 1, 1), datetime(2400, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001  # hypothesis wants naive bounds
def test_seconds_are_those_of_datetime(moment: datetime) -> None:
    written = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    assert seconds_of(written) == pytest.approx(int(moment.timestamp() * 1000) / 1000, abs=0.002)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (-5, "0s"),
        (0.9, "0s"),
        (59, "59s"),
        (60, "1m 00s"),
        (252, "4m 12s"),
        (3600, "1h 00m"),
        (8040, "2h 14m"),
        (86400, "1d 0h"),
        (277200, "3d 5h"),
    ],
)
def test_a_length_of_time_has_at_most_two_units(seconds: float, shown: str) -> None:
    assert words(seconds) == shown
