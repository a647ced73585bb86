"""Hostile agents as real scripts, in whole runs: nothing foreign reaches the integration ref, each is reported (P1).

Every scene runs a plan of two tasks side by side: `good` writes its own file, `bad` owns `own.txt` and attacks. The
round must not merge, the integration ref must hold nothing of the attack, and the report must name task and path.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.support.digest import digest_of_users_things
from tests.support.plans import plan, task
from tests.support.repo import RepoBuilder

COMMIT = "git add -A && git commit -q --no-verify -m work"


@dataclass(frozen=True)
class Attack:
    """A script for task `bad`, what the report must name, and whether the attack slips past the hooks on purpose."""

    name: str
    script: str
    path: str
    refused_at_once: bool = False

    @property
    def case(self) -> object:
        """The attack as a test case; those beside the first dozen run in the long suite."""
        return pytest.param(self, id=self.name, marks=[pytest.mark.long] if self.name in LONG else [])


LONG = frozenset(
    {
        "foreign file left untracked",
        "hooks path overridden through the environment",
        "ref file written by hand",
        "symlink out of the repository",
        "a merge of another task's branch",
        "a submodule",
        "a submodule that is not there",
        "a nested repository",
        "a hook that lost its executable bit",
        "another branch checked out",
        "a detached HEAD",
        "its own branch deleted",
        "nothing at all",
        "an exit code",
    }
)


ATTACKS = (
    Attack("foreign path with a plain commit", "echo x > foreign.txt; git commit -qam x || exit 7", "", True),
    Attack("foreign path with --no-verify", f"echo x > foreign.txt; {COMMIT} || exit 7", "", True),
    Attack("foreign path left uncommitted", "echo x > foreign.txt; echo own > own.txt", "foreign.txt"),
    Attack("foreign file left untracked", "echo x > stray.txt; echo own > own.txt", "stray.txt"),
    Attack(
        "commit-tree with update-ref",
        "echo x > foreign.txt; git add foreign.txt; c=$(git commit-tree $(git write-tree) -p HEAD -m x);"
        ' git update-ref "refs/heads/$WAVES_BRANCH" $c || exit 7',
        "",
        True,
    ),
    Attack(
        "hooks path overridden",
        "echo x > foreign.txt; git -c core.hooksPath=/dev/null commit -qam x",
        "foreign.txt",
    ),
    Attack(
        "hooks path overridden through the environment",
        "echo x > foreign.txt;"
        " GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/dev/null git commit -qam x",
        "foreign.txt",
    ),
    Attack(
        "ref file written by hand",
        "echo x > foreign.txt; git add foreign.txt; c=$(git commit-tree $(git write-tree) -p HEAD -m x);"
        ' echo $c > "$(git rev-parse --git-common-dir)/refs/heads/$WAVES_BRANCH"; git reset -q --hard',
        "foreign.txt",
    ),
    Attack(
        "history amended past the base",
        "echo own > own.txt; git add own.txt; git -c core.hooksPath=/dev/null commit -q --amend -m rewritten",
        "no longer contains",
    ),
    Attack(
        "rename out of a foreign directory",
        "mkdir own.d; git mv theirs/x.txt own.d/x.txt; git -c core.hooksPath=/dev/null commit -qm x",
        "theirs/x.txt",
    ),
    Attack(
        "mode-only change",
        "git update-index --chmod=+x foreign.txt; chmod +x foreign.txt; git -c core.hooksPath=/dev/null commit -qm x",
        "foreign.txt",
    ),
    Attack(
        "symlink swapped for an owned directory",
        "rm -r own.d; ln -s theirs own.d; git add -A; git -c core.hooksPath=/dev/null commit -qm x",
        "own.d",
    ),
    Attack(
        "symlink out of the repository",
        "ln -s /etc own.d/etc; git add -A; git commit -qm x",
        "own.d/etc",
    ),
    Attack(
        "a merge of another task's branch",
        "while ! git rev-parse -q --verify waves/p/good/1:good.txt >/dev/null; do sleep 0.1; done;"
        " git -c core.hooksPath=/dev/null merge -q --no-edit waves/p/good/1",
        "good.txt",
    ),
    Attack(
        "a submodule",
        "git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),own.d/sub;"
        " git -c core.hooksPath=/dev/null commit -qm x; git clone -q . own.d/sub",
        "own.d/sub",
    ),
    Attack(
        "a submodule that is not there",
        "git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),own.d/sub;"
        " git -c core.hooksPath=/dev/null commit -qm x",
        "changed nothing",
    ),
    Attack(
        "a nested repository",
        "git init -q own.d/inner; cd own.d/inner; echo x > f; git add f; git commit -qm inner",
        "own.d/inner",
    ),
    Attack("an edited plan", "echo '# mine' >> .waves/plan.yaml; echo own > own.txt", ".waves/plan.yaml"),
    Attack(
        "its own hooks switched off in the worktree's configuration",
        "git config --worktree core.hooksPath /dev/null; echo x > foreign.txt; git commit -qam x",
        "tampered",
    ),
    Attack(
        "a hook that lost its executable bit",
        'chmod -x "$(git config core.hooksPath)"/*; echo x > foreign.txt; git commit -qam x',
        "tampered",
    ),
    Attack(
        "the lease edited to own everything",
        'f="$(git rev-parse --git-dir)/waves-lease.json"; echo "{}" > "$f"; echo own > own.txt',
        "tampered",
    ),
    Attack(
        "another branch checked out",
        "git -c core.hooksPath=/dev/null switch -q -c waves/p/elsewhere; echo own > own.txt",
        "HEAD",
    ),
    Attack(
        "a detached HEAD",
        f"git -c core.hooksPath=/dev/null checkout -q --detach; echo own > own.txt; {COMMIT}",
        "HEAD",
    ),
    Attack(
        "its own branch deleted",
        'git -c core.hooksPath=/dev/null update-ref -d "refs/heads/$WAVES_BRANCH"',
        "branch",
    ),
    Attack("nothing at all", "true", "changed nothing"),
    Attack("an exit code", "echo own > own.txt; exit 3", "exit code 3"),
)


def scene(repo: RepoBuilder, script: str) -> str:
    """Commit files and plan; return the base commit."""
    text = plan(
        task("good", run="echo good > good.txt; git add good.txt; git commit -qm good; sleep 0.3"),
        task("bad", run=script, files="[own.txt, own.d/]"),
        head="scheduler: dag-parallel",
    )
    return repo.commit(
        {
            ".waves/plan.yaml": text,
            "own.txt": "1\n",
            "own.d/y.txt": "y\n",
            "foreign.txt": "1\n",
            "theirs/x.txt": "x\n",
        }
    )


@pytest.mark.parametrize("attack", [attack.case for attack in ATTACKS])
def test_nothing_foreign_is_integrated_and_task_and_path_are_reported(
    repo: RepoBuilder, attack: Attack
) -> None:
    base = scene(repo, attack.script)
    before = digest_of_users_things(repo)
    done = repo.run_waves("run", "--max", "2")
    assert done.returncode in (1, 3), done.stdout + done.stderr
    assert repo.git("rev-parse", "refs/waves/integration/p") == base
    assert repo.git("rev-parse", "refs/heads/waves/p/integration") == base
    status = repo.run_waves("show", "bad").stdout
    assert "bad" in status
    if attack.refused_at_once:
        assert "exit code 7" in status, "the hook refused it, and the agent gave up"
        assert "foreign.txt" in repo.waves("log", "bad"), "the refusal names the path"
    else:
        assert attack.path in status, status
    assert digest_of_users_things(repo) == before


def test_a_commit_on_another_tasks_branch_never_gets_in(repo: RepoBuilder) -> None:
    text = plan(
        task(
            "good",
            run='until test "$(git log -1 --format=%s)" = evil; do sleep 0.05; done; echo good > good.txt',
        ),
        task(
            "bad",
            run="while ! git rev-parse -q --verify waves/p/good/1 >/dev/null; do sleep 0.05; done\n"
            "echo evil > foreign.txt; git add foreign.txt\n"
            "c=$(git commit-tree $(git write-tree) -p waves/p/good/1 -m evil)\n"
            "git reset -q --hard\n"
            "git -c core.hooksPath=/dev/null update-ref refs/heads/waves/p/good/1 $c\n"
            "echo own > own.txt",
            files="[own.txt]",
        ),
        head="scheduler: dag-parallel",
    )
    base = repo.commit({".waves/plan.yaml": text, "own.txt": "1\n", "foreign.txt": "1\n"})
    done = repo.run_waves("run", "--max", "2")
    assert done.returncode in (1, 3), done.stdout + done.stderr
    assert repo.git("rev-parse", "refs/waves/integration/p") == base
    assert "foreign.txt" in repo.run_waves("show", "good").stdout


def test_a_moved_integration_ref_halts_and_can_be_put_back(repo: RepoBuilder) -> None:
    text = plan(
        task("good"),
        task(
            "bad",
            run="echo evil > foreign.txt; git add foreign.txt\n"
            "c=$(git commit-tree $(git write-tree) -p HEAD -m evil); git reset -q --hard\n"
            "git -c core.hooksPath=/dev/null update-ref refs/waves/integration/p $c\n"
            "echo own > own.txt",
            files="[own.txt]",
        ),
        task("last", needs=("good", "bad")),
        head="scheduler: dag-parallel",
    )
    base = repo.commit({".waves/plan.yaml": text, "own.txt": "1\n", "foreign.txt": "1\n"})
    done = repo.run_waves("run", "--max", "2")
    assert done.returncode == 3, done.stdout + done.stderr
    assert "'refs/waves/integration/p' was moved by somebody else" in done.stdout + done.stderr
    assert base in done.stdout + done.stderr
    assert repo.git("rev-parse", "refs/heads/waves/p/integration") == base
    assert repo.run_waves("run").returncode == 3, "running again does not make it good"
    repo.waves("run", "--restore")
    assert repo.git("show", "refs/waves/integration/p:foreign.txt") == "1"
    assert repo.git("show", "refs/waves/integration/p:last.txt") == "last"


FOREIGN_COMMIT = (
    "c=$(git rev-parse --git-common-dir); echo evil > foreign.txt; git add foreign.txt\n"
    "e=$(git commit-tree $(git write-tree) -p HEAD -m evil); git reset -q --hard\n"
)
MISLEADING = {
    "a tag of that name": (
        "mkdir -p $c/refs/tags/waves/p; echo $e > $c/refs/tags/waves/p/integration",
        "a tag or another ref is called 'waves/p/integration' too",
    ),
    "the branch written by hand": (
        "echo $e > $c/refs/heads/waves/p/integration",
        "branch 'waves/p/integration' is at ",
    ),
    "the branch deleted": (
        "rm -f $c/refs/heads/waves/p/integration",
        "branch 'waves/p/integration' is gone",
    ),
}


@pytest.mark.parametrize("what", MISLEADING)
def test_a_name_that_leads_past_what_is_proven_is_told_where_people_are_to_merge_it(
    repo: RepoBuilder, what: str
) -> None:
    script, says = MISLEADING[what]
    text = plan(task("bad", run=f"{FOREIGN_COMMIT}{script}\necho own > own.txt", files="[own.txt]"))
    repo.commit({".waves/plan.yaml": text, "own.txt": "1\n", "foreign.txt": "1\n"})
    done = repo.run_waves("run")
    assert done.returncode == 0, done.stdout + done.stderr
    proven = repo.git("rev-parse", "refs/waves/integration/p")
    assert repo.git("show", f"{proven}:foreign.txt") == "1"
    again = repo.run_waves("run")
    for output in (done.stdout + done.stderr, again.stdout + again.stderr):
        assert says in output
        assert f"git merge {proven}" in output
    assert "hint: merge it with" not in again.stdout + again.stderr


def test_a_hook_refusal_names_the_owner_and_the_way_out(repo: RepoBuilder) -> None:
    scene(repo, "echo x > good.txt; git add good.txt; git commit -qm x")
    repo.run_waves("run", "--max", "2")
    log = repo.waves("log", "bad")
    assert "'good.txt' belongs to task 'good'" in log
    assert "git waves request" in log


def test_a_request_parks_the_task_and_names_the_owner(repo: RepoBuilder) -> None:
    scene(repo, "git waves request good.txt --reason 'the table lives there'; echo own > own.txt")
    done = repo.run_waves("run", "--max", "2")
    assert done.returncode == 3, done.stdout + done.stderr
    status = repo.waves("status")
    assert "asks for 'good.txt', which belongs to task 'good': the table lives there" in status
