"""Faults that a whole run meets: logs that cannot be believed, branches taken away, agents that leave half of something,
machines that give no more."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.run.test_whole_runs import INTEGRATION, events, merged
from tests.support.plans import plan, task, wait_for
from tests.support.processes import Coordinator, processes_of
from tests.support.repo import ROOT, RepoBuilder

pytestmark = pytest.mark.long  # whole runs, a second or more each


# ---------------------------------------------------------------------- the log


def newer(lines: list[bytes]) -> list[bytes]:
    first = json.loads(lines[0])
    return [json.dumps({**first, "v": 99}).encode() + b"\n", *lines[1:]]


DAMAGE: dict[str, tuple[Callable[[list[bytes]], list[bytes]], str]] = {
    "of a newer version": (newer, "written by a newer git-waves"),
    "with a line in the middle that is none": (
        lambda lines: [*lines[:3], b"{\n", *lines[3:]],
        "events.jsonl:4",
    ),
    "with a line that is missing": (lambda lines: [*lines[:3], *lines[4:]], "event 4 expected, 5 found"),
    "with a line twice": (lambda lines: [*lines[:3], lines[2], *lines[3:]], "event 4 expected, 3 found"),
    "with zeros where a line was": (
        lambda lines: [*lines[:3], b"\0" * (len(lines[3]) - 1) + b"\n", *lines[4:]],
        "events.jsonl:4",
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_log_that_cannot_be_believed_stops_the_next_run_and_nothing_is_written(
    repo: RepoBuilder, damage: str
) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1"), task("t2", needs=("t1",), run="exit 9"))})
    assert repo.run_waves("run").returncode == 1
    (log,) = (repo.folder / ".git/waves/runs").glob("*/events.jsonl")
    change, words = DAMAGE[damage]
    log.write_bytes(b"".join(change(log.read_bytes().splitlines(keepends=True))))
    before, refs = log.read_bytes(), repo.git("for-each-ref")
    for command in (("run",), ("retry", "t2"), ("status",), ("clean",)):
        done = repo.run_waves(*command)
        assert done.returncode == 4, command
        assert words in done.stdout + done.stderr
        assert "Traceback" not in done.stderr
    assert log.read_bytes() == before
    assert repo.git("for-each-ref") == refs


# ---------------------------------------------------------------------- the branch


def test_a_task_branch_that_is_deleted_while_its_agent_works_parks_the_task_and_its_files_are_kept(
    repo: RepoBuilder,
) -> None:
    go = repo.folder.parent / "go"
    run = f'test "$WAVES_ATTEMPT" = 1 && {{ echo half > t1.txt; {wait_for(go)}; }} || echo t1 > t1.txt'
    repo.commit({".waves/plan.yaml": plan(task("t1", run=run))})
    with Coordinator(repo) as process:
        while not (repo.folder.parent / "repo.waves/p/t1.1/t1.txt").exists():
            assert process.poll() is None
        repo.git("update-ref", "-d", "refs/heads/waves/p/t1/1")
        go.touch()
        words, _ = process.communicate(timeout=60)
    assert process.returncode == 3, words
    assert "t1: parked at commit: its branch is gone" in words
    repo.waves("retry", "t1")
    repo.waves("run")
    assert repo.git("show", f"{INTEGRATION}:t1.txt") == "t1"
    (archive,) = repo.git("for-each-ref", "--format=%(refname)", "refs/waves/archive/").split()
    assert repo.git("show", f"{archive}:t1.txt") == "half"


def test_a_task_branch_that_somebody_moved_elsewhere_is_not_merged(repo: RepoBuilder) -> None:
    go = repo.folder.parent / "go"
    repo.commit({"README": "1\n"})
    repo.commit({".waves/plan.yaml": plan(task("t1", run=f"echo t1 > t1.txt; {wait_for(go)}"))})
    with Coordinator(repo) as process:
        while not (repo.folder.parent / "repo.waves/p/t1.1/t1.txt").exists():
            assert process.poll() is None
        repo.git("update-ref", "refs/heads/waves/p/t1/1", "main~1")
        go.touch()
        words, _ = process.communicate(timeout=60)
    assert process.returncode in (1, 3), words
    assert merged(repo) == []
    assert repo.git("rev-parse", INTEGRATION) == repo.git("rev-parse", "main")


# ---------------------------------------------------------------------- agents that leave half of something

CONFLICT = (
    "echo one > t1.txt; git add .; git commit -qm one; git branch -q keep 2>/dev/null; c=$(git rev-parse HEAD)\n"
    "echo two > t1.txt; git commit -qam two; d=$(git rev-parse HEAD)\n"
)
UNFINISHED = {
    "merge": CONFLICT + "git reset -q --hard $c; echo three > t1.txt; git commit -qam three; git merge $d",
    "cherry-pick": CONFLICT
    + "git reset -q --hard $c; echo three > t1.txt; git commit -qam three; git cherry-pick $d",
    "revert": CONFLICT + "git revert --no-edit $c",
    "bisect": CONFLICT + "git bisect start",
}


@pytest.mark.parametrize("what", UNFINISHED)
def test_what_an_agent_leaves_unfinished_parks_its_task(repo: RepoBuilder, what: str) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1", run=UNFINISHED[what] + "\ntrue"))})
    done = repo.run_waves("run")
    assert done.returncode == 3, done.stdout + done.stderr
    assert f"it left an unfinished {what}" in done.stdout
    assert merged(repo) == []


def test_an_unfinished_rebase_leaves_its_branch_and_parks_its_task(repo: RepoBuilder) -> None:
    script = (
        CONFLICT + "git reset -q --hard $c; echo three > t1.txt; git commit -qam three; git rebase $d\ntrue"
    )
    repo.commit({".waves/plan.yaml": plan(task("t1", run=script))})
    done = repo.run_waves("run")
    assert done.returncode == 3, done.stdout + done.stderr
    assert "it left its branch: HEAD is at the detached commit" in done.stdout


def test_good_commits_of_an_agent_that_ends_badly_are_not_merged_and_not_lost(repo: RepoBuilder) -> None:
    script = "echo t1 > t1.txt; git add t1.txt; git commit -qm good; exit 7"
    repo.commit({".waves/plan.yaml": plan(task("t1", run=script))})
    done = repo.run_waves("run")
    assert done.returncode == 1
    assert "the agent ended with exit code 7" in done.stdout
    assert merged(repo) == []
    assert repo.git("show", "waves/p/t1/1:t1.txt") == "t1"


MANY = {f"src/{n}.txt": f"{n}\n" for n in range(30)}


def test_an_agent_that_empties_the_tree_it_owns_is_looked_at_by_a_person(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1", run="rm src/1* src/2* src/3*", files="[src/]")), **MANY})
    done = repo.run_waves("run")
    assert done.returncode == 3, done.stdout + done.stderr
    assert "it deletes 23 of the 31 files there were, and the plan does not say so" in done.stdout
    assert merged(repo) == []


@pytest.mark.parametrize(
    ("run", "files"),
    [
        ("rm -r src", "{delete: [src/]}"),
        ("mkdir lib; git mv src lib/src", "[src/, lib/]"),
        ("rm src/1*", "[src/]"),
    ],
    ids=["the plan says so", "files that move are not gone", "it is not most of them"],
)
def test_who_deletes_as_the_plan_says_is_let_through(repo: RepoBuilder, run: str, files: str) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1", run=run, files=files)), **MANY})
    repo.waves("run")
    assert merged(repo) == ["t1"]


# ---------------------------------------------------------------------- machines that give no more


@pytest.mark.parametrize(("limit", "words"), [("-n 12", "Too many open files"), ("-f 0", "File too large")])
def test_a_limit_of_the_machine_ends_the_run_in_words_and_the_next_one_goes_on(
    repo: RepoBuilder, limit: str, words: str
) -> None:
    repo.commit(
        {
            ".waves/plan.yaml": plan(
                task("t1"), task("t2", run="echo t2 > t2.txt; git add .; git commit -qm t2")
            )
        }
    )
    done = subprocess.run(
        ["sh", "-c", f"ulimit {limit}; exec '{sys.executable}' -m git_waves run"],
        cwd=repo.folder,
        env={**repo.environment, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode not in (0, 70), done.stdout + done.stderr
    assert words in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert processes_of(repo) == []
    repo.waves("run")
    assert sorted(merged(repo)) == ["t1", "t2"]


# ---------------------------------------------------------------------- plans and bases that change between two runs


def test_what_the_plan_says_otherwise_about_integrated_work_is_told(repo: RepoBuilder) -> None:
    first = plan(
        task("t1", extra="group: core"),
        task("t2", extra="group: core"),
        head="groups: [core]\n",
    )
    repo.commit({".waves/plan.yaml": first})
    repo.waves("run")
    second = plan(
        task("t1", run="echo other > t1.txt", extra="group: core"),
        task("t3", extra="group: core"),
        head="groups: [core]\n",
    )
    repo.commit({".waves/plan.yaml": second})
    repo.git("merge", "-q", "--no-edit", "waves/p/integration")
    words = repo.waves("run")
    assert "note: task 't1' was integrated before the plan said this about it, and is not done again" in words
    assert "note: task 't2' is not in the plan any more; what it did stays in 'waves/p/integration'" in words
    assert "note: group 'core' was passed before 't3' came into it, and is passed once more" in words
    assert repo.git("show", f"{INTEGRATION}:t1.txt") == "t1"
    assert repo.git("show", f"{INTEGRATION}:t3.txt") == "t3"


def test_a_base_that_moved_on_meanwhile_is_told_with_the_way_to_bring_both_together(
    repo: RepoBuilder,
) -> None:
    go = repo.folder.parent / "go"
    repo.commit({".waves/plan.yaml": plan(task("t1", run=f"echo t1 > t1.txt; {wait_for(go)}"))})
    with Coordinator(repo) as process:
        while not (repo.folder.parent / "repo.waves/p/t1.1/t1.txt").exists():
            assert process.poll() is None
        repo.commit({"README": "meanwhile\n"})
        go.touch()
        words, _ = process.communicate(timeout=60)
    assert process.returncode == 0, words
    assert (
        "note: 'main' has 1 commit that the run began without; on it, 'git merge waves/p/integration'"
        in words
    )
    repo.git("merge", "-q", "--no-edit", "waves/p/integration")
    assert (repo.folder / "t1.txt").exists() and (repo.folder / "README").exists()


def test_a_conflict_in_a_lock_file_says_who_makes_it(repo: RepoBuilder) -> None:
    common = '--git-dir="$(git rev-parse --git-common-dir)"'
    run = f"echo task > package-lock.json\ngit {common} update-ref {INTEGRATION} refs/heads/side"
    repo.commit(
        {
            ".waves/plan.yaml": plan(task("t1", run=run, files="[package-lock.json]")),
            "package-lock.json": "1\n",
        }
    )
    repo.git("checkout", "-q", "-b", "side")
    repo.commit({"package-lock.json": "side\n"})
    repo.git("checkout", "-q", "main")
    assert repo.run_waves("run").returncode == 3
    done = repo.run_waves("run", "--accept")
    assert done.returncode == 3
    assert (
        "it conflicts; 'package-lock.json' is made by a program: another attempt makes it anew" in done.stdout
    )
    assert [event["hint"] for event in events(repo) if event["event"] == "task_parked"] == [
        "git waves retry t1"
    ]


@pytest.mark.parametrize("name", ["plan.json", "manifest.json"])
def test_a_file_of_a_run_that_is_full_of_zeros_ends_no_command_with_a_bug(
    repo: RepoBuilder, name: str
) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1"), task("t2", needs=("t1",), run="exit 9"))})
    assert repo.run_waves("run").returncode == 1
    (file,) = (repo.folder / ".git/waves/runs").glob(f"*/{name}")
    file.write_bytes(b"\0" * 40)
    for words in (("show", "t2"), ("retry", "t2"), ("run",), ("report",), ("status",), ("clean",)):
        done = repo.run_waves(*words)
        assert done.returncode in (0, 1, 3, 4), done.stdout + done.stderr
    repo.waves("run", "--new", exit=1)
    assert merged(repo) == ["t1"]
