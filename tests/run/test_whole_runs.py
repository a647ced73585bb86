"""Whole runs on real git with real processes: what each scheduler and each option does."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from git_waves.adapters.jobs import Job, is_alive
from tests.support.digest import digest_of_users_things
from tests.support.jobs import eventually
from tests.support.plans import PHASE3_NEEDS, phase3, plan, task, wait_for
from tests.support.processes import Coordinator, processes_of
from tests.support.repo import RepoBuilder

INTEGRATION = "refs/waves/integration/p"


def events(repo: RepoBuilder, run: int = -1) -> list[dict[str, Any]]:
    """The events of the newest run."""
    paths = sorted((repo.folder / ".git/waves/runs").glob("*/events.jsonl"))
    return [json.loads(line) for line in paths[run].read_text().splitlines()]


def spans(repo: RepoBuilder) -> dict[str, tuple[str, str]]:
    """When each task's agent ran, as (start, end) wall times."""
    found: dict[str, list[str]] = {}
    for event in events(repo):
        if event["event"] == "task_passed" or (event["event"] == "rung_reached" and event["rung"] == "agent"):
            found.setdefault(event["task"], []).append(event["at"])
    return {name: (times[0], times[-1]) for name, times in found.items()}


def overlapping(repo: RepoBuilder, one: str, two: str) -> bool:
    (start, end), (other_start, other_end) = spans(repo)[one], spans(repo)[two]
    return start < other_end and other_start < end


def merged(repo: RepoBuilder) -> list[str]:
    """Tasks in the order they were merged, from history alone."""
    text = repo.git(
        "log", "--first-parent", "--reverse", "--format=%(trailers:key=Waves-Task,valueonly)", INTEGRATION
    )
    return text.split()


def meet(repo: RepoBuilder, name: str, other: str) -> str:
    """What a task runs that is not done before another one has begun."""
    place = repo.folder.parent
    return f"touch '{place / name}'; {wait_for(place / other)}; echo {name} > {name}.txt"


@pytest.mark.parametrize("scheduler", ["dag-parallel", "ready-set", "sequential"])
def test_the_phase3_shape_lands_on_one_integration_branch(repo: RepoBuilder, scheduler: str) -> None:
    side_by_side = scheduler != "sequential"
    pairs = (("t2", "t3"), ("t3", "t2"), ("t5", "t6"), ("t6", "t5")) if side_by_side else ()
    meetings = {name: meet(repo, name, other) for name, other in pairs}
    repo.commit({".waves/plan.yaml": phase3(run=meetings), "README": "x\n"})
    before = digest_of_users_things(repo)
    repo.waves("run", "--max", "4", "--scheduler", scheduler)
    assert digest_of_users_things(repo) == before
    assert overlapping(repo, "t2", "t3") == side_by_side
    assert overlapping(repo, "t5", "t6") == side_by_side
    assert not overlapping(repo, "t1", "t2")
    assert not overlapping(repo, "t4", "t5")
    order = merged(repo)
    assert sorted(order) == sorted(PHASE3_NEEDS)
    assert all(
        order.index(need) < order.index(name) for name, needs in PHASE3_NEEDS.items() for need in needs
    )
    assert repo.git("ls-tree", "-r", "--name-only", INTEGRATION).split() == [
        ".waves/plan.yaml",
        "README",
        *(f"t{number}.txt" for number in range(1, 8)),
    ]
    assert repo.git("rev-parse", "waves/p/integration") == repo.git("rev-parse", INTEGRATION)
    assert not (repo.folder.parent / "repo.waves").exists()
    assert processes_of(repo) == []


@pytest.mark.long
def test_every_scheduler_gives_the_same_tree(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": phase3()})
    trees = set()
    for scheduler in ("dag-parallel", "ready-set", "sequential"):
        repo.waves("run", "--new", "--scheduler", scheduler)
        trees.add(repo.git("rev-parse", f"{INTEGRATION}^{{tree}}"))
    assert len(trees) == 1


def test_a_finished_plan_run_again_says_so_and_does_nothing(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1"))})
    repo.waves("run")
    refs = repo.git("for-each-ref")
    assert "is finished" in repo.waves("run")
    assert repo.git("for-each-ref") == refs


def test_a_failed_round_does_not_merge_and_retry_brings_it_home(repo: RepoBuilder) -> None:
    flaky = "test -e ../../allow || exit 9; echo t3 > t3.txt"
    repo.commit({".waves/plan.yaml": phase3(run={"t3": flaky})})
    done = repo.run_waves("run")
    assert done.returncode == 1, done.stdout + done.stderr
    assert merged(repo) == ["t1"]
    assert "exit code 9" in repo.waves("status")
    assert repo.run_waves("run").returncode == 1, "running again does not retry by itself"
    (repo.folder.parent / "repo.waves" / "allow").write_text("")
    repo.waves("retry", "t3")
    repo.waves("run")
    assert sorted(merged(repo)) == sorted(PHASE3_NEEDS)
    (repo.folder.parent / "repo.waves" / "allow").unlink()


def test_work_of_a_failed_attempt_is_archived_before_the_next_one(repo: RepoBuilder) -> None:
    repo.commit(
        {
            ".waves/plan.yaml": plan(
                task("t1", run='echo "try $WAVES_ATTEMPT" > t1.txt; test "$WAVES_ATTEMPT" = 2')
            )
        }
    )
    assert repo.run_waves("run").returncode == 1
    repo.waves("retry", "t1")
    repo.waves("run")
    run = repo.git("for-each-ref", "--format=%(refname)", "refs/waves/archive/")
    assert run.endswith("/t1/1")
    assert repo.git("show", f"{run}:t1.txt") == "try 1"
    assert repo.git("show", f"{INTEGRATION}:t1.txt") == "try 2"


def test_skip_lets_the_rest_go_on_and_blocks_who_needs_it(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": phase3(run={"t5": "exit 1"})})
    assert repo.run_waves("run").returncode == 1
    repo.waves("skip", "t5", "--reason", "not now")
    repo.waves("run")
    assert sorted(merged(repo)) == ["t1", "t2", "t3", "t4", "t6"]
    assert "not now" in repo.waves("status")


def test_fail_dependents_goes_on_with_what_does_not_need_it(repo: RepoBuilder) -> None:
    text = plan(task("a", run="exit 1"), task("b"), task("c", needs=("a",)), task("d", needs=("b",)))
    repo.commit({".waves/plan.yaml": text})
    done = repo.run_waves("run", "--scheduler", "ready-set")
    assert done.returncode == 1
    assert sorted(merged(repo)) == ["b", "d"]


def test_a_red_gate_halts_with_the_candidate_kept_and_green_later_publishes_it(repo: RepoBuilder) -> None:
    text = plan(task("t1"), head=f"gates:\n  door: test -e {repo.folder.parent}/open\n")
    base = repo.commit({".waves/plan.yaml": text})
    done = repo.run_waves("run")
    assert done.returncode == 3, done.stdout + done.stderr
    assert "gate 'door' is red" in done.stdout
    assert repo.git("rev-parse", INTEGRATION) == base
    (repo.folder.parent / "open").write_text("")
    repo.waves("run")
    assert merged(repo) == ["t1"]
    assert [event["attempt"] for event in events(repo) if event["event"] == "task_leased"] == [1]


def test_tasks_that_share_a_path_on_purpose_are_kept_apart(repo: RepoBuilder) -> None:
    text = plan(
        task("t1", run="echo one >> shared.txt", files="[shared.txt]"),
        task("t2", run="echo two >> shared.txt", files="[shared.txt]"),
        head="scheduler: ready-set\nexpect: {shared_paths: [shared.txt]}",
    )
    repo.commit({".waves/plan.yaml": text, "shared.txt": "0\n"})
    repo.waves("run")
    assert repo.git("show", f"{INTEGRATION}:shared.txt") == "0\none\ntwo"


def test_a_conflict_halts_with_the_path_and_a_retry_solves_it(repo: RepoBuilder) -> None:
    text = plan(
        task("t1", run="echo one > shared.txt", files="[shared.txt]"),
        task("t2", run="exit 1"),
    )
    base = repo.commit({".waves/plan.yaml": text, "shared.txt": "0\n"})
    assert repo.run_waves("run").returncode == 1
    repo.commit({"shared.txt": "by the user\n"})
    repo.git("update-ref", INTEGRATION, "HEAD", base)
    repo.waves("skip", "t2", "--reason", "to get on")
    assert repo.run_waves("run").returncode == 3, "somebody moved the ref"
    done = repo.run_waves("run", "--accept")
    assert done.returncode == 3, done.stdout + done.stderr
    assert "it conflicts" in done.stdout
    assert "shared.txt" in repo.waves("show", "t1")
    assert repo.git("show", f"{INTEGRATION}:shared.txt") == "by the user"
    repo.waves("retry", "t1")
    repo.waves("run")
    assert repo.git("show", f"{INTEGRATION}:shared.txt") == "one"


def test_rounds_inside_an_authored_group_build_on_each_other_behind_one_barrier(repo: RepoBuilder) -> None:
    text = plan(
        task("t1", extra="group: core"),
        task("t2", needs=("t1",), run="cat t1.txt > t2.txt", extra="group: core"),
        task("t3", needs=("t2",), run="cat t2.txt > t3.txt", extra="group: rest"),
        head="groups: [core, rest]\ngates:\n  both: {run: test -s t1.txt && test -s t2.txt}\n",
    )
    repo.commit({".waves/plan.yaml": text})
    repo.waves("run")
    assert repo.git("show", f"{INTEGRATION}:t3.txt") == "t1"
    assert [event["group"] for event in events(repo) if event["event"] == "published"] == ["core", "rest"]


def test_only_from_and_until_run_a_part(repo: RepoBuilder) -> None:
    repo.commit(
        {".waves/plan.yaml": phase3(head="max_parallel: 2"), "t1.txt": "there\n", "t4.txt": "there\n"}
    )
    repo.waves("run", "--until-group", "2", exit=0)
    assert merged(repo) == ["t1", "t2", "t3"] or sorted(merged(repo)) == ["t1", "t2", "t3"]
    repo.waves("run", "--new", "--only", "t5")
    assert merged(repo) == ["t5"]
    repo.waves("run", "--new", "--from", "t5")
    assert sorted(merged(repo)) == ["t5", "t6", "t7"]


def test_a_plan_that_grew_goes_on_from_what_is_integrated(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1"))})
    repo.waves("run")
    repo.commit({".waves/plan.yaml": plan(task("t1"), task("t2", needs=("t1",), run="cat t1.txt > t2.txt"))})
    done = repo.run_waves("run")
    assert done.returncode == 3
    assert "have gone separate ways" in done.stderr
    repo.git("merge", "-q", "--no-edit", "waves/p/integration")
    repo.waves("run")
    leases = [event["task"] for event in events(repo) if event["event"] == "task_leased"]
    assert leases == ["t2"], "what is integrated is not done again"
    assert repo.git("show", f"{INTEGRATION}:t2.txt") == "t1"


def test_an_agent_that_edits_the_plan_changes_nothing_about_the_run(repo: RepoBuilder) -> None:
    text = plan(
        task("t1", run="echo 'tasks: []' > .waves/plan.yaml", files="[.waves/plan.yaml]"),
        task("t2", needs=("t1",)),
    )
    repo.commit({".waves/plan.yaml": text})
    repo.waves("run")
    assert merged(repo) == ["t1", "t2"]


def test_leftovers_are_committed_only_when_the_plan_lets_us(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1", extra="commit: agent"))})
    done = repo.run_waves("run")
    assert done.returncode == 1
    assert "left work uncommitted" in done.stdout
    assert "t1.txt" in repo.waves("show", "t1")


def test_time_limits_end_one_task_and_its_whole_tree(repo: RepoBuilder) -> None:
    text = plan(
        task("slow", run="setsid sleep 600 & sleep 600", extra="budget: {wall_clock: 1s}"),
        task("mute", run="sleep 600", extra="budget: {quiet: 1s}"),
        task("fine", run="sleep 1.5; echo fine > fine.txt"),
        head="on_failure: fail-dependents",
    )
    repo.commit({".waves/plan.yaml": text})
    done = repo.run_waves("run")
    assert done.returncode == 1
    assert merged(repo) == ["fine"]
    assert "over its time limit" in done.stdout
    assert "no output and no file change" in done.stdout
    assert processes_of(repo) == []


def start(repo: RepoBuilder, *arguments: str) -> Coordinator:
    """A coordinator in the background, an agent known to have been started, by it or before: it is told first."""
    before = _begun(repo)
    process = Coordinator(repo, "--verbose", *arguments)
    with contextlib.ExitStack() as on_failure:
        on_failure.push(process)
        read_until(process, ": agent\n")
        assert eventually(lambda: _begun(repo) - before or any(map(is_alive, _agents(repo))))
        on_failure.pop_all()
    return process


def _agents(repo: RepoBuilder) -> list[Job]:
    return [Job(folder) for folder in (repo.folder / ".git/waves/runs").glob("*/jobs/*.agent")]


def _begun(repo: RepoBuilder) -> set[tuple[Path, int]]:
    starts = [job.file("start.json") for job in _agents(repo)]
    return {(path, path.stat().st_ino) for path in starts if path.exists()}


def read_until(process: subprocess.Popen[str], words: str) -> None:
    """Read what the coordinator says until it says this."""
    assert process.stdout is not None
    said = []
    for line in process.stdout:
        said.append(line)
        if words in line:
            return
    raise AssertionError(f"it never said '{words}':\n{''.join(said)}")


def test_interrupting_once_lets_agents_finish_and_the_next_run_goes_on(repo: RepoBuilder) -> None:
    go = repo.folder.parent / "go"
    repo.commit({".waves/plan.yaml": phase3(run={"t1": f"{wait_for(go)}; echo t1 > t1.txt"})})
    with start(repo) as process:
        process.send_signal(signal.SIGINT)
        read_until(process, "stopping")
        go.touch()
        process.communicate()
    assert process.returncode == 130
    assert [event["event"] for event in events(repo)][-1] == "run_stopped"
    assert any(event["event"] == "task_passed" for event in events(repo))
    repo.waves("run")
    assert sorted(merged(repo)) == sorted(PHASE3_NEEDS)
    assert [event["attempt"] for event in events(repo) if event["event"] == "task_leased"] == [1] * 7


def test_interrupting_twice_ends_the_agents_and_the_next_run_starts_them_anew(repo: RepoBuilder) -> None:
    repo.commit(
        {".waves/plan.yaml": plan(task("t1", run="echo half > t1.txt; sleep ${SLOW:-0}; echo t1 > t1.txt"))}
    )
    repo.environment["SLOW"] = "600"
    half = repo.folder.parent / "repo.waves/p/t1.1/t1.txt"
    with start(repo) as process:
        assert eventually(lambda: half.exists() and half.read_text())
        process.send_signal(signal.SIGINT)
        read_until(process, "waiting for what is in flight")
        process.send_signal(signal.SIGINT)
        process.communicate()
    assert process.returncode == 130
    assert processes_of(repo) == []
    del repo.environment["SLOW"]
    repo.waves("run")
    assert repo.git("show", f"{INTEGRATION}:t1.txt") == "t1"
    archive = repo.git("for-each-ref", "--format=%(refname)", "refs/waves/archive/")
    assert repo.git("show", f"{archive}:t1.txt") == "half", "what the stopped attempt had is kept"


def test_stop_from_another_terminal_is_the_same(repo: RepoBuilder) -> None:
    go = repo.folder.parent / "go"
    repo.commit({".waves/plan.yaml": phase3(run={"t1": f"{wait_for(go)}; echo t1 > t1.txt"})})
    with start(repo) as process:
        repo.waves("stop")
        read_until(process, "stopping")
        go.touch()
        process.communicate()
    assert process.returncode == 130
    repo.waves("run")
    assert sorted(merged(repo)) == sorted(PHASE3_NEEDS)


def test_a_dry_run_explains_and_changes_nothing(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": phase3()})
    before, refs = digest_of_users_things(repo), repo.git("for-each-ref")
    words = repo.waves("run", "--dry-run")
    assert all(name in words for name in PHASE3_NEEDS)
    assert digest_of_users_things(repo) == before
    assert repo.git("for-each-ref") == refs
    assert not (repo.folder / ".git/waves/runs").exists()


def test_granting_a_foreign_path_lets_the_next_attempt_touch_it(repo: RepoBuilder) -> None:
    text = plan(
        task(
            "t1",
            run="if ! git waves owned | grep -qx extra.txt; then git waves request extra.txt --reason 'need it'; exit 1; fi\n"
            "echo t1 > t1.txt; echo more > extra.txt",
        )
    )
    repo.commit({".waves/plan.yaml": text, "extra.txt": "0\n"})
    done = repo.run_waves("run")
    assert done.returncode == 3, done.stdout + done.stderr
    assert "git waves retry t1 --grant extra.txt" in done.stdout
    repo.waves("retry", "t1", "--grant", "extra.txt")
    repo.waves("run")
    assert repo.git("show", f"{INTEGRATION}:extra.txt") == "more"
