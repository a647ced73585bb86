"""One measurement of planning in a process of its own: `python -m bench.plan_child WHAT FILE` prints JSON.

Everything is imported, and one small plan was read, before the clock starts; `peak` is by how many bytes the process has
grown at most since then.
"""

from __future__ import annotations

import gc
import json
import resource
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from bench.generate import as_beads, as_json, as_json_lines, as_yaml, project
from git_waves import agents
from git_waves.core.bounds import measure
from git_waves.core.coverage import measure as coverage
from git_waves.core.findings import find_all
from git_waves.core.ownership import build_manifest
from git_waves.core.schedule import build_schedule
from git_waves.formats import PlanText, read_plan, read_text
from git_waves.formats.collector import paused_collector
from git_waves.formats.native.expressible import expressible
from git_waves.formats.native.writer import write_plan

Work = Callable[[bytes], object]


def events(data: bytes) -> object:
    """The floor of whatever reads YAML through PyYAML: libyaml's events, and nothing made of them."""
    import yaml

    parser: Any = yaml.CBaseLoader(data)
    event, last = parser.get_event(), yaml.StreamEndEvent
    while type(event) is not last:
        event = parser.get_event()
    return None


def c_safe_loader(data: bytes) -> object:
    """What people take when they know that the default is slow."""
    import yaml

    return yaml.load(data, Loader=yaml.CSafeLoader)


def naive(data: bytes) -> object:
    """What one writes first: the default loader, levels by `graphlib`, every task compared with every other."""
    import graphlib
    from itertools import combinations

    import yaml

    tasks = yaml.safe_load(data)["tasks"]
    files = {task["id"]: frozenset(task["files"]) for task in tasks}
    overlaps = [(a, b) for a, b in combinations(files, 2) if files[a] & files[b]]
    sorter = graphlib.TopologicalSorter({task["id"]: task.get("needs", []) for task in tasks})
    sorter.prepare()
    levels = []
    while sorter.is_active():
        levels.append(sorter.get_ready())
        sorter.done(*levels[-1])
    return overlaps, levels


def ours(data: bytes) -> object:
    """Parse, validate, manifest, groups, and the manifest as the bytes that a run writes."""
    plan = read_plan(PlanText(name_hint="plan", source="plan", data=data), known_agents=agents.KNOWN)
    manifest = build_manifest(plan)
    schedule = build_schedule(plan, manifest=manifest)
    return schedule, json.dumps(manifest.to_json(), sort_keys=True).encode()


def findings(data: bytes) -> object:
    """All that `git waves plan` works out, everything that is wrong with the plan included."""
    plan = read_plan(PlanText(name_hint="plan", source="plan", data=data), known_agents=agents.KNOWN)
    manifest = build_manifest(plan)
    schedule = build_schedule(plan, manifest=manifest)
    return find_all(plan, manifest=manifest, schedule=schedule, look_up=lambda _: True), measure(schedule)


def imported(data: bytes) -> object:
    """What `git waves import` works out: read another tool's plan, measure what it says, write it as one of ours."""
    reading = read_text(
        PlanText(name_hint="issues.jsonl", source="issues", data=data), known_agents=agents.KNOWN
    )
    return coverage(reading), write_plan(expressible(reading.plan))


def json_loads(data: bytes) -> object:
    """The floor of whatever reads JSON with the standard library."""
    return json.loads(data)


def json_lines_loads(data: bytes) -> object:
    """The same for JSON lines."""
    return [json.loads(line) for line in data.splitlines()]


WORKS: dict[str, Work] = {
    work.__name__: work
    for work in (events, c_safe_loader, naive, ours, findings, imported, json_loads, json_lines_loads)
}
OURS = (ours, findings, imported)
SUFFIXES = {".yaml": as_yaml, ".json": as_json, ".jsonl": as_json_lines, ".beads": as_beads}


def main(name: str, file: Path) -> None:
    """Measure once and print it."""
    work, data = WORKS[name], file.read_bytes()
    work(SUFFIXES[file.suffix](project(20)).encode())
    gc.collect()
    before = _peak()
    with paused_collector() if work in OURS else nullcontext():  # as the commands do
        cpu, wall = time.process_time(), time.perf_counter()
        kept = work(data)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(json.dumps({"wall": wall, "cpu": cpu, "peak": _peak() - before, "kept": kept is not None}))


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
