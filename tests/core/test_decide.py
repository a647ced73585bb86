"""What to do next, for every scheduler, without a world."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_waves.core import decide, fold
from tests.core.simulate import PHASE3, PHASE3_NEEDS, Simulation
from tests.support.properties import examples

SCHEDULERS = ("sequential", "dag-parallel", "ready-set")


def phase3(**options: object) -> Simulation:
    return Simulation(PHASE3, needs=PHASE3_NEEDS, **options)  # type: ignore[arg-type]  # passed through


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_every_scheduler_integrates_every_task_in_the_order_of_needs(scheduler: str) -> None:
    run = phase3(scheduler=scheduler)
    assert isinstance(run.run(), decide.Finish)
    assert set(run.statuses().values()) == {fold.INTEGRATED}
    merges = run.order(decide.Merge)
    assert all(
        merges.index(need) < merges.index(task) for task, needs in PHASE3_NEEDS.items() for need in needs
    )
    assert run.state.integration == run.state.candidate


def test_parallel_schedulers_run_independent_tasks_side_by_side_and_sequential_never_does() -> None:
    together = {"t2", "t3"}
    for scheduler in SCHEDULERS:
        run = phase3(scheduler=scheduler)
        run.run()
        assert any(together <= flying for flying in run.started_together) == (scheduler != "sequential")
        assert run.most_at_once == (1 if scheduler == "sequential" else 2)


def test_no_more_than_max_parallel_run_at_once() -> None:
    wide = (("1", (tuple(f"t{n}" for n in range(9)),), ()),)
    for scheduler in ("dag-parallel", "ready-set"):
        run = Simulation(wide, scheduler=scheduler, max_parallel=3)
        assert isinstance(run.run(), decide.Finish)
        assert run.most_at_once == 3


def test_a_task_is_cut_from_what_the_barrier_before_it_proved() -> None:
    run = phase3()
    run.run()
    starts = {action.task: action.base for action in run.actions if isinstance(action, decide.Start)}
    assert starts["t1"] == "c0"
    assert starts["t2"] == starts["t3"] == "c0+t1"
    assert starts["t4"] == "c0+t1+t2+t3"


def test_nothing_of_a_round_merges_when_one_of_it_failed() -> None:
    run = phase3(outcomes={"t3": "fail"})
    halt = run.run()
    assert isinstance(halt, decide.Halt)
    assert halt.kind == "failed"
    assert run.order(decide.Merge) == ["t1"]
    assert run.statuses()["t2"] == fold.PASSED


def test_siblings_in_flight_finish_before_the_halt() -> None:
    run = phase3(outcomes={"t2": "fail"})
    assert isinstance(run.run(), decide.Halt)
    assert run.flying == []
    assert run.statuses()["t3"] == fold.PASSED


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_a_run_goes_on_around_a_person_and_halts_when_nothing_else_is_left(scheduler: str) -> None:
    groups = (("1", (("ask", "a"),), ()), ("2", (("b", "c"),), ()))
    run = Simulation(
        groups, needs={"b": ["ask"], "c": ["a"]}, scheduler=scheduler, outcomes={"ask": "attended"}
    )
    halt = run.run()
    assert halt == decide.Halt("attended", "task 'ask' waits for a person", "git waves open ask")
    assert run.statuses()["ask"] == fold.AWAITING
    assert run.statuses()["b"] == fold.PENDING
    others = {"ready-set": fold.INTEGRATED, "dag-parallel": fold.PASSED, "sequential": fold.PENDING}
    assert run.statuses()["a"] == others[scheduler]
    assert (run.statuses()["c"] == fold.INTEGRATED) == (scheduler == "ready-set")
    run.event("task_handed_in", task="ask", attempt=1, by="me")
    assert isinstance(run.run(), decide.Finish)
    assert set(run.statuses().values()) == {fold.INTEGRATED}
    assert run.state.tasks["ask"].attempt == 1, "a person's work is never started over"


def test_what_must_not_run_beside_a_task_does_not_run_beside_a_person_either() -> None:
    run = Simulation(
        (("1", (("ask", "a"),), ()),),
        scheduler="ready-set",
        outcomes={"ask": "attended"},
        conflicts={"ask": frozenset({"a"}), "a": frozenset({"ask"})},
    )
    halt = run.run()
    assert isinstance(halt, decide.Halt) and halt.kind == "attended"
    assert run.statuses()["a"] == fold.PENDING


def test_who_fell_comes_before_who_waits() -> None:
    run = Simulation(
        (("1", (("ask", "a"),), ()),), scheduler="ready-set", outcomes={"ask": "attended", "a": "fail"}
    )
    halt = run.run()
    assert isinstance(halt, decide.Halt) and halt.kind == "failed"


@pytest.mark.parametrize("scheduler", ["dag-parallel", "ready-set", "sequential"])
def test_fail_dependents_goes_on_with_the_rest_and_blocks_only_dependents(scheduler: str) -> None:
    groups = (("1", (("a", "b"),), ()), ("2", (("c", "d"),), ()))
    run = Simulation(
        groups,
        needs={"c": ("a",), "d": ("b",)},
        scheduler=scheduler,
        on_failure="fail-dependents",
        outcomes={"a": "fail"},
    )
    halt = run.run()
    assert isinstance(halt, decide.Halt)
    assert run.statuses() == {
        "a": fold.FAILED,
        "b": fold.INTEGRATED,
        "c": fold.BLOCKED,
        "d": fold.INTEGRATED,
    }


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_a_conflict_halts_under_every_policy(scheduler: str) -> None:
    run = phase3(scheduler=scheduler, on_failure="fail-dependents", outcomes={"t2": "conflict"})
    halt = run.run()
    assert isinstance(halt, decide.Halt)
    assert halt.kind == "conflict"
    assert "t4" not in run.order(decide.Start)


def test_every_barrier_is_one_publish_after_all_merges_of_its_group() -> None:
    for scheduler in ("dag-parallel", "sequential"):
        run = phase3(scheduler=scheduler)
        run.run()
        steps = [
            action
            for action in run.actions
            if isinstance(action, decide.Merge | decide.RunGates | decide.Publish)
        ]
        words = [
            action.task if isinstance(action, decide.Merge) else f"{type(action).__name__} {action.group}"
            for action in steps
        ]
        assert words == [
            *("t1", "RunGates 1", "Publish 1"),
            *("t2", "t3", "RunGates 2", "Publish 2"),
            *("t4", "RunGates 3", "Publish 3"),
            *("t5", "t6", "RunGates 4", "Publish 4"),
            *("t7", "RunGates 5", "Publish 5"),
        ]


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_a_task_that_changed_nothing_is_integrated_without_a_commit(scheduler: str) -> None:
    run = Simulation((("1", (("a",),), ("tests",)),), scheduler=scheduler)
    run.carry_out(run.next()[0])
    run.land("a")
    run.event("task_merged", task="a", attempt=1, tip="c0", commit="c0", tree="t0")
    assert isinstance(run.run(), decide.Finish)
    assert run.statuses() == {"a": fold.INTEGRATED}


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_a_red_gate_keeps_the_integration_ref_where_it_was(scheduler: str) -> None:
    run = phase3(scheduler=scheduler, red={"tests": 1})
    halt = run.run()
    assert isinstance(halt, decide.Halt)
    assert halt.kind == "gate"
    assert run.state.integration == "c0"
    assert run.state.candidate != "c0"


def test_a_gate_that_is_green_on_a_tree_is_not_run_again_and_a_red_one_is_after_resume() -> None:
    groups = (("1", (("a",),), ("lint", "tests")),)
    run = Simulation(groups, red={"tests": 1})
    run.run()
    run.event("run_resumed", coordinator={}, max_parallel=4)
    run.actions.clear()
    assert isinstance(run.run(), decide.Finish)
    assert [action.gates for action in run.actions if isinstance(action, decide.RunGates)] == [("tests",)]


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_retry_after_a_failure_leads_to_the_end(scheduler: str) -> None:
    run = phase3(scheduler=scheduler, outcomes={"t3": "fail"}, on_failure="halt")
    assert isinstance(run.run(), decide.Halt)
    run._outcomes.clear()
    run.event("task_retried", task="t3", grant=[])
    run.event("run_resumed", coordinator={}, max_parallel=4)
    assert isinstance(run.run(), decide.Finish)
    assert run.state.tasks["t3"].attempt == 2
    assert run.order(decide.Merge).count("t2") == 1


def test_a_skipped_task_blocks_who_needs_it_and_nobody_else() -> None:
    run = phase3(outcomes={"t5": "fail"})
    run.run()
    run.event("task_skipped", task="t5", reason="not worth it")
    assert isinstance(run.run(), decide.Finish)
    assert run.statuses()["t6"] == fold.INTEGRATED
    assert run.statuses()["t7"] == fold.BLOCKED


def test_a_stop_starts_nothing_new_and_leaves_when_all_has_landed() -> None:
    run = phase3()
    for action in run.next():
        run.carry_out(action)
    run.event("stop_requested", now=False, by="test")
    assert run.next() == ()
    run.land("t1")
    assert run.next() == (decide.Stop(),)


def test_live_tasks_of_a_dead_coordinator_are_taken_up_before_anything_else() -> None:
    run = phase3()
    for action in run.next():
        run.carry_out(action)
    run.flying.clear()
    assert run.next() == (decide.Climb("t1"),)


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_until_group_stops_after_that_barrier(scheduler: str) -> None:
    run = phase3(scheduler=scheduler, until="2")
    assert isinstance(run.run(), decide.Stop)
    assert run.state.integration.count("+") == 3
    assert run.statuses()["t4"] == fold.PENDING


def test_ready_set_keeps_apart_what_must_not_run_together() -> None:
    groups = (("1", (("a", "b", "c"),), ()),)
    run = Simulation(
        groups,
        scheduler="ready-set",
        conflicts={"a": frozenset({"b"}), "b": frozenset({"a"})},
        resources={"a": (("db", 1),), "c": (("db", 1),)},
    )
    assert isinstance(run.run(), decide.Finish)
    assert all(not ({"a", "b"} <= flying or {"a", "c"} <= flying) for flying in run.started_together)


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_capacity_holds_whatever_the_schedule_says(scheduler: str) -> None:
    """Five tasks in one round hold what two may hold at once, as no schedule of ours would have it."""
    tasks = tuple("abcde")
    run = Simulation(
        (("1", (tasks,), ()),),
        scheduler=scheduler,
        max_parallel=5,
        resources=dict.fromkeys(tasks, (("api", 2),)),
    )
    assert isinstance(run.run(), decide.Finish)
    assert run.most_at_once == (1 if scheduler == "sequential" else 2)


def test_a_task_takes_all_its_resources_or_none() -> None:
    run = Simulation(
        (("1", (("a", "b", "c"),), ()),),
        resources={"a": (("x", 1),), "b": (("y", 1), ("x", 1)), "c": (("y", 1),)},
    )
    assert run.next() == (decide.Start("a", 1, "c0"), decide.Start("c", 1, "c0")), (
        "'b' keeps nothing from 'c'"
    )


@pytest.mark.parametrize("scheduler", ["dag-parallel", "ready-set"])
def test_a_task_that_waits_for_somebody_outside_holds_up_nobody_else(scheduler: str) -> None:
    outside = {"a"}
    run = Simulation(
        (("1", (("a", "b"),), ()),), scheduler=scheduler, held=lambda: frozenset(outside), max_parallel=1
    )
    assert run.next() == (decide.Start("b", 1, "c0"),)
    run.carry_out(run.next()[0])
    run.land("b")
    if scheduler == "dag-parallel":
        assert run.next() == (), "and nothing of the round merges without it"
    else:
        assert run.next() == (decide.Merge("b"),)
    outside.clear()
    assert isinstance(run.run(), decide.Finish)


def test_a_red_gate_of_a_ready_set_waits_for_who_is_under_way_and_starts_nobody() -> None:
    run = Simulation(
        (("1", (("a", "b", "c", "d"),), ("g",)),), scheduler="ready-set", max_parallel=2, red={"g": 9}
    )
    assert isinstance(run.run(), decide.Halt)
    assert run.order(decide.Start) == ["a", "b", "c"], "'c' took the place of 'a', before the gates ran"
    assert [run.statuses()[task] for task in "abcd"] == [fold.MERGED, fold.PASSED, fold.PASSED, fold.PENDING]


@pytest.mark.parametrize("scheduler", ["sequential", "dag-parallel"])
def test_a_task_that_is_retried_late_does_not_run_beside_a_later_round(scheduler: str) -> None:
    groups = (("1", (("a",),), ()), ("2", (("b",),), ()))
    run = Simulation(groups, scheduler=scheduler, on_failure="fail-dependents", outcomes={"a": "fail"})
    for _ in range(2):
        for action in run.next():
            run.carry_out(action)
        if "a" in run.flying:
            run.land("a")
    assert run.flying == ["b"]
    run.event("task_retried", task="a", grant=[])
    assert run.next() == ()
    run.land("b")
    assert run.next() == (decide.Start("a", 2, "c0"),)


def test_a_moved_integration_ref_halts_once_nothing_is_in_flight() -> None:
    run = phase3()
    for action in run.next():
        run.carry_out(action)
    run.event("refs_moved", message="somebody moved it")
    assert run.next() == ()
    run.land("t1")
    (halt,) = run.next()
    assert isinstance(halt, decide.Halt)
    assert halt.kind == "refs"


@st.composite
def scenes(draw: st.DrawFn) -> Simulation:
    """Random acyclic needs over up to nine tasks, laid out in groups by layer, with random outcomes and luck."""
    count = draw(st.integers(1, 9))
    ids = [f"t{n}" for n in range(count)]
    needs = {
        ids[n]: tuple(ids[m] for m in range(n) if draw(st.booleans()) and draw(st.booleans()))
        for n in range(count)
    }
    layer: dict[str, int] = {}
    for task in ids:
        layer[task] = 1 + max((layer[need] for need in needs[task]), default=-1)
    gates = draw(st.sampled_from([(), ("g",)]))
    groups = [
        (str(level), (tuple(task for task in ids if layer[task] == level),), gates)
        for level in range(max(layer.values()) + 1)
    ]
    outcomes = {task: draw(st.sampled_from(["pass"] * 6 + ["fail", "park", "attended"])) for task in ids}
    luck = random.Random(draw(st.integers(0, 999)))
    capacities = {name: draw(st.integers(1, 2)) for name in ("x", "y")}
    held = {task: draw(st.sampled_from([(), (), ("x",), ("y",), ("x", "y")])) for task in ids}
    return Simulation(
        groups,
        needs=needs,
        scheduler=draw(st.sampled_from(SCHEDULERS)),
        on_failure=draw(st.sampled_from(["halt", "fail-dependents"])),
        max_parallel=draw(st.integers(1, 4)),
        outcomes=outcomes,
        red={"g": draw(st.integers(0, 1))},
        resources={task: tuple((name, capacities[name]) for name in names) for task, names in held.items()},
        held=lambda: frozenset(task for task in ids if luck.random() < 0.1),
        pick=luck.choice,
    )


@examples(300)
@given(scenes())
def test_whatever_happens_needs_come_first_and_the_run_ends(run: Simulation) -> None:
    needs = {task.id: task.needs for task in run.state.tasks.values()}
    last = run.run()
    assert isinstance(last, decide.Finish | decide.Halt)
    assert run.flying == []
    merges = run.order(decide.Merge)
    assert len(merges) == len(set(merges)), "nothing is merged twice"
    for task in merges:
        assert all(need in merges[: merges.index(task)] for need in needs[task])
    assert run.most_at_once <= run.state.max_parallel
    for flying in run.started_together:
        holds = [hold for task in flying for hold in run.resources[task]]
        assert all(holds.count((name, capacity)) <= capacity for name, capacity in holds)
    if isinstance(last, decide.Finish):
        assert run.state.integration == run.state.candidate
    is_red = isinstance(last, decide.Halt) and last.kind == "gate"
    if not is_red and all(outcome == "pass" for outcome in run._outcomes.values()):
        assert isinstance(last, decide.Finish)
        assert set(run.statuses().values()) == {fold.INTEGRATED}


@examples(100)
@given(scenes())
def test_the_state_after_a_restart_is_the_state_before(run: Simulation) -> None:
    run.run()
    again = fold.fold(run.events)
    assert {t.id: (t.status, t.attempt, t.tip) for t in again.tasks.values()} == {
        t.id: (t.status, t.attempt, t.tip) for t in run.state.tasks.values()
    }
    assert (again.candidate, again.integration) == (run.state.candidate, run.state.integration)
