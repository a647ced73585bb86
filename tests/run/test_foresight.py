"""Early warning: conflicts are said while agents still work, and nothing is changed by looking."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

from tests.run.test_whole_runs import events, start
from tests.support.digest import digest_of_users_things
from tests.support.plans import plan, task
from tests.support.repo import RepoBuilder

PATIENCE = 60.0

# What is refused at the end is foreseen as well: hooks are told off, as some agents do.
WORK = """echo {word} > shared.txt
git -c core.hooksPath=/dev/null commit -qam 'work of {word}'
: > "$GO_FOLDER/{word}.done"
until test -e "$GO_FOLDER/go"; do sleep 0.05; done"""


def until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.05)


def objects_of(repo: RepoBuilder) -> set[str]:
    return {path.name for path in (repo.folder / ".git/objects").rglob("*") if path.is_file()}


def test_two_tasks_that_will_conflict_are_named_in_status_before_either_has_finished(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    go = tmp_path / "signals"
    go.mkdir()
    repo.environment["GO_FOLDER"] = str(go)
    text = plan(
        task("t1", run=WORK.format(word="one"), files="[shared.txt]"),
        task("t2", run=WORK.format(word="two"), files="[other.txt]"),
        head="on_failure: fail-dependents\n",
    )
    repo.commit({".waves/plan.yaml": text, "shared.txt": "0\n", "other.txt": "0\n"})
    repo.git("config", "waves.earlyWarning", "0.1s")
    before = digest_of_users_things(repo)
    running = start(repo)
    until(lambda: (go / "one.done").exists() and (go / "two.done").exists())
    known = objects_of(repo)
    until(lambda: "will conflict" in repo.waves("status"))
    assert objects_of(repo) == known, "looking ahead wrote objects"
    assert "will conflict with task 't1' in 'shared.txt', as things stand" in repo.waves("status")
    told = {
        one["id"]: one["foreseen_conflicts"] for one in json.loads(repo.waves("status", "--json"))["tasks"]
    }
    assert told == {"t1": [], "t2": [{"with": "t1", "paths": ["shared.txt"]}]}
    assert digest_of_users_things(repo) == before
    (go / "go").touch()
    output, _ = running.communicate(timeout=PATIENCE)
    assert running.returncode == 1, "it only warned; t2 fails for the path it does not own"
    assert "t2: will conflict with 't1' in 'shared.txt', as things stand" in output
    foreseen = [event for event in events(repo) if event["event"] == "conflict_foreseen"]
    assert {event["task"] for event in foreseen} == {"t2"}
    assert "will conflict" not in repo.waves("status"), "by now t2 has failed"
    assert repo.git("show", "waves/p/integration:shared.txt") == "one"
    assert not list((repo.folder / ".git/waves/runs").glob("*/foresight-*"))


def test_early_warning_can_be_turned_off_and_a_senseless_interval_is_refused(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1"))})
    repo.git("config", "waves.earlyWarning", "soon")
    done = repo.run_waves("run")
    assert done.returncode == 2, done.stderr
    assert "the setting 'waves.earlyWarning' is no duration: 'soon'" in done.stderr
    assert not (repo.folder / ".git/waves/runs").exists()
    repo.git("config", "waves.earlyWarning", "off")
    repo.waves("run")
