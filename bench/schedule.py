"""How close the groups come to the fewest there can be, and how long that takes (G9)."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass

from bench.bound import fewest_groups
from bench.family import Family, Options
from bench.figures import Figure, milliseconds, times
from bench.generate import SEED, Generator, Item, as_plan, dense, features, zipf
from git_waves.core.ownership import build_manifest
from git_waves.core.schedule import build_schedule

SEEDS = 8
SIZES = (20, 50, 100, 200, 1000)
PROVABLE = 200
"""Up to here a plan counts as optimal when it reaches the bound; reality may be better, the bound is not always tight."""

KINDS: dict[str, Generator] = {
    "features, 30 % touch a registry": features(0.30),
    "features, 8 % touch a registry": features(0.08),
    "random, few wanted files": zipf,
    "random, dense": dense,
}


@dataclass(frozen=True, slots=True)
class Judged:
    """One instance: how many groups we make, the bound, and the seconds of processor time it took."""

    count: int
    groups: int
    bound: int
    seconds: float

    @property
    def ratio(self) -> float:
        """Groups against the bound."""
        return self.groups / self.bound


def judge(items: Sequence[Item]) -> Judged:
    """Schedule one instance; the manifest is built before the clock starts, its overlaps are found behind it."""
    plan = as_plan(items)
    manifest = build_manifest(plan)
    began = time.process_time()
    schedule = build_schedule(plan, manifest=manifest)
    seconds = time.process_time() - began
    return Judged(len(items), len(schedule.groups), fewest_groups(items), seconds)


def measure(options: Options) -> list[Figure]:
    """All figures of this family; always the same instances, so only the durations differ between two runs."""
    del options
    figures: list[Figure] = []
    everything: list[Judged] = []
    for kind, generate in KINDS.items():
        for count in SIZES:
            judged = [judge(generate(count, SEED + seed)) for seed in range(SEEDS)]
            everything += judged
            if count >= PROVABLE:
                figures.append(_groups(f"{kind}, {count:,} tasks", judged))
    proved = [one for one in everything if one.count <= PROVABLE]
    optimal = sum(one.groups == one.bound for one in proved)
    slowest = max(
        statistics.median(one.seconds for one in everything[start : start + SEEDS])
        for start in range(0, len(everything), SEEDS)
        if everything[start].count == max(SIZES)
    )
    return [
        *figures,
        _groups("all instances", everything, limit=1.02),
        Figure(
            aim="G9",
            what=f"at the bound, up to {PROVABLE} tasks",
            ours=f"{optimal} of {len(proved)}",
            ratio=f"{optimal / len(proved):.1%}",
            wanted=">= 95 %",
            is_met=optimal / len(proved) >= 0.95,
        ),
        Figure(
            aim="G9",
            what=f"processor time at {max(SIZES):,} tasks, slowest kind",
            ours=milliseconds(slowest * 1000),
            wanted="<= 25 ms",
            is_met=slowest <= 0.025,
        ),
    ]


def _groups(what: str, judged: Sequence[Judged], limit: float | None = None) -> Figure:
    ratios = [one.ratio for one in judged]
    mean = math.exp(statistics.fmean(math.log(ratio) for ratio in ratios))
    return Figure(
        aim="" if limit is None else "G9",
        what=what,
        ours=f"{statistics.fmean(one.groups for one in judged):.1f} groups",
        against=f"lower bound: {statistics.fmean(one.bound for one in judged):.1f}",
        ratio=f"{mean:.3f}x",
        spread=f"{times(min(ratios))} to {times(max(ratios))} in {len(ratios)}",
        wanted="" if limit is None else f"<= {times(limit)}",
        is_met=None if limit is None else mean <= limit,
    )


FAMILY = Family(name="schedule", aims="G9", title="groups against the fewest there can be", measure=measure)
