"""What standing over a command costs: for each command, and for each MB that it prints (G14).

The commands are Python programs that say themselves how much processor time they took; the rest of what their tree took
is the supervisor's. A command started directly, its output going straight to a file, has a rest too: it is the base.
"""

from __future__ import annotations

import itertools
import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from bench.family import Family, Options
from bench.figures import Figure, compared, milliseconds
from bench.timing import Case, Sample, interleave, run_here
from git_waves.adapters import process

MEGABYTES = 48  # below the size from which a supervisor shortens a log
BLOCK = 64 * 1024

_OURS, _DIRECT = "supervised command", "started directly"
_LOUD, _LOUD_DIRECT = f"supervised command, {MEGABYTES} MB", f"started directly, {MEGABYTES} MB"

_COMMAND = f"""\
import os, sys, time
block = (b"x" * 79 + b"\\n") * {BLOCK // 80}
for _ in range(int(sys.argv[1]) * {1_000_000 // (BLOCK // 80 * 80)}):
    os.write(1, block)
with open(sys.argv[2], "w") as file:
    file.write(repr(time.process_time()))
"""


class Commands:
    """Runs the command in both ways; `rests` collects what each run cost besides the command itself, in seconds."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = itertools.count()
        self.rests: dict[str, list[float]] = {}

    def case(self, name: str, megabytes: int, start: Callable[[tuple[str, ...], Path], None]) -> Case:
        """One case; its output is removed after each sample."""
        self.rests[name] = []
        told = self._folder / "told"
        argv = (sys.executable, "-I", "-S", "-c", _COMMAND, str(megabytes), str(told))
        log = self._folder / "log"

        def run() -> Sample:
            sample = run_here(lambda: start(argv, log))
            self.rests[name].append(sample.cpu - float(told.read_text()))
            return sample

        return Case(name=name, run=run, after=lambda: log.unlink(missing_ok=True))

    def supervised(self, argv: tuple[str, ...], log: Path) -> None:
        """As the ladder runs an agent."""
        job = process.Job(self._folder / f"job{next(self._numbers)}")
        job.folder.mkdir()
        spec = process.JobSpec(
            argv=argv, cwd=self._folder, env=process.environment({}), log=log, watch=self._folder
        )
        process.start(job, spec)
        result = process.wait(job)
        if result.code != 0:
            raise RuntimeError(f"the job ended with {result}")

    def direct(self, argv: tuple[str, ...], log: Path) -> None:
        """As one would without any of it."""
        with log.open("ab") as file:
            subprocess.run(
                argv, stdin=subprocess.DEVNULL, stdout=file, stderr=file, env=os.environ, check=True
            )

    def rest(self, name: str) -> float:
        """The median of what a run cost besides the command itself, in milliseconds; the warm-up left out."""
        return statistics.median(self.rests[name][1:]) * 1000


def measure(options: Options) -> list[Figure]:
    """All figures of this family."""
    commands = Commands(options.folder)
    cases = [
        commands.case(_OURS, 0, commands.supervised),
        commands.case(_DIRECT, 0, commands.direct),
        commands.case(_LOUD, MEGABYTES, commands.supervised),
        commands.case(_LOUD_DIRECT, MEGABYTES, commands.direct),
    ]
    measured = interleave(cases, rounds=max(options.rounds, 11))
    for_job = commands.rest(_OURS) - commands.rest(_DIRECT)
    loud = commands.rest(_LOUD) - commands.rest(_LOUD_DIRECT)
    for_megabyte = (loud - for_job) / MEGABYTES
    return [
        compared(measured, _OURS, _DIRECT, what="a command that does nothing"),
        Figure(
            aim="G14",
            what="processor time of the supervisor for a command",
            ours=milliseconds(for_job),
            wanted="<= 1 ms",
            is_met=for_job <= 1,
        ),
        Figure(
            aim="G14",
            what="processor time of the supervisor for a MB of output",
            ours=f"{max(0.0, for_megabyte):.2f} ms",  # what is left below that is noise, and may be negative
            wanted="<= 0.2 ms",
            is_met=for_megabyte <= 0.2,
        ),
    ]


FAMILY = Family(name="jobs", aims="G14", title="standing over a command", measure=measure)
