"""`git waves gate`: a barrier's gates by hand, and the proof that they can fail."""

from __future__ import annotations

import json
import re

from tests.support.digest import digest_of_users_things
from tests.support.golden import check_golden
from tests.support.plans import plan, task
from tests.support.repo import RepoBuilder

PLAN = ".waves/plan.yaml"
HEAD = """
gates:
  sound: {run: 'test "$(cat one.txt)" = 1', control: echo 2 > one.txt}
  blind: {run: 'test -s one.txt', control: echo 2 > one.txt}
  broken: {run: 'test -s one.txt', control: exit 3}
  plain: test -s one.txt
"""


def shown(repo: RepoBuilder, text: str) -> str:
    text = text.replace(str(repo.folder), "REPO")
    text = re.sub(r"gate\.\d+\.", "gate.N.", text)
    return re.sub(
        r"\([0-9a-f]{10}\)", "(COMMIT)", re.sub(r"after \S+$", "after TIME", text, flags=re.MULTILINE)
    )


def test_gates_are_run_on_the_base_and_their_controls_are_tried_before_any_run(repo: RepoBuilder) -> None:
    repo.commit({PLAN: plan(task("t1"), head=HEAD), "one.txt": "1\n"})
    before = digest_of_users_things(repo)
    check_golden("gate/green.txt", shown(repo, repo.waves("gate", "1")))
    check_golden("gate/prove.txt", shown(repo, repo.waves("gate", "1", "--prove", exit=1)))
    assert digest_of_users_things(repo) == before
    assert repo.git("worktree", "list", "--porcelain").count("worktree ") == 1
    assert repo.git("for-each-ref", "refs/waves") == ""
    assert not (repo.folder / ".git/waves/runs").exists()


def test_a_gate_that_guards_the_work_is_proved_by_taking_the_work_back(repo: RepoBuilder) -> None:
    head = "gates:\n  works: {run: test -s t1.txt, guards: [t1.txt], baseline: skip}\n"
    repo.commit({PLAN: plan(task("t1"), head=head)})
    assert repo.run_waves("gate", "1", "--prove").returncode == 2, (
        "nothing is integrated, so nothing is proved"
    )
    assert repo.run_waves("gate", "1").returncode == 1
    repo.waves("run")
    (result,) = json.loads(repo.waves("gate", "1", "--prove", "--json"))["results"]
    assert (result["verdict"], result["purpose"], result["paths"]) == ("proved", "mutation", ["t1.txt"])


def test_what_makes_no_sense_is_refused(repo: RepoBuilder) -> None:
    repo.commit({PLAN: plan(task("t1"))})
    assert "has no group '9'" in repo.run_waves("gate", "9").stderr
    assert "group '1' has no gate" in repo.run_waves("gate", "1").stderr
