"""Interleaved rounds and their ratios: the only way to compare two things on a machine that others use as well.

All cases of a family run one after the other, again and again, each round starting with another one. A ratio is taken
inside one round, where both sides met the same weather; what is quoted is the median of these ratios.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Clock = Literal["wall", "cpu"]
FEWEST_ROUNDS = 7
"""Medians of fewer say little."""
PATIENCE = 0.05
"""Seconds that a sample waits for others on the machine to pause."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement, in seconds. `cpu` is user and system time of the process and all it waited for."""

    wall: float
    cpu: float


def _nothing() -> None:
    return


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Something to measure. `before` and `after` run around every sample, outside of the clock. A case with `rounds`
    takes part in the first so many only, because it is slow and a ratio far from its aim needs no third digit."""

    name: str
    run: Callable[[], Sample]
    before: Callable[[], None] = _nothing
    after: Callable[[], None] = _nothing
    rounds: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """Ratios of single rounds: their median, the lowest and the highest, and how many there were."""

    median: float
    low: float
    high: float
    rounds: int


@dataclass(frozen=True, slots=True)
class Measured:
    """Every sample of every case; `samples[name][n]` is of round n."""

    samples: Mapping[str, Sequence[Sample]]

    def values(self, name: str, clock: Clock = "wall") -> list[float]:
        """The samples of one case in seconds."""
        return [sample.wall if clock == "wall" else sample.cpu for sample in self.samples[name]]

    def ms(self, name: str, clock: Clock = "wall") -> float:
        """The median of one case in milliseconds."""
        return statistics.median(self.values(name, clock)) * 1000

    def ratio(self, name: str, base: str, clock: Clock = "wall") -> Ratio:
        """How many times `base` the case takes, over the rounds in which both took part."""
        pairs = zip(self.values(name, clock), self.values(base, clock), strict=False)
        # A clock of few ticks may read 0 for a very short process; that round says nothing.
        ratios = [ours / theirs for ours, theirs in pairs if theirs > 0] or [float("nan")]
        return Ratio(median=statistics.median(ratios), low=min(ratios), high=max(ratios), rounds=len(ratios))


def interleave(cases: Sequence[Case], *, rounds: int, warm_up: bool = True) -> Measured:
    """Run every case once per round, each round starting with the next case; a warm-up round is thrown away."""
    samples: dict[str, list[Sample]] = {case.name: [] for case in cases}
    if warm_up:
        for case in cases:
            _once(case)
    for number in range(rounds):
        start = number % len(cases)
        for case in (*cases[start:], *cases[:start]):
            if case.rounds is None or number < case.rounds:
                samples[case.name].append(_once(case))
    return Measured(samples)


def _once(case: Case) -> Sample:
    case.before()
    _await_quiet()
    try:
        return case.run()
    finally:
        case.after()


def _await_quiet() -> None:
    """Wait a moment for one in which nobody else wants a processor (Linux; elsewhere at once)."""
    deadline = time.monotonic() + PATIENCE
    while _others_run() and time.monotonic() < deadline:
        time.sleep(0.002)


def _others_run() -> bool:
    try:
        runnable = Path("/proc/loadavg").read_text(encoding="ascii").split()[3].partition("/")[0]
    except OSError:
        return False
    return int(runnable) > 1  # we are one


def run_process(argv: Sequence[str | Path], *, cwd: Path, expect: int = 0) -> Sample:
    """Run a program to its end and measure it; RuntimeError, with what it complained of, when it ends otherwise."""
    with tempfile.TemporaryFile() as complaints:
        began = time.perf_counter()
        process = subprocess.Popen(
            argv, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=complaints
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        process.returncode = code = os.waitstatus_to_exitcode(status)
        if code != expect:
            complaints.seek(0)
            words = " ".join(map(str, argv))
            raise RuntimeError(f"{words}: exit code {code}, not {expect}: {complaints.read().decode()}")
    return Sample(wall, usage.ru_utime + usage.ru_stime)


def process_case(name: str, argv: Sequence[str | Path], cwd: Path) -> Case:
    """A program as a case."""
    return Case(name=name, run=lambda: run_process(argv, cwd=cwd))


def run_here(work: Callable[[], object]) -> Sample:
    """Measure a function of this process, with the processes it starts and waits for."""
    before, began = _cpu(), time.perf_counter()
    work()
    wall = time.perf_counter() - began
    return Sample(wall, _cpu() - before)


def _cpu() -> float:
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)
