"""`git waves run --detach`: it begins in its terminal, says there what keeps it from beginning, and goes on without it."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.support.plans import plan, task, wait_for
from tests.support.repo import ROOT, RepoBuilder

PLAN = ".waves/plan.yaml"


def until_it_rests(repo: RepoBuilder) -> str:
    """Wait until no coordinator works; what the run is then."""
    end = time.monotonic() + 60
    while True:
        state = str(json.loads(repo.waves("status", "--json"))["state"])
        if state not in ("running", "stopping") or time.monotonic() > end:
            return state
        time.sleep(0.05)


def words_of(repo: RepoBuilder) -> str:
    (log,) = (repo.folder / ".git/waves/runs").glob("*/coordinator.log")
    return log.read_text(encoding="utf-8")


def test_a_run_goes_on_by_itself_and_tells_how_to_follow_it(repo: RepoBuilder, tmp_path: Path) -> None:
    repo.commit({PLAN: plan(task("t1", run=f"{wait_for(tmp_path / 'go')}; echo t1 > t1.txt"))})
    out = repo.waves("run", "--detach")
    (folder,) = (repo.folder / ".git/waves/runs").iterdir()
    told = out[out.index("run '") :]
    assert re.sub(r"process \d+", "process N", told) == (
        f"run '{folder.name}' goes on without this terminal, as process N\n"
        "  look on:     git waves status --watch --plan p\n"
        f"  read along:  tail -f {folder}/coordinator.log\n"
        "  end it:      git waves stop --plan p\n"
    )
    assert "plan p: 1 task in 1 group" in out
    assert "is already being run by process" in repo.run_waves("run").stderr
    (tmp_path / "go").touch()
    assert until_it_rests(repo) == "finished"
    said = words_of(repo)
    assert "t1: merged into the candidate" in said
    assert "plan 'p' is finished: 1 integrated" in said
    assert (folder / "coordinator.log").stat().st_mode & 0o777 == 0o600


def test_what_keeps_a_run_from_beginning_is_said_where_it_was_typed(repo: RepoBuilder) -> None:
    repo.commit({PLAN: plan(task("t1", run="surely-no-such-program"))})
    refused = repo.run_waves("run", "--detach")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "W501" in refused.stderr
    repo.commit({PLAN: plan(task("t1"))})
    assert "there is no group 'x'" in repo.run_waves("run", "--detach", "--until-group", "x").stderr
    assert "--dry-run does nothing that could go on" in repo.run_waves("run", "-d", "-n").stderr
    assert repo.run_waves("run", "--detach", "--base", "nowhere", "--new").returncode == 2


@pytest.mark.long
def test_a_run_that_is_finished_says_so_and_leaves_nothing_behind(repo: RepoBuilder) -> None:
    repo.commit({PLAN: plan(task("t1"))})
    repo.waves("run")
    assert "is finished; every task is in 'waves/p/integration'" in repo.waves("run", "--detach")


@pytest.mark.long
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="closing a terminal is tried on Linux")
def test_closing_the_terminal_does_not_end_it(repo: RepoBuilder, tmp_path: Path) -> None:
    repo.commit({PLAN: plan(task("t1", run=f"{wait_for(tmp_path / 'go')}; echo t1 > t1.txt"))})
    environment = {**repo.environment, "PYTHONPATH": str(ROOT)}
    # A shell that waits, so that the terminal is closed under it as under the one of a person.
    script = f"'{sys.executable}' -m git_waves run -d; exec sleep 60"
    pid, terminal = pty.fork()
    if not pid:
        os.chdir(repo.folder)
        os.execve("/bin/sh", ["sh", "-c", script], environment)
    shown = b""
    while b"end it:" not in shown:
        shown += os.read(terminal, 1024)
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == -signal.SIGHUP
    (tmp_path / "go").touch()
    assert until_it_rests(repo) == "finished"
    assert "\x1b" not in words_of(repo), "no colours in a file"
