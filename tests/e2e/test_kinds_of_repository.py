"""Whole runs in repositories that are not like most: SHA-256, partial clones, submodules, sparse checkouts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run.test_resources import named
from tests.support.digest import digest_of_users_things
from tests.support.plans import plan, task
from tests.support.repo import RepoBuilder

pytestmark = pytest.mark.long
INTEGRATION = "refs/waves/integration/p"


def two_groups() -> str:
    """Two tasks at once and one behind them, with a gate."""
    return plan(
        task("a", run="test -s base.txt && echo a > a.txt && git add a.txt && git commit -qm a"),
        task("b", run="echo b > deep/b.txt", files="[deep/b.txt]"),
        task("c", needs=["a", "b"], run="cat a.txt deep/b.txt > c.txt", extra="verify: test -s c.txt"),
        head="gates:\n  all: test -s base.txt\n",
    )


def test_a_repository_of_sha_256(tmp_path: Path, environment: dict[str, str]) -> None:
    folder = tmp_path / "repo"
    folder.mkdir()
    repo = RepoBuilder(folder, environment, is_there=True)
    repo.git("init", "-q", "--object-format=sha256", "--initial-branch=main")
    repo.commit({".waves/plan.yaml": two_groups(), "base.txt": "base\n", "deep/x": "x\n"})
    before = digest_of_users_things(repo)
    repo.waves("plan")
    repo.waves("run")
    assert digest_of_users_things(repo) == before
    assert len(repo.git("rev-parse", INTEGRATION)) == 64
    assert repo.git("show", f"{INTEGRATION}:c.txt") == "a\nb"
    repo.waves("status")
    repo.waves("report")
    repo.waves("clean")


def test_a_partial_clone_whose_checkout_is_sparse(tmp_path: Path, repo: RepoBuilder) -> None:
    repo.commit({"base.txt": "base\n", "deep/x": "x\n", "big.bin": "1\n"})
    repo.commit({".waves/plan.yaml": two_groups(), "big.bin": "2\n"})
    repo.git("config", "uploadpack.allowFilter", "true")
    clone = RepoBuilder(tmp_path / "clone", repo.environment, is_there=True)
    words = ("clone", "-q", "--filter=blob:none", "--sparse", f"file://{repo.folder}", str(clone.folder))
    repo.git(*words)
    missing = clone.git("rev-list", "--objects", "--missing=print", "HEAD").count("?")
    assert missing == 3, "the plan, what lies deep, and the old big file"
    name = "origin/main:.waves/plan.yaml"
    clone.waves("trust", name, "--content", clone.git("rev-parse", name))
    before = digest_of_users_things(clone)
    clone.waves("run", name)
    assert digest_of_users_things(clone) == before
    assert not (clone.folder / "deep").exists()
    assert clone.git("show", f"{INTEGRATION}:c.txt") == "a\nb"
    merged = clone.git("ls-tree", "-r", "--name-only", INTEGRATION).splitlines()
    assert merged == [".waves/plan.yaml", "a.txt", "base.txt", "big.bin", "c.txt", "deep/b.txt", "deep/x"]
    assert clone.git("rev-list", "--objects", "--missing=print", "HEAD").count("?") == 1, "nobody needed that"


def test_a_sparse_plan_gives_each_task_what_it_owns_and_reads_and_loses_nothing(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    names = ("api/a.txt", "api/sub/b.txt", "web/c.txt", "web/old.txt", "lib/d.txt", "tools/e.txt", "top.txt")
    strays = "mkdir -p web && echo stray > web/c.txt"
    text = plan(
        task("a", run="find . -name '*.txt' | sort > api/seen", files="[api/]", extra="reads: [lib/]"),
        task(
            "b",
            run=f"git ls-files -d > '{tmp_path}/deleted'; rm web/old.txt; echo x > web/new",
            files="[web/]",
        ),
        task("c", run=f"{strays}; touch c.txt"),
        task("d", needs=["a", "b"], run="cat api/seen > d.txt", files="[d.txt]", extra="reads: [api/]"),
        head="sparse: [tools/]\non_failure: fail-dependents\ngates:\n  all: test -e web/c.txt && test -e lib/d.txt\n",
    )
    repo.commit({".waves/plan.yaml": text, **dict.fromkeys(names, "1\n")})
    before = digest_of_users_things(repo)
    repo.waves("run", exit=1)
    assert digest_of_users_things(repo) == before
    (failed,) = named(repo, "task_failed")
    assert (failed["task"], failed["paths"]) == ("c", ["web/c.txt"]), "what was written all the same is seen"
    seen = repo.git("show", f"{INTEGRATION}:d.txt").splitlines()
    assert seen == ["./api/a.txt", "./api/sub/b.txt", "./lib/d.txt", "./tools/e.txt", "./top.txt"]
    assert (tmp_path / "deleted").read_text() == ""
    merged = repo.git("ls-tree", "-r", "--name-only", INTEGRATION).splitlines()
    assert merged == sorted({*names, ".waves/plan.yaml", "api/seen", "d.txt", "web/new"} - {"web/old.txt"})


def test_our_index_of_a_sparse_worktree_is_made_anew_when_it_was_damaged(repo: RepoBuilder) -> None:
    run = "printf x > $(dirname $WAVES_PROMPT_FILE)/../index/a.1; echo a > api/new"
    text = plan(task("a", run=run, files="[api/]"), head="sparse: true\n")
    repo.commit({".waves/plan.yaml": text, "api/a.txt": "1\n", "web/b.txt": "1\n"})
    repo.waves("run")
    merged = repo.git("ls-tree", "-r", "--name-only", INTEGRATION).splitlines()
    assert merged == [".waves/plan.yaml", "api/a.txt", "api/new", "web/b.txt"]


def test_submodules_are_filled_by_set_up_and_stay_as_they_are(
    repo: RepoBuilder, tmp_path: Path, environment: dict[str, str]
) -> None:
    library = RepoBuilder(tmp_path / "library", environment)
    library.commit({"lib.txt": "lib 1\n"})
    allowed = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "protocol.file.allow",
        "GIT_CONFIG_VALUE_0": "always",
    }
    repo.environment.update(allowed)
    repo.git("submodule", "--quiet", "add", str(library.folder), "vendor/lib")
    works = "git -C vendor/lib status --porcelain && cat vendor/lib/lib.txt"
    text = plan(
        task("a", run=f"{works} > a.txt"),
        task("b", run="git -C vendor/lib commit -q --allow-empty -m x; echo b > b.txt"),
        head="on_failure: fail-dependents\nsetup: git submodule --quiet update --init\ngates:\n  lib: test -s vendor/lib/lib.txt\n",
    )
    repo.commit({".waves/plan.yaml": text})
    before = digest_of_users_things(repo)
    repo.waves("run", exit=1)
    assert digest_of_users_things(repo) == before
    assert repo.git("show", f"{INTEGRATION}:a.txt") == "lib 1"
    (failed,) = named(repo, "task_failed")
    assert (failed["task"], failed["paths"]) == ("b", ["vendor/lib"]), (
        "it moved the submodule, and does not own it"
    )
    left = sorted(path.name for path in (repo.folder.parent / "repo.waves/p").iterdir())
    assert left == ["b.1"], "a submodule in which nothing was done goes with its worktree"
    repo.waves("skip", "b", "--reason", "no")
    repo.waves("run")
    assert (repo.folder.parent / "repo.waves/p/b.1/vendor/lib/.git").exists(), "its commit is nowhere else"
