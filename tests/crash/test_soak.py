"""`kill -9` at events, and a sample of every other fault that tests/soak knows, then run again (P3, P4)."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.soak import disks, kinds, power
from tests.support.repo import ROOT

ALL_KINDS = sorted({*kinds.KINDS, *power.KINDS, *disks.KINDS} - {"every event"})


def soak(*arguments: str) -> str:
    """Let scenarios happen in a process of their own, for they fork; what was printed. Fails when a rule was broken; what this
    machine does not let us do is left out."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.soak", "--seed", "1", *arguments],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.long
def test_a_kill_of_the_coordinator_and_one_of_everything_change_nothing() -> None:
    told = soak("--rounds", "1", "--kinds", "killed", "machine gone", "--scripts", "red dag-parallel")
    assert re.search(r"scenarios run +2\b", told)


# Few points spread over scripts, schedulers and faults, for CI has to end; the rest is what `make soak` is for.


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("script", "every"),
    [
        ("mixed dag-parallel", 7),
        ("mixed ready-set", 9),
        ("everything sequential", 4),
        ("breaking dag-parallel", 9),
        ("repaired ready-set", 9),
        ("attended ready-set", 6),
    ],
)
def test_everything_dies_at_an_event_and_the_end_is_the_same(script: str, every: int) -> None:
    told = soak("--rounds", "1", "--kinds", "every event", "--scripts", script, "--every", str(every))
    met = re.search(r"every event +(\d+) scenarios, +(\d+) hurt", told)
    assert met and met[1] == met[2] and int(met[1]) >= 3, told


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("script", "every"),
    [("red dag-parallel", 0), ("trespassing sequential", 1), ("repaired ready-set", 2)],
)
def test_a_sample_of_every_kind_of_fault_changes_nothing(script: str, every: int) -> None:
    told = soak("--rounds", "1", "--scripts", script, "--kinds", *ALL_KINDS[every::3])
    assert re.search(r"scenarios run +([3-9]|\d\d)\b", told), told
