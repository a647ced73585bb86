"""Levels against the fewest there can be, on hundreds of small problems; and every part of the way there on its own."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest

from git_waves.core.cliques import clique_bound
from git_waves.core.contention import Contention, Problem
from git_waves.core.exact import GaveUpError, Search
from git_waves.core.firstfit import first_fit, seats_of
from git_waves.core.improvement import improve
from git_waves.core.lowerbound import fewest_levels, machine, margins
from git_waves.core.model import HoldKind
from git_waves.core.placement import place
from tests.core.bruteforce import (
    MAKERS,
    Maker,
    broken_rules,
    fewest_levels_by_trying,
    is_kept,
    on_file,
    problem_of,
)

SMALL = [(maker, count, seed) for maker in MAKERS for count in (4, 6, 8, 9) for seed in range(25)]


def made(maker: Maker, count: int, seed: int) -> Problem:
    return maker(random.Random(1000 * seed + count), count)


@cache
def fewest_of(maker: Maker, count: int, seed: int) -> int:
    return fewest_levels_by_trying(made(maker, count, seed))


def height(levels: list[int]) -> int:
    return max(levels, default=-1) + 1


def by_plan(problem: Problem) -> list[int]:
    return first_fit(problem.before, seats_of(problem), problem.order)


# --- the optimum


def test_small_problems_get_the_fewest_levels_there_can_be() -> None:
    worse = []
    for maker, count, seed in SMALL:
        problem = made(maker, count, seed)
        levels = place(problem)
        fewest = fewest_of(maker, count, seed)
        assert not broken_rules(problem, levels)
        assert height(levels) >= fewest, "the solver that tries everything missed something"
        if height(levels) > fewest:
            worse.append(f"{maker.__name__} {count} {seed}: {height(levels)} for {fewest}")
    assert not worse, f"{len(worse)} of {len(SMALL)} could be shorter: {worse}"


def test_first_fit_alone_would_not_do() -> None:
    """The test above proves something only if the problems are not all easy."""
    worse = sum(height(by_plan(made(*one))) > fewest_of(*one) for one in SMALL)
    assert worse > len(SMALL) // 20


@pytest.mark.parametrize("maker", MAKERS)
def test_larger_problems_are_valid_and_never_longer_than_first_fit(maker: Maker) -> None:
    for count in (30, 70, 150):
        problem = made(maker, count, 1)
        levels = place(problem)
        assert not broken_rules(problem, levels)
        assert fewest_levels(problem) <= height(levels) <= height(by_plan(problem))


def test_the_same_problem_gives_the_same_levels() -> None:
    for maker in MAKERS:
        assert place(made(maker, 40, 7)) == place(made(maker, 40, 7))


def test_the_order_of_the_plan_is_kept_where_it_costs_nothing() -> None:
    problem = problem_of([[], [], [], [2]], on_file("x", 0, 1, 2))
    assert by_plan(problem) == [0, 1, 2, 3]
    assert place(problem) == [1, 2, 0, 1], "here it would cost a level"
    assert place(replace(problem, before=[[], [], [], []])) == [0, 1, 2, 0]


def test_ranks_end_before_the_next_begins_and_each_is_as_short_as_it_can_be() -> None:
    for seed in range(20):
        chance = random.Random(seed)
        some = made(MAKERS[seed % len(MAKERS)], 9, seed)
        ranks = sorted(chance.randrange(3) for _ in some.before)
        problem = replace(some, ranks=ranks)
        levels = place(problem)
        assert not broken_rules(problem, levels)
        assert height(levels) == sum(fewest_levels_by_trying(part) for _, part in problem.parts())


def test_a_problem_without_tasks_has_no_levels() -> None:
    empty = problem_of([])
    assert place(empty) == []
    assert fewest_levels(empty) == 0


# --- bounds


def test_no_bound_is_above_the_optimum() -> None:
    for maker, count, seed in SMALL:
        problem = made(maker, count, seed)
        fewest = fewest_of(maker, count, seed)
        assert fewest_levels(problem) <= fewest
        assert clique_bound(problem, margins(problem)) <= fewest


def test_the_quick_bound_is_never_below_the_real_one() -> None:
    for maker, count, seed in SMALL[::3]:
        problem = made(maker, count, seed)
        known = margins(problem)
        assert all(known.of(each) <= known.at_most(each) for each in problem.contentions)


def test_a_queue_counts_behind_who_waits_for_it_and_before_who_feeds_it() -> None:
    queue = on_file("x", 0, 1, 2)
    gathered = problem_of([[], [], [], [0, 1, 2], [3]], queue)
    assert margins(gathered).heads == [0, 0, 0, 3, 4]
    spread = problem_of([[3], [3], [3], [4], []], queue)
    assert margins(spread).tails == [1, 1, 1, 4, 5]


def test_a_folder_and_what_lies_in_it_are_two_levels_behind_what_both_need() -> None:
    folder = Contention(kind=HoldKind.FILE, what="d/", left=(1,), right=(2, 3))
    assert fewest_levels(problem_of([[], [0], [0], [0]], folder)) == 3


def test_a_machine_ends_when_its_longest_tails_go_first() -> None:
    assert machine([(0, 1), (0, 3), (0, 2)], 1) == 3
    assert machine([(0, 1), (5, 1)], 1) == 6, "it waits for who comes late"
    assert machine([(0, 1)] * 5, 2) == 3
    assert machine([], 1) == 0


def test_three_tasks_that_share_three_files_in_pairs_need_three_levels() -> None:
    triangle = problem_of([[], [], []], on_file("x", 0, 1), on_file("y", 1, 2), on_file("z", 0, 2))
    assert fewest_levels(triangle) == 2, "no file alone says so"
    assert clique_bound(triangle, margins(triangle)) == 3


# --- improvement and search


@pytest.mark.parametrize("maker", MAKERS)
def test_improving_never_makes_longer_and_stops_at_the_target(maker: Maker) -> None:
    for seed in range(10):
        problem = made(maker, 25, seed)
        seats, start = seats_of(problem), by_plan(problem)
        better = improve(problem, seats, start, target=0)
        assert not broken_rules(problem, better)
        assert height(better) <= height(start)
        assert height(improve(problem, seats, start, target=height(better))) == height(better)


def test_the_search_finds_what_is_there_and_proves_what_is_not() -> None:
    for maker, count, seed in SMALL[::5]:
        problem = made(maker, count, seed)
        fewest = fewest_of(maker, count, seed)
        search = Search(problem, margins(problem), 10_000)
        found = search.levels_within(fewest)
        assert found is not None
        assert not broken_rules(problem, found)
        assert search.levels_within(fewest - 1) is None


def test_a_search_that_takes_too_long_gives_up() -> None:
    problem = made(MAKERS[2], 12, 3)
    with pytest.raises(GaveUpError):
        Search(problem, margins(problem), 2).levels_within(fewest_levels_by_trying(problem))


def test_the_judge_knows_sides_capacity_and_a_task_on_both_sides() -> None:
    sides = Contention(kind=HoldKind.FILE, what="d/", left=(0, 1), right=(1, 2))
    assert [is_kept(sides, level) for level in (0b011, 0b101, 0b110, 0b010)] == [False, False, False, True]
    pair = Contention(kind=HoldKind.RESOURCE, what="db", left=(0, 1, 2), capacity=2)
    assert [is_kept(pair, level) for level in (0b011, 0b111)] == [True, False]


class Counted(tuple[int, ...]):
    """Members that count how often somebody walks over them."""

    __slots__ = ()
    walks = 0

    def __iter__(self) -> Iterator[int]:
        type(self).walks += 1
        return super().__iter__()


@pytest.mark.parametrize("groups", [2, 50])
def test_a_path_that_all_share_is_looked_through_once_however_many_groups_there_are(groups: int) -> None:
    members = Counted(range(100))
    shared = Contention(kind=HoldKind.FILE, what="x", left=members, right=members)
    problem = replace(problem_of([[]] * 100, shared), ranks=[task * groups // 100 for task in range(100)])
    Counted.walks = 0
    parts = list(problem.parts())
    assert Counted.walks == 2, "once for each side"
    assert len(parts) == groups
    assert [len(one.left) for _, part in parts for one in part.contentions] == [100 // groups] * groups
