"""The order of scenarios: a soak that has an end in time tries all kinds before it tries one again."""

from __future__ import annotations

import os
from itertools import islice

from tests.soak.__main__ import KINDS, Turns, kind_of_turn


def test_every_kind_has_its_turn_before_any_has_another() -> None:
    count = len(KINDS)
    rounds = [[kind_of_turn(7, turn, KINDS) for turn in range(n * count, (n + 1) * count)] for n in range(5)]
    assert all(sorted(one) == sorted(KINDS) for one in rounds)
    assert len({tuple(one) for one in rounds}) > 1, (
        "a soak that is cut short does not always leave out the same"
    )


def test_the_order_is_the_seeds() -> None:
    def order(seed: int) -> list[str]:
        return [kind_of_turn(seed, turn, KINDS) for turn in range(2 * len(KINDS))]

    assert order(7) == order(7)
    assert order(7) != order(8)


def test_workers_share_the_turns_and_none_is_had_twice() -> None:
    turns = Turns(None)
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(writer, bytes(islice(turns, 50)))
        os._exit(0)
    ours = [*islice(turns, 50)]
    assert os.waitpid(pid, 0)[1] == 0
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        theirs = [*file.read()]
    assert sorted([*ours, *theirs]) == [*range(100)]


def test_one_turn_alone_is_had_once() -> None:
    turns = Turns(17)
    assert [*turns] == [17]
    assert [*turns] == []
