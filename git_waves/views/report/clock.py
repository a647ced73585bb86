"""Times of day for whoever reads in the morning: in the reader's own zone, named once."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo


class Clock:
    """Writes seconds since 1970 as times of day of a zone; of the machine's own when `zone` is None."""

    def __init__(self, zone: tzinfo | None = None) -> None:
        self._zone = zone

    def _local(self, at: float) -> datetime:
        return datetime.fromtimestamp(at, UTC).astimezone(self._zone)

    def moment(self, at: float) -> str:
        """Day and time: `30 Nov 09:04:12`."""
        local = self._local(at)
        return f"{local.day} {local:%b %H:%M:%S}"

    def day(self, at: float) -> str:
        """The date: `Monday 30 November 2026`."""
        local = self._local(at)
        return f"{local:%A} {local.day} {local:%B %Y}"

    def time(self, at: float, *, with_seconds: bool = False) -> str:
        """The time alone: `09:04`."""
        return f"{self._local(at):%H:%M:%S}" if with_seconds else f"{self._local(at):%H:%M}"

    def zone(self, at: float) -> str:
        """The name of the zone at that time, such as `UTC` or `CET`."""
        return self._local(at).tzname() or "local time"

    def since_midnight(self, at: float) -> float:
        """Seconds of the day, to find round times."""
        local = self._local(at)
        return local.hour * 3600 + local.minute * 60 + local.second + local.microsecond / 1e6
