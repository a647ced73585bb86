"""Whole runs at moments nobody plans for: signals, stray locks, hands of the user, clocks that jump."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

from tests.run.test_whole_runs import events, merged
from tests.support.plans import plan, task
from tests.support.repo import ROOT, RepoBuilder


def test_ctrl_c_at_a_terminal_does_not_hit_git_at_work(repo: RepoBuilder) -> None:
    mark = repo.folder.parent / "at-work"
    repo.git("config", "filter.slow.clean", f"touch {mark}; sleep 1; cat")
    repo.commit({".waves/plan.yaml": plan(task("t1")), ".gitattributes": "t1.txt filter=slow\n"})
    with subprocess.Popen(
        [sys.executable, "-m", "git_waves", "run"],
        cwd=repo.folder,
        env={**repo.environment, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        process_group=0,
    ) as process:
        while not mark.exists():
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal sends it: to everything in the foreground
        assert process.wait(timeout=20) == 130
    assert [event["event"] for event in events(repo)][-2:] == ["task_passed", "run_stopped"]
    repo.waves("run")
    assert merged(repo) == ["t1"]


def test_a_branch_name_that_is_no_utf8_is_a_base_like_any_other(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1"))})
    repo.git("checkout", "-q", "-b", "caf\udce9")
    repo.waves("run")
    assert merged(repo) == ["t1"]
    assert "caf\\xe9" in repo.waves("status")


def test_a_split_index_of_the_user_is_none_of_our_business(repo: RepoBuilder) -> None:
    repo.git("config", "core.splitIndex", "true")
    repo.commit({".waves/plan.yaml": plan(task("t1"))})
    repo.waves("run")
    assert merged(repo) == ["t1"]
