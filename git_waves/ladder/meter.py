"""What an attempt has used by its own account: read from its agent's output and from the file it may write it down in."""

from __future__ import annotations

from pathlib import Path

from git_waves.adapters.tail import Tail
from git_waves.agents.usage import Reader, Usage
from git_waves.agents.usage_own import OwnReader
from git_waves.core.spending import Spent


class Meter:
    """Reads on from where it was. A program and what wraps it may tell of the same tokens, so the higher figure counts and
    not the sum. A coordinator that takes an attempt up reads from the beginning and comes to the same."""

    def __init__(self, output: Path, own: Path, reader: Reader) -> None:
        self._output = _Account(output, reader)
        self._own = _Account(own, OwnReader())

    def look(self, *, is_last: bool = False) -> None:
        """Read what is new; with `is_last` all there is."""
        self._output.look(is_last=is_last)
        self._own.look(is_last=is_last)

    @property
    def spent(self) -> Spent:
        """The totals so far."""
        return self._output.spent.or_more(self._own.spent)

    @property
    def source(self) -> str:
        """Which of the two told the totals."""
        return "output" if self.spent == self._output.spent else "usage file"

    @property
    def session(self) -> str:
        """The id of the agent's session; empty while it is not known."""
        return self._own.told.session or self._output.told.session

    @property
    def told(self) -> Usage:
        """What the agent's output told last."""
        return self._output.told


class _Account:
    def __init__(self, path: Path, reader: Reader) -> None:
        self._tail = Tail(path)
        self._reader = reader
        self.told = Usage()

    def look(self, *, is_last: bool) -> None:
        for line in self._tail.rest() if is_last else self._tail.lines():
            self.told = self._reader.read(line) or self.told

    @property
    def spent(self) -> Spent:
        return Spent(self.told.tokens_in + self.told.tokens_out, self.told.cost)
