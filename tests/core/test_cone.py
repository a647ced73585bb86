"""Which folders a sparse worktree holds."""

from __future__ import annotations

from dataclasses import replace

from git_waves.core.cone import cone_of
from git_waves.core.model import Plan, RepoPath
from git_waves.core.paths import parse_pattern
from tests.core.plans import plan, task


def cone(*owned: str, reads: tuple[str, ...] = (), all_read: tuple[str, ...] = ()) -> tuple[str, ...] | None:
    one = replace(task("t", *owned), reads=tuple(map(parse_pattern, reads)))
    whole: Plan = replace(plan(one), sparse=tuple(map(parse_pattern, all_read)))
    return cone_of(whole, one, [RepoPath("granted/here/x.py")])


def test_it_has_the_folders_of_what_is_owned_read_and_granted() -> None:
    assert cone("src/a.py", "web/", "lib/*/x/?.c", "top.txt", reads=("docs/",), all_read=("tools/x.sh",)) == (
        "docs",
        "granted/here",
        "lib",
        "src",
        "tools",
        "web",
    )


def test_a_glob_that_may_be_anywhere_needs_everything() -> None:
    assert cone("**/*.css") is None
    assert cone("*/x.py") is None
    assert cone("*.md") == ("granted/here",), "the top is always there"


def test_a_plan_that_is_not_sparse_gives_everything() -> None:
    one = task("t", "src/a.py")
    assert cone_of(plan(one), one) is None
