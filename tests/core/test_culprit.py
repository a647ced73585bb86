"""Who broke a gate: a simulated one, for random rows of merges and random sets of tasks that break it together."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from git_waves.core.culprit import MOST_PAIRS, Mix, Verdict, Why, most_tries, search
from tests.support.properties import examples


class SimulatedGate:
    """Red on every tree that holds all of one of the `breaking` sets. Says nothing about the trees in `silent`."""

    def __init__(
        self,
        starts: tuple[int, ...],
        *breaking: set[int],
        before: bool = False,
        silent: frozenset[Mix] = frozenset(),
    ) -> None:
        self.starts = starts
        self.breaking = breaking
        self.before = before
        self.silent = silent
        self.asked: list[Mix] = []

    def content(self, mix: Mix) -> set[int]:
        """The merges a tree holds: those of the candidate, and each tip with all it was cut from."""
        held = set(range(1, mix.upto + 1))
        for number in mix.also:
            held |= {*range(1, self.starts[number - 1] + 1), number}
        return held

    def __call__(self, mix: Mix) -> bool | None:
        self.asked.append(mix)
        if mix in self.silent:
            return None
        return not self.before and not any(culprits <= self.content(mix) for culprits in self.breaking)

    def search(self, published: int = 0) -> Verdict:
        """Who did it, for the last tree."""
        return search(self.starts, published, self)


@st.composite
def rows(draw: st.DrawFn) -> tuple[int, ...]:
    """Where the tasks of a row of merges were cut: rounds that build on each other, or each from somewhere before it."""
    starts: list[int] = []
    if draw(st.booleans()):
        while len(starts) < 1 or (len(starts) < 60 and draw(st.booleans())):
            starts += [len(starts)] * draw(st.integers(1, 12))
    else:
        starts = [draw(st.integers(0, number)) for number in range(draw(st.integers(1, 40)))]
    return tuple(starts)


@examples(300)
@given(rows(), st.data())
def test_a_task_that_breaks_the_gate_alone_is_named(starts: tuple[int, ...], data: st.DataObject) -> None:
    culprit = data.draw(st.integers(1, len(starts)))
    published = data.draw(st.integers(0, culprit - 1))
    gate = SimulatedGate(starts, {culprit})
    assert gate.search(published) == Verdict(why=Why.ALONE, tasks=(culprit,), suspect=culprit)
    assert len(gate.asked) <= 2 + math.ceil(math.log2(len(starts) - published or 1))


@examples(300)
@given(rows().filter(lambda starts: len(starts) > 1), st.data())
def test_a_pair_is_named_unless_the_second_was_cut_from_the_first(
    starts: tuple[int, ...], data: st.DataObject
) -> None:
    second = data.draw(st.integers(2, len(starts)))
    first = data.draw(st.integers(1, second - 1))
    published = data.draw(st.integers(0, second - 1))
    gate = SimulatedGate(starts, {first, second})
    verdict = gate.search(published)
    has_seen_it = first <= starts[second - 1]
    named = (second,) if has_seen_it else (first, second)
    assert verdict.tasks == named
    assert verdict.suspect == second
    assert len(gate.asked) <= most_tries(len(starts))
    assert len(gate.asked) == len(set(gate.asked)), "no tree is asked about twice"


@examples(300)
@given(rows(), st.data())
def test_with_any_breaking_sets_what_is_named_breaks_it_and_what_is_left_without_the_suspect_is_green(
    starts: tuple[int, ...], data: st.DataObject
) -> None:
    numbers = st.integers(1, len(starts))
    breaking = data.draw(st.lists(st.sets(numbers, min_size=1, max_size=4), min_size=1, max_size=3))
    gate = SimulatedGate(starts, *breaking)
    verdict = gate.search()
    assert verdict.suspect is not None
    assert gate(Mix(verdict.suspect - 1)) is True
    assert gate(Mix(verdict.suspect)) is False
    start = starts[verdict.suspect - 1]
    if verdict.why is Why.NOBODY:
        assert gate(Mix(start, (verdict.suspect,))) is True
        pairs = [Mix(start, (partner, verdict.suspect)) for partner in range(start + 1, verdict.suspect)]
        assert sum(gate(pair) is False for pair in pairs) <= verdict.untried
    else:
        assert gate(Mix(start, verdict.tasks)) is False
    assert len(set(gate.asked)) <= most_tries(len(starts)) + len(starts)


def test_three_that_break_it_together_are_no_pair_and_the_bound_holds() -> None:
    gate = SimulatedGate((0,) * 9, {1, 5, 9})
    assert gate.search() == Verdict(why=Why.NOBODY, suspect=9)
    assert len(gate.asked) <= most_tries(9)


def test_a_search_among_very_many_gives_up_and_says_how_much_it_left_out() -> None:
    gate = SimulatedGate((0,) * 300, {1, 2, 300})
    assert gate.search() == Verdict(why=Why.NOBODY, suspect=300, untried=299 - MOST_PAIRS)
    assert len(gate.asked) <= most_tries(300) <= 50


def test_a_gate_that_was_red_before_blames_nobody_and_a_tree_without_an_answer_neither() -> None:
    assert SimulatedGate((0, 0), {1}, before=True).search() == Verdict(why=Why.BEFORE)
    silent = SimulatedGate((0,) * 4, {3}, silent=frozenset({Mix(2)}))
    assert silent.search() == Verdict(why=Why.UNCLEAR)
    mute = SimulatedGate((0,) * 4, {3}, silent=frozenset({Mix(0, (3,))}))
    assert mute.search() == Verdict(why=Why.UNCLEAR, suspect=3)


def test_a_partner_is_found_one_by_one_when_halving_meets_a_tree_that_cannot_be_made() -> None:
    gate = SimulatedGate((0,) * 6, {2, 6}, silent=frozenset({Mix(2, (6,)), Mix(3, (6,))}))
    assert gate.search() == Verdict(why=Why.PAIR, tasks=(2, 6), suspect=6)


def test_the_same_search_asks_the_same_questions_in_the_same_order() -> None:
    asked = []
    for _ in range(2):
        gate = SimulatedGate((0, 0, 2, 2, 2, 5, 5), {3, 5})
        gate.search()
        asked.append(gate.asked)
    assert asked[0] == asked[1]
