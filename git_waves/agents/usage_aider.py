"""aider's line of text, `Tokens: 2.3k sent, 145 received. Cost: $0.01 message, $0.02 session.` (0.86.2, its code read and
run in November 2026).

One line for each exchange with the model, with figures of that exchange, rounded; the cost is missing where aider knows no
price, and on a line of its own when something came from a cache. There is no session to go on with.
"""

from __future__ import annotations

import re

from git_waves.agents.usage import Usage, count, dollars

_TOKENS = re.compile(
    r"Tokens: (?P<sent>[0-9.]+k?) sent(?:, [0-9.]+k? cache write)?(?:, (?P<hit>[0-9.]+k?) cache hit)?"
    r", (?P<received>[0-9.]+k?) received\."
).match
_COST = re.compile(r"(?:Tokens: .{0,200} )?Cost: \$(?P<message>[0-9.]+) message, \$[0-9.]+ session\.").match


class AiderReader:
    """Exchanges are added up."""

    def __init__(self) -> None:
        self._tokens_in = self._tokens_out = 0
        self._cost = 0.0

    def read(self, line: str) -> Usage | None:
        """The totals after this line, if it is aider's report."""
        tokens, cost = _TOKENS(line), _COST(line)
        if tokens is None and cost is None:
            return None
        if tokens is not None:
            fresh = _number(tokens["sent"]) - _number(tokens["hit"] or "0")
            self._tokens_in = count(self._tokens_in + max(fresh, 0))
            self._tokens_out = count(self._tokens_out + _number(tokens["received"]))
        if cost is not None:
            self._cost = dollars(self._cost + _number(cost["message"]))
        return Usage(tokens_in=self._tokens_in, tokens_out=self._tokens_out, cost=self._cost)


def _number(digits: str) -> float:
    try:
        return float(digits.removesuffix("k")) * (1000 if digits.endswith("k") else 1)
    except ValueError:  # 1.2.3
        return 0
