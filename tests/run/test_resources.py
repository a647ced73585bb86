"""Resources while tasks run: capacity inside a run, and places that runs of several repositories share."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.plans import plan, task
from tests.support.processes import Coordinator, processes_of
from tests.support.repo import RepoBuilder

MACHINE = "resources:\n  database: {scope: machine}\n"


def events(repo: RepoBuilder) -> list[dict[str, Any]]:
    """The events of the newest run."""
    paths = sorted((repo.folder / ".git/waves/runs").glob("*/events.jsonl"))
    return [json.loads(line) for line in paths[-1].read_text().splitlines()] if paths else []


def named(repo: RepoBuilder, *names: str) -> list[dict[str, Any]]:
    """The events of these names."""
    return [event for event in events(repo) if event["event"] in names]


def wait_for(path: Path) -> None:
    """Until an agent has left its mark."""
    give_up = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < give_up, f"'{path}' never came"
        time.sleep(0.02)


def other_repository(repo: RepoBuilder) -> RepoBuilder:
    """Another repository of the same user."""
    return RepoBuilder(repo.folder.parent / "other", repo.environment)


def alone(diary: Path, name: str) -> str:
    """A command that notes when it begins and ends, and lets others in between if nothing keeps them apart."""
    return f"echo begin >> '{diary}'; sleep 0.3; echo end >> '{diary}'; echo {name} > {name}.txt"


@pytest.mark.long
def test_two_repositories_share_a_machine_wide_resource_and_the_rest_goes_on(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    go, diary = tmp_path / "go", tmp_path / "diary"
    holder = f"touch '{tmp_path}/holds'; while ! test -e '{go}'; do sleep 0.02; done; echo x > x.txt"
    repo.commit(
        {".waves/plan.yaml": plan(task("x", run=holder, extra="resources: [database]"), head=MACHINE)}
    )
    other = other_repository(repo)
    waiting = plan(
        task("a", run=alone(diary, "a"), extra="resources: [database]"),
        task("b", run=f"touch '{tmp_path}/b-ran'; echo b > b.txt"),
        head=MACHINE + "scheduler: ready-set\n",
    )
    other.commit({".waves/plan.yaml": waiting})
    with Coordinator(repo) as first:
        wait_for(tmp_path / "holds")
        run = named(repo, "run_started")[0]["run"]
        with Coordinator(other) as second:
            wait_for(tmp_path / "b-ran")  # 'b' stands behind 'a' in the plan, and does not wait for it
            status = other.waves("status")
            reason = f"waits for 'database', held by task 'x' of run {run} in '{repo.folder}'"
            assert " pending" in status and " for database" in status
            assert reason in " ".join(status.split())
            assert not diary.exists()
            go.touch()
            assert second.wait() == 0, second.stdout
            second.communicate()
        assert first.wait() == 0
        first.communicate()
    assert [(event["task"], event["reason"]) for event in named(other, "task_held")] == [("a", reason)]
    assert diary.read_text() == "begin\nend\n"


@pytest.mark.long
def test_a_task_keeps_its_resource_when_its_coordinator_is_killed_and_verifies_under_it(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    go, diary = tmp_path / "go", tmp_path / "diary"
    agent = f"touch '{tmp_path}/holds'; while ! test -e '{go}'; do sleep 0.02; done; echo x > x.txt"
    verify = f"verify: \"echo begin >> '{diary}'; sleep 0.3; echo end >> '{diary}'\""
    first_plan = plan(task("x", run=agent, extra=f"resources: [database]\n{verify}"), head=MACHINE)
    repo.commit({".waves/plan.yaml": first_plan})
    other = other_repository(repo)
    other.commit(
        {
            ".waves/plan.yaml": plan(
                task("a", run=alone(diary, "a"), extra="resources: [database]"), head=MACHINE
            )
        }
    )
    with Coordinator(repo) as first:
        wait_for(tmp_path / "holds")
        first.kill()
        first.communicate()
    with Coordinator(other) as second, Coordinator(repo) as heir:
        while not named(other, "task_held"):
            time.sleep(0.02)
        go.touch()
        assert (second.wait(), heir.wait()) == (0, 0)
        second.communicate()
        heir.communicate()
    assert diary.read_text() == "begin\nend\n" * 2, "never both at once, whoever came first"
    leases = named(repo, "task_leased")
    assert len(leases) == 1, "the agent was adopted"
    assert processes_of(repo) == []


@pytest.mark.long
def test_an_adopted_task_that_waits_for_its_resource_again_says_so_and_can_be_ended(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    """The agent ends while nobody coordinates, and another repository's task is quicker."""
    go, stay = tmp_path / "go", tmp_path / "stay"
    agent = f"touch '{tmp_path}/holds'; while ! test -e '{go}'; do sleep 0.02; done; echo x > x.txt"
    repo.commit(
        {
            ".waves/plan.yaml": plan(
                task("x", run=agent, extra="resources: [database]\nverify: test -s x.txt"), head=MACHINE
            )
        }
    )
    other = other_repository(repo)
    keeps = f"touch '{tmp_path}/kept'; while ! test -e '{stay}'; do sleep 0.02; done; echo a > a.txt"
    other.commit(
        {".waves/plan.yaml": plan(task("a", run=keeps, extra="resources: [database]"), head=MACHINE)}
    )
    with Coordinator(repo) as first:
        wait_for(tmp_path / "holds")
        first.kill()
        first.communicate()
    with Coordinator(other) as second:
        go.touch()
        wait_for(tmp_path / "kept")
        with Coordinator(repo) as heir:
            while not named(repo, "task_held"):
                time.sleep(0.02)
            assert named(repo, "task_held")[0]["reason"].startswith("waits for 'database', held by task 'a' ")
            repo.waves("stop", "--now")
            assert heir.wait() == 130
            heir.communicate()
        assert named(repo, "task_interrupted")[0]["reason"] == "stopped while it waited for a resource"
        with Coordinator(repo) as heir:
            while len(named(repo, "task_held")) < 2:
                time.sleep(0.02)
            stay.touch()
            assert (second.wait(), heir.wait()) == (0, 0)
            heir.communicate()
        second.communicate()
    assert repo.git("show", "waves/p/integration:x.txt") == "x"


def test_a_resource_that_cannot_be_locked_is_told_before_anything_is_changed(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": plan(task("a", extra="resources: [database]"), head=MACHINE)})
    place = Path(repo.environment["XDG_STATE_HOME"]) / "git-waves"
    place.parent.mkdir(parents=True)
    place.write_text("in the way\n")
    done = repo.run_waves("run")
    assert done.returncode == 4
    assert f"fatal: cannot lock machine-wide resources at '{place}/resources'" in done.stderr
    assert "hint: look at the room and the rights there: " in done.stderr
    assert repo.git("for-each-ref", "refs/waves", "refs/heads/waves") == ""
    place.unlink()
    repo.waves("run")


@pytest.mark.long
def test_a_resource_that_breaks_during_the_run_parks_its_task_alone(repo: RepoBuilder) -> None:
    place = Path(repo.environment["XDG_STATE_HOME"]) / "git-waves"
    breaking = f"rm -r '{place}'; echo broken > '{place}'; echo a > a.txt"
    text = plan(
        task("a", run=breaking),
        task("b", needs=["a"], extra="resources: [database]"),
        task("c", needs=["a"]),
        head=MACHINE + "scheduler: ready-set\n",
    )
    repo.commit({".waves/plan.yaml": text})
    done = repo.run_waves("run")
    assert done.returncode == 3, done.stdout + done.stderr
    parked = named(repo, "task_parked")
    assert [event["task"] for event in parked] == ["b"]
    assert parked[0]["hint"].endswith("; then 'git waves retry b'")
    assert repo.git("show", "waves/p/integration:c.txt") == "c"
    place.unlink()
    repo.waves("retry", "b")
    repo.waves("run")
    assert repo.git("show", "waves/p/integration:b.txt") == "b"


@pytest.mark.long
@pytest.mark.parametrize("scheduler", ["dag-parallel", "ready-set", "sequential"])
def test_two_runs_that_want_the_same_two_resources_both_arrive(
    repo: RepoBuilder, tmp_path: Path, scheduler: str
) -> None:
    """Each would wait for the other if tasks took one after the other, and for ever if one run kept what it gave back."""
    diary = tmp_path / "diary"
    head = f"resources:\n  port: {{scope: machine}}\n  database: {{scope: machine}}\nscheduler: {scheduler}\n"
    other = other_repository(repo)
    for each, order in ((repo, "[port, database]"), (other, "[database, port]")):
        tasks = (task(f"t{n}", run=alone(diary, f"t{n}"), extra=f"resources: {order}") for n in range(4))
        each.commit({".waves/plan.yaml": plan(*tasks, head=head)})
    with Coordinator(repo) as first, Coordinator(other) as second:
        assert (first.wait(), second.wait()) == (0, 0)
        first.communicate()
        second.communicate()
    assert diary.read_text() == "begin\nend\n" * 8
