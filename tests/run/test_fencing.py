"""An attempt that is over has no say any more, whatever of it comes late: a result, commits, messages, events."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.core.simulate import Simulation
from tests.run.test_restart import told
from tests.run.test_whole_runs import INTEGRATION, merged, start
from tests.support.jobs import eventually
from tests.support.plans import plan, task, wait_for
from tests.support.processes import processes_of
from tests.support.repo import RepoBuilder

RESULT = {
    "reason": "exited",
    "code": 0,
    "signal": None,
    "leftover": 0,
    "survivors": [],
    "dropped": 0,
    "seconds": 1.0,
    "started": 1.0,
    "ended": 1.0,
    "message": "",
}


@pytest.mark.long
def test_what_comes_late_of_an_old_attempt_changes_nothing_about_the_new_one(repo: RepoBuilder) -> None:
    """Its supervisor writes its result, its branch moves, its agent asks for a path; with and without a coordinator."""
    go = repo.folder.parent / "go"
    run = f'echo "$WAVES_ATTEMPT" > t1.txt; test "$WAVES_ATTEMPT" = 2 || exit 1; {wait_for(go)}'
    repo.commit({".waves/plan.yaml": plan(task("t1", run=run), task("t2", needs=("t1",)))})
    assert repo.run_waves("run").returncode == 1
    repo.waves("retry", "t1")
    (run_dir,) = (repo.folder / ".git/waves/runs").iterdir()
    for _ in range(2):  # the first coordinator is killed, the second adopts the agent
        with start(repo) as process:
            (run_dir / "jobs/t1.1.agent/exit.json").write_text(json.dumps(RESULT))
            tree = repo.git(
                "mktree",
                stdin=f"100644 blob {repo.git('hash-object', '-w', '-t', 'blob', '--stdin', stdin='old')}\tt1.txt\n",
            )
            late = repo.git("commit-tree", tree, "-p", "refs/heads/waves/p/t1/1", "-m", "late")
            repo.git("update-ref", "refs/heads/waves/p/t1/1", late)
            message = {"kind": "request", "task": "t1", "attempt": "1", "path": "x.txt", "reason": "late"}
            (run_dir / "inbox/0.json").write_text(json.dumps(message))
            assert eventually(lambda: not (run_dir / "inbox/0.json").exists()), "it was looked at"
            assert process.poll() is None, "and nothing came of it"
            process.kill()
    go.touch()
    repo.waves("run")
    assert merged(repo) == ["t1", "t2"]
    assert repo.git("show", f"{INTEGRATION}:t1.txt") == "2"
    assert [one["attempt"] for one in told(repo, "task_passed")] == [2, 1], (
        "of t1 the second, of t2 the first"
    )
    assert told(repo, "request_made") == []
    assert processes_of(repo) == []


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("task_passed", {"tip": "old", "paths": []}),
        ("task_failed", {"rung": "agent", "reason": "old", "paths": [], "hint": ""}),
        ("task_parked", {"rung": "agent", "reason": "old", "paths": [], "hint": ""}),
        ("task_interrupted", {"reason": "old", "session": "s"}),
        ("task_taken_up", {"how": "resumed", "session": "s"}),
        ("rung_reached", {"rung": "verify"}),
        ("request_made", {"path": "x", "reason": "old", "owner": ""}),
        ("task_merged", {"tip": "old", "commit": "old", "tree": "old"}),
    ],
)
def test_an_event_of_an_old_attempt_is_passed_over(name: str, fields: dict[str, Any]) -> None:
    run = Simulation((("1", (("t1",),), ()),))
    run.carry_out(run.next()[0])
    run.event("task_failed", task="t1", attempt=1, rung="agent", reason="r", paths=[], hint="")
    run.event("task_retried", task="t1", grant=[])
    run.event("task_leased", task="t1", attempt=2, branch="b2", base="c0", worktree="w2")
    run.event("rung_reached", task="t1", attempt=2, rung="agent")

    def now() -> dict[str, Any]:
        task = run.state.tasks["t1"]
        return {
            "candidate": run.state.candidate,
            **{name: getattr(task, name) for name in task.__slots__ if name != "since"},
        }

    before = now()
    run.event(name, task="t1", attempt=1, **fields)
    assert now() == before
    run.event("spending_noted", task="t1", attempt=1, tokens=5, cost=0.5, source="output")
    assert run.state.tasks["t1"].spent == {1: (5, 0.5)}, "what it used was used all the same"
