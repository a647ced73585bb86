"""A machine that goes down under a run: what an agent did just before need not be on the disk, whatever its result says."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest

from tests.run.test_odd_moments import kill_while_its_agent_works
from tests.run.test_whole_runs import INTEGRATION, events, merged
from tests.support.jobs import eventually
from tests.support.plans import plan, task, wait_for
from tests.support.processes import Coordinator, processes_of
from tests.support.repo import RepoBuilder

pytestmark = pytest.mark.long  # whole runs, each begun twice

HALF = '{ test "$WAVES_ATTEMPT" = 1 && echo half > t1.txt || echo t1 > t1.txt; }'


def reboot(repo: RepoBuilder) -> None:
    """Every job was begun and ended before the machine was started the last time."""
    for path in (repo.folder / ".git/waves/runs").glob("*/jobs/*/*.json"):
        text = path.read_text()
        assert path.name == "spec.json" or '"boot": "' in text
        path.write_text(re.sub('"boot": "[^"]*"', '"boot": "the one before"', text))


def attempts(repo: RepoBuilder) -> list[int]:
    return [event["attempt"] for event in events(repo) if event["event"] == "task_leased"]


def go(repo: RepoBuilder) -> Path:
    """The file that agents of `wait_for` wait for."""
    return repo.folder.parent / "go"


def ended(repo: RepoBuilder, job: str) -> bool:
    return any((repo.folder / ".git/waves/runs").glob(f"*/jobs/{job}/exit.json"))


def test_work_that_ended_before_the_machine_went_down_is_archived_and_done_again(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1", run=f"{HALF}; {wait_for(go(repo))}"))})
    kill_while_its_agent_works(repo)
    go(repo).touch()
    assert eventually(lambda: ended(repo, "t1.1.agent"))
    reboot(repo)
    words = repo.waves("run", "--verbose")
    assert "the machine went down before what it had done was safe on the disk" in words
    assert attempts(repo) == [1, 2]
    assert repo.git("show", f"{INTEGRATION}:t1.txt") == "t1"
    (archive,) = repo.git("for-each-ref", "--format=%(refname)", "refs/waves/archive/").split()
    assert repo.git("show", f"{archive}:t1.txt") == "half"


def test_a_set_up_that_ended_before_the_machine_went_down_is_made_again(repo: RepoBuilder) -> None:
    setup = f"echo x >> ../../set-up; test -e '{go(repo)}' || {{ touch '{go(repo)}'; kill -9 $(cat ../../pid); sleep 0.1; }}"
    repo.commit({".waves/plan.yaml": plan(task("t1"), head=f"setup: |\n  {setup}\n")})
    with Coordinator(repo) as process:
        (repo.folder.parent / "repo.waves").mkdir(exist_ok=True)
        (repo.folder.parent / "repo.waves/pid").write_text(str(process.pid))
        process.wait(timeout=60)
    assert eventually(lambda: ended(repo, "t1.1.setup-0"))
    reboot(repo)
    repo.waves("run")
    assert attempts(repo) == [1, 2]
    assert (repo.folder.parent / "repo.waves/set-up").read_text() == "x\nx\n"
    assert merged(repo) == ["t1"]


def test_an_agent_that_was_cut_off_with_the_machine_does_not_go_on_in_what_may_be_left(
    repo: RepoBuilder,
) -> None:
    session = 'echo \'{"type": "system", "subtype": "init", "session_id": "s1"}\''
    text = plan(
        "  - id: t1\n    files: {create: [t1.txt]}\n    prompt: work\n",
        head=f"agent:\n  run: |\n    {session}; {HALF}; {wait_for(go(repo))}\n  resume: echo t1 > t1.txt\n",
    )
    repo.commit({".waves/plan.yaml": text})
    kill_while_its_agent_works(repo)
    (pid,) = (
        int(re.findall(r'"supervisor": (\d+)', path.read_text())[0])
        for path in (repo.folder / ".git/waves/runs").glob("*/jobs/t1.1.agent/start.json")
    )
    assert eventually((repo.folder.parent / "repo.waves/p/t1.1/t1.txt").exists)
    os.kill(pid, signal.SIGKILL)
    assert eventually(lambda: processes_of(repo) == [])
    reboot(repo)
    done = repo.run_waves("run")
    assert done.returncode == 3, done.stdout + done.stderr
    assert "the machine went down under it, and what it wrote last may be missing" in done.stdout
    go(repo).touch()
    repo.waves("retry", "t1")
    repo.waves("run")
    assert repo.git("show", f"{INTEGRATION}:t1.txt") == "t1"
