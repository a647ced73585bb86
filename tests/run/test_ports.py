"""Each task has ports of its own, from its first command to its last, after a crash as well; gates have some too."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run.test_resources import wait_for
from tests.support.plans import plan, task
from tests.support.processes import Coordinator
from tests.support.repo import RepoBuilder


def test_every_command_of_a_task_sees_the_same_ports_and_no_other_task_does(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    notes = f"echo $WAVES_PORT $WAVES_PORTS >> '{tmp_path}'/$WAVES_TASK"
    meets = f"touch '{tmp_path}'/at-$WAVES_TASK; while ! test -e '{tmp_path}'/at-$OTHER; do sleep 0.02; done"
    text = plan(
        *(
            task(
                name,
                run=f"OTHER={other}; {meets}; {notes}; cat .env > {name}.txt",
                extra=f'verify: "{notes}"',
            )
            for name, other in (("a", "b"), ("b", "a"))
        ),
        head=f'setup: |\n  test -z "$WAVES_TASK" || {notes}\ninclude: [{{template: env, to: .env}}]\n'
        f"gates:\n  unit: echo $WAVES_PORT | tee -a '{tmp_path}'/gate | grep -q .\n",
    )
    repo.commit({".gitignore": ".env\n", "env": "PORT=${WAVES_PORT}\n", ".waves/plan.yaml": text})
    repo.waves("run")
    seen = {name: (tmp_path / name).read_text().splitlines() for name in ("a", "b", "gate")}
    for name in ("a", "b"):
        assert len(seen[name]) == 3 and len(set(seen[name])) == 1, seen
        first, *every = seen[name][0].split()
        assert every == [str(int(first) + step) for step in range(10)]
        assert repo.git("show", f"refs/waves/integration/p:{name}.txt") == f"PORT={first}"
    assert seen["a"] != seen["b"]
    assert len({line.split()[0] for lines in seen.values() for line in lines}) == 3


@pytest.mark.long
def test_an_attempt_keeps_its_ports_when_its_coordinator_is_killed(repo: RepoBuilder, tmp_path: Path) -> None:
    notes = f"echo $WAVES_PORT >> '{tmp_path}/ports'"
    run = f"{notes}; touch '{tmp_path}/works'; while ! test -e '{tmp_path}/go'; do sleep 0.02; done; echo a > a.txt"
    repo.commit({".waves/plan.yaml": plan(task("a", run=run, extra=f'verify: "{notes}"'))})
    with Coordinator(repo) as first:
        wait_for(tmp_path / "works")
        first.kill()
        first.communicate()
    (tmp_path / "go").touch()
    repo.waves("run")
    assert len(set((tmp_path / "ports").read_text().splitlines())) == 1
