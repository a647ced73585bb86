"""Limits as a person types them."""

from __future__ import annotations

import pytest

from git_waves.errors import UsageError
from git_waves.formats.limits import read_limits


def test_limits_are_read_from_options_and_lists_and_the_last_word_counts() -> None:
    texts = ["tokens=200k, cost=2.50", "wall_clock=1.5h,quiet=none", "tokens=1M"]
    assert read_limits(texts) == {"tokens": 1_000_000, "cost": 2.5, "wall_clock": 5400.0, "quiet": None}
    assert read_limits(()) == {}


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("tokens", "'tokens' is no limit", "known: wall_clock=..., quiet=..., tokens=..., cost=..."),
        ("money=3", "'money=3' is no limit", "known: wall_clock=..., quiet=..., tokens=..., cost=..."),
        ("", "'' is no limit", "known: wall_clock=..., quiet=..., tokens=..., cost=..."),
        ("tokens=0", "'0' is no tokens", "write 200000, 200k or 1.5M, or tokens=none"),
        ("cost=-1", "'-1' is no cost", "write US dollars: 2 or 2.50, or cost=none"),
        ("quiet=soon", "'soon' is no quiet", "write 90, 90s, 15m or 1.5h, or quiet=none"),
    ],
)
def test_what_is_no_limit_is_refused_with_what_would_be_one(text: str, message: str, hint: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_limits([text])
    assert (refused.value.message, refused.value.hint) == (message, hint)
