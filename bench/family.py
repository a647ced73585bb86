"""What a family of figures is, and what it is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.figures import Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """`folder` is a temporary folder of the family's own; `rounds` how often every case is measured; `is_full` asks
    for the large sizes too, `has_peers` for comparisons with programs that may not be installed."""

    folder: Path
    rounds: int
    is_full: bool = False
    has_peers: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Figures that are measured together: `name` is what one types, `aims` the aims of docs/performance.md.

    One that makes and deletes thousands of files is measured in memory where that is possible (`in_memory`): a disk that
    is still busy with what was deleted before makes the same work take twenty times as long (performance.md).
    """

    name: str
    aims: str
    title: str
    measure: Callable[[Options], list[Figure]]
    in_memory: bool = False
