"""What agents leave uncommitted, on every road on which a worktree goes: there is always a way back to it (P3)."""

from __future__ import annotations

import pytest

from tests.support.plans import plan, task
from tests.support.repo import RepoBuilder

WORK = "echo committed > a.txt; git add a.txt; git commit -qm work; echo half > b.txt; echo noise > x.log"
ROADS: dict[str, list[tuple[str, ...]]] = {
    "retry": [("retry", "t1"), ("run",)],
    "clean": [("clean", "--archive")],
    "skip": [("skip", "t1", "--reason", "not now"), ("run",), ("clean", "--archive")],
    "new": [("run", "--new"), ("clean", "--archive")],
}


@pytest.mark.long
@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize(
    "end", ["exit 3", "echo theirs > foreign.txt", "git switch -q --detach; echo more > c.txt"]
)
def test_work_that_was_not_merged_comes_back_whatever_became_of_its_task(
    repo: RepoBuilder, road: str, end: str
) -> None:
    first = f'test "$WAVES_ATTEMPT" = 1 || {{ echo late > a.txt; exit 0; }}; {WORK}; {end}'
    repo.commit(
        {
            ".waves/plan.yaml": plan(
                task("t1", run=first, files="{create: [a.txt, b.txt, c.txt]}"), task("t2", needs=["t1"])
            ),
            ".gitignore": "*.log\n",
        }
    )
    assert repo.run_waves("run").returncode in (1, 3)
    for words in ROADS[road]:
        repo.run_waves(*words)
    assert not (repo.folder.parent / "repo.waves/p/t1.1").exists()
    repo.waves("restore", "t1", "--attempt", "1", "--to", "rescued")
    assert repo.git("show", "rescued:a.txt") == "committed"
    assert repo.git("show", "rescued:b.txt") == "half"
    assert repo.git("log", "--format=%s", "rescued").splitlines()[1] == "work"
    assert "x.log" not in repo.git("ls-tree", "-r", "--name-only", "rescued")
