"""How long every queue for a path or a resource is by itself, so that what cannot matter need not be tried."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from git_waves.core.contention import Problem
from git_waves.core.lowerbound import margins
from git_waves.core.model import HoldKind

Name = tuple[HoldKind, str]
"""A path or a resource, with which of the two it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Queues:
    """For each rank of a problem its longest chain of needs, and what queues there are, the longest first."""

    chains: tuple[int, ...]
    lengths: tuple[dict[Name, int], ...]

    @classmethod
    def of(cls, problem: Problem) -> Queues:
        """The queues of a problem whose needs hold whatever its tasks share.

        Folders and globs against what lies in them make no queue: those inside do not wait for one another.
        """
        chains, lengths = [], []
        for _, part in problem.parts():
            bare = Problem(before=part.before, ranks=part.ranks, contentions=())
            known = margins(bare)
            found: dict[Name, int] = {}
            for each in part.contentions:
                if each.at_once is not None:
                    name = each.kind, each.what
                    found[name] = max(found.get(name, 0), known.of(each))
            chains.append(known.longest)
            lengths.append(dict(sorted(found.items(), key=lambda item: (-item[1], item[0]))))
        return cls(chains=tuple(chains), lengths=tuple(lengths))

    def names(self) -> list[Name]:
        """Every queue, the longest of the whole plan first."""
        totals: dict[Name, int] = {}
        for found in self.lengths:
            for name, length in found.items():
                totals[name] = totals.get(name, 0) + length
        return sorted(totals, key=lambda name: (-totals[name], name))

    def floor(self, without: Collection[Name]) -> int:
        """No plan without these queues has fewer rounds than this."""
        return sum(
            max(chain, next((length for name, length in found.items() if name not in without), 0))
            for chain, found in zip(self.chains, self.lengths, strict=True)
        )

    def rest(self, without: Collection[Name]) -> Name | None:
        """What makes the plan as long as `floor` says; None when its needs do."""
        over = [
            (length - chain, name)
            for chain, found in zip(self.chains, self.lengths, strict=True)
            for name, length in found.items()
            if name not in without and length > chain
        ]
        return min(over, key=lambda one: (-one[0], one[1]))[1] if over else None

    def matter(self, names: Collection[Name]) -> tuple[Name, ...]:
        """Those of the names that are longer somewhere than all that would be left without them, the longest first."""
        kept = set()
        for chain, found in zip(self.chains, self.lengths, strict=True):
            left = max(chain, next((length for name, length in found.items() if name not in names), 0))
            kept |= {name for name in names if found.get(name, 0) > left}
        return tuple(name for name in self.names() if name in kept)
