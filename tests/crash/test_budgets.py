"""`kill -9` of the coordinator at every event of a run with limits and with an agent that is resumed: the same end each time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.crash.test_kill import drive, events_of, make_scene
from tests.support.plans import task
from tests.support.processes import processes_of
from tests.support.repo import RepoBuilder


def used(tokens: int) -> str:
    return f"""echo '{{"tokens": {tokens}, "session": "s-1"}}' >> "$WAVES_USAGE_FILE"; """


RUN = used(100) + 'echo first > "$WAVES_TASK.txt"; kill -9 $PPID; sleep 60'  # as if the machine had stopped
RESUME = used(50) + 'test "$WAVES_SESSION" = s-1 && echo second >> "$WAVES_TASK.txt"'
PLAN = (
    "version: 1\nname: p\nscheduler: ready-set\non_failure: fail-dependents\nbudget: {tokens: 100k}\n"
    f"agent:\n  run: {json.dumps(RUN)}\n  resume: {json.dumps(RESUME)}\n"
    "gates:\n  always: test -d .git || test -f .git\n"
    "tasks:\n  - id: resumed\n    files: {create: [resumed.txt]}\n    prompt: Do it.\n"
    + task("greedy", run=used(20) + "sleep 60", extra="budget: {tokens: 10}")
    + task("blocked", needs=("greedy",))
    + task("last", needs=("resumed",), run="cat resumed.txt > last.txt")
)


def assert_end(repo: RepoBuilder) -> None:
    """Whatever was killed: the same work is integrated, the same is not, and what was used is neither lost nor counted twice."""
    integration = "refs/waves/integration/p"
    assert repo.git("show", f"{integration}:last.txt") == "first\nsecond"
    tasks = repo.git("log", "--first-parent", "--format=%(trailers:key=Waves-Task,valueonly)", integration)
    assert sorted(tasks.split()) == ["last", "resumed"]
    status = json.loads(repo.waves("status", "--json"))
    assert {one["id"]: (one["state"], one["spent"]["tokens"]) for one in status["tasks"]} == {
        "resumed": ("integrated", 150),
        "greedy": ("failed", 20),
        "blocked": ("blocked", None),
        "last": ("integrated", None),
    }
    # What was used tells that no agent started over; an attempt whose agent never began may be made again.
    leases = {event["task"] for event in events_of(repo) if event["event"] == "task_leased"}
    assert leases == {"greedy", "last", "resumed"}, "what is blocked never starts"
    resumed = [event for event in events_of(repo) if event.get("how") == "resumed"]
    assert len(resumed) == 1
    assert processes_of(repo) == []
    assert repo.git("status", "--porcelain") == ""


def sweep(folder: Path, point: str, step: int) -> None:
    """Kill at every `step`th point of a run, then run again."""
    repo = make_scene(folder / "undisturbed", PLAN)
    done = drive(repo, "none", 0)
    assert done.returncode == 1, done.stdout + done.stderr
    assert_end(repo)
    last = int(done.stdout.splitlines()[-1].split()[1])
    struck = 0
    for number in range(2, last + 1, step):
        repo = make_scene(folder / str(number), PLAN)
        first = drive(repo, point, number)
        assert first.returncode in (1, -9), first.stdout + first.stderr
        struck += first.returncode == -9
        again = drive(repo, "none", 0)
        assert again.returncode == 1, again.stdout + again.stderr
        assert_end(repo)
    assert struck >= (last - 1) // step - 2


@pytest.mark.long
@pytest.mark.timeout(1500)
@pytest.mark.parametrize(("point", "step"), [("before", 11), ("torn", 17)])
def test_a_killed_run_with_limits_and_a_resumed_agent_comes_to_the_same_end(
    tmp_path: Path, point: str, step: int
) -> None:
    sweep(tmp_path, point, step)
