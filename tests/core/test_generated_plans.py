"""Plans of every shape through the real schedule and every scheduler, tasks that fail, park and conflict, gates that are red,
coordinators that die: the same rules for all of them. Without a world, so that there can be hundreds.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_waves.core import decide, fold, writers
from git_waves.core.gatewords import Purpose
from git_waves.core.model import Plan, Task
from git_waves.core.ownership import build_manifest
from git_waves.core.schedule import build_schedule
from tests.core.plans import plan, task
from tests.core.simulate import Simulation
from tests.support.properties import examples

SCHEDULERS = ("sequential", "dag-parallel", "ready-set")
POLICIES = ("halt", "fail-dependents")
THROUGH = frozenset({fold.INTEGRATED})


@dataclass(frozen=True)
class Case:
    """A plan, and what happens to it. `seed` is for what happens when."""

    plan: Plan
    outcomes: Mapping[str, str]
    red: bool
    seed: int

    def needs(self) -> dict[str, tuple[str, ...]]:
        """What each task needs, the schedule's own needs with it."""
        found: dict[str, list[str]] = {one.id: [] for one in self.plan.tasks}
        for need in build_schedule(self.plan).needs:
            found[need.task].append(need.on)
        return {name: tuple(on) for name, on in found.items()}

    def run(self, scheduler: str, policy: str, *, dies: bool = False) -> Simulation:
        """The whole of it, in a simulated world."""
        schedule = build_schedule(self.plan)
        dice = random.Random(self.seed)
        capacity = {resource.name: resource.capacity for resource in self.plan.resources}
        kind = MortalSimulation if dies else Simulation
        simulation = kind(
            [(group.name, group.rounds, group.gates) for group in schedule.groups],
            needs=self.needs(),
            scheduler=scheduler,
            on_failure=policy,
            max_parallel=schedule.max_parallel,
            outcomes=self.outcomes,
            red={"tests": 1} if self.red else {},
            conflicts={
                name: frozenset(map(str, others))
                for name, others in build_manifest(self.plan).rivals().items()
            },
            resources={
                one.id: tuple((name, capacity[name]) for name in one.resources)
                for one in self.plan.tasks
                if one.resources
            },
            pick=dice.choice,
        )
        if isinstance(simulation, MortalSimulation):
            simulation.dice = dice
        return simulation


class MortalSimulation(Simulation):
    """A coordinator that dies again and again: what it knew is what the log tells, what was in flight is taken up."""

    dice = random.Random(0)
    deaths = 0

    def next(self) -> tuple[writers.Action, ...]:
        if self.deaths < 20 and self.dice.random() < 0.2:
            self.deaths += 1
            self.flying.clear()
            self.state = fold.fold(self.events)
            self.event("run_resumed", coordinator={}, max_parallel=self.state.max_parallel)
        return super().next()


# ---------------------------------------------------------------------- shapes


def _named(number: int) -> list[str]:
    return [f"t{place}" for place in range(number)]


def chain(number: int) -> list[Task]:
    names = _named(number)
    return [
        task(name, f"{name}.c", needs=names[max(place - 1, 0) : place]) for place, name in enumerate(names)
    ]


def star(number: int) -> list[Task]:
    hub, *rest = _named(number)
    return [task(hub, f"{hub}.c"), *(task(name, f"{name}.c", needs=[hub]) for name in rest)]


def sink(number: int) -> list[Task]:
    *rest, last = _named(number)
    return [*(task(name, f"{name}.c") for name in rest), task(last, f"{last}.c", needs=rest)]


def diamonds(number: int) -> list[Task]:
    names = _named(number)
    layers = [
        names[place : place + (1 if place % 3 == 0 else 2)] for place in range(number) if place % 3 != 2
    ]
    found, before = [], list[str]()
    for layer in layers:
        found += [task(name, f"{name}.c", needs=before) for name in layer]
        before = layer
    return found


def hot_file(number: int) -> list[Task]:
    return [task(name, f"{name}.c", "Kbuild") for name in _named(number)]


def hot_folder(number: int) -> list[Task]:
    return [
        task(name, "core/" if place % 3 == 0 else f"core/{name}.c")
        for place, name in enumerate(_named(number))
    ]


def one_resource(number: int) -> list[Task]:
    return [
        task(name, f"{name}.c", resources=("db",) if place % 2 else ())
        for place, name in enumerate(_named(number))
    ]


SHAPES = (chain, star, sink, diamonds, hot_file, hot_folder, one_resource)
OUTCOMES = ("pass", "pass", "pass", "pass", "fail", "park", "conflict")


@st.composite
def cases(draw: st.DrawFn, outcomes: Sequence[str] = OUTCOMES) -> Case:
    tasks = draw(st.sampled_from(SHAPES))(draw(st.integers(1, 9)))
    if draw(st.booleans()):  # two shapes side by side, some of one behind some of the other
        more = draw(st.sampled_from(SHAPES))(draw(st.integers(1, 6)))
        tasks += [
            task(
                f"u{one.id}",
                *(f"u{claim.pattern}" for claim in one.claims),
                needs=[
                    *(f"u{need}" for need in one.needs),
                    *(draw(st.lists(st.sampled_from([one.id for one in tasks]), max_size=2, unique=True))),
                ],
            )
            for one in more
        ]
    made = plan(
        *tasks,
        gates={"tests": ()},
        resources={"db": draw(st.integers(1, 2))},
        max_parallel=draw(st.integers(1, 4)),
    )
    how = {str(one.id): draw(st.sampled_from(outcomes)) for one in tasks}
    return Case(plan=made, outcomes=how, red=draw(st.booleans()), seed=draw(st.integers(0, 2**16)))


# ---------------------------------------------------------------------- the rules


def check(case: Case, run: Simulation, scheduler: str, policy: str) -> None:
    """What must be true of every run, however it went."""
    needs, merges = case.needs(), _merges(run)
    assert len(merges) == len(set(merges)), "nothing is merged twice"
    rivals = {
        str(name): frozenset(map(str, others)) for name, others in build_manifest(case.plan).rivals().items()
    }
    capacity = {resource.name: resource.capacity for resource in case.plan.resources}
    holds = {str(one.id): one.resources for one in case.plan.tasks}
    base: dict[str, str] = {}
    at_work: set[str] = set()
    green: set[str] = set()
    tree, integration = "t0", "c0"
    tree_of = {"c0": tree}
    for event in run.events:
        name = str(event.get("task", ""))
        match event["event"]:
            case "task_leased":
                base[name] = event["base"]
                for other in at_work:
                    assert other not in rivals.get(name, ()) and name not in rivals.get(other, ()), (
                        "rivals apart"
                    )
                at_work.add(name)
                assert len(at_work) <= case.plan.max_parallel
                assert scheduler != "sequential" or at_work == {name}, "one at a time"
                for resource, most in capacity.items():
                    assert sum(resource in holds[one] for one in at_work) <= most, "no more than there are"
                done = set(base[name].split("+")[1:])
                assert done >= set(needs[name]), "cut from what holds all that it needs"
            case "task_passed" | "task_failed" | "task_parked":
                at_work.discard(name)
            case "task_merged":
                assert event["commit"].split("+")[1:].count(name) == 1
                tree = tree_of[event["commit"]] = event["tree"]
            case "gate_finished":
                if event["purpose"] == Purpose.BARRIER:  # a search for a culprit measures other trees as well
                    assert event["tree"] == tree, "gates see what was merged last"
                if event["passed"]:
                    green.add(event["tree"])
            case "published":
                assert event["old"] == integration, "from the value we know"
                assert event["new"].startswith(integration), "forward only"
                is_proved = event["new"] == integration or tree_of[event["new"]] in green
                assert is_proved, "proved on exactly that tree"
                integration = event["new"]
    statuses = run.statuses()
    for name, on in needs.items():
        if statuses[name] in fold.IN_TREE:
            assert all(statuses[need] in fold.IN_TREE for need in on)
        if policy == "fail-dependents" and statuses[name] == fold.BLOCKED:
            assert any(statuses[need] in fold.STUCK | {fold.BLOCKED} for need in on), "blocked by somebody"


def _merges(run: Simulation) -> list[str]:
    return [event["task"] for event in run.events if event["event"] == "task_merged"]


def _until_nobody_can_help(run: Simulation) -> writers.Action:
    """Run, and take up again what halts at a red gate: the next time it is green."""
    last = run.run()
    while isinstance(last, decide.Halt) and last.kind == "gate":
        run.event("run_halted", kind="gate", reason=last.reason, hint="")
        run.event("run_resumed", coordinator={}, max_parallel=run.state.max_parallel)
        last = run.run()
    return last


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("scheduler", SCHEDULERS)
@examples(250)
@given(case=cases())
def test_the_rules_hold_whatever_happens(case: Case, scheduler: str, policy: str) -> None:
    run = case.run(scheduler, policy)
    _until_nobody_can_help(run)
    check(case, run, scheduler, policy)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("scheduler", SCHEDULERS)
@examples(250)
@given(case=cases())
def test_the_rules_hold_for_coordinators_that_die(case: Case, scheduler: str, policy: str) -> None:
    run = case.run(scheduler, policy, dies=True)
    _until_nobody_can_help(run)
    check(case, run, scheduler, policy)


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@examples(250)
@given(case=cases(outcomes=("pass",)))
def test_dying_changes_neither_what_is_merged_nor_in_which_order(case: Case, scheduler: str) -> None:
    quiet, troubled = case.run(scheduler, "halt"), case.run(scheduler, "halt", dies=True)
    for run in (quiet, troubled):
        assert isinstance(_until_nobody_can_help(run), decide.Finish)
        assert set(run.statuses().values()) == THROUGH
    if scheduler == "ready-set":  # there the order is that in which tasks came home
        assert sorted(_merges(quiet)) == sorted(_merges(troubled))
    else:
        assert _merges(quiet) == _merges(troubled)


@examples(250)
@given(case=cases(outcomes=("pass", "pass", "pass", "fail", "park")))
def test_the_schedulers_agree_on_who_gets_through_when_only_dependents_fail(case: Case) -> None:
    through = []
    for scheduler in SCHEDULERS:
        run = case.run(scheduler, "fail-dependents")
        _until_nobody_can_help(run)
        through.append({name for name, status in run.statuses().items() if status == fold.INTEGRATED})
    gone = {name for name, how in case.outcomes.items() if how != "pass"}
    needs = case.needs()
    while more := {name for name, on in needs.items() if set(on) & gone} - gone:
        gone |= more
    assert through == [set(needs) - gone] * len(SCHEDULERS)


@examples(250)
@given(case=cases(outcomes=("pass", "pass", "pass", "fail", "park", "conflict")))
def test_sequential_is_one_task_after_the_other_in_the_order_of_the_plan(case: Case) -> None:
    """The same in a few lines that know neither rounds nor state: take the next task, stop at the first that does not hold."""
    schedule = build_schedule(case.plan)
    merged: list[str] = []
    stopped_at = ""
    for name in (name for group in schedule.groups for one_round in group.rounds for name in one_round):
        if case.outcomes[name] != "pass":
            stopped_at = name
            break
        merged.append(name)
    run = case.run("sequential", "halt")
    last = _until_nobody_can_help(run)
    assert _merges(run) == merged
    assert isinstance(last, decide.Halt) == bool(stopped_at)
    if isinstance(last, decide.Halt):
        assert f"'{stopped_at}'" in last.reason
