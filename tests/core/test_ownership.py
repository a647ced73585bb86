"""The manifest: who owns what, what is foreign, which claims collide, and that its frozen form reads back as itself."""

from __future__ import annotations

import json
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_waves.core.collision import Collision, Overlap, OverlapKind
from git_waves.core.model import Plan, RepoPath, Rules, TaskId
from git_waves.core.ownership import (
    OwnershipManifest,
    build_manifest,
    foreign_paths,
    owns,
    rules_from_json,
    rules_to_json,
)
from git_waves.core.paths import overlap, overlap_as_written, parse_pattern
from tests.core.plans import kbuild_plan, plan, task
from tests.support.properties import examples


def rules_of(*paths: str) -> Rules:
    return build_manifest(plan(task("t", *paths))).rules(TaskId("t"))


def test_a_task_owns_its_files_what_lies_in_its_folders_and_what_its_globs_match() -> None:
    rules = rules_of("a", "b/", "c/*.py")
    assert rules == Rules(files=frozenset({RepoPath("a")}), dirs=("b/",), globs=(r"c/[^/]*\.py",))
    assert [p for p in ("a", "b/x", "b/x/y", "c/x.py") if not owns(rules, p)] == []
    assert [p for p in ("A", "a/x", "b", "bx", "c/x.pyc", "c/d/x.py") if owns(rules, p)] == []


def test_owning_a_folder_is_not_owning_a_file_in_its_place() -> None:
    assert not owns(rules_of("b/"), "b")


def test_control_files_are_owned_like_any_other_path() -> None:
    rules = rules_of("src/")
    assert foreign_paths(
        rules, [RepoPath(p) for p in ("src/.gitattributes", ".gitattributes", ".gitmodules")]
    ) == (
        ".gitattributes",
        ".gitmodules",
    )


def test_foreign_paths_keep_their_order_and_odd_names() -> None:
    paths = [RepoPath(p) for p in ("z", "src/a", "b\nc", "caf\udce9", "a")]
    assert foreign_paths(rules_of("src/"), paths) == ("z", "b\nc", "caf\udce9", "a")


def test_a_task_without_claims_owns_nothing() -> None:
    assert rules_of() == Rules()
    assert not owns(Rules(), "anything")


def test_an_inferred_claim_grants_nothing_beside_an_explicit_one_and_everything_when_alone() -> None:
    manifest = build_manifest(
        plan(task("both", "a", inferred=["b"]), task("alone", inferred=["c/"]), task("other", "b"))
    )
    assert not owns(manifest.rules(TaskId("both")), "b")
    assert owns(manifest.rules(TaskId("alone")), "c/x")
    assert manifest.owners_of("b") == ("other",)
    assert [(found.path, *found.tasks, *found.guessed) for found in manifest.collisions()] == [
        ("b", "both", "other", "both")
    ]


def test_owners_are_found_through_files_folders_and_globs() -> None:
    manifest = build_manifest(
        plan(task("z", "src/a.c"), task("d", "src/"), task("g", "**/*.c"), task("n", "doc/"))
    )
    assert manifest.owners_of("src/a.c") == ("d", "g", "z")
    assert manifest.owners_of("src") == ()
    assert manifest.owners_of("x.h") == ()


def test_an_unknown_task_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        build_manifest(plan()).rules(TaskId("nobody"))


def test_the_frozen_manifest_is_sorted_versioned_and_complete() -> None:
    manifest = build_manifest(
        plan(
            task("b", "src/", create=["z", "y"], inferred=["guess"]),
            task("a", modify=["x/*.c"], delete=["old"]),
        )
    )
    assert json.dumps(manifest.to_json(), indent=1) == json.dumps(
        {
            "version": 1,
            "plan": "demo",
            "tasks": {
                "a": {
                    "create": [],
                    "modify": ["x/*.c"],
                    "delete": ["old"],
                    "edit": [],
                    "inferred": [],
                    "rules": {"files": ["old"], "dirs": [], "globs": [r"x/[^/]*\.c"]},
                },
                "b": {
                    "create": ["y", "z"],
                    "modify": [],
                    "delete": [],
                    "edit": ["src/"],
                    "inferred": ["guess"],
                    "rules": {"files": ["y", "z"], "dirs": ["src/"], "globs": []},
                },
            },
        },
        indent=1,
    )


PATHS = st.lists(
    st.sampled_from(
        ["a", "a/", "a/b", "a/b/", "A/b", "ab", "a-b", "*", "a/*", "a/?", "**/b", "a/**/c", "a/b/c", "**/*.c", "a/x.c",
         "A/", "a*/c", "**", "?/b", "x?/y", "xy/y", "\u00df", "?", "SS", "[a]/*", "[a]/b"]
    ),
    max_size=3,
)  # fmt: skip
PLANS = st.lists(st.tuples(PATHS, PATHS), max_size=4).map(
    lambda lists: plan(
        *(
            task(f"t{number}", *explicit, inferred=inferred)
            for number, (explicit, inferred) in enumerate(lists)
        )
    )
)


@given(PLANS)
def test_the_manifest_reads_back_as_itself(some: Plan) -> None:
    manifest = build_manifest(some)
    assert OwnershipManifest.from_json(json.loads(json.dumps(manifest.to_json()))) == manifest
    for claims in manifest.tasks:
        assert rules_from_json(rules_to_json(claims.rules)) == claims.rules


def test_a_manifest_of_another_version_is_refused() -> None:
    with pytest.raises(ValueError, match="manifest has version 2, this git-waves reads 1"):
        OwnershipManifest.from_json({"version": 2, "plan": "x", "tasks": {}})


def test_the_order_of_tasks_and_claims_in_the_plan_does_not_change_the_manifest() -> None:
    forwards = plan(task("a", "x", "y/"), task("b", "z"))
    backwards = plan(task("b", "z"), task("a", "y/", "x"))
    assert build_manifest(forwards) == build_manifest(backwards)


@examples(400)
@given(PLANS)
def test_the_index_finds_exactly_what_comparing_all_pairs_finds(some: Plan) -> None:
    compared = [
        (min(one.id, two.id), max(one.id, two.id), mine.pattern, theirs.pattern)
        for one, two in combinations(some.tasks, 2)
        for mine in one.claims
        for theirs in two.claims
    ]
    found = build_manifest(some).collisions()
    assert {pair for each in found for pair in each.pairs()} == {
        (a, b) for a, b, mine, theirs in compared if overlap(mine, theirs)
    }
    assert {pair for each in found if each.kind is not OverlapKind.CASE for pair in each.pairs()} == {
        (a, b) for a, b, mine, theirs in compared if overlap_as_written(mine, theirs)
    }
    for each in found:
        for other_task, other in zip(each.second, each.others, strict=True):
            assert overlap(parse_pattern(each.path), parse_pattern(other))
            assert parse_pattern(other) in {claim.pattern for claim in some.task(other_task).claims}


def shown(
    found: tuple[Collision, ...],
) -> list[tuple[str, str, tuple[str, ...], tuple[str, ...], tuple[str, ...]]]:
    return [(each.kind.value, each.path, each.first, each.second, each.others) for each in found]


def test_each_kind_of_overlap_names_the_wider_claim_and_what_meets_it() -> None:
    manifest = build_manifest(
        plan(
            task("a", "src/", "README"),
            task("b", "src/x.c", "doc/*.md", "lib"),
            task("c", "src/x.c", "doc/a.md", "lib/y"),
            task("d", "readme"),
        )
    )
    assert shown(manifest.collisions()) == [
        ("case", "README", ("a",), ("d",), ("readme",)),
        ("glob", "doc/*.md", ("b",), ("c",), ("doc/a.md",)),
        ("inside", "lib", ("b",), ("c",), ("lib/y",)),
        ("inside", "src/", ("a",), ("b", "c"), ("src/x.c", "src/x.c")),
        ("same", "src/x.c", ("b", "c"), ("b", "c"), ("src/x.c", "src/x.c")),
    ]  # fmt: skip


def test_one_task_that_claims_a_folder_and_a_file_in_it_does_not_collide_with_itself() -> None:
    manifest = build_manifest(plan(task("a", "src/", "src/x.c", "src/*.c", "SRC/x.c"), task("b", "doc/")))
    assert manifest.collisions() == ()


def test_a_collision_can_be_narrowed_to_some_tasks() -> None:
    (found,) = build_manifest(plan(task("a", "x"), task("b", "x"), task("c", "x"))).collisions()
    assert found.among({TaskId("a"), TaskId("b"), TaskId("c")}) is found
    assert found.among({TaskId("a")}) is None
    narrowed = found.among({TaskId("a"), TaskId("c")})
    assert narrowed is not None
    assert list(narrowed.pairs()) == [("a", "c")]
    assert narrowed.others == ("x", "x")


def test_overlaps_are_the_collisions_pair_by_pair() -> None:
    manifest = build_manifest(plan(task("c", "x"), task("a", "x"), task("b", "x", "y/"), task("d", "y/z")))
    same, inside = OverlapKind.SAME, OverlapKind.INSIDE
    assert manifest.find_overlaps() == tuple(
        Overlap(first=TaskId(a), second=TaskId(b), path=RepoPath(path), kind=kind)
        for a, b, path, kind in (
            ("a", "b", "x", same),
            ("a", "c", "x", same),
            ("b", "c", "x", same),
            ("b", "d", "y/", inside),
        )
    )


@given(PLANS)
def test_rivals_are_the_other_side_of_every_overlap(some: Plan) -> None:
    manifest = build_manifest(some)
    expected: dict[TaskId, set[TaskId]] = {}
    for found in manifest.find_overlaps():
        expected.setdefault(found.first, set()).add(found.second)
        expected.setdefault(found.second, set()).add(found.first)
    assert {task: rivals - {task} for task, rivals in manifest.rivals().items()} == expected


def test_twelve_tasks_on_one_registration_file_are_one_collision() -> None:
    (found,) = build_manifest(kbuild_plan()).collisions()
    assert (found.kind, found.path, len(found.tasks)) == (OverlapKind.SAME, "tests/kunit/Kbuild", 12)


@pytest.mark.long
def test_ten_thousand_tasks_with_a_hundred_thousand_paths_are_indexed() -> None:
    crowd = plan(
        *(
            task(f"t{n}", *(f"src/m{n % 300}/p{n}/f{file}.c" for file in range(9)), f"reg/r{n % 500}.txt")
            for n in range(9_900)
        ),
        *(task(f"g{n}", f"src/m{n}/p{n}/", f"**/p{n}/f1.*", f"lib{n}/**/x.c") for n in range(100)),
    )
    found = build_manifest(crowd).collisions()
    assert sum(each.kind is OverlapKind.SAME for each in found) == 500
    assert sum(each.kind is OverlapKind.INSIDE for each in found) == 100
    assert sum(each.kind is OverlapKind.GLOB for each in found) == 100


def test_ten_thousand_tasks_on_one_file_are_one_collision() -> None:
    manifest = build_manifest(plan(*(task(f"t{n}", "x") for n in range(10_000))))
    (found,) = manifest.collisions()
    assert len(found.first) == 10_000
    assert len({id(rivals) for rivals in manifest.rivals().values()}) == 1
