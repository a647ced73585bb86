"""How much sooner, and why not more: weights, bounds, the walk through a schedule, and the one thing that limits it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_waves.core.model import Plan, SchedulerName, TaskId
from git_waves.core.ownership import build_manifest
from git_waves.core.schedule import build_schedule, lay_out
from git_waves.core.speedup import LimitKind, SpeedUp, estimate_speedup
from git_waves.core.timeline import time_of
from git_waves.core.weights import weigh
from tests.core.plans import kbuild_plan, phase3_plan, plan, task
from tests.core.test_schedule import PLANS
from tests.support.properties import examples


def outlook(some: Plan, *, at_once: int = 4, history: dict[str, float] | None = None) -> SpeedUp:
    manifest = build_manifest(some)
    schedule = build_schedule(some, max_parallel=at_once, manifest=manifest)
    weights = weigh(some, {TaskId(task): seconds for task, seconds in (history or {}).items()})
    found = estimate_speedup(schedule, lay_out(some, manifest.collisions()).problem, weights)
    assert found is not None
    return found


def limit(some: Plan, *, at_once: int = 4) -> tuple[LimitKind, str, tuple[str, ...]]:
    found = outlook(some, at_once=at_once).limit
    return found.kind, found.what, found.tasks


# --- weights


def test_an_estimate_wins_over_history_and_the_rest_weighs_as_the_others_do() -> None:
    some = plan(
        task("a", estimate=600.0),
        task("b"),
        task("c"),
        task("d"),
        task("done", is_done=True, estimate=9000.0),
    )
    weights = weigh(some, {TaskId("a"): 1.0, TaskId("b"): 200.0, TaskId("elsewhere"): 5.0})
    assert dict(weights.of) == {"a": 600.0, "b": 200.0, "c": 400.0, "d": 400.0}
    assert (weights.estimated, weights.measured, weights.assumed, weights.is_timed) == (1, 1, 2, True)


def test_without_anything_known_every_task_weighs_one() -> None:
    weights = weigh(phase3_plan(), {})
    assert (weights.total, weights.is_timed, weights.assumed) == (7, False, 7)


# --- what limits


def test_a_chain_of_needs_limits() -> None:
    found = outlook(phase3_plan())
    assert (found.factor, found.best) == (7 / 5, 7 / 5)
    assert found.critical_path == ("t1", "t2", "t4", "t5", "t7")
    assert limit(phase3_plan()) == (LimitKind.NEEDS, "", found.critical_path)
    assert (found.total_work, found.critical_work, found.fewest_rounds) == (7, 5, 5)


def test_one_file_limits_whatever_the_number_of_agents() -> None:
    found = outlook(kbuild_plan(), at_once=12)
    assert (found.factor, found.best, found.fewest_rounds) == (1, 1, 12)
    assert limit(kbuild_plan())[:2] == (LimitKind.FILE, "tests/kunit/Kbuild")


def test_a_queue_counts_with_what_comes_before_and_after_it() -> None:
    some = plan(
        task("first", "f"),
        *(task(f"t{n}", "x", needs=["first"]) for n in range(3)),
        *(task(f"o{n}", f"o{n}") for n in range(9)),
    )
    assert limit(some, at_once=9)[0] is LimitKind.FILE
    assert outlook(some, at_once=9).best == 13 / 4


def test_a_resource_limits_by_its_capacity() -> None:
    some = plan(*(task(f"t{n}", f"f{n}", resources=("db",)) for n in range(6)), resources={"db": 2})
    assert outlook(some, at_once=6).best == 2
    assert limit(some, at_once=6)[:2] == (LimitKind.RESOURCE, "db")


def test_the_cap_limits_where_more_could_run() -> None:
    some = plan(*(task(f"t{n}", f"f{n}") for n in range(9)))
    assert limit(some)[0] is LimitKind.CAP
    assert outlook(some).best == 9 / 3, "nine equal tasks on four slots take three turns"


def test_the_cap_counts_what_comes_before_and_after_the_tasks_that_queue() -> None:
    equal = plan(*(task(f"t{n}", f"f{n}") for n in range(5)), task("wire", needs=[f"t{n}" for n in range(5)]))
    assert outlook(equal).best == outlook(equal).factor == 6 / 3, "two turns for five tasks, then the last"
    assert limit(equal)[0] is LimitKind.CAP
    timed = plan(
        *(task(f"t{n}", f"f{n}", estimate=60.0 + n) for n in range(8)),
        task("wire", needs=[f"t{n}" for n in range(8)], estimate=100.0),
    )
    work = sum(60 + n for n in range(8))
    assert outlook(timed).best == (work + 100) / (work / 4 + 100)


def test_nothing_limits_but_the_longest_task_where_all_run_at_once() -> None:
    some = plan(*(task(f"t{n}", f"f{n}", estimate=60.0 * (n + 1)) for n in range(3)))
    assert limit(some) == (LimitKind.TASK, "", ("t2",))
    assert outlook(some).best == 2


def test_authored_groups_limit_where_needs_and_files_would_not() -> None:
    some = plan(*(task(f"t{n}", f"f{n}", group=f"g{n}") for n in range(3)), groups=["g0", "g1", "g2"])
    assert limit(some)[0] is LimitKind.BARRIER
    assert outlook(some).best == 1
    ready = plan(*some.tasks, groups=["g0", "g1", "g2"], scheduler=SchedulerName.READY_SET)
    assert limit(ready)[0] is LimitKind.TASK, "which that scheduler does not wait for"


def test_a_sequential_plan_reaches_nothing_but_could() -> None:
    found = outlook(phase3_plan(scheduler=SchedulerName.SEQUENTIAL))
    assert (found.factor, found.best) == (1, 7 / 5)


def test_a_plan_that_is_done_has_no_outlook() -> None:
    done = plan(task("a", is_done=True))
    manifest = build_manifest(done)
    assert (
        estimate_speedup(build_schedule(done), lay_out(done, manifest.collisions()).problem, weigh(done, {}))
        is None
    )


# --- walking through


def walked(some: Plan, *, at_once: int = 4) -> float:
    manifest = build_manifest(some)
    schedule = build_schedule(some, max_parallel=at_once, manifest=manifest)
    return time_of(schedule, lay_out(some, manifest.collisions()).problem, weigh(some, {}))


def timed(
    *rows: tuple[str, float, str, str], scheduler: SchedulerName | None = None, **fields: object
) -> Plan:
    """Tasks as (name, seconds, paths, needs)."""
    return plan(
        *(
            task(name, *paths.split(), estimate=seconds, needs=needs.split())
            for name, seconds, paths, needs in rows
        ),
        scheduler=scheduler,
        **fields,  # type: ignore[arg-type]  # whatever `plan` takes
    )


def test_a_round_takes_as_long_as_its_slots_need_for_it() -> None:
    some = timed(("a", 5, "a", ""), ("b", 3, "b", ""), ("c", 3, "c", ""), ("d", 1, "d", ""))
    assert walked(some, at_once=2) == 6, "a and d beside b and c"
    assert walked(some, at_once=4) == 5
    assert walked(some, at_once=1) == 12


ROWS = (("a", 9.0, "a", ""), ("b", 1.0, "b", ""), ("c", 9.0, "c", "b"))


def test_a_barrier_waits_for_the_slowest_and_ready_set_does_not() -> None:
    assert walked(timed(*ROWS)) == 18
    assert walked(timed(*ROWS, scheduler=SchedulerName.READY_SET)) == 10


def test_ready_set_keeps_files_and_capacities_apart() -> None:
    shared = [(f"t{n}", 2.0, "x", "") for n in range(3)]
    assert walked(timed(*shared, scheduler=SchedulerName.READY_SET)) == 6
    folder = [("all", 2.0, "d/", ""), ("one", 3.0, "d/a", ""), ("two", 3.0, "d/b", "")]
    assert walked(timed(*folder, scheduler=SchedulerName.READY_SET)) == 5
    held = plan(
        *(task(f"t{n}", f"f{n}", resources=("db",), estimate=2.0) for n in range(5)),
        resources={"db": 2},
        scheduler=SchedulerName.READY_SET,
    )
    assert walked(held, at_once=5) == 6


@examples(200)
@given(
    PLANS,
    st.sampled_from(SchedulerName),
    st.integers(1, 4),
    st.lists(st.integers(1, 9), min_size=8, max_size=8),
)
def test_no_schedule_is_quicker_than_the_bound_or_slower_than_one_by_one(
    some: Plan, scheduler: SchedulerName, at_once: int, seconds: list[int]
) -> None:
    timed_plan = plan(
        *(
            task(
                each.id,
                *(str(claim.pattern) for claim in each.claims),
                needs=each.needs,
                resources=each.resources,
                group=each.group,
                estimate=float(length),
            )
            for each, length in zip(some.tasks, seconds, strict=False)
        ),
        groups=[group.name for group in some.groups],
        resources={"one": 1, "two": 2},
        scheduler=scheduler,
    )
    if not timed_plan.tasks:
        return
    found = outlook(timed_plan, at_once=at_once)
    assert 1 - 1e-9 <= found.factor <= found.best + 1e-9
    assert found.best <= min(at_once, len(timed_plan.tasks)) + 1e-9 or math.isclose(found.best, at_once)
    assert found.critical_work <= found.total_work
    order = build_schedule(timed_plan)
    assert found.fewest_rounds <= sum(len(group.rounds) for group in order.groups)


@pytest.mark.parametrize("scheduler", [SchedulerName.READY_SET, SchedulerName.DAG_PARALLEL])
def test_ten_thousand_tasks_are_walked_through(scheduler: SchedulerName) -> None:
    crowd = plan(
        *(
            task(f"t{n}", f"f{n}", "Kbuild" if n % 2 else f"g{n}", estimate=1.0 + n % 7)
            for n in range(10_000)
        ),
        scheduler=scheduler,
    )
    found = outlook(crowd, at_once=8)
    assert found.limit.what == "Kbuild"
    assert 1.7 < found.factor <= found.best < 2.1
