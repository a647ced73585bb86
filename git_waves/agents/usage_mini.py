"""mini-swe-agent's line before each step, `mini-swe-agent (step 3, $0.02):` (2.4.6, run in November 2026).

The cost is that of all steps so far; tokens are told nowhere. It has no session to go on with.
"""

from __future__ import annotations

import re

from git_waves.agents.usage import Usage, dollars

_STEP = re.compile(r"mini-swe-agent \(step \d{1,9}, \$(?P<cost>\d{1,9}\.\d{1,9})\)").match


class MiniReader:
    """The highest figure counts."""

    def __init__(self) -> None:
        self._cost = 0.0

    def read(self, line: str) -> Usage | None:
        """The totals after this line, if it begins a step."""
        step = _STEP(line)
        if step is None:
            return None
        self._cost = max(self._cost, dollars(float(step["cost"])))
        return Usage(cost=self._cost)
