"""What the warm process forks is no other command than one that is started anew."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support import warm
from tests.support.plans import plan, task
from tests.support.repo import ROOT, RepoBuilder


@pytest.mark.parametrize(
    ("words", "stdin"),
    [
        (("plan",), ""),
        (("plan", "-"), plan(task("t1"), task("t1"))),
        (("run", "--dry-run"), ""),
        (("nonsense",), ""),
        (("status", "--plan", "p"), ""),
    ],
)
def test_it_prints_and_ends_the_same(repo: RepoBuilder, words: tuple[str, ...], stdin: str) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1", files="{create: [ü.txt]}"))})
    environment = {**repo.environment, "PYTHONPATH": str(ROOT)}
    assert warm.can_run(environment)
    fresh = subprocess.run(
        [sys.executable, "-m", "git_waves", *words],
        cwd=repo.folder,
        env=environment,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )
    forked = warm.run("git_waves.entry", words, cwd=repo.folder, environment=environment, stdin=stdin)
    assert (forked.returncode, forked.stdout, forked.stderr) == (fresh.returncode, fresh.stdout, fresh.stderr)


def test_a_death_by_a_signal_is_told_as_such(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1"))})
    environment = {**repo.environment, "PYTHONPATH": str(ROOT)}
    words = ("before", "1", "run")
    assert warm.run("tests.crash.driver", words, cwd=repo.folder, environment=environment).returncode == -9


def test_what_python_is_told_by_the_environment_needs_a_start_of_its_own(repo: RepoBuilder) -> None:
    assert not warm.can_run({**repo.environment, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "0"})
    assert not warm.can_run({**repo.environment, "PYTHONPATH": str(ROOT), "LC_ALL": "C"})
