"""What attempts tell becomes events when it is due; and when a run's own limits are."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from git_waves import limits as measured
from git_waves import news
from git_waves.adapters import eventlog, supervisor
from git_waves.core.fold import RunState
from git_waves.core.spending import Spent
from git_waves.hearing import Hearing
from git_waves.ladder import Noticed, TakenUp, Used
from git_waves.limits import FULL_FOR, Room, RunLimits
from tests.core.simulate import Simulation


@pytest.fixture
def run() -> Simulation:
    """Two tasks at work."""
    run = Simulation((("1", (("a", "b"),), ()),))
    for action in run.next():
        run.carry_out(action)
    return run


class Ear:
    """A hearing whose events go into the state, as they would through the log."""

    def __init__(self, run: Simulation) -> None:
        self.run = run
        self.hearing = Hearing(run.state)

    def use(self, task: str, tokens: int, *, at: float, is_due: bool = False, cost: float = 0.0) -> list[str]:
        """The events that follow, in short."""
        used = Used(Spent(tokens, cost), "output", is_due)
        told = []
        for event in self.hearing.events(news.Told(task, 1, used), now=at):
            self.run.event(event.event, **event.model_dump(exclude={"event"}))
            told.append(event.message if isinstance(event, eventlog.Warned) else f"{event.event} {tokens}")
        return told


def test_figures_are_written_down_once_a_minute_and_when_they_are_due(run: Simulation) -> None:
    ear = Ear(run)
    assert ear.use("a", 10, at=0) == ["spending_noted 10"]
    assert ear.use("a", 20, at=30) == []
    assert ear.use("b", 5, at=31) == ["spending_noted 5"], "another attempt has a minute of its own"
    assert ear.use("a", 20, at=45, is_due=True) == ["spending_noted 20"]
    assert ear.use("a", 20, at=200, is_due=True) == [], "nothing new"
    assert ear.use("a", 30, at=110) == ["spending_noted 30"]
    assert ear.use("a", 15, at=300, is_due=True) == [], "totals never go back"


def test_the_runs_own_limit_is_noticed_at_once_with_what_is_not_written_down_yet(run: Simulation) -> None:
    run.state.budget["tokens"] = 100
    ear = Ear(run)
    assert ear.use("a", 10, at=0) == ["spending_noted 10"]
    assert ear.use("a", 50, at=1) == []
    warning = "the run has used more than 80% of its limit of 100 tokens"
    assert ear.use("b", 35, at=2) == ["spending_noted 35", warning]
    assert ear.use("a", 55, at=3) == []
    assert ear.use("a", 65, at=4) == ["spending_noted 65"], "used up: 65 and 35"
    assert run.state.spent() == (100, 0.0)


def test_another_coordinator_counts_on_and_warns_no_second_time(run: Simulation) -> None:
    run.state.budget["cost"] = 1.0
    Ear(run).use("a", 0, cost=0.9, at=0)
    later = Ear(run)
    assert later.use("a", 0, cost=0.85, at=0, is_due=True) == []
    words = Noticed("attempt 1 of task 'a' has used more than 80% of its limit of 5 tokens")
    told = news.Told("a", 1, words)
    assert [event.event for event in later.hearing.events(told, now=0)] == ["warned"]
    run.event("warned", message=words.words)
    assert list(later.hearing.events(told, now=0)) == []


def test_how_an_attempt_was_found_is_an_event(run: Simulation) -> None:
    (event,) = Hearing(run.state).events(news.Told("a", 1, TakenUp("adopted")), now=0)
    assert event == eventlog.TaskTakenUp(task="a", attempt=1, how="adopted")


# ---------------------------------------------------------------------- limits of the whole run


def due(limits: RunLimits, now: float, *places: Path) -> list[eventlog.AnyEvent]:
    return list(limits.due(places, now=now))


def test_the_time_of_a_run_is_warned_of_once_and_then_over() -> None:
    state = RunState()
    state.budget["wall_clock"] = 100.0
    limits = RunLimits(state, now=1000)
    assert due(limits, 1079) == []
    assert due(limits, 1081) == [
        eventlog.Warned(message="the run has used more than 80% of its limit of 100 s")
    ]
    assert due(limits, 1082) == []
    (event,) = due(limits, 1100)
    words = "the run's time limit of 100 s is over"
    assert event == eventlog.StopRequested(now=False, by="budget", reason=words)
    state.stopping = True
    assert due(limits, 1200) == [], "it is asked once"


def test_a_run_is_quiet_when_nothing_happened_and_no_file_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes: dict[str, float] = {}
    clock = {"wall": 50_000.0, "monotonic": 0.0}
    monkeypatch.setattr(time, "time", lambda: clock["wall"])
    monkeypatch.setattr(time, "monotonic", lambda: clock["monotonic"])

    def newest(folder: str, *, after: float, enough: float) -> float | None:  # noqa: ARG001  # the real one's
        return changes.get(folder) if changes.get(folder, 0) > after else None

    monkeypatch.setattr(supervisor, "newest_change", newest)

    def wait(seconds: float) -> float:
        clock["wall"] += seconds
        clock["monotonic"] += seconds
        return clock["monotonic"]

    one, two = tmp_path / "one", tmp_path / "two"
    state = RunState()
    state.budget["quiet"] = 60.0
    limits = RunLimits(state, now=0)
    assert due(limits, wait(59), one, two) == []
    limits.stir(now=59)
    assert due(limits, wait(59), one, two) == []
    changes[str(two)] = clock["wall"] - 10  # ten seconds ago
    assert due(limits, wait(2), one, two) == []
    assert due(limits, wait(47), one, two) == [], "59 seconds after the change"
    clock["wall"] += 3600  # somebody sets the clock, or the machine slept: file times say nothing now
    assert due(limits, wait(2), one, two) == []
    (event,) = due(limits, wait(60), one, two)
    words = "nothing in flight printed or changed anything for 60 s"
    assert event == eventlog.StopRequested(now=True, by="budget", reason=words)


def test_a_run_without_limits_has_none() -> None:
    assert due(RunLimits(RunState(), now=0), 10**9) == []


def test_a_disk_that_stays_full_is_told_from_one_that_is_full_for_a_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_full = False
    monkeypatch.setattr(measured, "is_full", lambda _: now_full)
    room = Room(tmp_path)
    assert not room.is_gone(now=10**6)
    now_full = True
    assert not room.is_gone(now=0)
    assert not room.is_gone(now=FULL_FOR - 1)
    now_full = False
    assert not room.is_gone(now=FULL_FOR)
    now_full = True
    assert not room.is_gone(now=FULL_FOR + 1)
    assert room.is_gone(now=2 * FULL_FOR + 1)
