"""Background writers while a plan runs: stopped around it, and never left stopped without a word."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.run.test_resources import events, named, wait_for
from tests.support.jobs import eventually
from tests.support.plans import plan, task
from tests.support.processes import Coordinator
from tests.support.repo import RepoBuilder


@pytest.fixture
def diary(tmp_path: Path) -> Path:
    """Where agents and writers' commands note what they do."""
    return tmp_path / "diary"


def lines(diary: Path) -> list[str]:
    """What was noted so far."""
    return diary.read_text().splitlines() if diary.exists() else []


def a_plan(diary: Path, *tasks: str, quiesce: str = "true", resume: str = "true", head: str = "") -> str:
    """A plan with a writer `sync`, whose commands leave a note and then do this."""
    note = f">> '{diary}'"
    return plan(
        *(tasks or (task("a", run=f"echo agent {note}; echo a > a.txt"),)),
        head=(
            f"background:\n  - name: sync\n    writes: [data/]\n    quiesce: echo quiesce {note}; {quiesce}\n"
            f"    resume: echo resume {note}; {resume}\n{head}"
        ),
    )


def test_a_writer_is_stopped_before_the_first_agent_and_goes_on_at_the_end(
    repo: RepoBuilder, diary: Path
) -> None:
    look = 'printf "%s\\n" "$PWD" "$WAVES_REPOSITORY" "$WAVES_BACKGROUND"; cat data/in-base; echo noise > data/noise'
    repo.commit({".waves/plan.yaml": a_plan(diary, quiesce=look), "data/in-base": "of the base\n"})
    shown = repo.waves("run")
    assert lines(diary) == ["quiesce", "agent", "resume"]
    assert "background sync: is being stopped for the run" in shown
    assert shown.index("background sync: goes on") < shown.index("plan 'p' is finished")
    log = repo.waves("log", "background:sync").splitlines()
    assert log[1:] == [str(repo.folder), "sync", "of the base"]
    assert Path(log[0]).parent == repo.folder.parent / "repo.waves/p", "not in the user's checkout"
    assert not (repo.folder.parent / "repo.waves").exists()
    assert repo.git("status", "--porcelain") == ""
    assert "still stopped" not in repo.waves("status")


@pytest.mark.long
def test_a_halt_lets_it_go_on_and_the_next_run_stops_it_again(
    repo: RepoBuilder, diary: Path, tmp_path: Path
) -> None:
    moody = task("a", run=f"echo agent >> '{diary}'; test -e '{tmp_path}/allow' && echo a > a.txt")
    repo.commit({".waves/plan.yaml": a_plan(diary, moody)})
    repo.waves("run", exit=1)
    assert lines(diary) == ["quiesce", "agent", "resume"]
    (tmp_path / "allow").touch()
    repo.waves("retry", "a")
    repo.waves("run")
    assert lines(diary) == ["quiesce", "agent", "resume"] * 2


def test_one_that_cannot_be_stopped_halts_before_any_agent_starts(repo: RepoBuilder, diary: Path) -> None:
    repo.commit({".waves/plan.yaml": a_plan(diary, quiesce="exit 5")})
    done = repo.run_waves("run")
    assert done.returncode == 3
    assert lines(diary) == ["quiesce", "resume"], "how far it got, nobody knows"
    reason = "background writer 'sync' could not be quiesced: its quiesce command '"
    assert f"halted: {reason}" in done.stdout
    assert "ended with exit code 5" in done.stdout
    assert "next: 'git waves log background:sync', then 'git waves run' goes on" in done.stdout
    assert named(repo, "task_leased") == []


@pytest.mark.long
def test_one_that_cannot_be_started_again_is_said_loudly_until_it_is(
    repo: RepoBuilder, diary: Path, tmp_path: Path
) -> None:
    repo.commit({".waves/plan.yaml": a_plan(diary, resume=f"test -e '{tmp_path}/mended'")})
    shown = repo.waves("run", "--quiet")
    way = "warning: background writer 'sync' is still stopped; 'git waves stop' lets it go on; or type it yourself: "
    assert way in shown
    assert way in repo.waves("status")
    assert "is still stopped, its resume command '" in repo.waves("stop", exit=1)
    assert lines(diary)[2:] == ["resume", "resume"]
    (tmp_path / "mended").touch()
    assert "background writer 'sync' goes on\n" in repo.waves("run"), "a finished plan pays too"
    assert way not in repo.waves("status")
    assert "is not being run" in repo.run_waves("stop").stderr


def kill_at_work(repo: RepoBuilder, mark: Path) -> None:
    """Kill a coordinator whose agent has left its mark."""
    with Coordinator(repo) as first:
        wait_for(mark)
        first.kill()
        first.communicate()


def slow(diary: Path, tmp_path: Path) -> str:
    """A task whose agent waits for a file."""
    wait = f"touch '{tmp_path}/at-work'; while ! test -e '{tmp_path}/go'; do sleep 0.02; done"
    return task("a", run=f"echo agent >> '{diary}'; {wait}; echo a > a.txt")


@pytest.mark.long
def test_after_a_crash_it_is_owed_and_the_next_run_pays(
    repo: RepoBuilder, diary: Path, tmp_path: Path
) -> None:
    repo.commit({".waves/plan.yaml": a_plan(diary, slow(diary, tmp_path))})
    kill_at_work(repo, tmp_path / "at-work")
    assert "warning: background writer 'sync' is still stopped" in repo.waves("status")
    refused = repo.run_waves("stop")
    assert refused.returncode == 2
    assert (
        "agents of plan 'p' still work without a coordinator, so 'sync' must stay stopped" in refused.stderr
    )
    (tmp_path / "go").touch()
    repo.waves("run")
    assert lines(diary) == ["quiesce", "agent", "resume"], (
        "the agent was adopted, and nothing else was started"
    )


@pytest.mark.long
def test_after_a_crash_stop_pays_when_nothing_works_any_more(
    repo: RepoBuilder, diary: Path, tmp_path: Path
) -> None:
    repo.commit({".waves/plan.yaml": a_plan(diary, slow(diary, tmp_path), task("b", needs=["a"]))})
    kill_at_work(repo, tmp_path / "at-work")
    (tmp_path / "go").touch()
    assert eventually(lambda: repo.run_waves("stop").returncode == 0)
    assert lines(diary) == ["quiesce", "agent", "resume"]
    repo.waves("run")
    assert lines(diary)[3:] == ["quiesce", "resume"]
    assert repo.git("show", "waves/p/integration:b.txt") == "b"


@pytest.mark.long
def test_a_new_run_pays_for_the_one_it_gives_up(repo: RepoBuilder, diary: Path, tmp_path: Path) -> None:
    repo.commit({".waves/plan.yaml": a_plan(diary, slow(diary, tmp_path))})
    kill_at_work(repo, tmp_path / "at-work")
    (tmp_path / "go").touch()
    shown = repo.waves("run", "--new")
    assert "background writer 'sync' goes on\n" in shown
    assert lines(diary) == ["quiesce", "agent", "resume", "quiesce", "agent", "resume"]


@pytest.mark.long
def test_a_run_that_halts_on_moved_refs_at_its_beginning_pays_too(
    repo: RepoBuilder, diary: Path, tmp_path: Path
) -> None:
    repo.commit({".waves/plan.yaml": a_plan(diary, slow(diary, tmp_path))})
    kill_at_work(repo, tmp_path / "at-work")
    moved = repo.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "elsewhere")
    repo.git("update-ref", "refs/waves/integration/p", moved)
    (tmp_path / "go").touch()
    repo.waves("run", exit=3)
    assert lines(diary) == ["quiesce", "agent", "resume"]
    assert "still stopped" not in repo.waves("status")


@pytest.mark.long
def test_ctrl_c_twice_lets_it_go_on_too(repo: RepoBuilder, diary: Path, tmp_path: Path) -> None:
    plan_text = a_plan(diary, slow(diary, tmp_path), resume=f"sleep 1; echo resumed >> '{diary}'")
    repo.commit({".waves/plan.yaml": plan_text})
    with Coordinator(repo) as first:
        wait_for(tmp_path / "at-work")
        for _ in range(2):
            first.send_signal(signal.SIGINT)
            time.sleep(0.3)
        while "resume" not in lines(diary):
            time.sleep(0.02)
        first.send_signal(signal.SIGINT)  # out of patience
        assert first.wait() == 130
        first.communicate()
    assert lines(diary) == ["quiesce", "agent", "resume", "resumed"]


@pytest.mark.long
def test_what_a_resume_command_starts_goes_on_running(repo: RepoBuilder, diary: Path, tmp_path: Path) -> None:
    daemon = f"sleep 30 & echo $! > '{tmp_path}/pid'"
    repo.commit({".waves/plan.yaml": a_plan(diary, quiesce="sleep 31 &", resume=daemon)})
    repo.waves("run")
    pid = int((tmp_path / "pid").read_text())
    os.kill(pid, 0)
    os.kill(pid, signal.SIGKILL)
    listed = subprocess.run(["ps", "-A", "-o", "args="], capture_output=True, text=True, check=True).stdout
    assert "sleep 31" not in listed.splitlines(), (
        "what a quiesce command leaves is ended like everything else"
    )


def test_a_writer_without_a_resume_command_is_said_to_stay_stopped(repo: RepoBuilder, diary: Path) -> None:
    text = a_plan(diary)
    text = "".join(line for line in text.splitlines(keepends=True) if "resume:" not in line)
    repo.commit({".waves/plan.yaml": text})
    shown = repo.waves("run")
    assert "background sync: stays as it is: the plan says no 'resume' command" in shown
    assert [event["event"] for event in events(repo) if "background" in event["event"]] == [
        "background_quiesced",
        "background_restored",
    ]


def test_a_rehearsal_says_what_would_be_stopped(repo: RepoBuilder, diary: Path) -> None:
    repo.commit({".waves/plan.yaml": a_plan(diary)})
    assert "would stop background writer 'sync' for the run: echo quiesce" in repo.waves("run", "--dry-run")
    assert not diary.exists()
