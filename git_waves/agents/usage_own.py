"""Our own notation, for agents that tell nothing by themselves: JSON lines that a command, or whatever wraps it, appends to
the file `$WAVES_USAGE_FILE`.

`{"tokens": 1200, "cost": 0.02, "session": "id"}`, each of them optional: what was used since the line before, and the id
that `resume` will need.
"""

from __future__ import annotations

from git_waves.agents.usage import Usage, count, dollars, mapping, parsed, session_id


class OwnReader:
    """Lines are added up."""

    def __init__(self) -> None:
        self._tokens = 0
        self._cost = 0.0
        self._session = ""

    def read(self, line: str) -> Usage | None:
        """The totals after this line, if it is one of ours."""
        words = mapping(parsed(line))
        if not words.keys() & {"tokens", "cost", "session"}:
            return None
        self._tokens = count(self._tokens + count(words.get("tokens")))
        self._cost = dollars(self._cost + dollars(words.get("cost")))
        self._session = session_id(words.get("session")) or self._session
        return Usage(tokens_in=self._tokens, cost=self._cost, session=self._session)
