"""Refs of a run that an agent turned into symbolic ones, so that moving them would move the user's branch (P5)."""

from __future__ import annotations

import pytest

from tests.support.digest import digest_of_users_things
from tests.support.plans import plan, task
from tests.support.repo import RepoBuilder

TURN = "git -c core.hooksPath=/dev/null symbolic-ref"


@pytest.mark.parametrize("ref", ["refs/waves/integration/p", "refs/heads/waves/p/integration"])
def test_a_ref_turned_into_a_symbolic_one_does_not_carry_us_to_the_users_branch(
    repo: RepoBuilder, ref: str
) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1", run=f"{TURN} {ref} refs/heads/main; echo t1 > t1.txt"))})
    before = digest_of_users_things(repo)
    repo.waves("run")
    assert digest_of_users_things(repo) == before
    assert repo.git("show", "refs/waves/integration/p:t1.txt") == "t1"


def test_a_task_whose_own_branch_leads_elsewhere_is_parked(repo: RepoBuilder) -> None:
    run = f'{TURN} "refs/heads/$WAVES_BRANCH" refs/heads/main; echo t1 > t1.txt'
    repo.commit({".waves/plan.yaml": plan(task("t1", run=run))})
    before = digest_of_users_things(repo)
    done = repo.run_waves("run")
    assert done.returncode == 3
    assert "it left its branch: HEAD is at refs/heads/main" in done.stdout
    repo.waves("clean", "--archive")
    assert digest_of_users_things(repo) == before


def test_cleaning_deletes_a_symbolic_ref_and_never_what_it_points_to(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1"))})
    repo.waves("run")
    repo.git("symbolic-ref", "refs/heads/waves/p/t1/1", "refs/heads/main")
    before = digest_of_users_things(repo)
    repo.waves("clean")
    assert digest_of_users_things(repo) == before
    assert repo.git("for-each-ref", "refs/heads/waves/p/t1/") == ""
