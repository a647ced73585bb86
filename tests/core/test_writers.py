"""Background writers around a run without a world: stopped before anything starts, going again whatever ends the run."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_waves.core import decide, fold, writers
from git_waves.core.writers import Writers, around
from tests.core.simulate import PHASE3, PHASE3_NEEDS, Simulation
from tests.support.properties import examples

Luck = Callable[[], bool]


class QuietRun(Simulation):
    """A simulation with writers `one` and `two`; `stops` and `goes_on` say whether their commands end well."""

    def __init__(self, *arguments: object, stops: Luck, goes_on: Luck, **options: object) -> None:
        super().__init__(*arguments, **options)  # type: ignore[arg-type]  # passed through
        self._stops, self._goes_on = stops, goes_on
        self.take_up()

    def take_up(self) -> None:
        """A new coordinator, which knows what the log tells and nothing else."""
        self._due, self._failed, self._given_up = ["one", "two"], "", frozenset[str]()
        self.flying = []

    def next(self) -> tuple[writers.Action, ...]:
        writers = Writers(due=tuple(self._due), failed=self._failed, given_up=self._given_up)
        return around(self.decided(), self.state, writers, in_flight=frozenset(self.flying))

    def carry_out(self, action: writers.Action) -> None:
        if isinstance(action, writers.Quiesce):
            self.event("background_quiesced", name=action.name, resume=f"start {action.name}")
            if self._stops():
                self._due.remove(action.name)
            else:
                self._failed = f"'{action.name}' could not be quiesced"
        elif isinstance(action, writers.Restore):
            if self._goes_on():
                self.event("background_restored", name=action.name, command=f"start {action.name}")
            else:
                self._given_up |= {action.name}
        else:
            if isinstance(action, decide.Start | decide.RunGates):
                assert list(self.state.quiesced) == ["one", "two"], "nothing starts beside a writer"
            super().carry_out(action)


def quiet(*, stops: Luck = lambda: True, goes_on: Luck = lambda: True, **options: object) -> QuietRun:
    return QuietRun(PHASE3, needs=PHASE3_NEEDS, stops=stops, goes_on=goes_on, **options)


def kinds(run: QuietRun) -> list[str]:
    """What was done to the writers, in order, with everything else as dots."""
    told = []
    for action in run.actions:
        if isinstance(action, writers.Quiesce | writers.Restore):
            told.append(f"{type(action).__name__} {action.name}")
        elif told and told[-1] != "...":
            told.append("...")
    return told


@pytest.mark.parametrize("scheduler", ["sequential", "dag-parallel", "ready-set"])
def test_writers_are_stopped_before_the_first_start_and_go_on_in_reverse_before_the_end(
    scheduler: str,
) -> None:
    run = quiet(scheduler=scheduler)
    assert isinstance(run.run(), decide.Finish)
    assert kinds(run) == ["Quiesce one", "Quiesce two", "...", "Restore two", "Restore one", "..."]
    assert run.state.quiesced == {}


def test_a_halt_lets_them_go_on_and_the_next_run_stops_them_again() -> None:
    outcomes = {"t4": "fail"}
    run = quiet(outcomes=outcomes)
    assert isinstance(run.run(), decide.Halt)
    assert run.state.quiesced == {}
    run.event("task_retried", task="t4", grant=[])
    run._outcomes = {}
    run.take_up()
    assert isinstance(run.run(), decide.Finish)
    assert [kind for kind in kinds(run) if kind != "..."] == 2 * [
        "Quiesce one",
        "Quiesce two",
        "Restore two",
        "Restore one",
    ]


def test_one_that_cannot_be_stopped_halts_before_any_agent_starts_and_all_go_on() -> None:
    answers = iter((True, False))
    run = quiet(stops=lambda: next(answers))
    halt = run.run()
    assert halt == decide.Halt("background", "'two' could not be quiesced", "")
    assert run.order(decide.Start) == []
    assert kinds(run) == ["Quiesce one", "Quiesce two", "Restore two", "Restore one", "..."]


def test_one_that_cannot_be_started_again_stays_owed_and_keeps_nobody_from_the_end() -> None:
    run = quiet(goes_on=lambda: False)
    assert isinstance(run.run(), decide.Finish)
    assert run.state.quiesced == {"one": "start one", "two": "start two"}


def test_while_a_command_of_theirs_runs_nothing_else_happens() -> None:
    run = phase3 = Simulation(PHASE3, needs=PHASE3_NEEDS)
    assert around(phase3.decided(), run.state, Writers(is_busy=True), in_flight=frozenset()) == ()


def test_a_plan_without_writers_is_left_as_it_is() -> None:
    run = Simulation(PHASE3, needs=PHASE3_NEEDS)
    assert around(run.decided(), run.state, Writers(), in_flight=frozenset()) == run.next() != ()


@examples(100)
@given(st.integers(0, 10_000))
def test_whatever_fails_and_whoever_dies_nobody_is_left_stopped(seed: int) -> None:
    """Coordinators die at any step, commands fail now and then; when one ends by itself, all writers go on, or it is known
    that they do not."""
    luck = random.Random(seed)
    run = quiet(
        scheduler=luck.choice(["sequential", "dag-parallel", "ready-set"]),
        stops=lambda: luck.random() < 0.9,
        goes_on=lambda: luck.random() < 0.9,
        outcomes={task: luck.choice(["pass"] * 9 + ["fail"]) for task in PHASE3_NEEDS},
        pick=luck.choice,
    )
    for _ in range(luck.randrange(60)):
        if luck.random() < 0.05:
            run.take_up()
        actions = run.next()
        if any(isinstance(action, decide.Halt | decide.Finish) for action in actions):
            break
        for action in actions:
            run.carry_out(action)
        if not actions:
            run.land(luck.choice(run.flying))
    run.run()
    assert set(run.state.quiesced) == run._given_up


def test_an_attempt_that_was_taken_over_goes_on_while_its_writers_are_stopped_and_waits_for_them_else() -> (
    None
):
    run = quiet()
    for _ in range(3):
        for action in run.next():
            run.carry_out(action)
    assert run.flying == ["t1"]
    run.take_up()
    assert run.next() == (decide.Climb("t1"),)
    for name in ("one", "two"):  # `git waves stop` while nobody ran the plan
        run.event("background_restored", name=name, command="")
    assert run.next() == (writers.Quiesce("one"),)
    assert run.state.status_of("t1") == fold.LEASED
