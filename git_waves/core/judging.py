"""What the runs of a gate on one tree mean: green, red, flaky, tolerated; and what a tree that was made wrong proves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from git_waves.core.gatewords import FlakyPolicy, Verdict

_MOST_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRun:
    """One run of a gate's command. `reason` says why it is red, and is empty when it is green.

    `is_telling` is false for a red that says nothing about the tree: it hung, was killed, or could not be executed.
    `failures` are the names that its output gives to what failed, None when they could not be read. `seconds` and `log` are
    for people.
    """

    code: int | None
    reason: str = ""
    is_telling: bool = True
    failures: tuple[str, ...] | None = ()
    seconds: float = 0.0
    log: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """How a gate whose failures are tolerated was red before the run: its exit code and the names it gave."""

    code: int | None
    failures: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What one or several runs on one tree mean. `run` is the one to look at; `reason` may also say why it passed
    although it was red; `greens` counts the runs that were green or tolerated."""

    run: GateRun
    passed: bool
    reason: str
    runs: int
    greens: int
    tolerated: tuple[str, ...] = ()


def is_accepted(run: GateRun, known: Known | None) -> bool:
    """Whether a run is green, or red with nothing but failures that are known."""
    return not run.reason or (known is not None and not _objection(run, known))


def judge(runs: Sequence[GateRun], *, flaky: FlakyPolicy, known: Known | None) -> Judged:
    """What `runs` of one gate on one tree mean; at least one. `known` is None unless its failures are tolerated."""
    accepted = [run for run in runs if is_accepted(run, known)]
    refused = [run for run in runs if not is_accepted(run, known)]
    if not refused:
        last = accepted[-1]
        tolerated = tuple(last.failures or ()) if last.reason else ()
        words = f"tolerated: {_count(len(tolerated), 'known failure')}" if tolerated else ""
        return Judged(
            run=last, passed=True, reason=words, runs=len(runs), greens=len(accepted), tolerated=tolerated
        )
    run = refused[-1]
    why = run.reason
    if known is not None:
        why = f"{why}; not tolerated: {_objection(run, known)}"
    if not accepted:
        again = f", in each of {len(runs)} runs" if len(runs) > 1 else ""
        return Judged(run=run, passed=False, reason=why + again, runs=len(runs), greens=0)
    words = f"flaky: {len(accepted)} of {len(runs)} runs passed; {why}"
    passed = flaky is FlakyPolicy.ACCEPT
    return Judged(run=run, passed=passed, reason=words, runs=len(runs), greens=len(accepted))


def _objection(run: GateRun, known: Known) -> str:
    """Why a red run is not tolerated; empty when it is."""
    if not run.is_telling:
        return "it did not come to its end"
    if run.failures is None:
        return "its failures could not be read"
    if not run.failures:
        return "its output names no failure"
    new = [name for name in run.failures if name not in known.failures]
    if new:
        return f"new: {_names(new)}"
    if run.code != known.code:
        return f"before the run it ended with exit code {known.code}"
    return ""


def proof(runs: Sequence[GateRun], *, known: Known | None) -> tuple[Verdict, str]:
    """What runs on a tree that was made wrong say about the gate, and in words; `known` as for `judge`.

    Red is a proof when it is red every time and by itself: a gate that hangs or cannot be executed has not looked.
    """
    first = runs[0]
    if is_accepted(first, known):
        words = "it shows only failures that were known" if first.reason else "it stays green"
        return Verdict.BLIND, words
    for run in runs:
        if is_accepted(run, known):
            passed = sum(is_accepted(one, known) for one in runs)
            return Verdict.UNMEASURED, f"it is flaky: {passed} of {len(runs)} runs passed"
        if not run.is_telling:
            return Verdict.UNMEASURED, f"{run.reason}, which proves nothing"
    return Verdict.PROVED, f"it is red: {runs[-1].reason}"


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:_MOST_NAMED])
    more = len(names) - _MOST_NAMED
    return f"{shown} and {more} more" if more > 0 else shown


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"
