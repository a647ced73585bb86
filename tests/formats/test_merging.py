"""Fragments of several planners as one plan: ids that stay, needs across fragments, groups by name, disagreements told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from git_waves.core.coverage import Reading
from git_waves.core.model import SchedulerName
from git_waves.errors import PlanError
from git_waves.formats import read_text
from git_waves.formats.merging import Merged, merge
from tests.formats.shown import AGENTS, plan_text, shown


def fragment(text: str, name: str) -> Reading:
    written = replace(plan_text(f"version: 1\nname: {name}\n{text}", path=f"{name}.yaml"), is_fragment=True)
    return read_text(written, known_agents=AGENTS)


def tasks(*rows: str) -> str:
    return "tasks:\n" + "".join(f"  - {row}\n" for row in rows)


def merged(*texts: str) -> Merged:
    return merge([fragment(text, name) for name, text in zip("abc", texts, strict=False)], name="all")


def needs(one: Merged) -> dict[str, str]:
    return {str(task.id): " ".join(task.needs) for task in one.plan.tasks}


def refusal(*texts: str) -> list[str]:
    try:
        merged(*texts)
    except PlanError as error:
        return shown(error).split("\n")
    raise AssertionError("these should not have been merged")


def test_ids_of_an_earlier_fragment_stay_and_a_later_one_gets_its_plans_name_in_front() -> None:
    one = merged(
        tasks("{id: t1}", "{id: t2, needs: [t1]}"),
        tasks("{id: T1}", "{id: t3, needs: [T1, t2]}"),
        tasks("{id: t1}", "{id: b.T1}"),
    )
    assert needs(one) == {"t1": "", "t2": "t1", "b.T1-2": "", "t3": "b.T1-2 t2", "c.t1": "", "b.T1": ""}
    assert one.raw_ids == {"b.T1-2": "T1 of b.yaml", "c.t1": "t1 of c.yaml"}


def test_a_fragment_more_at_the_end_changes_nothing_before_it() -> None:
    first, second = tasks("{id: t1}", "{id: t2}"), tasks("{id: t1}", "{id: t9, needs: [t1]}")
    before = merged(first, second).plan.tasks
    assert merged(first, second, tasks("{id: t1}", "{id: t9}")).plan.tasks[: len(before)] == before


def test_needs_reach_into_other_fragments_both_ways() -> None:
    one = merged(tasks("{id: x, needs: [y]}"), tasks("{id: y}", "{id: z, needs: [x]}"))
    assert needs(one) == {"x": "y", "y": "", "z": "x"}


def test_a_need_that_is_nowhere_or_in_two_places_and_a_circle_are_refused() -> None:
    assert refusal(tasks("{id: x, needs: [nowhere]}"), tasks("{id: y}"))[0] == (
        "a.yaml, b.yaml:0: task 'x' needs 'nowhere', which is no task of this plan"
    )
    assert refusal(tasks("{id: t}"), tasks("{id: t}"), tasks("{id: x, needs: [t]}"))[0] == (
        "a.yaml, b.yaml, c.yaml:0: 't', needed in 'c.yaml', may be 'b.t', 't'"
    )
    assert (
        "needs go in a circle: 'x' needs 'y' needs 'x'"
        in refusal(tasks("{id: x, needs: [y]}"), tasks("{id: y, needs: [x]}"))[0]
    )


def test_groups_of_one_name_are_one_and_keep_the_order_of_every_fragment() -> None:
    one = merged(
        "groups: [parts, wiring]\n" + tasks("{id: p, group: parts}", "{id: w, group: wiring}"),
        "groups: [setup, parts, docs, wiring]\n" + tasks("{id: s, group: setup}", "{id: d, group: docs}"),
    )
    assert [group.name for group in one.plan.groups] == ["setup", "parts", "docs", "wiring"]


def test_groups_in_another_order_are_refused() -> None:
    assert (
        refusal(
            "groups: [x, y]\n" + tasks("{id: a, group: x}"), "groups: [y, x]\n" + tasks("{id: b, group: x}")
        )[0]
        == "a.yaml, b.yaml:0: groups 'x' and 'y' stand in another order in different sources"
    )


@pytest.mark.parametrize(
    ("first", "second", "problem"),
    [
        ("gates: {unit: make}\n", "gates: {unit: make}\n", ""),
        (
            "gates: {unit: make}\n",
            "gates: {unit: make all}\n",
            "gate 'unit' is not the same in 'a.yaml' and 'b.yaml'",
        ),
        (
            "resources: [db]\n",
            "resources: {db: {capacity: 2}}\n",
            "resource 'db' is not the same in 'a.yaml' and 'b.yaml'",
        ),
        (
            "stages: {risk: make}\n",
            "stages: {risk: make all}\n",
            "stage 'risk' is not the same in 'a.yaml' and 'b.yaml'",
        ),
    ],
)
def test_what_has_one_name_must_be_one_thing(first: str, second: str, problem: str) -> None:
    texts = first + tasks("{id: x}"), "\n\n" + second + tasks("{id: y}")
    if problem:
        assert refusal(*texts)[0] == f"a.yaml, b.yaml:0: {problem}"
    else:
        assert [gate.name for gate in merged(*texts).plan.gates] == ["unit"]


def test_the_review_stays_the_last_gate_and_a_stage_is_for_the_tasks_of_its_plans() -> None:
    plan = merged(
        "review: ./read.sh\ngates: {unit: make}\nstages: {risk: ./risk.sh, meta: {run: m, tasks: [a]}}\n"
        + tasks("{id: a}", "{id: b}"),
        "gates: {lint: make lint}\nstages: {risk: ./risk.sh, own: x}\n" + tasks("{id: a}"),
    ).plan
    assert [gate.name for gate in plan.gates] == ["unit", "lint", "review"]
    assert {stage.name: stage.tasks for stage in plan.stages} == {
        "risk": (),
        "meta": ("a",),
        "own": ("b.a",),
    }


def test_settings_are_those_of_the_first_that_has_them_and_others_are_noted() -> None:
    one = merged(
        tasks("{id: x}"),
        "base: main\nscheduler: sequential\nmax_parallel: 2\nsetup: npm ci\n" + tasks("{id: y}"),
        "base: dev\nscheduler: sequential\nsetup: [npm ci, make all]\nrequire_review: true\n"
        + tasks("{id: z}"),
    )
    plan = one.plan
    assert (plan.base, plan.scheduler, plan.max_parallel, plan.require_review) == (
        "main",
        SchedulerName.SEQUENTIAL,
        2,
        True,
    )
    assert [str(command) for command in plan.setup] == ["npm ci", "make all"]
    assert [(note.source, note.what, note.why) for note in one.notes] == [
        ("c.yaml", "base: dev", "'b.yaml', which is named first, says otherwise"),
        ("b.yaml", "scheduler: sequential", "the others do not say; it is taken for all"),
    ]


def test_different_agents_stay_with_their_tasks() -> None:
    one = merged(
        "agent: claude\n" + tasks("{id: x}"), "agent: codex\n" + tasks("{id: y}", "{id: z, run: make}")
    )
    assert one.plan.agent is None
    assert [task.agent.name if task.agent else None for task in one.plan.tasks] == ["claude", "codex", None]
    same = merged("agent: claude\n" + tasks("{id: x}"), tasks("{id: y}"))
    assert same.plan.agent is not None and same.plan.tasks[0].agent is None


def test_shared_paths_are_put_together_and_counts_left_out() -> None:
    one = merged(
        "expect: {shared_paths: [x.py]}\n" + tasks("{id: x}"),
        "expect: {shared_paths: 3}\n" + tasks("{id: y}"),
    )
    assert one.plan.shared_paths is not None
    assert [str(pattern) for pattern in one.plan.shared_paths.patterns] == ["x.py"]
    assert [note.what for note in one.notes] == ["shared_paths"]


def test_the_same_sources_give_the_same_plan() -> None:
    parts = [tasks("{id: t, needs: [u]}"), tasks("{id: u}", "{id: t}")]
    assert merged(*parts) == merged(*parts)
