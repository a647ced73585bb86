"""Whole runs with agents that do what agents should not: each is dealt with by itself, and nothing of any is left."""

from __future__ import annotations

import sys

import pytest

from git_waves.adapters.jobs import kept_ranges
from tests.run.test_whole_runs import merged
from tests.support.jobs import AGENTS
from tests.support.plans import plan, task
from tests.support.processes import processes_of
from tests.support.repo import RepoBuilder

DAEMON = f"{sys.executable} -S {AGENTS}/daemonizer.py ../../daemon.pid"
LOUD = f"echo the beginning; {sys.executable} -S {AGENTS}/chatty.py 1400000; echo the end"  # 85 MiB


@pytest.mark.long
def test_agents_that_misbehave_end_whole_and_hurt_no_sibling(repo: RepoBuilder) -> None:
    done = "echo x > {0}.txt"
    runs = {
        "forks": "setsid sleep 600 & sleep 600 & " + done,
        "daemon": f"{DAEMON}; " + done,
        "mute": "exec <&- >&- 2>&-; sleep 0.3; " + done,
        "reads": "cat > {0}.txt; echo the end of input >> {0}.txt",
        "loud": f"{LOUD}; " + done,
        "deaf": f"{AGENTS}/term_ignorer.sh",
        "sleeps": "sleep 600",
        "stops": "kill -STOP $$; " + done,
    }
    limits = {"deaf": "{wall_clock: 1s}", "sleeps": "{quiet: 1s}", "stops": "{wall_clock: 2s}"}
    tasks = [
        task(name, run=run.format(name), extra=f"budget: {limits[name]}" if name in limits else "")
        for name, run in runs.items()
    ]
    repo.commit({".waves/plan.yaml": plan(*tasks, head="on_failure: fail-dependents\nmax_parallel: 8")})
    ended = repo.run_waves("run")
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert sorted(merged(repo)) == ["daemon", "forks", "loud", "mute", "reads"]
    assert "deaf failed at agent: the agent was ended: over its time limit" in ended.stdout
    assert "stops failed at agent: the agent was ended: over its time limit" in ended.stdout
    assert "sleeps failed at agent: the agent was ended: no output and no file change" in ended.stdout
    assert processes_of(repo) == []
    (log,) = (repo.folder / ".git/waves/runs").glob("*/logs/loud.1.log")
    assert len(kept_ranges(log)) == 2, "head and tail"
    assert log.stat().st_blocks * 512 < 70 << 20
    shown = repo.waves("log", "loud")
    assert shown.startswith("the beginning\n0 ")
    assert shown.endswith("1399999".ljust(63) + "\nthe end\n")
    assert "bytes of output were not kept" in shown
