"""Limits and figures: what is used up, what people are warned of, what nobody told; and what a run does about it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_waves.core import decide
from git_waves.core.model import Budget
from git_waves.core.spending import Spent, changed, limits_of, neared, reached, untold
from tests.core.simulate import Simulation

FIGURES = st.builds(Spent, st.integers(0, 10**12), st.floats(0, 10**6))


def test_a_limit_is_used_up_when_it_is_reached() -> None:
    assert reached({"tokens": 100}, Spent(99, 50)) == ("", "")
    assert reached({"tokens": 100}, Spent(100)) == ("tokens", "100 tokens used, and the limit is 100 tokens")
    assert reached({"tokens": 100, "cost": 2.5}, Spent(5, 2.5)) == (
        "cost",
        "$2.50 used, and the limit is $2.50",
    )
    assert reached({"tokens": None, "quiet": 1}, Spent(10**9, 10**5)) == ("", "")


@given(st.lists(FIGURES, max_size=8), st.integers(1, 10**12))
def test_each_limit_is_neared_once_however_figures_come(steps: list[Spent], limit: int) -> None:
    last, told = Spent(), 0
    for step in steps:
        now = last.or_more(step)
        told += len(neared({"tokens": limit}, last, now))
        last = now
    assert told == (last.tokens >= 0.8 * limit)


def test_what_was_not_told_is_not_nothing() -> None:
    assert untold({"tokens": 5, "cost": 1, "quiet": 3}, Spent(3, 0)) == ("cost",)
    assert untold({"tokens": 5}, Spent()) == ("tokens",)


def test_a_person_may_set_and_lift_limits() -> None:
    budget = Budget(wall_clock=60, tokens=100)
    assert limits_of(budget) == {"wall_clock": 60, "tokens": 100}
    assert changed(budget, {"tokens": 500.0, "wall_clock": None, "cost": 2}) == Budget(tokens=500, cost=2)
    assert changed(budget, {}) == budget


# ---------------------------------------------------------------------- what a run does about it


def run_of(*rounds: tuple[str, ...], **more: Any) -> Simulation:
    return Simulation((("1", rounds, ("tests",)),), **more)


def spend(run: Simulation, task: str, tokens: int, cost: float = 0.0) -> None:
    attempt = run.state.tasks[task].attempt
    run.event("spending_noted", task=task, attempt=attempt, tokens=tokens, cost=cost, source="output")


@pytest.mark.parametrize("scheduler", ["sequential", "dag-parallel", "ready-set"])
def test_beyond_a_limit_nothing_starts_and_what_is_done_is_published(scheduler: str) -> None:
    run = run_of(("a",), ("b",), scheduler=scheduler, needs={"b": ("a",)})
    run.state.budget["tokens"] = 100
    run.carry_out(run.next()[0])
    spend(run, "a", 120)
    run.land("a")
    end = run.run()
    reason = "the run's limit is reached: 120 tokens used, and the limit is 100 tokens (task 'a': 120 tokens)"
    assert end == decide.Halt("budget", reason, "git waves run --budget tokens=MORE")
    assert run.statuses() == {"a": "integrated" if scheduler == "ready-set" else "merged", "b": "pending"}
    run.state.budget["tokens"] = None
    assert isinstance(run.run(), decide.Finish)


def test_a_run_that_is_through_finishes_beyond_its_limit() -> None:
    run = run_of(("a",))
    run.state.budget["cost"] = 1.0
    run.carry_out(run.next()[0])
    spend(run, "a", 0, 5.0)
    run.land("a")
    assert isinstance(run.run(), decide.Finish)


def test_a_limit_that_stops_the_run_halts_it_once_nothing_is_in_flight() -> None:
    run = run_of(("a", "b"))
    for action in run.next():
        run.carry_out(action)
    run.event("stop_requested", now=True, by="budget", reason="its time is over")
    assert run.next() == ()
    for task in ("a", "b"):
        run.flying.remove(task)
        run.event("task_interrupted", task=task, attempt=1, reason="stopped")
    assert run.next() == (decide.Halt("budget", "its time is over", "git waves run"),)


def test_attempts_that_can_go_on_do_and_the_others_start_over() -> None:
    run = run_of(("a", "b"), max_parallel=2)
    for action in run.next():
        run.carry_out(action)
    for task, session in (("a", "s-1"), ("b", "")):
        run.flying.remove(task)
        run.event("task_interrupted", task=task, attempt=1, reason="stopped", session=session)
    assert run.next() == (decide.Resume("a"), decide.Start("b", 2, "c0"))
    run.event("task_taken_up", task="a", attempt=1, how="resumed", session="s-1")
    a = run.state.tasks["a"]
    assert (a.status, a.attempt, a.resumes, a.session) == ("running", 1, 1, "s-1")
    assert not a.is_resumable


def test_a_person_who_tries_again_starts_over() -> None:
    run = run_of(("a",), outcomes={"a": "fail"})
    run.carry_out(run.next()[0])
    run.flying.remove("a")
    run.event("task_interrupted", task="a", attempt=1, reason="stopped", session="s-1")
    run.event("task_taken_up", task="a", attempt=1, how="resumed", session="s-1")
    run.event("task_failed", task="a", attempt=1, rung="agent", reason="r", paths=[], hint="")
    run.event("task_retried", task="a", grant=[], budget={"tokens": 7})
    assert run.next() == (decide.Start("a", 2, "c0"),)
    assert run.state.tasks["a"].budget == {"tokens": 7}


def test_what_attempts_used_is_added_up_and_never_goes_back() -> None:
    run = run_of(("a", "b"))
    for action in run.next():
        run.carry_out(action)
    spend(run, "a", 100, 0.5)
    spend(run, "a", 90, 0.75)
    spend(run, "b", 7)
    run.event("spending_noted", task="a", attempt=2, tokens=10, cost=0.25, source="output")
    assert run.state.tasks["a"].spent == {1: (100, 0.75), 2: (10, 0.25)}
    assert run.state.tasks["a"].total() == (110, 1.0)
    assert run.state.spent() == (117, 1.0)
