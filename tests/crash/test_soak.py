"""`kill -9` at every event, and a sample of every other fault that tests/soak knows, then run again (P3, P4)."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.soak import disks, kinds, power
from tests.support.repo import ROOT

ALL_KINDS = sorted({*kinds.KINDS, *power.KINDS, *disks.KINDS} - {"every event"})


def soak(*arguments: str) -> str:
    """Let scenarios happen in a process of their own, for they fork; what was printed. Fails when a rule was broken, skips
    when this machine does not let us."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.soak", "--seed", "1", *arguments],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.stdout.startswith("left out"):
        pytest.skip(done.stdout.splitlines()[0])
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_few_kills_of_the_coordinator_and_of_everything_change_nothing() -> None:
    told = soak("--scenarios", "4", "--kinds", "killed", "machine gone", "--scripts", "red dag-parallel")
    assert re.search(r"scenarios run +4\b", told)


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "script",
    [
        "mixed sequential",
        "mixed dag-parallel",
        "mixed ready-set",
        "everything dag-parallel",
        "attended ready-set",
    ],
)
def test_everything_dies_at_every_event_and_the_end_is_the_same(script: str) -> None:
    told = soak("--scenarios", "1", "--kinds", "every event", "--scripts", script)
    met = re.search(r"every event +(\d+) scenarios, +(\d+) hurt", told)
    assert met and met[1] == met[2] and int(met[1]) > 20, told


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", ALL_KINDS)
def test_a_sample_of_every_kind_of_fault_changes_nothing(kind: str) -> None:
    told = soak("--scenarios", "2", "--kinds", kind, "--scripts", "red dag-parallel")
    assert re.search(r"scenarios run +([2-9]|\d\d)\b", told), told
