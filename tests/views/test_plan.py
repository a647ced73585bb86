"""`git waves plan` in all its forms, and what stands in its place when a plan cannot be read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType

from git_waves.core.analysis import Analysis
from git_waves.core.bounds import Bounds, measure
from git_waves.core.findings import find_all
from git_waves.core.findings.catalog import CATALOG
from git_waves.core.findings.facts import Facts
from git_waves.core.model import TaskId
from git_waves.core.ownership import build_manifest
from git_waves.core.schedule import build_schedule, state_problem
from git_waves.core.speedup import estimate_speedup
from git_waves.core.weights import weigh
from git_waves.errors import PlanError, PlanProblem, UsageError
from git_waves.formats import PlanText, read_plan
from git_waves.views.explain_text import all_codes_text, explain_text
from git_waves.views.fatal_text import bug_text, error_text
from git_waves.views.manifest_text import manifest_text
from git_waves.views.plan_github import findings_github, plan_error_github
from git_waves.views.plan_json import plan_error_json, plan_json
from git_waves.views.plan_text import plan_text
from git_waves.views.usage_text import GROUPS, short_help
from tests.support.golden import check_golden
from tests.support.kbuild import kbuild_plan
from tests.support.plans import phase3

SOURCE = ".waves/plan.yaml"

MIXED = """\
version: 1
name: mixed
max_parallel: 2
agent: {run: cat}
resources: [database]
groups: [parts, wiring]
gates:
  build: {run: test -d src, groups: [parts]}
tasks:
  - {id: reader, title: Read, group: parts, files: {create: [src/reader.c]}, prompt: p}
  - {id: writer, title: Write, group: parts, files: {create: [src/writer.c]}, prompt: p, resources: [database]}
  - {id: migrate, title: Migrate, group: parts, files: {create: [db/001.sql]}, prompt: p, resources: [database]}
  - {id: wire, title: "Wire it \\e[31mup", group: wiring, needs: [reader], files: {modify: [src/main.c]}, prompt: p}
"""


def analysis_of(text: str, history: Mapping[TaskId, float] = MappingProxyType({})) -> Analysis:
    """Everything about a plan whose programs are all there, and whose tasks took so long in earlier runs."""
    plan = read_plan(PlanText(name_hint=SOURCE, source=SOURCE, data=text.encode()), known_agents=frozenset())
    manifest = build_manifest(plan)
    schedule = build_schedule(plan, manifest=manifest)
    facts = Facts(plan=plan, manifest=manifest, schedule=schedule)
    problem = state_problem(plan, manifest.collisions(), schedule.needs, facts.barriers)
    return Analysis(
        plan=plan,
        manifest=manifest,
        schedule=schedule,
        findings=find_all(plan, manifest=manifest, schedule=schedule, look_up=lambda _: True, facts=facts),
        bounds=measure(schedule),
        speedup=estimate_speedup(schedule, problem, weigh(plan, history)),
        costs=facts.costs,
    )


def test_the_plan_that_lost_its_parallelism_says_which_path_did_it() -> None:
    text = plan_text(analysis_of(kbuild_plan()))
    assert "12 tasks in 12 groups" in text
    assert "'tests/kunit/Kbuild'" in text
    check_golden("plan/kbuild.txt", text)


def test_without_the_shared_file_the_same_plan_is_one_group() -> None:
    check_golden(
        "plan/kbuild-hoisted.txt", plan_text(analysis_of(kbuild_plan(shares=False)), spec="my plan.yaml")
    )


def test_a_narrow_terminal_wraps_findings_and_cuts_titles() -> None:
    text = plan_text(analysis_of(kbuild_plan()), width=80)
    assert max(map(len, text.splitlines())) <= 80
    check_golden("plan/kbuild-80.txt", text)


def test_needs_make_groups() -> None:
    check_golden("plan/phase3.txt", plan_text(analysis_of(phase3())))


def test_authored_groups_rounds_resources_and_hostile_titles() -> None:
    text = plan_text(analysis_of(MIXED))
    assert text.replace("\n", "").isprintable()
    check_golden("plan/mixed.txt", text)


def test_what_a_person_does_is_told_and_what_they_only_look_at() -> None:
    text = """\
version: 1
name: menu
agent: {run: cat}
tasks:
  - {id: prices, files: {create: [prices.txt]}, prompt: p}
  - {id: taste, title: Does it taste, needs: [prices], attended: true}
  - {id: photo, title: A photo of it, needs: [prices], attended: true, files: {create: [photo.jpg]}}
"""
    written = plan_text(analysis_of(text))
    assert "attended: taste (a checkpoint), photo; the run goes on around them" in written
    check_golden("plan/attended.txt", written)
    assert plan_json(analysis_of(text))["attended"] == ["taste", "photo"]


def test_json_has_everything_under_stable_keys() -> None:
    written = plan_json(analysis_of(MIXED))
    assert {"groups", "findings", "manifest", "scheduler", "bounds"} <= written.keys()
    check_golden("plan/mixed.json", json.dumps(written, indent=2) + "\n")


def test_the_manifest_is_one_claim_a_line() -> None:
    check_golden("plan/mixed-manifest.txt", manifest_text(analysis_of(MIXED).manifest))


def test_findings_become_annotations() -> None:
    analysis = analysis_of(kbuild_plan())
    check_golden("plan/kbuild-github.txt", findings_github(analysis.findings, source=SOURCE))


def test_an_annotation_cannot_be_broken_out_of() -> None:
    error = PlanError("a:b,c.yaml", (PlanProblem(3, "50% of\n::error::this", "do,it"),))
    assert plan_error_github(error) == (
        "::error file=a%3Ab%2Cc.yaml,line=3,title=plan::50%25 of\\n::error::this%0Ahint: do,it\n"
    )


def test_bounds_of_the_phase3_plan() -> None:
    assert analysis_of(phase3()).bounds == Bounds(
        tasks=7, groups=5, rounds=5, longest_chain=5, widest_round=2
    )


# ---------------------------------------------------------------------- errors


def test_every_problem_of_a_plan_is_told_with_its_line_and_a_repeated_hint_once() -> None:
    problems = (
        PlanProblem(3, "unknown key 'taks'", "did you mean 'tasks'?"),
        PlanProblem(5, "task 'a' needs 'b', which does not exist", "known: a"),
        PlanProblem(6, "task 'c' needs 'b', which does not exist", "known: a"),
        PlanProblem(0, "the plan has no tasks"),
    )
    check_golden("errors/plan.txt", error_text(PlanError(SOURCE, problems)))


def test_a_plan_that_is_not_there_is_one_line_and_a_hint() -> None:
    error = PlanError(SOURCE, (PlanProblem(0, "there is no such plan", "git waves init"),), measured=False)
    assert error_text(error) == "fatal: .waves/plan.yaml: there is no such plan\nhint: git waves init\n"
    assert error.exit_code == 2


def test_problems_as_json() -> None:
    error = PlanError(SOURCE, (PlanProblem(3, "unknown key", "hint"),))
    assert plan_error_json(error) == {
        "version": 1,
        "source": SOURCE,
        "problems": [{"line": 3, "message": "unknown key", "hint": "hint"}],
    }


def test_errors_are_inert_and_keep_their_lines() -> None:
    error = UsageError("bad \x1b[2J name\nsecond line", hint="type\nthis")
    assert error_text(error) == ("fatal: bad \\x1b[2J name\n       second line\nhint: type\nhint: this\n")


def test_a_bug_says_where_its_story_lies() -> None:
    assert bug_text(KeyError("x"), "/r/.git/waves/crash.txt") == (
        "fatal: git-waves has a bug: KeyError: 'x'\n"
        "hint: the whole story is in '/r/.git/waves/crash.txt'; please report it\n"
    )
    assert bug_text(ValueError(), "") == (
        "fatal: git-waves has a bug: ValueError\nhint: please report it, with what GIT_WAVES_DEBUG=1 prints\n"
    )


# ---------------------------------------------------------------------- help


def test_an_explanation_is_wrapped_for_reading() -> None:
    text = explain_text("W101", CATALOG["W101"], width=60)
    assert max(map(len, text.splitlines())) <= 60
    check_golden("plan/explain.txt", text)


def test_every_code_has_one_line() -> None:
    lines = all_codes_text(CATALOG).splitlines()
    assert [line.split()[0] for line in lines] == list(CATALOG)


def test_the_short_help_fits_a_terminal() -> None:
    assert max(map(len, short_help().splitlines())) <= 80
    check_golden("help/short.txt", short_help())


def test_the_short_help_names_each_command_once() -> None:
    names = [name for _, commands in GROUPS for name, _ in commands]
    assert len(names) == len(set(names))


# ---------------------------------------------------------------------- how much sooner


def speedup_of(text: str, history: Mapping[TaskId, float] = MappingProxyType({})) -> list[str]:
    """The lines about work and speed-up."""
    lines = plan_text(analysis_of(text, history)).splitlines()
    return [line for line in lines if line.startswith(("work:", "speed-up:"))]


def timed(*tasks: str, head: str = "") -> str:
    """A plan of tasks written as flow mappings, each with a file of its own unless it says otherwise."""
    return (
        "version: 1\nname: p\n"
        + head
        + "tasks:\n"
        + "".join(f"  - {{{task}, prompt: p}}\n" for task in tasks)
    )


def test_estimates_make_hours_of_work_and_the_rest_is_taken_for_average() -> None:
    some = timed(
        "id: a, estimate: 2h, files: [a]", "id: b, estimate: 1h, needs: [a], files: [b]", "id: c, files: [c]"
    )
    assert speedup_of(some) == [
        "work: 4h 30m (2 estimated, 1 taken for average), critical path 3h 00m: a, b",
        "speed-up: 1.5x with 4 at once, and no more, because these need each other: a, b",
    ]


def test_what_tasks_took_in_earlier_runs_is_the_weight_of_those_without_an_estimate() -> None:
    some = timed("id: a, files: [a]", "id: b, estimate: 10m, files: [b]")
    assert speedup_of(some, {TaskId("a"): 1800.0, TaskId("b"): 1.0}) == [
        "work: 40m 00s (1 estimated, 1 as in earlier runs), critical path 30m 00s: a",
        "speed-up: 1.3x with 4 at once, and no more, because task 'a' alone takes that long",
    ]


def test_every_limit_has_its_words() -> None:
    free = [f"id: t{n}, files: [f{n}]" for n in range(9)]
    assert speedup_of(timed(*free[:3])) == [
        "speed-up: 3.0x with 4 at once, and no more, because all tasks run at once"
    ]
    assert speedup_of(timed(*free)) == [
        "speed-up: 3.0x with 4 at once, and no more, because only so many may run"
    ]
    shared = [f"id: t{n}, files: [f{n}, x]" for n in range(3)]
    assert speedup_of(timed(*shared)) == [
        "speed-up: 1.0x with 4 at once, and no more, because 3 tasks share x"
    ]
    held = [f"id: t{n}, files: [f{n}], resources: [db]" for n in range(3)]
    assert speedup_of(timed(*held, head="resources: [db]\n")) == [
        "speed-up: 1.0x with 4 at once, and no more, because 3 tasks hold 'db'"
    ]
    groups = [f"id: t{n}, files: [f{n}], group: g{n}" for n in range(2)]
    assert speedup_of(timed(*groups, head="groups: [g0, g1]\n")) == [
        "speed-up: 1.0x with 4 at once, and no more, because groups wait for one another"
    ]


def test_what_barriers_and_the_sequential_scheduler_cost_is_told() -> None:
    some = [
        "id: a, estimate: 9m, files: [a]",
        "id: b, estimate: 1m, files: [b]",
        "id: c, estimate: 9m, needs: [b], files: [c]",
    ]
    assert speedup_of(timed(*some))[1:] == [
        "speed-up: 1.1x as scheduled, at best 1.9x with 4 at once, because these need each other: b, c"
    ]
    assert speedup_of(timed(*some, head="scheduler: sequential\n"))[1:] == [
        "speed-up: none, one task at a time; at best 1.9x with 4 at once, because these need each other: b, c"
    ]


def test_a_plan_of_one_task_has_no_speed_up() -> None:
    assert speedup_of(timed("id: a, files: [a]")) == []


def test_the_last_line_says_what_a_run_would_need_first() -> None:
    def last(text: str, spec: str | None = None) -> str:
        return plan_text(analysis_of(text), spec=spec).splitlines()[-1]

    task = "tasks: [{id: a, files: [a], prompt: p, verify: make}]\n"
    assert last(f"version: 1\nagent: {{run: cat}}\n{task}") == "next: 'git waves run' starts it"
    assert last(f"version: 1\n{task}") == ("next: say who does the tasks; 'git waves explain W603' says more")
    lists = "# Tasks\n\n## Phase 1: Setup\n\n- [{}] T001 Write src/a.py\n- [{}] T002 Write src/b.py\n"
    assert last(lists.format(" ", " "), "tasks.md") == (
        "next: 'git waves import tasks.md -o .waves/plan.yaml' makes it a plan of ours, which can name an agent"
    )
    assert last(lists.format("x", "x")) == "next: nothing is left to do in this plan"


def test_what_sharing_costs_is_in_the_json() -> None:
    (cost,) = plan_json(analysis_of(kbuild_plan()))["shared"]
    assert {name: cost[name] for name in ("kind", "names", "now", "hoisted", "apart", "remedy")} == {
        "kind": "file",
        "names": ["tests/kunit/Kbuild"],
        "now": 12,
        "hoisted": 2,
        "apart": 1,
        "remedy": "fragments",
    }
    bounds = plan_json(analysis_of(kbuild_plan()))["bounds"]
    assert (bounds["fewest_rounds"], bounds["unit"], bounds["speedup"], bounds["best_speedup"]) == (
        12,
        "tasks",
        1,
        1,
    )
    assert bounds["limit"]["what"] == "tests/kunit/Kbuild"
