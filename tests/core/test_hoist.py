"""The plan as it would be with a path given to one last task, and which names and words that task gets."""

from __future__ import annotations

import pytest

from git_waves.core.hoist import hoist, wiring_id, without_claims
from git_waves.core.model import Intent, Plan, RepoPath, TaskId
from git_waves.core.paths import parse_pattern
from git_waves.core.schedule import build_schedule
from git_waves.formats.names import name_complaint
from tests.core.plans import kbuild_plan, plan, task

KBUILD = RepoPath("tests/kunit/Kbuild")


def claims(some: Plan, name: str) -> list[str]:
    return [f"{claim.intent} {claim.pattern}" for claim in some.task(TaskId(name)).claims]


def test_the_sharers_give_up_the_path_and_one_last_task_needs_them_all() -> None:
    some = kbuild_plan(3)
    found = hoist(some, [KBUILD])
    assert found.sharers == found.wiring.needs == ("t1", "t2", "t3")
    assert found.emptied == ()
    assert found.plan.tasks[-1] is found.wiring
    assert (found.wiring.id, found.wiring.title) == ("wire-kbuild", "Wire up tests/kunit/Kbuild")
    assert claims(found.plan, "wire-kbuild") == ["modify tests/kunit/Kbuild"]
    assert claims(found.plan, "t2") == ["create tests/kunit/test_2.c", "create core/part_2.c"]
    assert found.wiring.prompt == (
        "Write tests/kunit/Kbuild for the tasks before this one (t1, t2, t3):\n"
        "look at what they added, register it there, and change nothing else.\n"
    )
    assert [group.tasks for group in build_schedule(found.plan).groups] == [
        ("t1", "t2", "t3"),
        ("wire-kbuild",),
    ]


def test_several_paths_have_one_last_task() -> None:
    some = plan(
        task("a", "x/index.ts", "a"), task("b", "x/index.ts", "y/index.ts"), task("c", "y/index.ts", "c")
    )
    found = hoist(some, [RepoPath("x/index.ts"), RepoPath("y/index.ts")])
    assert (found.wiring.id, found.wiring.title) == ("wire-index", "Wire up x/index.ts and y/index.ts")
    assert claims(found.plan, "wire-index") == ["edit x/index.ts", "edit y/index.ts"]
    assert (found.sharers, found.emptied) == (("a", "b", "c"), ("b",))


@pytest.mark.parametrize(
    ("first", "second", "intent"),
    [
        ({"create": ["x"]}, {"modify": ["x"]}, Intent.CREATE),
        ({"modify": ["x"]}, {"modify": ["x"]}, Intent.MODIFY),
        ({"edit": ["x"]}, {"modify": ["x"]}, Intent.MODIFY),
        ({"edit": ["x"]}, {"edit": ["x"]}, Intent.EDIT),
    ],
)
def test_the_last_task_makes_the_path_if_one_of_the_others_would_have(
    first: dict[str, list[str]], second: dict[str, list[str]], intent: Intent
) -> None:
    some = plan(
        *(
            task(name, *each.get("edit", []), create=each.get("create", []), modify=each.get("modify", []))
            for name, each in (("a", first), ("b", second))
        )
    )
    assert [claim.intent for claim in hoist(some, [RepoPath("x")]).wiring.claims] == [intent]


def test_finished_tasks_wider_claims_and_guesses() -> None:
    some = plan(
        task("done", "x", is_done=True),
        task("a", "x", "a"),
        task("guess", inferred=["x", "g"]),
        task("all", "**"),
    )
    found = hoist(some, [RepoPath("x")])
    assert found.sharers == ("a", "guess"), "the folder is not the file, and what is done is done"
    assert claims(found.plan, "done") == ["edit x"]
    assert [group.tasks for group in build_schedule(found.plan).groups][-1] != ("all", "wire-x")


def test_what_cannot_be_hoisted_is_refused() -> None:
    some = plan(task("a", delete=["x"]), task("b", "x"), task("c", "y", is_done=True))
    with pytest.raises(ValueError, match="'x' is to be deleted"):
        hoist(some, [RepoPath("x")])
    with pytest.raises(ValueError, match="no task to do claims 'y'"):
        hoist(some, [RepoPath("y")])
    with pytest.raises(ValueError, match="no task to do claims ''"):
        hoist(some, [])


def test_claims_can_be_dropped_without_an_heir() -> None:
    some = without_claims(
        plan(task("a", "d/", "a"), task("b", "d/"), task("c", "d/", is_done=True)), [parse_pattern("d/")]
    )
    assert [claims(some, name) for name in "abc"] == [["edit a"], [], ["edit d/"]]


@pytest.mark.parametrize(
    ("paths", "name"),
    [
        (["core/io.c"], "wire-io"),
        ([".gitignore"], "wire-gitignore"),
        (["a/__init__.py", "b/__init__.py"], "wire-init"),
        (["package.json", "yarn.lock"], "wire-up"),
        (["ünïcode/…"], "wire-up"),
        (["x/" + "long" * 30], "wire-" + "long" * 8 + "lon"),
    ],
)
def test_the_last_task_is_named_after_the_path_and_can_be_a_branch(paths: list[str], name: str) -> None:
    found = wiring_id(plan(task("a", "a")), [RepoPath(path) for path in paths])
    assert found == name
    assert name_complaint(found, "task") is None


def test_no_other_task_has_that_name() -> None:
    some = plan(task("Wire-IO"), task("wire-io-2"))
    assert wiring_id(some, [RepoPath("core/io.c")]) == "wire-io-3"
