"""The benchmarks' own sums: made-up plans, the bound on groups, rounds and ratios. Nothing here looks at a clock."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Callable, Sequence

import pytest

from bench.__main__ import FAMILIES
from bench.bound import fewest_groups
from bench.figures import compared
from bench.generate import (
    Generator,
    Item,
    as_json,
    as_json_lines,
    as_plan,
    as_yaml,
    dense,
    features,
    project,
    zipf,
)
from bench.timing import Case, Measured, Sample, interleave
from git_waves.core.model import Plan
from git_waves.core.schedule import build_schedule
from git_waves.formats import PlanText, read_plan
from tests.support.source import ROOT

GENERATORS: tuple[Generator, ...] = (project, features(0.3), zipf, dense)


def item(number: int, *, needs: Sequence[int] = (), files: Sequence[str] = ()) -> Item:
    return Item(number=number, needs=tuple(needs), files=tuple(files))


@pytest.mark.parametrize("generate", GENERATORS)
def test_the_same_seed_makes_the_same_plan_and_another_one_another(generate: Generator) -> None:
    assert generate(60, 1) == generate(60, 1)
    assert generate(60, 1) != generate(60, 2)


@pytest.mark.parametrize("generate", GENERATORS)
def test_a_made_up_plan_has_so_many_tasks_that_need_only_earlier_ones(generate: Generator) -> None:
    items = generate(60, 3)
    assert [one.number for one in items] == list(range(60))
    assert all(other < one.number for one in items for other in one.needs)
    assert all(one.files and len(set(one.files)) == len(one.files) for one in items)


@pytest.mark.parametrize("form", [as_yaml, as_json, as_json_lines])
def test_every_form_of_a_made_up_plan_is_read_as_the_plan_it_was_made_from(
    form: Callable[[Sequence[Item]], str],
) -> None:
    items = project(80)
    text = PlanText(name_hint="plan", source="plan", data=form(items).encode())
    read = read_plan(text, known_agents=frozenset())
    made = as_plan(items)

    def seen(plan: Plan) -> list[tuple[object, ...]]:
        return [(task.id, task.needs, [str(claim.pattern) for claim in task.claims]) for task in plan.tasks]

    assert seen(read) == seen(made)


def _fewest_by_trying(items: Sequence[Item]) -> int:
    """All ways to put the tasks into groups, fewest groups first."""

    def is_valid(groups: Sequence[int]) -> bool:
        return all(groups[other] < groups[one.number] for one in items for other in one.needs) and not any(
            groups[a.number] == groups[b.number] and set(a.files) & set(b.files)
            for a, b in itertools.combinations(items, 2)
        )

    return next(
        count
        for count in range(1, len(items) + 1)
        if any(map(is_valid, itertools.product(range(count), repeat=len(items))))
    )


@pytest.mark.parametrize("seed", range(12))
def test_the_bound_is_never_above_what_trying_everything_finds(seed: int) -> None:
    items = (features(0.6), zipf, dense)[seed % 3](5, seed)
    best = _fewest_by_trying(items)
    assert fewest_groups(items) <= best <= len(build_schedule(as_plan(items)).groups)


def test_the_bound_counts_the_users_of_one_file_between_what_they_need_and_what_needs_them() -> None:
    chain = [item(0), item(1, needs=[0]), item(2, needs=[1])]
    assert fewest_groups(chain) == 3
    shared = [item(number, files=["registry"]) for number in range(4)]
    assert fewest_groups(shared) == 4
    # Three users of a file, each behind a task of its own and before another one.
    sandwich = [item(number) for number in range(3)]
    sandwich += [item(3 + number, needs=[number], files=["registry"]) for number in range(3)]
    sandwich += [item(6 + number, needs=[3 + number]) for number in range(3)]
    assert fewest_groups(sandwich) == 1 + 3 + 1


def test_every_round_starts_with_another_case_and_slow_cases_leave_early() -> None:
    order: list[str] = []

    def case(name: str, rounds: int | None = None) -> Case:
        def run() -> Sample:
            order.append(name)
            return Sample(1.0, 1.0)

        return Case(name=name, run=run, rounds=rounds)

    measured = interleave([case("a"), case("b"), case("slow", rounds=1)], rounds=4, warm_up=False)
    assert order == ["a", "b", "slow", "b", "a", "a", "b", "a", "b"]
    assert {name: len(samples) for name, samples in measured.samples.items()} == {"a": 4, "b": 4, "slow": 1}


def test_what_surrounds_a_sample_runs_in_the_warm_up_too_and_the_warm_up_does_not_count() -> None:
    seen: list[str] = []

    def run() -> Sample:
        seen.append("run")
        return Sample(1.0, 1.0)

    case = Case(name="a", run=run, before=lambda: seen.append("before"), after=lambda: seen.append("after"))
    measured = interleave([case], rounds=1)
    assert seen == ["before", "run", "after"] * 2
    assert len(measured.samples["a"]) == 1


def test_a_ratio_is_the_median_of_the_rounds_and_not_the_ratio_of_the_medians() -> None:
    ours = [Sample(2.0, 1.0), Sample(40.0, 1.0), Sample(9.0, 1.0)]
    base = [Sample(1.0, 1.0), Sample(10.0, 1.0), Sample(3.0, 1.0)]
    measured = Measured({"ours": ours, "base": base})
    ratio = measured.ratio("ours", "base")
    assert (ratio.median, ratio.low, ratio.high, ratio.rounds) == (3.0, 2.0, 4.0, 3)
    assert compared(measured, "ours", "base", limit=3.0).is_met
    assert compared(measured, "ours", "base", limit=2.9).is_met is False
    assert compared(measured, "ours", "base").is_met is None


def test_a_slow_case_is_compared_over_the_rounds_it_took_part_in() -> None:
    measured = Measured({"ours": [Sample(1.0, 1.0)] * 3, "slow": [Sample(4.0, 4.0)]})
    assert measured.ratio("ours", "slow").rounds == 1
    assert measured.ratio("ours", "slow").median == 0.25


def test_list_names_every_family_and_measures_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench", "--list"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert [line.split()[0] for line in done.stdout.splitlines()] == [family.name for family in FAMILIES]
    assert done.stderr == ""


def test_an_unknown_family_is_refused_before_anything_is_measured() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench", "stats"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "there is no family 'stats'; --list shows them" in done.stderr
