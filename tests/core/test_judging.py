"""What runs of a gate mean: green, red, flaky, tolerated, proved, blind, or nothing."""

from __future__ import annotations

import pytest

from git_waves.core.gatewords import FlakyPolicy, Verdict
from git_waves.core.judging import GateRun, Known, judge, proof

GREEN = GateRun(code=0)
RED = GateRun(code=1, reason="it ended with exit code 1")
HUNG = GateRun(code=None, reason="it ran over its time limit of 5 s", is_telling=False)
KNOWN = Known(code=1, failures=frozenset({"a", "b"}))
HALT, ACCEPT = FlakyPolicy


def failing(*names: str, code: int = 1) -> GateRun:
    return GateRun(code=code, reason=f"it ended with exit code {code}", failures=names)


def judged(*runs: GateRun, flaky: FlakyPolicy = HALT, known: Known | None = None) -> str:
    """In one line: passed or not, greens of runs, what was tolerated, and the words."""
    found = judge(runs, flaky=flaky, known=known)
    tolerated = f" tolerating {'+'.join(found.tolerated)}" if found.tolerated else ""
    return f"{'green' if found.passed else 'red'} {found.greens}/{found.runs}{tolerated}: {found.reason}"


@pytest.mark.parametrize(
    ("runs", "told"),
    [
        ((GREEN,), "green 1/1: "),
        ((RED,), "red 0/1: it ended with exit code 1"),
        ((RED, RED, RED), "red 0/3: it ended with exit code 1, in each of 3 runs"),
        ((RED, GREEN, GREEN), "red 2/3: flaky: 2 of 3 runs passed; it ended with exit code 1"),
        ((HUNG,), "red 0/1: it ran over its time limit of 5 s"),
    ],
)
def test_red_and_flaky_are_red(runs: tuple[GateRun, ...], told: str) -> None:
    assert judged(*runs) == told


def test_flaky_is_green_only_where_the_plan_accepts_it_and_says_so() -> None:
    assert (
        judged(RED, GREEN, flaky=ACCEPT) == "green 1/2: flaky: 1 of 2 runs passed; it ended with exit code 1"
    )
    assert judged(RED, RED, flaky=ACCEPT) == "red 0/2: it ended with exit code 1, in each of 2 runs"


@pytest.mark.parametrize(
    ("run", "told"),
    [
        (failing("a"), "green 1/1 tolerating a: tolerated: 1 known failure"),
        (failing("b", "a"), "green 1/1 tolerating b+a: tolerated: 2 known failures"),
        (GREEN, "green 1/1: "),
        (failing("a", "c"), "red 0/1: it ended with exit code 1; not tolerated: new: 'c'"),
        (
            failing("c", "d", "e", "f", "g"),
            "red 0/1: it ended with exit code 1; not tolerated: new: 'c', 'd', 'e' and 2 more",
        ),
        (RED, "red 0/1: it ended with exit code 1; not tolerated: its output names no failure"),
        (
            failing("a", code=2),
            "red 0/1: it ended with exit code 2; not tolerated: before the run it ended with exit code 1",
        ),
        (
            GateRun(code=1, reason="it ended with exit code 1", failures=None),
            "red 0/1: it ended with exit code 1; not tolerated: its failures could not be read",
        ),
        (
            GateRun(code=None, reason="it hung", is_telling=False, failures=("a",)),
            "red 0/1: it hung; not tolerated: it did not come to its end",
        ),
    ],
)
def test_only_failures_that_were_there_before_the_run_are_tolerated(run: GateRun, told: str) -> None:
    assert judged(run, known=KNOWN) == told


def test_a_new_failure_that_goes_away_is_flaky() -> None:
    assert judged(failing("a", "c"), failing("a"), known=KNOWN).startswith(
        "red 1/2: flaky: 1 of 2 runs passed"
    )


@pytest.mark.parametrize(
    ("runs", "verdict", "words"),
    [
        ((RED,), Verdict.PROVED, "it is red: it ended with exit code 1"),
        ((GREEN,), Verdict.BLIND, "it stays green"),
        ((HUNG,), Verdict.UNMEASURED, "it ran over its time limit of 5 s, which proves nothing"),
        ((RED, GREEN), Verdict.UNMEASURED, "it is flaky: 1 of 2 runs passed"),
        ((RED, HUNG), Verdict.UNMEASURED, "it ran over its time limit of 5 s, which proves nothing"),
        ((RED, RED), Verdict.PROVED, "it is red: it ended with exit code 1"),
    ],
)
def test_red_by_itself_and_every_time_is_a_proof(
    runs: tuple[GateRun, ...], verdict: Verdict, words: str
) -> None:
    assert proof(runs, known=None) == (verdict, words)


def test_a_gate_whose_failures_are_tolerated_is_blind_when_it_shows_no_other() -> None:
    assert proof([failing("a")], known=KNOWN) == (Verdict.BLIND, "it shows only failures that were known")
    assert proof([failing("a", "c")], known=KNOWN)[0] is Verdict.PROVED
