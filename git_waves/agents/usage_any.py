"""The output of an agent nobody named: whichever program writes lines that are known is read."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from git_waves.agents.usage import Reader, Usage
from git_waves.agents.usage_aider import AiderReader
from git_waves.agents.usage_claude import ClaudeReader
from git_waves.agents.usage_codex import CodexReader
from git_waves.agents.usage_gemini import GeminiReader
from git_waves.agents.usage_opencode import OpencodeReader

READERS: tuple[Callable[[], Reader], ...] = (
    ClaudeReader,
    CodexReader,
    GeminiReader,
    OpencodeReader,
    AiderReader,
)
"""Every program whose output is known; no line means something in two of them."""


class AnyReader:
    """What all programs of a command have told together; the session and the end are those told last."""

    def __init__(self) -> None:
        self._readers = [reader() for reader in READERS]
        self._told: dict[int, Usage] = {}
        self._session = ""

    def read(self, line: str) -> Usage | None:
        """The totals after this line, if any program tells something with it."""
        for number, reader in enumerate(self._readers):
            usage = reader.read(line)
            if usage is not None:
                self._told[number] = usage
                self._session = usage.session or self._session
                return self._sum(usage)
        return None

    def _sum(self, last: Usage) -> Usage:
        told = self._told.values()
        return replace(
            last,
            tokens_in=sum(usage.tokens_in for usage in told),
            tokens_out=sum(usage.tokens_out for usage in told),
            cost=math.fsum(usage.cost for usage in told),
            session=self._session,
        )
