"""What sharing costs: the numbers are those of real schedules, what is passed over could not matter, sets and ties."""

from __future__ import annotations

from hypothesis import example, given

from git_waves.core.findings.facts import Facts
from git_waves.core.hoist import hoist
from git_waves.core.model import HoldKind, Intent, PatternKind, Plan, RepoPath
from git_waves.core.needs import effective_needs
from git_waves.core.ownership import build_manifest, collisions_of
from git_waves.core.queues import Queues
from git_waves.core.schedule import build_schedule, lay_out, state_problem
from git_waves.core.sharing import MOST_TRIED, Cost, Costs
from git_waves.core.trial import Trial, contested
from tests.core.plans import phase3_plan, plan, task
from tests.core.test_schedule import PLANS
from tests.support.properties import examples

KBUILD = "tests/kunit/Kbuild"


def costs_of(some: Plan) -> Costs:
    manifest = build_manifest(some)
    return Facts(plan=some, manifest=manifest, schedule=build_schedule(some, manifest=manifest)).costs


def brief(costs: Costs) -> list[tuple[tuple[str, ...], int, int | None, int]]:
    return [(cost.names, cost.now, cost.hoisted, cost.apart) for cost in costs.found]


def rounds_of(some: Plan) -> int:
    return sum(len(group.rounds) for group in build_schedule(some).groups)


def issue_plan() -> Plan:
    """The plan that lost its parallelism, with the files that some of its tasks share besides."""
    some = {
        1: ["core/io.c"],
        2: ["core/io.c"],
        3: ["core/io.c", "core/port.c"],
        4: ["core/port.c"],
        5: ["core/cache.c"],
        6: ["core/cache.c"],
        7: ["Documentation/xcvr/index.rst"],
        8: ["Documentation/xcvr/index.rst"],
    }
    return plan(
        *(
            task(f"t{n}", create=[f"tests/kunit/test_{n}.c"], modify=[KBUILD, *some.get(n, [])], line=10 * n)
            for n in range(1, 13)
        )
    )


# --- numbers


def test_one_path_that_makes_twelve_of_four() -> None:
    (cost,) = costs_of(issue_plan()).found
    assert (cost.names, cost.kind) == ((KBUILD,), HoldKind.FILE)
    assert (len(cost.tasks), cost.spread, cost.now, cost.hoisted, cost.apart) == (12, 12, 12, 4, 3)
    assert cost.rest == "core/io.c"
    assert cost.emptied == ()
    assert rounds_of(issue_plan()) == 12
    assert rounds_of(hoist(issue_plan(), [RepoPath(KBUILD)]).plan) == 4


def test_a_plan_that_shares_nothing_or_is_as_long_as_its_needs_costs_nothing() -> None:
    assert costs_of(phase3_plan()) == Costs()
    assert costs_of(plan()) == Costs()
    chain = plan(task("a", "x"), task("b", "x", needs=["a"]), task("c", "x", needs=["b"]))
    assert costs_of(chain) == Costs()


def test_a_path_that_hoisting_does_not_help_is_not_told() -> None:
    assert costs_of(plan(task("a", "x", "a"), task("b", "x", "b"))) == Costs(), "two rounds either way"
    assert brief(costs_of(plan(*(task(n, "x", n) for n in "abc")))) == [(("x",), 3, 2, 1)]


def test_files_of_one_kind_that_only_help_together_are_a_set() -> None:
    some = plan(*(task(f"t{n}", f"f{n}", "a/Kbuild", "b/Makefile") for n in range(6)))
    assert brief(costs_of(some)) == [(("a/Kbuild", "b/Makefile"), 6, 2, 1)]


def test_registration_files_of_several_kinds_are_tried_together_too() -> None:
    some = plan(*(task(f"t{n}", f"f{n}", "a/Kbuild", "mod.rs", "core/io.c") for n in range(6)))
    assert brief(costs_of(some)) == [], "core/io.c keeps them apart anyway"
    some = plan(*(task(f"t{n}", f"f{n}", "a/Kbuild", "mod.rs", "b/Kbuild") for n in range(6)))
    assert brief(costs_of(some)) == [(("a/Kbuild", "b/Kbuild", "mod.rs"), 6, 2, 1)]


def test_a_set_is_told_beside_a_path_only_when_it_brings_more() -> None:
    wide = [task(f"t{n}", f"f{n}", "a/Kbuild", *(["b/Kbuild"] if n < 5 else [])) for n in range(9)]
    assert brief(costs_of(plan(*wide))) == [(("a/Kbuild",), 9, 6, 5), (("a/Kbuild", "b/Kbuild"), 9, 2, 1)]
    wide = [task(f"t{n}", f"f{n}", "a/Kbuild", *(["b/Kbuild"] if n == 1 else [])) for n in range(9)]
    assert brief(costs_of(plan(*wide))) == [(("a/Kbuild",), 9, 2, 1)]


def test_folders_globs_and_deletions_cannot_be_hoisted_but_taken_apart() -> None:
    folder = costs_of(plan(*(task(n, "docs/", n) for n in "abc")))
    assert brief(folder) == [(("docs/",), 3, None, 1)]
    glob = costs_of(plan(*(task(n, "docs/*.md", n) for n in "abc")))
    assert brief(glob) == [(("docs/*.md",), 3, None, 1)]
    deleted = costs_of(plan(*(task(n, n, delete=["x"]) for n in "abc")))
    assert brief(deleted) == [(("x",), 3, None, 1)]


def test_a_resource_is_freed_and_not_taken_for_a_path_of_its_name() -> None:
    some = plan(
        *(task(f"t{n}", f"f{n}", resources=("db",)) for n in range(5)), task("p", "db"), task("q", "db")
    )
    (cost,) = costs_of(some).found
    assert (cost.kind, cost.names, cost.now, cost.hoisted, cost.apart) == (
        HoldKind.RESOURCE,
        ("db",),
        5,
        None,
        2,
    )
    assert cost.tasks == tuple(f"t{n}" for n in range(5))


def test_tasks_that_would_be_left_with_nothing_are_named() -> None:
    (cost,) = costs_of(plan(task("a", "x"), task("b", "x", "b"), task("c", "x"))).found
    assert cost.emptied == ("a", "c")


def test_needs_that_follow_from_the_path_go_with_it() -> None:
    some = plan(task("make", "m", create=["x"]), *(task(n, n, modify=["x"]) for n in "abc"))
    (cost,) = costs_of(some).found
    assert (cost.now, cost.hoisted, cost.apart) == (4, 2, 1)

    chain = plan(
        task("make", "m", create=["x"]),
        *(task(n, n, modify=["x"]) for n in "ab"),
        task("c", "c", needs=["b"]),
        task("d", "d", needs=["c"]),
    )
    (cost,) = costs_of(chain).found
    assert (cost.now, cost.hoisted, cost.apart) == (4, 3, 3), "also where needs explain the whole length"


def test_one_task_that_goes_on_with_what_another_made_is_no_queue() -> None:
    def pair(name: str) -> Plan:
        return plan(task("make", "m", create=[name]), task("a", "a", modify=[name]), task("b", needs=["a"]))

    assert costs_of(pair("core/parser.c")) == costs_of(pair("gen/")) == Costs()
    assert brief(costs_of(pair("core/Makefile"))) == [(("core/Makefile",), 3, 2, 2)], (
        "which is for all to write"
    )


def test_rounds_inside_authored_groups_count_as_groups_do() -> None:
    some = plan(
        *(task(f"a{n}", f"a{n}", "Kbuild", group="one") for n in range(3)),
        *(task(f"b{n}", f"b{n}", "Kbuild", group="two") for n in range(3)),
        groups=["one", "two"],
    )
    assert brief(costs_of(some)) == [(("Kbuild",), 6, 3, 2)]


def test_only_so_many_are_tried_and_the_rest_is_counted() -> None:
    crowd = plan(
        *(task(f"t{n}", f"f{n}", *(f"shared{m}" for m in range(11) if n // 3 == m)) for n in range(33))
    )
    costs = costs_of(crowd)
    assert costs == Costs(), "eleven queues of three: none of them alone is in the way"
    layered = plan(
        *(
            task(f"t{n}", f"f{n}", f"q{n // 6}", group=f"g{n // 6}", needs=[f"t{n - 6}"] if n >= 6 else [])
            for n in range(66)
        ),
        groups=[f"g{m}" for m in range(11)],
    )
    costs = costs_of(layered)
    assert len(costs.found) == MOST_TRIED
    assert costs.untried == 11 - MOST_TRIED


# --- against the real thing


@examples(200)
@given(PLANS)
def test_every_number_is_the_number_of_a_real_schedule(some: Plan) -> None:
    for cost in costs_of(some).found:
        assert cost.now == rounds_of(some) > cost.then
        assert cost.spread <= cost.now
        if cost.hoisted is not None:
            assert cost.hoisted == rounds_of(hoist(some, [RepoPath(name) for name in cost.names]).plan)


@examples(200)
@given(PLANS)
def test_claims_that_meet_no_other_decide_nothing(some: Plan) -> None:
    manifest = build_manifest(some)
    slim = contested(some, manifest)
    full, slimmed = lay_out(some, manifest.collisions()), lay_out(slim, collisions_of(slim))
    assert (slimmed.levels, slimmed.needs) == (full.levels, full.needs)
    assert Trial(some, manifest).rounds_after(lambda plan: plan) == full.rounds


def shared_files(some: Plan) -> list[str]:
    """The files that two tasks to do or more claim as they are written, and none of them deletes."""
    sharers: dict[str, set[str]] = {}
    for each in some.tasks:
        for claim in each.claims:
            if not each.is_done and claim.pattern.kind is PatternKind.FILE:
                sharers.setdefault(claim.pattern.text, set()).add(each.id)
    deleted = {
        claim.pattern.text for each in some.tasks for claim in each.claims if claim.intent is Intent.DELETE
    }
    return [name for name, tasks in sorted(sharers.items()) if len(tasks) > 1 and name not in deleted]


def claimed_twice_by_one() -> Plan:
    """One task has the file, for two purposes; another has its folder."""
    return plan(
        task("all", create=["d/", "x"]), task("own", "d/a", create=["d/a"]), task("end", needs=["all", "own"])
    )


def test_a_file_that_one_task_claims_twice_is_shared_by_nobody() -> None:
    some = claimed_twice_by_one()
    assert rounds_of(some) == 3
    assert rounds_of(hoist(some, [RepoPath("d/a")]).plan) == 2, (
        "the task would only be put behind the last one"
    )
    assert shared_files(some) == []
    assert costs_of(some) == Costs()


def is_handover(some: Plan, name: str) -> bool:
    """Whether one task makes the file, and one other goes on with it."""
    intents = [
        {claim.intent for claim in each.claims if str(claim.pattern) == name}
        for each in some.tasks
        if not each.is_done
    ]
    return sorted(Intent.CREATE in found for found in intents if found) == [False, True]


@examples(200)
@given(PLANS)
@example(claimed_twice_by_one())
def test_whatever_hoisting_helps_is_found(some: Plan) -> None:
    """Nothing is passed over that would make the plan shorter: tried by hoisting every shared file of every plan."""
    told = {cost.names[0] for cost in costs_of(some).found if len(cost.names) == 1}
    for name in shared_files(some):
        is_better = rounds_of(hoist(some, [RepoPath(name)]).plan) < rounds_of(some)
        assert not is_better or name in told or is_handover(some, name)


@examples(100)
@given(PLANS)
def test_no_plan_without_a_queue_is_shorter_than_the_floor_says(some: Plan) -> None:
    needs = [need for need in effective_needs(some).needs if need.kind == "declared"]
    manifest = build_manifest(some)
    queues = Queues.of(
        state_problem(some, manifest.collisions(), needs, lay_out(some, manifest.collisions()).barriers)
    )
    assert queues.floor(()) <= rounds_of(some)
    for kind, name in queues.names():
        if kind is HoldKind.FILE and name in shared_files(some):
            assert queues.floor([(kind, name)]) <= rounds_of(hoist(some, [RepoPath(name)]).plan)


def test_a_large_plan_with_one_hot_file_is_scheduled_once_more_and_not_once_a_path() -> None:
    crowd = plan(
        *(
            task(f"t{n}", f"src/f{n}.c", *(["Kbuild"] if n % 40 == 0 else []), f"reg/r{n // 20}.txt")
            for n in range(8_000)
        )
    )
    assert brief(costs_of(crowd)) == [(("Kbuild",), 200, 20, 20)], "they are first in their other queues"


def test_costs_compare_by_what_the_remedy_brings() -> None:
    cost = Cost(kind=HoldKind.FILE, names=("x",), tasks=(), spread=3, now=3, hoisted=None, apart=2)
    assert cost.then == 2
