"""When gates are run beside a barrier, and which of their results stop a run: for every scheduler, without a world."""

from __future__ import annotations

import pytest

from git_waves.core import decide
from git_waves.core.gatewords import Purpose
from tests.core.simulate import Simulation

SCHEDULERS = ("sequential", "dag-parallel", "ready-set")
GROUPS = (("1", (("a",),), ("build", "tests")), ("2", (("b",),), ("build", "tests", "late")))
RULES = {name: dict[str, object]() for name in ("build", "tests", "late")}


def run_of(**options: object) -> Simulation:
    given = {"needs": {"b": ("a",)}, "rules": RULES, **options}
    return Simulation(GROUPS, **given)  # type: ignore[arg-type]  # passed through


def rules(**changed: dict[str, object]) -> dict[str, dict[str, object]]:
    return {**RULES, **changed}


def measured(run: Simulation) -> list[str]:
    """What was run and started, in order: `baseline build tests`, `start a`."""
    told = []
    for action in run.actions:
        if isinstance(action, decide.RunGates):
            told.append(" ".join((action.purpose, *action.gates)))
        elif isinstance(action, decide.Start):
            told.append(f"start {action.task}")
    return told


def halt_of(run: Simulation) -> decide.Halt:
    end = run.run()
    assert isinstance(end, decide.Halt), end
    assert end.kind == "gate"
    return end


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_every_gate_is_run_on_the_base_before_the_first_task_and_once(scheduler: str) -> None:
    run = run_of(scheduler=scheduler)
    assert isinstance(run.run(), decide.Finish)
    assert measured(run) == [
        "baseline build tests late",
        "start a",
        "barrier build tests",
        "start b",
        "barrier build tests late",
    ]


def test_a_gate_that_skips_its_baseline_or_is_at_no_barrier_is_not_run_on_the_base() -> None:
    run = run_of(rules={**rules(tests={"baseline": "skip"}), "unused": {}})
    run.run()
    assert measured(run)[0] == "baseline build late"


def test_a_baseline_that_was_broken_off_goes_on_with_what_is_missing() -> None:
    run = run_of()
    run.gate("", "build", Purpose.BASELINE)
    run.event("run_resumed", coordinator={}, max_parallel=4)
    assert run.next() == (decide.RunGates("", ("tests", "late"), Purpose.BASELINE),)


def test_nothing_starts_while_the_base_is_measured() -> None:
    run = run_of()
    assert decide.next_actions(run.state, in_flight=frozenset(), gates_running=True) == ()


def test_a_gate_that_is_red_before_the_run_is_only_told() -> None:
    run = run_of(answers={("tests", "baseline"): "red"})
    assert isinstance(run.run(), decide.Finish)
    assert not run.state.baseline["tests"].passed


def test_a_gate_that_has_to_be_green_before_the_run_halts_it_and_is_measured_again() -> None:
    run = run_of(
        rules=rules(tests={"baseline": "require"}, build={"control": True}),
        answers={("tests", "baseline"): "red"},
    )
    assert halt_of(run) == decide.Halt(
        "gate",
        "gate 'tests' was red before the run, and the plan requires it to be green: it ended with exit code 1",
        "git waves log gate:tests",
    )
    assert measured(run) == ["baseline build tests late"]
    run.event("run_halted", kind="gate", reason="r", hint="h")
    run.event("run_resumed", coordinator={}, max_parallel=4)
    assert run.next() == (decide.RunGates("", ("tests",), Purpose.BASELINE),)


def test_failures_that_have_no_name_cannot_be_tolerated() -> None:
    run = run_of(rules=rules(tests={"baseline": "tolerate"}), answers={("tests", "baseline"): "red"})
    assert halt_of(run).reason == (
        "gate 'tests' was red before the run, and its output names no failure that could be tolerated:"
        " it ended with exit code 1"
    )


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_a_gate_red_all_along_blames_no_task(scheduler: str) -> None:
    run = run_of(scheduler=scheduler, answers={("tests", "baseline"): "red"}, red={"tests": 1})
    assert halt_of(run).reason == (
        "gate 'tests' is red at the barrier of group '1': it ended with exit code 1;"
        " it was red before the run too, so no task is blamed"
    )
    assert run.state.is_red_all_along("tests")


def test_a_gate_that_was_green_once_is_red_because_of_a_task() -> None:
    run = run_of(answers={("late", "baseline"): "red", ("tests", "baseline"): "red"})
    run.run()
    assert not run.state.is_red_all_along("tests")
    broken = run_of(red={"tests": 1})
    assert halt_of(broken).reason == (
        "gate 'tests' is red at the barrier of group '1': it ended with exit code 1;"
        " task 'a' broke it: what came before is green, and its own branch is red"
    )


@pytest.mark.parametrize("on_failure", ["halt", "fail-dependents"])
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_when_the_claim_falls_the_plan_stops_under_every_policy(scheduler: str, on_failure: str) -> None:
    run = run_of(
        scheduler=scheduler,
        on_failure=on_failure,
        rules=rules(tests={"claim": True}),
        red={"build": 1, "tests": 1},
    )
    halt = halt_of(run)
    assert halt.reason.startswith(
        "the plan's claim 'tests' fell at the barrier of group '1': it ended with exit code 1; task 'a' broke it"
    )
    assert halt.reason.endswith("; also red: 'build' (broken by 'a')")
    assert halt.hint == "git waves log gate:tests"
    assert run.statuses() == {"a": "merged", "b": "pending"}


# ---------------------------------------------------------------------- controls and mutations


def test_controls_come_after_the_baseline_one_at_a_time_and_before_the_first_task() -> None:
    run = run_of(rules=rules(build={"control": True}, late={"control": True}))
    assert isinstance(run.run(), decide.Finish)
    assert measured(run)[:4] == ["baseline build tests late", "control build", "control late", "start a"]


@pytest.mark.parametrize(
    ("verdict", "words"), [("blind", "is blind"), ("unmeasured", "was not shown to work")]
)
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_a_gate_that_its_control_does_not_turn_red_halts_before_any_agent_starts(
    scheduler: str, verdict: str, words: str
) -> None:
    run = run_of(
        scheduler=scheduler, rules=rules(tests={"control": True}), answers={("tests", "control"): verdict}
    )
    assert words in halt_of(run).reason
    assert measured(run) == ["baseline build tests late", "control tests"]
    run.event("run_halted", kind="gate", reason="r", hint="h")
    run.event("run_resumed", coordinator={}, max_parallel=4)
    assert run.next() == (decide.RunGates("", ("tests",), Purpose.CONTROL),), "a person may have mended it"


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_the_control_of_a_gate_that_is_red_before_the_run_waits_until_it_is_green(scheduler: str) -> None:
    run = run_of(
        scheduler=scheduler,
        rules=rules(late={"control": True}),
        answers={("late", "baseline"): "red"},
    )
    assert isinstance(run.run(), decide.Finish)
    assert measured(run)[-2:] == ["barrier build tests late", "control late"]
    assert run.state.proofs["late", "control", ""].group == "2"


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_what_a_gate_guards_is_taken_back_at_each_barrier_once_it_is_green(scheduler: str) -> None:
    run = run_of(scheduler=scheduler, rules=rules(tests={"guards": True}))
    assert isinstance(run.run(), decide.Finish)
    assert measured(run) == [
        "baseline build tests late",
        "start a",
        "barrier build tests",
        "mutation tests",
        "start b",
        "barrier build tests late",
        "mutation tests",
    ]


@pytest.mark.parametrize("verdict", ["blind", "unmeasured"])
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_a_gate_that_does_not_miss_what_it_guards_halts_at_the_barrier(scheduler: str, verdict: str) -> None:
    run = run_of(
        scheduler=scheduler, rules=rules(tests={"guards": True}), answers={("tests", "mutation"): verdict}
    )
    halt_of(run)
    assert run.state.integration == "c0"
    assert run.statuses() == {"a": "merged", "b": "pending"}


def test_a_group_that_left_the_guarded_files_alone_goes_on() -> None:
    run = run_of(rules=rules(tests={"guards": True}), answers={("tests", "mutation"): "inapplicable"})
    assert isinstance(run.run(), decide.Finish)


def test_a_proof_is_about_one_tree() -> None:
    run = run_of(rules=rules(tests={"guards": True}))
    run.gate("1", "tests", Purpose.MUTATION)
    run.event("task_leased", task="a", attempt=1, branch="b", base="c0", worktree="w")
    run.event("task_merged", task="a", attempt=1, tip="t", commit="c1", tree="another")
    for gate in ("build", "tests"):
        run.gate("1", gate, Purpose.BARRIER)
    assert run.next() == (decide.RunGates("1", ("tests",), Purpose.MUTATION),)
