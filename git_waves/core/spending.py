"""What attempts and runs may use, and what they have used: limits and figures in, words out.

Tokens and money are what agents tell of themselves, so a limit of them is as good as its agent's word; time is measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from git_waves.core.model import Budget

NEAR = 0.8  # of a limit: from there on people are warned
LIMITS = ("wall_clock", "quiet", "tokens", "cost")
"""The limits there are, by the names of `Budget`."""


@dataclass(frozen=True, slots=True)
class Spent:
    """Running totals: tokens, and US dollars. 0 is not told."""

    tokens: int = 0
    cost: float = 0.0

    def or_more(self, other: Spent) -> Spent:
        """The higher figure of each: totals never go back, whoever counts."""
        return Spent(max(self.tokens, other.tokens), max(self.cost, other.cost))


def limits_of(budget: Budget) -> dict[str, float | None]:
    """The limits that are set, by name."""
    return {name: value for name in LIMITS if (value := getattr(budget, name)) is not None}


def changed(budget: Budget, changes: Mapping[str, float | None]) -> Budget:
    """The budget with what a person set instead; None lifts a limit."""
    tokens = changes.get("tokens", budget.tokens)
    return replace(
        budget,
        wall_clock=changes.get("wall_clock", budget.wall_clock),
        quiet=changes.get("quiet", budget.quiet),
        tokens=None if tokens is None else int(tokens),
        cost=changes.get("cost", budget.cost),
    )


def reached(limits: Mapping[str, float | None], spent: Spent) -> tuple[str, str]:
    """The first limit that is used up: its name, and words; both empty while there is something left."""
    for name, used in (("tokens", spent.tokens), ("cost", spent.cost)):
        limit = limits.get(name)
        if limit is not None and used >= limit:
            return name, f"{amount(name, used)} used, and the limit is {amount(name, limit)}"
    return "", ""


def neared(limits: Mapping[str, float | None], before: Spent, now: Spent) -> tuple[str, ...]:
    """Words for each limit of which four fifths were used between two looks."""
    return tuple(
        f"more than {NEAR:.0%} of its limit of {amount(name, limit)}"
        for name, old, new in (("tokens", before.tokens, now.tokens), ("cost", before.cost, now.cost))
        if (limit := limits.get(name)) is not None and old < NEAR * limit <= new
    )


def untold(limits: Mapping[str, float | None], spent: Spent) -> tuple[str, ...]:
    """The names of limits that nobody could watch over, because the agent told nothing."""
    return tuple(
        name
        for name, used in (("tokens", spent.tokens), ("cost", spent.cost))
        if limits.get(name) is not None and not used
    )


def amount(name: str, value: float) -> str:
    """A figure with its unit."""
    if name == "cost":
        return f"${value:.2f}"
    return f"{value:.0f} tokens" if name == "tokens" else f"{value:g} s"
