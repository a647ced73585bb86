"""Groups, rounds, holds and the choice of scheduler; on random plans against the rules written out plainly."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from git_waves.core.model import Hold, HoldKind, OnFailure, Plan, Schedule, SchedulerName, TaskId
from git_waves.core.needs import build_order
from git_waves.core.ownership import build_manifest
from git_waves.core.schedule import build_schedule
from tests.core.plans import kbuild_plan, phase3_plan, plan, task
from tests.support.properties import examples


def shape(schedule: Schedule) -> list[tuple[str, list[list[str]]]]:
    return [(group.name, [list(one_round) for one_round in group.rounds]) for group in schedule.groups]


def holds_of(schedule: Schedule, name: str) -> list[tuple[str, str | None, str]]:
    return [
        (hold.kind.value, hold.by, hold.what)
        for group in schedule.groups
        for hold in group.holds
        if hold.task == name
    ]


def test_the_phase3_shape_becomes_five_groups_that_run_in_parallel() -> None:
    schedule = build_schedule(phase3_plan())
    assert shape(schedule) == [
        ("1", [["t1"]]),
        ("2", [["t2", "t3"]]),
        ("3", [["t4"]]),
        ("4", [["t5", "t6"]]),
        ("5", [["t7"]]),
    ]
    assert schedule.scheduler is SchedulerName.DAG_PARALLEL
    assert schedule.scheduler_reason == "2 independent tasks with disjoint files may run together"
    assert (schedule.max_parallel, schedule.on_failure) == (4, OnFailure.HALT)
    assert holds_of(schedule, "t4") == [("needs", "t2", ""), ("needs", "t3", "")]
    assert holds_of(schedule, "t1") == []


def test_twelve_tasks_that_register_in_one_file_become_twelve_groups() -> None:
    schedule = build_schedule(kbuild_plan())
    assert shape(schedule) == [(str(n), [[f"t{n}"]]) for n in range(1, 13)]
    assert schedule.scheduler is SchedulerName.SEQUENTIAL
    assert schedule.scheduler_reason == "no two tasks may run together"
    assert holds_of(schedule, "t7") == [("file", "t6", "tests/kunit/Kbuild")]


def test_independent_tasks_are_one_group_and_the_cap_only_holds_back() -> None:
    schedule = build_schedule(plan(*(task(f"t{n}", f"f{n}") for n in range(5))), max_parallel=3)
    assert shape(schedule) == [("1", [["t0", "t1", "t2", "t3", "t4"]])]
    assert schedule.groups[0].holds == (
        Hold(task=TaskId("t3"), kind=HoldKind.CAP),
        Hold(task=TaskId("t4"), kind=HoldKind.CAP),
    )
    assert schedule.max_parallel == 3


def test_a_folder_keeps_out_what_lies_in_it_but_not_those_from_one_another() -> None:
    schedule = build_schedule(plan(task("a", "src/x"), task("all", "src/"), task("b", "src/y")))
    assert shape(schedule) == [("1", [["a", "b"]]), ("2", [["all"]])]
    assert holds_of(schedule, "all") == [("file", "a", "src/")]


def test_a_resource_is_held_by_as_many_as_its_capacity() -> None:
    schedule = build_schedule(
        plan(
            *(task(f"t{n}", f"f{n}", resources=("db",)) for n in range(5)),
            task("other", "o", resources=("port",)),
            resources={"db": 2, "port": 1},
        )
    )
    assert shape(schedule) == [("1", [["t0", "t1", "other"]]), ("2", [["t2", "t3"]]), ("3", [["t4"]])]
    assert holds_of(schedule, "t4") == [("resource", "t2", "db")]


def test_the_longest_chain_goes_first_where_the_order_of_the_plan_would_cost_a_group() -> None:
    schedule = build_schedule(
        plan(task("short", "x"), task("long", "x"), task("a", needs=["long"]), task("b", needs=["a"]))
    )
    assert shape(schedule) == [("1", [["long"]]), ("2", [["short", "a"]]), ("3", [["b"]])]


def test_a_queue_for_one_file_counts_as_a_chain_when_it_is_decided_who_goes_first() -> None:
    schedule = build_schedule(
        plan(
            task("q", "f"),
            task("q2", needs=["q"]),
            task("q3", needs=["q2"]),
            task("p", "f"),
            *(task(f"h{n}", "Kbuild", needs=["p"]) for n in range(1, 5)),
        )
    )
    assert [list(group.tasks) for group in schedule.groups] == [
        ["p"],
        ["q", "h1"],
        ["q2", "h2"],
        ["q3", "h3"],
        ["h4"],
    ]


def test_the_order_of_the_plan_is_kept_where_the_longest_chain_first_would_cost_a_group() -> None:
    schedule = build_schedule(
        plan(
            task("t0", "y"),
            task("t1", "x", "y"),
            task("t2", "x"),
            task("t3", needs=["t2"]),
            task("t4", "x", "y", needs=["t2", "t3"]),
        )
    )
    assert [list(group.tasks) for group in schedule.groups] == [["t0", "t2"], ["t1", "t3"], ["t4"]]


def test_file_needs_are_part_of_the_schedule() -> None:
    schedule = build_schedule(plan(task("use", modify=["x"]), task("make", create=["x"])))
    assert shape(schedule) == [("1", [["make"]]), ("2", [["use"]])]
    assert [(need.task, need.on, need.kind.value, need.path) for need in schedule.needs] == [
        ("use", "make", "file", "x")
    ]


def test_finished_tasks_are_left_out_and_satisfy_needs() -> None:
    schedule = build_schedule(
        plan(task("done", "x", is_done=True), task("a", "x", needs=["done"]), task("b", "y", needs=["done"]))
    )
    assert shape(schedule) == [("1", [["a", "b"]])]
    assert schedule.needs == ()


def test_a_plan_with_nothing_left_has_no_groups() -> None:
    schedule = build_schedule(plan(task("done", is_done=True)))
    assert (schedule.groups, schedule.scheduler_reason) == ((), "no task is left to run")


def test_authored_groups_are_barriers_in_the_order_of_the_plan() -> None:
    schedule = build_schedule(
        plan(
            task("b", "b", group="second"),
            task("a", "a", group="first"),
            task("c", "c", group="second", needs=["a"]),
            task("free", "f", needs=["b"]),
            groups=["first", "empty", "second"],
        )
    )
    assert shape(schedule) == [("first", [["a"]]), ("second", [["b", "c"], ["free"]])]
    assert holds_of(schedule, "b") == [("barrier", None, "first")]
    assert holds_of(schedule, "c") == [("needs", "a", "")]
    assert holds_of(schedule, "free") == [("needs", "b", "")]


def test_needs_files_and_resources_inside_an_authored_group_make_rounds() -> None:
    schedule = build_schedule(
        plan(
            task("a", "x", group="g"),
            task("b", "x", group="g"),
            task("c", "c", group="g", needs=["a"]),
            task("d", "d", group="g", resources=("db",)),
            task("e", "e", group="g", resources=("db",)),
            groups=["g"],
            resources={"db": 1},
        )
    )
    assert shape(schedule) == [("g", [["a", "d"], ["b", "c", "e"]])]
    assert holds_of(schedule, "b") == [("file", "a", "x")]
    assert holds_of(schedule, "c") == [("needs", "a", "")]
    assert holds_of(schedule, "e") == [("resource", "d", "db")]


def test_a_task_that_needs_a_later_group_waits_for_it() -> None:
    schedule = build_schedule(
        plan(task("a", "a", group="1", needs=["b"]), task("b", "b", group="2"), groups=["1", "2"])
    )
    assert shape(schedule) == [("2", [["b"], ["a"]])]
    assert holds_of(schedule, "a") == [("needs", "b", "")]


@pytest.mark.parametrize(
    ("wanted", "policy"),
    [
        (SchedulerName.SEQUENTIAL, OnFailure.HALT),
        (SchedulerName.DAG_PARALLEL, OnFailure.HALT),
        (SchedulerName.READY_SET, OnFailure.FAIL_DEPENDENTS),
    ],
)
def test_the_scheduler_the_plan_asks_for_wins(wanted: SchedulerName, policy: OnFailure) -> None:
    schedule = build_schedule(phase3_plan(scheduler=wanted))
    assert (schedule.scheduler, schedule.scheduler_reason) == (wanted, "the plan asks for it")
    assert schedule.on_failure is policy
    chosen = build_schedule(phase3_plan(scheduler=wanted, on_failure=OnFailure.FAIL_DEPENDENTS))
    assert chosen.on_failure is OnFailure.FAIL_DEPENDENTS


def test_a_sequential_schedule_holds_back_all_but_one() -> None:
    schedule = build_schedule(phase3_plan(scheduler=SchedulerName.SEQUENTIAL))
    assert holds_of(schedule, "t3") == [("needs", "t1", ""), ("cap", None, "")]


def test_gates_stand_at_every_group_or_at_those_they_name() -> None:
    some = phase3_plan()
    schedule = build_schedule(plan(*some.tasks, gates={"late": ["4", "5"], "all": [], "second": ["2"]}))
    assert [group.gates for group in schedule.groups] == [
        ("all",),
        ("all", "second"),
        ("all",),
        ("late", "all"),
        ("late", "all"),
    ]


PATHS = st.sets(st.sampled_from(["x", "y", "d/", "d/a", "d/b", "d/*"]), max_size=2).map(sorted)
PLANS = st.builds(
    lambda rows, groups: plan(
        *(
            task(
                f"t{number}",
                *edit,
                create=create,
                needs=[f"t{on}" for on in range(number) if mask >> on & 1],
                resources=tuple(sorted(held)),
                group=group if groups else None,
                is_done=is_done,
            )
            for number, (edit, create, mask, held, group, is_done) in enumerate(rows)
        ),
        groups=["g1", "g2"] if groups else [],
        resources={"one": 1, "two": 2},
    ),
    st.lists(
        st.tuples(
            PATHS,
            PATHS,
            st.integers(0, 255),
            st.sets(st.sampled_from(["one", "two"])),
            st.sampled_from([None, "g1", "g2"]),
            st.integers(0, 5).map(lambda n: n == 0),
        ),
        max_size=8,
    ),
    st.booleans(),
)


@examples(300)
@given(PLANS)
def test_every_schedule_keeps_the_rules(some: Plan) -> None:
    manifest = build_manifest(some)
    schedule = build_schedule(some)
    rounds = [one_round for group in schedule.groups for one_round in group.rounds]
    level = {name: number for number, one_round in enumerate(rounds) for name in one_round}
    todo = {each.id: each for each in some.tasks if not each.is_done}
    assert sorted(name for one_round in rounds for name in one_round) == sorted(todo), (
        "each task exactly once"
    )
    assert all(rounds) and all(group.rounds for group in schedule.groups)
    assert all(level[need.on] < level[need.task] for need in schedule.needs)
    rivals = {(found.first, found.second) for found in manifest.find_overlaps()}
    for one_round in rounds:
        assert not [pair for pair in combinations(sorted(one_round), 2) if pair in rivals]
        for name, capacity in (("one", 1), ("two", 2)):
            assert sum(name in todo[member].resources for member in one_round) <= capacity
    order = build_order(some, schedule.needs)
    assert all(not order.is_ordered(a, b) for one_round in rounds for a, b in combinations(one_round, 2))
    first_round = {
        name for group in schedule.groups[:1] for one_round in group.rounds[:1] for name in one_round
    }
    reasons = [hold for group in schedule.groups for hold in group.holds if hold.kind is not HoldKind.CAP]
    assert {hold.task for hold in reasons} == set(todo) - first_round, (
        "each held task has a reason, no other has"
    )
    for hold in reasons:
        if hold.kind is HoldKind.BARRIER:
            assert hold.what in {group.name for group in schedule.groups}
        else:
            assert hold.by is not None and level[hold.by] < level[hold.task]
        if hold.kind is HoldKind.FILE:
            assert tuple(sorted((hold.by or "", hold.task))) in rivals


@examples(200)
@given(PLANS)
def test_no_schedule_is_longer_than_first_fit_in_the_order_of_the_plan(some: Plan) -> None:
    assume(not some.groups)
    schedule = build_schedule(some)
    rivals = {(found.first, found.second) for found in build_manifest(some).find_overlaps()}
    groups: list[list[TaskId]] = []
    todo = {each.id: each for each in some.tasks if not each.is_done}
    waiting = list(todo)
    needs = {name: {need.on for need in schedule.needs if need.task == name} for name in todo}
    while waiting:
        name = next(each for each in waiting if not needs[each] & set(waiting))
        waiting.remove(name)
        after = [number for number, members in enumerate(groups) if needs[name] & set(members)]
        fits = (
            number
            for number in range(max(after, default=-1) + 1, len(groups) + 1)
            if number == len(groups)
            or not (
                any(tuple(sorted((name, other))) in rivals for other in groups[number])
                or any(
                    held in todo[name].resources
                    and sum(held in todo[other].resources for other in groups[number]) >= capacity
                    for held, capacity in (("one", 1), ("two", 2))
                )
            )
        )
        place = next(fits)
        groups[place:] = [[*groups[place], name], *groups[place + 1 :]] if place < len(groups) else [[name]]
    assert len(schedule.groups) <= len(groups)


def test_a_chain_of_ten_thousand_is_ten_thousand_groups() -> None:
    schedule = build_schedule(
        plan(*(task(f"t{n}", f"f{n}", needs=[f"t{n - 1}"] if n else []) for n in range(10_000)))
    )
    assert len(schedule.groups) == 10_000


def test_ten_thousand_tasks_on_one_file_are_ten_thousand_groups() -> None:
    schedule = build_schedule(plan(*(task(f"t{n}", "x") for n in range(10_000))))
    assert len(schedule.groups) == 10_000
