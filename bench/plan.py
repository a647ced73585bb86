"""What planning costs on generated plans: against floors, against what one would write first (G6, G7, G8).

Judged by processor time of fresh processes, imports outside of the clock: planning is one thread, and waits for nothing.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.family import Family, Options
from bench.figures import Figure, compared, times
from bench.generate import Item, as_beads, as_json, as_json_lines, as_yaml, project
from bench.scene import ROOT
from bench.timing import Case, Sample, interleave

SMALL, LARGE = 1_000, 10_000
ISSUES = 1_400
SLOW_ROUNDS = 1
"""Rounds of what takes ten seconds, unless the full run is asked for."""

_EVENTS = "libyaml events, nothing built"
_CSAFE = "CSafeLoader alone"
_NAIVE = "safe_load, pairwise overlaps"
_OURS = "parse, validate, manifest, groups"
_FINDINGS = "the same with findings"
_JSON = "json.loads"
_IMPORT = "import of an issue file"


@dataclass(frozen=True, slots=True)
class Child:
    """A case that runs in `plan_child`, which says how much it grew; `peaks` collects that, in bytes."""

    name: str
    work: str
    file: Path
    peaks: list[int]

    def case(self, rounds: int | None = None) -> Case:
        """The case for `interleave`."""
        return Case(name=self.name, run=self._run, rounds=rounds)

    def _run(self) -> Sample:
        argv = [sys.executable, "-m", "bench.plan_child", self.work, str(self.file)]
        done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{self.name}: {done.stderr}")
        told = json.loads(done.stdout)
        self.peaks.append(told["peak"])
        return Sample(told["wall"], told["cpu"])


def measure(options: Options) -> list[Figure]:
    """All figures of this family."""
    figures: list[Figure] = []
    cpu: dict[int, float] = {}
    for count in (SMALL, LARGE):
        yaml_figures, cpu[count] = _yaml(options, count)
        figures += yaml_figures + _json(options, count)
    figures += _many_paths(options) + _import(options)
    return [*figures, _growth(cpu)]


def _write(options: Options, count: int, suffix: str, form: Callable[[Sequence[Item]], str]) -> Path:
    file = options.folder / f"{count}{suffix}"
    file.write_text(form(project(count)))
    return file


def _yaml(options: Options, count: int) -> tuple[list[Figure], float]:
    file = _write(options, count, ".yaml", as_yaml)
    slow = None if count == SMALL or options.is_full else SLOW_ROUNDS
    ours = Child(_OURS, "ours", file, [])
    measured = interleave(
        [
            ours.case(),
            Child(_FINDINGS, "findings", file, []).case(),
            Child(_EVENTS, "events", file, []).case(),
            Child(_CSAFE, "c_safe_loader", file, []).case(rounds=slow and 3 * slow),
            Child(_NAIVE, "naive", file, []).case(rounds=slow),
        ],
        rounds=options.rounds,
        warm_up=False,
    )
    where = f", YAML, {count:,} tasks"

    def line(base: str, limit: float | None, name: str = _OURS) -> Figure:
        aim = "G6" if limit is not None else ""
        return compared(measured, name, base, aim=aim, limit=limit, clock="cpu", what=name + where)

    figures = [line(_EVENTS, 2.0), line(_CSAFE, 0.5), line(_NAIVE, 0.1), line(_EVENTS, None, _FINDINGS)]
    if count >= LARGE:  # a smaller plan hardly shows beside the interpreter
        figures.append(_memory(ours, where))
    return figures, measured.ms(_OURS, "cpu")


def _memory(child: Child, where: str) -> Figure:
    peak, size = statistics.median(child.peaks), child.file.stat().st_size
    return Figure(
        aim="G8",
        what=f"peak memory{where}",
        ours=f"{peak / 1e6:.0f} MB",
        against=f"the file: {size / 1e6:.1f} MB",
        ratio=times(peak / size),
        wanted="<= 12.0x",
        is_met=peak / size <= 12,
    )


def _json(options: Options, count: int) -> list[Figure]:
    figures = []
    for form, suffix, write, floor in (
        ("JSON", ".json", as_json, "json_loads"),
        ("JSON lines", ".jsonl", as_json_lines, "json_lines_loads"),
    ):
        file = _write(options, count, suffix, write)
        children = (Child(_OURS, "ours", file, []), Child(_JSON, floor, file, []))
        measured = interleave([child.case() for child in children], rounds=options.rounds, warm_up=False)
        what = f"{_OURS}, {form}, {count:,} tasks"
        figures.append(compared(measured, _OURS, _JSON, aim="G7", limit=6.0, clock="cpu", what=what))
    return figures


def _many_paths(options: Options) -> list[Figure]:
    """Ten paths a task: 10,000 tasks with 100,000 paths; three rounds, each takes ten seconds."""
    file = options.folder / "paths.yaml"
    file.write_text(as_yaml(project(LARGE, own=10)))
    ours = Child(_OURS, "ours", file, [])
    children = (ours, Child(_FINDINGS, "findings", file, []), Child(_EVENTS, "events", file, []))
    measured = interleave([child.case(rounds=3) for child in children], rounds=3, warm_up=False)
    where = f", YAML, {LARGE:,} tasks with {10 * LARGE:,} paths"
    figures = [
        compared(measured, name, _EVENTS, aim=aim, limit=limit, clock="cpu", what=name + where)
        for name, aim, limit in ((_OURS, "G6", 2.0), (_FINDINGS, "", None))
    ]
    return [*figures, _memory(ours, where)]


def _import(options: Options) -> list[Figure]:
    """An issue tracker's file becomes a plan of ours: read, judged, written, beside reading its lines as JSON."""
    file = _write(options, ISSUES, ".beads", as_beads)
    ours, floor = Child(_IMPORT, "imported", file, []), Child(_JSON, "json_lines_loads", file, [])
    measured = interleave([ours.case(), floor.case()], rounds=options.rounds, warm_up=False)
    what = f"{_IMPORT}, {ISSUES:,} issues"
    figure = compared(measured, _IMPORT, _JSON, clock="cpu", what=what)
    return [figure]  # it grows by less than the interpreter has at hand already, so no memory to tell


def _growth(cpu: dict[int, float]) -> Figure:
    """Ten times the tasks, which is as many as a plan may have."""
    growth = cpu[LARGE] / cpu[SMALL]
    return Figure(
        aim="G8",
        what=f"{_OURS}, YAML, {LARGE:,} tasks",
        ours=f"{cpu[LARGE] / 1000:.2f} s",
        against=f"{SMALL:,} tasks: {cpu[SMALL] / 1000:.3f} s",
        ratio=times(growth),
        wanted="<= 15.0x",
        is_met=growth <= 15,
    )


FAMILY = Family(
    name="plan", aims="G6, G7, G8", title="from the text of a plan to its groups", measure=measure
)
