"""Whole runs in repositories that are not like the others: they go through, or are refused in words before anything starts."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from git_waves.adapters.git import version
from tests.run.test_whole_runs import INTEGRATION, merged
from tests.support.digest import digest_of_users_things
from tests.support.plans import plan, task
from tests.support.repo import RepoBuilder

pytestmark = pytest.mark.long  # a whole run each

PLAN = plan(task("t1"), task("t2", needs=("t1",)), head="gates:\n  first: test -s t1.txt\n")
FILES = {".waves/plan.yaml": PLAN, "a.txt": "a\n", "deep/b.txt": "b\n", "other/c.txt": "c\n"}


def elsewhere(repo: RepoBuilder, name: str = "odd") -> RepoBuilder:
    """Another repository beside the first, to be made by hand."""
    return RepoBuilder(repo.folder.parent / name / "repo", repo.environment, is_there=True)


def made_with(*options: str) -> Callable[[RepoBuilder], RepoBuilder]:
    def make(repo: RepoBuilder) -> RepoBuilder:
        odd = elsewhere(repo)
        odd.folder.mkdir(parents=True)
        odd.git("init", "--quiet", "--initial-branch=main", *options)
        odd.commit(FILES)
        return odd

    return make


def cloned_with(*options: str) -> Callable[[RepoBuilder], RepoBuilder]:
    def make(repo: RepoBuilder) -> RepoBuilder:
        repo.git("config", "uploadpack.allowFilter", "true")
        repo.commit({"a.txt": "older\n"})
        repo.commit(FILES)
        odd = elsewhere(repo)
        odd.folder.parent.mkdir()
        repo.git("clone", "-q", *options, f"file://{repo.folder}", str(odd.folder))
        odd.commit(
            {".waves/plan.yaml": PLAN + "\n"}
        )  # a plan of one's own, that nobody has to be asked about
        return odd

    return make


def with_git_dir_elsewhere(repo: RepoBuilder) -> RepoBuilder:
    odd = elsewhere(repo)
    odd.folder.mkdir(parents=True)
    odd.git("init", "-q", "--initial-branch=main", f"--separate-git-dir={odd.folder.parent / 'git'}")
    odd.commit(FILES)
    return odd


def after(*commands: str) -> Callable[[RepoBuilder], RepoBuilder]:
    def make(repo: RepoBuilder) -> RepoBuilder:
        repo.commit(FILES)
        repo.commit({"a.txt": "b\n"})
        for command in commands:
            subprocess.run(["sh", "-ec", command], cwd=repo.folder, env=repo.environment, check=True)
        return repo

    return make


ODD: dict[str, Callable[[RepoBuilder], RepoBuilder]] = {
    "ids of 64 letters": made_with("--object-format=sha256"),
    "objects of another one": cloned_with("--shared"),
    "the last commit only": cloned_with("--depth=1"),
    "no files but on demand": cloned_with("--filter=blob:none"),
    "its git folder elsewhere": with_git_dir_elsewhere,
    "a part checked out": after("git sparse-checkout set --cone --sparse-index deep .waves"),
    "a submodule": after(
        'git init -q ../sub; git -C ../sub commit -q --allow-empty -m x; git -c protocol.file.allow=always submodule --quiet add "$PWD/../sub" sub; git commit -qm sub'
    ),
    "a replaced commit": after("git replace HEAD HEAD~1"),
    "a grafted history": after("git replace --graft HEAD"),
    "tags called like our branches": after("git tag waves/p/t1/1; git tag waves/p/integration/1"),
    "thousands of refs, packed and loose": after(
        'for n in $(seq 2000); do echo "create refs/heads/other/$n HEAD"; done | git update-ref --stdin',
        "git pack-refs --all",
        'for n in $(seq 500); do echo "create refs/tags/other-$n HEAD"; done | git update-ref --stdin',
    ),
    "worktrees of other tools": after(
        "for n in 1 2 3 4 5; do git worktree add -q --detach ../tool-$n; done; rm -r ../tool-3"
    ),
    "line ends of other systems": after(
        "printf '* text=auto eol=crlf\\n' > .gitattributes; git add .; git commit -qm eol; git config core.autocrlf true"
    ),
    "packed objects and nothing loose": after("git -c gc.reflogExpire=never gc -q --prune=now"),
}


@pytest.mark.parametrize("kind", ODD)
def test_a_run_goes_through_in_a_repository_with(repo: RepoBuilder, kind: str) -> None:
    odd = ODD[kind](repo)
    is_plain = (odd.folder / ".git").is_dir()
    before = digest_of_users_things(odd) if is_plain else None
    odd.waves("run")
    assert merged(odd) == ["t1", "t2"]
    names = odd.git("ls-tree", "--name-only", INTEGRATION).split()
    assert {"a.txt", "deep", "other", "t1.txt", "t2.txt"} <= set(names), "what is not checked out is not lost"
    assert not is_plain or digest_of_users_things(odd) == before


def test_a_run_goes_through_with_reftables(repo: RepoBuilder) -> None:
    if version() < (2, 45):
        pytest.skip(f"git {'.'.join(map(str, version()))} knows no reftables")
    odd = made_with("--ref-format=reftable")(repo)
    odd.waves("run")
    assert merged(odd) == ["t1", "t2"]


def test_git_is_asked_as_often_among_thousands_of_refs_as_among_few(repo: RepoBuilder) -> None:
    """Counts, not times: nothing of ours goes through the refs and worktrees of others one by one."""
    counts = []
    for number, extra in enumerate(
        (ODD["packed objects and nothing loose"], ODD["thousands of refs, packed and loose"])
    ):
        one = RepoBuilder(repo.folder.parent / str(number) / "repo", repo.environment)
        extra(one)
        one.git("branch", "-f", "probe")
        trace = one.folder.parent / "trace"
        one.waves("run", environment={"GIT_TRACE": str(trace)})
        counts.append(len(re.findall(r"trace: built-in: git ", trace.read_text())))
    assert abs(counts[0] - counts[1]) < counts[0] * 0.05, counts


@pytest.mark.parametrize("state", ["MERGE_HEAD", "CHERRY_PICK_HEAD", "index.lock", "HEAD.lock"])
def test_what_the_user_is_in_the_middle_of_is_left_alone(repo: RepoBuilder, state: str) -> None:
    repo.commit(FILES)
    (repo.folder / ".git" / state).write_text(
        "" if state.endswith("lock") else repo.git("rev-parse", "HEAD") + "\n"
    )
    (repo.folder / "a.txt").write_text("half an edit\n")
    before = digest_of_users_things(repo)
    repo.waves("run")
    assert merged(repo) == ["t1", "t2"]
    assert (repo.folder / ".git" / state).exists()
    assert digest_of_users_things(repo) == before


def test_a_repository_that_was_moved_between_two_runs_goes_on(repo: RepoBuilder) -> None:
    run = "test -e ../../../allowed || exit 9; echo t2 > t2.txt"
    repo.commit({".waves/plan.yaml": plan(task("t1"), task("t2", needs=("t1",), run=run))})
    assert repo.run_waves("run").returncode == 1
    place = Path(repo.folder.parent / "moved")
    place.mkdir()
    for name in ("repo", "repo.waves"):
        (repo.folder.parent / name).rename(place / name)
    moved = RepoBuilder(place / "repo", repo.environment, is_there=True)
    (place / "allowed").touch()
    moved.waves("retry", "t2")
    moved.waves("run")
    assert merged(moved) == ["t1", "t2"]
