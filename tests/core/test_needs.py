"""Cycles are named, file needs are found and never close a cycle, and the order knows needs and barriers."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_waves.core.graph import AcyclicGraph, sort_topologically
from git_waves.core.model import Need, NeedKind, Plan, RepoPath, TaskId
from git_waves.core.needs import build_order, effective_needs, find_cycle
from git_waves.core.order import Order, place_in_groups
from tests.core.plans import phase3_plan, plan, task

LETTERS = [TaskId(letter) for letter in "abcdef"]
GRAPHS = st.dictionaries(st.sampled_from(LETTERS), st.sets(st.sampled_from(LETTERS), max_size=3).map(sorted))


def declared(name: str, on: str) -> Need:
    return Need(task=TaskId(name), on=TaskId(on), kind=NeedKind.DECLARED)


def by_file(name: str, on: str, path: str) -> Need:
    return Need(task=TaskId(name), on=TaskId(on), kind=NeedKind.FILE, path=RepoPath(path))


def reachable(edges: dict[TaskId, list[TaskId]]) -> set[tuple[TaskId, TaskId]]:
    """Pairs (a, b) where a needs b, by needs of needs too; the slow and obvious way."""
    pairs = {(a, b) for a, needed in edges.items() for b in needed}
    while True:
        more = {(a, d) for (a, b), (c, d) in product(pairs, pairs) if b == c} - pairs
        if not more:
            return pairs
        pairs |= more


# --- cycles


@pytest.mark.parametrize(
    ("edges", "cycle"),
    [
        ({}, None),
        ({"a": ["b"], "b": ["c"]}, None),
        ({"a": ["a"]}, ("a",)),
        ({"c": ["b"], "b": ["c"]}, ("b", "c")),
        ({"a": ["b"], "b": ["d"], "d": ["c"], "c": ["b"]}, ("b", "d", "c")),
        ({"a": ["unknown"], "unknown": ["a"]}, None),
    ],
)
def test_a_cycle_is_named_from_its_first_task(
    edges: dict[TaskId, list[TaskId]], cycle: tuple[str, ...] | None
) -> None:
    assert find_cycle(LETTERS, edges) == cycle


@given(GRAPHS)
def test_a_cycle_is_found_exactly_when_a_task_needs_itself_in_the_end(
    edges: dict[TaskId, list[TaskId]],
) -> None:
    cycle = find_cycle(LETTERS, edges)
    assert (cycle is not None) is any(a == b for a, b in reachable(edges))
    if cycle:
        assert all(on in edges[name] for name, on in zip(cycle, (*cycle[1:], cycle[0]), strict=True))


def test_a_chain_of_ten_thousand_needs_no_recursion() -> None:
    ids = [TaskId(f"t{n}") for n in range(10_000)]
    chain = {ids[n + 1]: [ids[n]] for n in range(9_999)}
    assert find_cycle(ids, chain) is None
    chain[ids[0]] = [ids[-1]]
    assert len(find_cycle(ids, chain) or ()) == 10_000


def test_a_topological_order_of_a_cycle_is_our_bug() -> None:
    with pytest.raises(ValueError, match="the needs of the plan form a cycle"):
        sort_topologically([[1], [0]])


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=25))
def test_an_edge_is_refused_exactly_when_it_would_close_a_cycle(edges: list[tuple[int, int]]) -> None:
    graph = AcyclicGraph([[] for _ in range(7)])
    kept: dict[TaskId, list[TaskId]] = {}
    for first, then in edges:
        a, b = TaskId(str(first)), TaskId(str(then))
        closes = a == b or (a, b) in reachable(kept)
        assert graph.add(first, then) is not closes
        if not closes:
            kept.setdefault(b, []).append(a)


# --- file needs


def test_a_task_that_modifies_or_deletes_what_another_creates_needs_it() -> None:
    result = effective_needs(
        plan(
            task("m", modify=["src/a.c"]),
            task("d", delete=["src/a.c"]),
            task("c", create=["src/a.c"]),
            task("e", "src/a.c"),
        )
    )
    assert result.needs == (by_file("m", "c", "src/a.c"), by_file("d", "c", "src/a.c"))
    assert result.contradictions == ()


def test_what_lies_in_a_created_folder_or_matches_a_created_glob_is_created() -> None:
    result = effective_needs(
        plan(
            task("folder", create=["lib/"]),
            task("glob", create=["doc/*.md"]),
            task("a", modify=["lib/x/y.c"]),
            task("b", modify=["lib/sub/"]),
            task("c", modify=["lib/**/*.h"]),
            task("d", delete=["doc/a.md"]),
            task("e", modify=["doc/*.md"]),
        )
    )
    assert result.needs == (
        by_file("a", "folder", "lib/x/y.c"),
        by_file("b", "folder", "lib/sub/"),
        by_file("c", "folder", "lib/**/*.h"),
        by_file("d", "glob", "doc/a.md"),
        by_file("e", "glob", "doc/*.md"),
    )


def test_work_on_a_whole_folder_does_not_need_each_file_that_others_add_to_it() -> None:
    assert effective_needs(plan(task("a", create=["src/new.c"]), task("b", modify=["src/"]))).needs == ()


def test_a_file_need_that_the_plan_already_orders_is_not_added() -> None:
    result = effective_needs(
        plan(
            task("c", create=["x"]), task("between", needs=["c"]), task("m", modify=["x"], needs=["between"])
        )
    )
    assert result.needs == (declared("between", "c"), declared("m", "between"))


def test_a_file_need_that_barriers_already_order_is_not_added() -> None:
    result = effective_needs(
        plan(task("c", create=["x"], group="1"), task("m", modify=["x"], group="2"), groups=["1", "2"])
    )
    assert result.needs == ()


def test_a_file_need_against_the_declared_order_is_reported_and_not_added() -> None:
    result = effective_needs(plan(task("m", modify=["x"]), task("c", create=["x"], needs=["m"])))
    assert result.needs == (declared("c", "m"),)
    assert result.contradictions == (by_file("m", "c", "x"),)


def test_a_file_need_against_the_barriers_is_reported_and_not_added() -> None:
    result = effective_needs(
        plan(task("m", modify=["x"], group="1"), task("c", create=["x"], group="2"), groups=["1", "2"])
    )
    assert (result.needs, result.contradictions) == ((), (by_file("m", "c", "x"),))


def test_two_tasks_that_modify_what_the_other_creates_contradict_each_other_once() -> None:
    result = effective_needs(
        plan(task("a", create=["x"], modify=["y"]), task("b", create=["y"], modify=["x"]))
    )
    assert result.needs == (by_file("a", "b", "y"),)
    assert result.contradictions == (by_file("b", "a", "x"),)


def test_guesses_and_finished_work_make_no_needs() -> None:
    result = effective_needs(
        plan(
            task("done", create=["x"], is_done=True),
            task("m", modify=["x"], needs=["done"]),
            task("guess", inferred=["y"]),
            task("n", modify=["y"]),
        )
    )
    assert result.needs == ()


FILES = st.sets(st.sampled_from(["x", "y", "z", "d/", "d/x"]), max_size=2)
PLANS = st.lists(
    st.tuples(FILES, FILES, st.integers(0, 63), st.sampled_from([None, "1", "2", "3"])), max_size=6
).map(
    lambda rows: plan(
        *(
            task(
                f"t{number}",
                create=sorted(create),
                modify=sorted(modify),
                needs=[f"t{on}" for on in range(number) if mask >> on & 1],
                group=group,
            )
            for number, (create, modify, mask, group) in enumerate(rows)
        ),
        groups=["1", "2", "3"],
    )
)


@given(PLANS)
def test_effective_needs_never_form_a_cycle_and_no_file_need_is_lost(some: Plan) -> None:
    result = effective_needs(some)
    edges: dict[TaskId, list[TaskId]] = {}
    for need in result.needs:
        edges.setdefault(need.task, []).append(need.on)
    assert find_cycle([each.id for each in some.tasks], edges) is None
    order = build_order(some, result.needs)
    assert all(order.is_before(need.on, need.task) for need in result.needs)
    assert all(order.is_before(need.task, need.on) for need in result.contradictions)
    for creator, user in product(some.tasks, some.tasks):
        created = {claim.pattern for claim in creator.claims if claim.intent == "create"}
        modified = {claim.pattern for claim in user.claims if claim.intent == "modify"}
        if creator.id != user.id and created & modified:
            assert order.is_ordered(creator.id, user.id)


# --- order


def order_of(some: Plan) -> Order:
    return build_order(some, effective_needs(some).needs)


def test_needs_order_tasks_through_others() -> None:
    order = order_of(phase3_plan())
    assert order.is_before(TaskId("t1"), TaskId("t7"))
    assert not order.is_before(TaskId("t7"), TaskId("t1"))
    assert order.is_ordered(TaskId("t7"), TaskId("t1"))
    assert not order.is_ordered(TaskId("t2"), TaskId("t3"))
    assert not order.is_ordered(TaskId("t2"), TaskId("t2"))


def test_authored_groups_order_their_tasks_and_nothing_inside_them() -> None:
    order = order_of(
        plan(task("a", group="1"), task("b", group="2"), task("c", group="2"), groups=["1", "2"])
    )
    assert order.is_before(TaskId("a"), TaskId("c"))
    assert not order.is_ordered(TaskId("b"), TaskId("c"))


def test_a_task_without_a_group_is_ordered_by_needs_only_barriers_behind_them_included() -> None:
    order = order_of(
        plan(
            task("free"),
            task("early", needs=["free"], group="1"),
            task("late", group="2"),
            task("loose"),
            groups=["1", "2"],
        )
    )
    assert order.is_before(TaskId("free"), TaskId("late")), "free, then early, then the barrier"
    assert not order.is_ordered(TaskId("loose"), TaskId("late"))


def test_finished_tasks_order_nothing() -> None:
    order = order_of(plan(task("a"), task("d", needs=["a"], is_done=True), task("b", needs=["d"])))
    assert not order.is_ordered(TaskId("a"), TaskId("b"))
    assert not order.is_ordered(TaskId("a"), TaskId("d"))


def test_a_task_that_needs_a_later_group_stands_there() -> None:
    some = plan(
        task("a", group="1", needs=["b"]), task("b", group="2"), task("c"), groups=["1", "2", "unused"]
    )
    barriers = place_in_groups(some, effective_needs(some).needs)
    assert barriers.names == ("1", "2")
    assert dict(barriers.places) == {"a": 1, "b": 1, "c": 0}
    assert barriers.moved == {"a"}
    assert order_of(some).is_before(TaskId("b"), TaskId("a"))


@given(PLANS, st.sets(st.integers(0, 5)), st.sets(st.integers(0, 5)))
def test_unordered_tasks_are_those_that_asking_pair_by_pair_finds(
    some: Plan, first: set[int], second: set[int]
) -> None:
    order = order_of(some)
    known = {each.id for each in some.tasks}
    sides = [[TaskId(f"t{n}") for n in sorted(side)] for side in (first, second)]
    expected = {
        name
        for a, b in product(*sides)
        if a != b and a in known and b in known and not order.is_ordered(a, b)
        for name in (a, b)
    }
    assert order.unordered(*sides) == expected


def test_a_chain_of_ten_thousand_is_ordered_from_end_to_end() -> None:
    chain = plan(*(task(f"t{n}", "x", needs=[f"t{n - 1}"] if n else []) for n in range(10_000)))
    order = order_of(chain)
    assert order.is_before(TaskId("t0"), TaskId("t9999"))
    assert (
        order.unordered([each.id for each in chain.tasks], [each.id for each in chain.tasks]) == frozenset()
    )
