"""What a red gate leads to, without a world: who is named, who is taken out, what of the rest is published."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_waves.core import decide, fold
from tests.core.simulate import Simulation
from tests.support.properties import examples

SCHEDULERS = ("sequential", "dag-parallel", "ready-set")


def sets(*tasks: str) -> list[frozenset[str]]:
    """Breaking sets: `sets("a", "b c")` is red with a, and with b and c together."""
    return [frozenset(one.split()) for one in tasks]


def run_of(*rounds: str, breaking: Mapping[str, Sequence[frozenset[str]]], **options: object) -> Simulation:
    """One group of these rounds with the gates that can break."""
    groups = (("1", tuple(tuple(one.split()) for one in rounds), tuple(breaking)),)
    return Simulation(groups, breaking=breaking, **options)  # type: ignore[arg-type]  # passed through


def tried(run: Simulation) -> list[str]:
    """The trees that searches ran a gate on."""
    return [
        event["tree"]
        for event in run.events
        if event["event"] == "gate_finished" and event["purpose"] == "culprit"
    ]


def published(run: Simulation) -> frozenset[str]:
    """The tasks in the integration ref."""
    return run.content(run.state.integration)


def test_a_red_gate_halts_and_names_who_broke_it() -> None:
    run = run_of("a b c d e", breaking={"g": sets("c")})
    halt = run.run()
    assert halt == decide.Halt(
        "gate",
        "gate 'g' is red at the barrier of group '1': it ended with exit code 1; "
        "task 'c' broke it: what came before is green, and its own branch is red",
        "git waves log gate:g",
    )
    assert published(run) == frozenset()
    assert set(run.statuses().values()) == {fold.MERGED}
    assert len(tried(run)) <= 5


def test_two_green_tasks_that_break_each_other_are_named_together() -> None:
    run = run_of("a b c d", breaking={"g": sets("b d")})
    halt = run.run()
    assert isinstance(halt, decide.Halt)
    assert halt.reason.endswith(
        "tasks 'b' and 'd' break it together: it is green with either of them, and red with both"
    )


def test_every_red_gate_is_searched_and_the_halt_speaks_of_all_of_them() -> None:
    run = run_of("a b c", breaking={"g": sets("a"), "h": sets("c"), "i": []})
    halt = run.run()
    assert isinstance(halt, decide.Halt)
    assert "task 'a' broke it" in halt.reason
    assert halt.reason.endswith("; also red: 'h' (broken by 'c')")


def test_what_was_tried_is_not_tried_again_after_a_crash() -> None:
    whole = run_of("a b c d e f g h", breaking={"g": sets("c f")})
    whole.run()
    probes = tried(whole)
    again = run_of("a b c d e f g h", breaking={"g": sets("c f")})
    for _ in range(200):
        actions = again.next()
        if again.flying and not actions:
            again.land(again.flying[0])
            continue
        if isinstance(actions[0], decide.Halt):
            break
        for action in actions:
            again.carry_out(action)
            if isinstance(action, decide.FindCulprit):  # a coordinator dies after each step
                again.event("run_resumed", coordinator={}, max_parallel=4)
    assert tried(again) == probes


def test_keep_green_publishes_the_rest_and_then_halts() -> None:
    run = run_of("a b c d e", breaking={"g": sets("c")}, on_red="keep-green")
    halt = run.run()
    assert isinstance(halt, decide.Halt)
    assert halt.kind == "parked"
    assert published(run) == {"a", "b", "d", "e"}
    assert run.statuses()["c"] == fold.PARKED
    assert run.state.tasks["c"].hint == "git waves log gate:g --attempt 1"
    assert run.order(decide.Start) == ["a", "b", "c", "d", "e"], "nobody had to start over"


@pytest.mark.parametrize(("on_failure", "rest"), [("halt", "ab"), ("fail-dependents", "abde")])
def test_one_after_the_other_all_that_came_behind_the_culprit_starts_over(on_failure: str, rest: str) -> None:
    run = run_of(
        "a b c d e",
        breaking={"g": sets("c")},
        on_red="keep-green",
        on_failure=on_failure,
        scheduler="sequential",
    )
    assert isinstance(run.run(), decide.Halt)
    assert published(run) == set(rest)
    assert run.order(decide.Start) == [*"abcde", *("de" if on_failure == "fail-dependents" else "")]


def test_of_a_pair_the_one_that_came_later_is_taken_out() -> None:
    run = run_of("a b c d", breaking={"g": sets("b d")}, on_red="keep-green")
    run.run()
    assert published(run) == {"a", "b", "c"}
    assert "tasks 'b' and 'd' break it together" in run.state.tasks["d"].reason


def test_several_culprits_are_taken_out_one_after_the_other() -> None:
    run = run_of("a b c d e", breaking={"g": sets("b", "d"), "h": sets("a e")}, on_red="keep-green")
    run.run()
    assert published(run) == {"a", "c"}


def test_who_was_cut_from_the_culprits_work_starts_over_when_the_policy_goes_on() -> None:
    run = run_of(
        "a b",
        "c d",
        breaking={"g": sets("b")},
        needs={"d": ("b",)},
        on_red="keep-green",
        on_failure="fail-dependents",
    )
    halt = run.run()
    assert isinstance(halt, decide.Halt)
    assert published(run) == {"a", "c"}
    assert run.statuses()["d"] == fold.BLOCKED
    assert run.order(decide.Start) == ["a", "b", "c", "d", "c"]
    bases = [action.base for action in run.actions if isinstance(action, decide.Start)]
    assert bases == ["c0", "c0", "c0+a+b", "c0+a+b", "c0+a"]


def test_under_halt_nobody_starts_over_before_a_person_has_decided() -> None:
    run = run_of("a b", "c d", breaking={"g": sets("a")}, on_red="keep-green")
    assert isinstance(run.run(), decide.Halt)
    assert published(run) == {"b"}
    assert [run.statuses()[task] for task in "acd"] == [fold.PARKED, fold.PENDING, fold.PENDING]
    run._breaking.clear()
    run.event("task_retried", task="a", grant=[])
    run.event("run_resumed", coordinator={}, max_parallel=4)
    assert isinstance(run.run(), decide.Finish)
    assert published(run) == {"a", "b", "c", "d"}


def test_nothing_is_taken_out_when_the_claim_falls() -> None:
    breaking = {"g": sets("a"), "carries": sets("c")}
    rules = {"carries": {"claim": True, "baseline": "skip"}}
    run = run_of("a b c", breaking=breaking, on_red="keep-green", rules=rules)
    halt = run.run()
    assert isinstance(halt, decide.Halt)
    assert halt.kind == "gate"
    assert published(run) == frozenset()
    assert set(run.statuses().values()) == {fold.MERGED}


def test_a_review_is_not_searched_and_nothing_is_taken_out_for_it() -> None:
    run = run_of("a b", breaking={"review": sets("b")}, on_red="keep-green")
    halt = run.run()
    assert isinstance(halt, decide.Halt)
    assert halt.reason.endswith("it ended with exit code 1; who is meant stands in its log")
    assert tried(run) == []


def test_a_gate_that_needs_three_tasks_to_break_takes_nobody_out() -> None:
    run = run_of("a b c d", breaking={"g": sets("a b d")}, on_red="keep-green")
    halt = run.run()
    assert isinstance(halt, decide.Halt)
    assert "no single task and no pair breaks it: it takes more of them" in halt.reason
    assert set(run.statuses().values()) == {fold.MERGED}


@pytest.mark.parametrize("on_failure", ["halt", "fail-dependents"])
def test_a_ready_set_goes_on_with_what_has_passed(on_failure: str) -> None:
    run = run_of(
        "a b c d",
        breaking={"g": sets("a")},
        scheduler="ready-set",
        on_red="keep-green",
        on_failure=on_failure,
        max_parallel=2,
    )
    halt = run.run()
    assert isinstance(halt, decide.Halt)
    goes_on = on_failure == "fail-dependents"
    assert published(run) >= ({"b", "c", "d"} if goes_on else {"b"})
    assert run.statuses()["a"] == fold.PARKED


def test_in_a_ready_set_the_partner_of_a_culprit_may_be_published_already() -> None:
    run = run_of("a b", breaking={"g": sets("a b")}, scheduler="ready-set")
    halt = run.run()
    assert isinstance(halt, decide.Halt)
    assert published(run) == {"a"}
    assert "tasks 'a' and 'b' break it together" in halt.reason


def test_a_retried_culprit_whose_gate_is_red_is_taken_out_and_the_rest_comes_again() -> None:
    run = run_of("a b c", breaking={"g": sets("b")})
    run.run()
    run.reset("1", "b", "a person said so", "")
    run.event("task_retried", task="b", grant=[])
    run._breaking.clear()
    run.event("run_resumed", coordinator={}, max_parallel=4)
    run.actions.clear()
    assert isinstance(run.run(), decide.Finish)
    assert run.order(decide.Start) == ["b"]
    assert run.order(decide.Merge) == ["b", "c"]
    assert [run.state.tasks[task].attempt for task in "abc"] == [1, 2, 1]


@st.composite
def scenes(draw: st.DrawFn) -> Simulation:
    """Groups of random rounds with needs between them, gates that random sets of tasks break, and any policy."""
    count = draw(st.integers(1, 10))
    ids = [f"t{n}" for n in range(count)]
    rounds: list[list[str]] = [[]]
    for task in ids:
        begins = draw(st.booleans())
        if rounds[-1] and begins:
            rounds.append([])
        rounds[-1].append(task)
    cut = draw(st.integers(1, len(rounds)))
    gates = ("g", "h") if draw(st.booleans()) else ("g",)
    groups = [("1", rounds[:cut], gates), ("2", rounds[cut:], gates)][: 1 if cut == len(rounds) else 2]
    round_of = {task: number for number, one in enumerate(rounds) for task in one}
    needs = {
        task: tuple(other for other in ids if round_of[other] < round_of[task] and draw(st.booleans()))
        for task in ids
    }
    some = st.sets(st.sampled_from(ids), min_size=1, max_size=3).map(frozenset)
    luck = random.Random(draw(st.integers(0, 999)))
    return Simulation(
        groups,
        needs=needs,
        scheduler=draw(st.sampled_from(SCHEDULERS)),
        on_failure=draw(st.sampled_from(["halt", "fail-dependents"])),
        on_red=draw(st.sampled_from(["halt", "keep-green", "keep-green"])),
        rules={"h": {"claim": True, "baseline": "skip"}} if draw(st.booleans()) else None,
        max_parallel=draw(st.integers(1, 4)),
        breaking={gate: draw(st.lists(some, max_size=2)) for gate in gates},
        pick=luck.choice,
    )


@examples(400)
@given(scenes())
def test_whatever_breaks_nothing_red_is_published_and_nobody_is_taken_out_without_a_reason(
    run: Simulation,
) -> None:
    last = run.run()
    assert isinstance(last, decide.Finish | decide.Halt)
    gates = {gate for group in run.state.groups for gate in group.gates}
    tips = [event["new"] for event in run.events if event["event"] == "published"]
    for tip in tips:  # P2
        assert all(run.is_green(gate, run.content(tip)) for gate in gates)
    assert all(run.content(new) >= run.content(old) for old, new in itertools.pairwise(tips))
    for event in run.events:
        if event["event"] == "culprit_found" and event["tasks"]:
            assert any(set(event["tasks"]) & tasks for tasks in run._breaking[event["gate"]]), (
                "who is named is part of what breaks it"
            )
    taken_out = {task.id for task in run.state.tasks.values() if task.rung == "gate"}
    assert not (taken_out and run.state.on_red == "halt")
    is_claim_red = isinstance(last, decide.Halt) and last.kind == "gate"
    if isinstance(last, decide.Finish):
        assert not taken_out
    elif not is_claim_red and run.state.on_failure == "fail-dependents":
        gone = {task for task, status in run.statuses().items() if status == fold.BLOCKED}
        assert run.content(run.state.integration) == set(run.state.tasks) - taken_out - gone
    # Events fold to the same state again: a coordinator that dies loses no decision.
    again = fold.fold(run.events)
    assert again.chain.states() == run.state.chain.states()
    assert {task.id: task.status for task in again.tasks.values()} == run.statuses()
    assert again.candidate == run.state.candidate == again.chain.states()[-1][0]


@examples(200)
@given(scenes(), st.data())
def test_after_any_red_gate_each_task_can_be_skipped_until_the_rest_is_through(
    run: Simulation, data: st.DataObject
) -> None:
    for _ in range(len(run.state.tasks) + 1):
        last = run.run()
        if isinstance(last, decide.Finish):
            break
        merged = run.state.chain.unproven()
        stuck = [task.id for task in run.state.tasks.values() if task.status in fold.STUCK]
        out = data.draw(st.sampled_from(merged or stuck))
        if out in merged:
            run.reset("1", out, "a person said so", "")
        run.event("task_skipped", task=out, reason="to get on")
        run.event("run_resumed", coordinator={}, max_parallel=4)
    else:
        raise AssertionError("there is no way out")
    assert run.state.candidate == run.state.integration
