"""Directed graphs of what comes before what: a topological order, a named cycle, edges added only while none appears.

Nothing here recurses: a plan may be one chain of 10,000 tasks.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

Node = TypeVar("Node", bound=str)


def find_cycle(ids: Iterable[Node], edges: Mapping[Node, Iterable[Node]]) -> tuple[Node, ...] | None:
    """A cycle as the ids on it, each needing the next and the last needing the first; None when there is none.

    `edges` maps a task to what it needs; whatever is not in `ids` is passed over. The answer starts with the id of the
    cycle that comes first in `ids`, and is the same on every call.
    """
    position = {node: number for number, node in enumerate(ids)}
    done: set[Node] = set()
    for start in position:
        if start in done:
            continue
        path = [start]
        on_path = {start}
        ahead = [iter(edges.get(start, ()))]
        while path:
            for following in ahead[-1]:
                if following in on_path:
                    cycle = path[path.index(following) :]
                    first = min(range(len(cycle)), key=lambda number: position[cycle[number]])
                    return (*cycle[first:], *cycle[:first])
                if following in position and following not in done:
                    path.append(following)
                    on_path.add(following)
                    ahead.append(iter(edges.get(following, ())))
                    break
            else:
                ahead.pop()
                finished = path.pop()
                on_path.remove(finished)
                done.add(finished)
    return None


def sort_topologically(
    before: Sequence[Iterable[int]], priority: Sequence[tuple[float, ...]] | None = None
) -> list[int]:
    """Nodes 0 to n-1 with `before[n]` ahead of n; among those that are ready, the smallest priority, then number, first.

    Raises ValueError when there is a cycle: readers of plans refuse those, so it would be our bug.
    """
    if priority is None and all(other < node for node, earlier in enumerate(before) for other in earlier):
        return list(range(len(before)))  # most plans name what a task needs before the task
    after: list[list[int]] = [[] for _ in before]
    waiting = [0] * len(before)
    for node, earlier in enumerate(before):
        for other in earlier:
            after[other].append(node)
            waiting[node] += 1
    ranked = priority or [()] * len(before)
    ready = [(ranked[node], node) for node, count in enumerate(waiting) if count == 0]
    heapq.heapify(ready)
    order = []
    while ready:
        node = heapq.heappop(ready)[1]
        order.append(node)
        for following in after[node]:
            waiting[following] -= 1
            if waiting[following] == 0:
                heapq.heappush(ready, (ranked[following], following))
    if len(order) < len(before):
        raise ValueError("the needs of the plan form a cycle")
    return order


class AcyclicGraph:
    """A graph that takes one edge after the other and refuses the one that would close a cycle.

    Keeps a topological order up to date and looks only at the part of it that a new edge disturbs (Pearce and Kelly,
    "A dynamic topological sort algorithm for directed acyclic graphs", JEA 11, 2006).
    """

    def __init__(self, before: Sequence[Iterable[int]]) -> None:
        self._before = [list(earlier) for earlier in before]
        self._after: list[list[int]] = [[] for _ in before]
        for node, earlier in enumerate(before):
            for other in earlier:
                self._after[other].append(node)
        self._position = [0] * len(before)
        for place, node in enumerate(sort_topologically(before)):
            self._position[node] = place

    def add(self, first: int, then: int) -> bool:
        """Put `first` before `then`; False, and nothing changes, when `then` is before `first` already."""
        low, high = self._position[then], self._position[first]
        if low <= high:
            later = self._reach(then, self._after, low, high)
            if first in later:
                return False
            earlier = self._reach(first, self._before, low, high)
            moved = [
                *sorted(earlier, key=self._position.__getitem__),
                *sorted(later, key=self._position.__getitem__),
            ]
            for place, node in zip(sorted(self._position[node] for node in moved), moved, strict=True):
                self._position[node] = place
        self._after[first].append(then)
        self._before[then].append(first)
        return True

    def _reach(self, start: int, edges: list[list[int]], low: int, high: int) -> set[int]:
        """What can be reached from `start` without leaving the places from `low` to `high`."""
        seen = {start}
        todo = [start]
        while todo:
            for other in edges[todo.pop()]:
                if other not in seen and low <= self._position[other] <= high:
                    seen.add(other)
                    todo.append(other)
        return seen
