"""Tokens, money and limits in few letters."""

from __future__ import annotations

import pytest

from git_waves.views import amounts


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, ""),
        (1, "1"),
        (999, "999"),
        (1000, "1k"),
        (1234, "1.2k"),
        (64_900, "64.9k"),
        (99_949, "99.9k"),
        (99_951, "100k"),
        (213_400, "213k"),
        (999_499, "999k"),
        (999_500, "1M"),
        (1_500_000, "1.5M"),
        (10**12, "1000G"),
    ],
)
def test_tokens_are_said_in_three_figures(number: int, words: str) -> None:
    assert amounts.tokens(number) == words


@pytest.mark.parametrize(
    ("dollars", "words"),
    [(0, ""), (0.0042, "$0.0042"), (0.01, "$0.01"), (3.456, "$3.46"), (1200, "$1200.00")],
)
def test_money_is_said_in_cents_and_below_in_more(dollars: float, words: str) -> None:
    assert amounts.money(dollars) == words


def test_what_was_used_is_said_with_its_limits() -> None:
    assert amounts.both(0, 0, 5, 5) == ""
    assert amounts.both(500, 0) == "500 tokens"
    assert amounts.both(500, 0.5, 2000) == "500 of 2k tokens, $0.50"
    assert amounts.both(0, 0.5, 2000, 1) == "$0.50 of $1.00"


def test_limits_are_said_each_and_what_was_lifted_too() -> None:
    limits = {"wall_clock": 2700.0, "quiet": 600.0, "tokens": 200_000.0, "cost": None}
    assert amounts.limits(limits) == "wall clock 45m 00s, quiet 10m 00s, 200k tokens, no limit of cost"
