"""`python -m bench [FAMILY ...]`: prints speed as ratios, with their aims and the absolute figures beside."""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from bench import durable, engine, hooks, jobs, plan, schedule, status
from bench.family import Family, Options
from bench.figures import Figure, show
from bench.scene import git, seal_environment
from bench.timing import FEWEST_ROUNDS

FAMILIES: tuple[Family, ...] = (
    status.FAMILY,
    hooks.FAMILY,
    plan.FAMILY,
    schedule.FAMILY,
    engine.FAMILY,
    durable.FAMILY,
    jobs.FAMILY,
)
"""In the order in which they run."""
MEMORY = Path("/dev/shm")
ROOM = 2 << 30
"""Bytes that must be free in memory before repositories are made there."""


def main(words: Sequence[str] | None = None) -> int:
    """Measure the families that are named, or all; the exit code says nothing about speed."""
    parser = _parser()
    asked = parser.parse_args(words)
    unknown = [name for name in asked.family if name not in {family.name for family in FAMILIES}]
    if unknown:
        parser.error(f"there is no family '{unknown[0]}'; --list shows them")
    if asked.list:
        for family in FAMILIES:
            print(f"{family.name:<10}{family.aims:<14}{family.title}")
        return 0
    chosen = [family for family in FAMILIES if not asked.family or family.name in asked.family]
    began = time.monotonic()
    try:
        figures = _measure(chosen, asked)
    except KeyboardInterrupt:
        return 130
    print(summary(figures, time.monotonic() - began))
    print(f"load average after: {_load()}")
    return 0


def _measure(families: Sequence[Family], asked: argparse.Namespace) -> list[Figure]:
    """Measure and show one family after the other, in temporary folders."""
    figures: list[Figure] = []
    with _temporary(asked.folder) as scratch, _temporary(asked.folder or memory()) as quick:
        seal_environment(scratch)
        print(surroundings(scratch), flush=True)
        for family in families:
            folder = (quick if family.in_memory else scratch) / family.name
            folder.mkdir()
            options = Options(folder=folder, rounds=asked.rounds, is_full=asked.full, has_peers=asked.peers)
            found = family.measure(options)
            place = ", in memory" if folder.is_relative_to(MEMORY) else ""
            show(f"{family.name}: {family.title}{place}", found, markdown=asked.markdown)
            figures += found
    return figures


@contextmanager
def _temporary(parent: Path | None) -> Iterator[Path]:
    """A folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(
        prefix="git-waves-bench-", dir=parent, ignore_cleanup_errors=True
    ) as name:
        yield Path(name)


def memory() -> Path | None:
    """Linux' file system in memory, if it has room; None leaves the choice to the usual temporary folder."""
    try:
        is_roomy = shutil.disk_usage(MEMORY).free > ROOM
    except OSError:
        return None
    return MEMORY if is_roomy and os.access(MEMORY, os.W_OK) else None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    names = [family.name for family in FAMILIES]
    parser.add_argument(
        "family", nargs="*", metavar="FAMILY", help=f"which figures to measure: {', '.join(names)}; else all"
    )
    parser.add_argument("--list", action="store_true", help="say which families there are, measure nothing")
    parser.add_argument("--full", action="store_true", help="the large sizes too; takes a quarter of an hour")
    parser.add_argument(
        "--peers", action="store_true", help="also against pre-commit and lefthook, if installed"
    )
    parser.add_argument("--rounds", type=_rounds, default=FEWEST_ROUNDS, metavar="N", help="at least 7")
    parser.add_argument(
        "--folder", type=_folder, help="make everything below this folder, on a disk of your choice"
    )
    parser.add_argument("--markdown", action="store_true", help="print tables for a document")
    return parser


def _rounds(text: str) -> int:
    if not text.isdigit() or int(text) < FEWEST_ROUNDS:
        raise argparse.ArgumentTypeError(f"at least {FEWEST_ROUNDS} rounds make a median")
    return int(text)


def _folder(text: str) -> Path:
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder '{text}'")
    return Path(text).resolve()


def surroundings(folder: Path) -> str:
    """What must be known about the machine to believe the figures."""
    libraries = ", ".join(f"{name} {version(name)}" for name in ("typer", "pydantic", "PyYAML", "pygit2"))
    return (
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {os.cpu_count()} cores, {platform.system()} {platform.release()},"
        f" {git('version', cwd=folder)}, Python {platform.python_version()}, {libraries}\n"
        f"load average before: {_load()}"
        " (other work on the machine moves absolute figures; trust the ratios)\n"
    )


def _load() -> str:
    return " ".join(f"{load:.1f}" for load in os.getloadavg())


def summary(figures: Sequence[Figure], seconds: float) -> str:
    """How many aims are met, and which are not."""
    judged = [figure for figure in figures if figure.is_met is not None]
    missed = [
        f"{figure.aim} {figure.what}: {figure.ratio or figure.ours}, {figure.wanted}"
        + (f" of {figure.against.partition(':')[0]}" if figure.against else "")
        for figure in judged
        if not figure.is_met
    ]
    words = f"{len(judged) - len(missed)} of {len(judged)} aims met, in {seconds:.0f} s"
    return words + "".join(f"\n  not met: {name}" for name in missed)


if __name__ == "__main__":
    sys.exit(main())
