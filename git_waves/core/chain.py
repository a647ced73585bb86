"""The candidate as the row of merges that it is: what each was cut from, what is proven, what is left without one of them.

A part of `fold`, and as cheap to import: nothing is imported here.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable


class Merge:
    """The tip of one attempt, which was cut from the commit `base`, merged as `commit` with `tree`."""

    __slots__ = ("base", "commit", "task", "tip", "tree")

    def __init__(self, task: str, *, base: str, tip: str, commit: str, tree: str) -> None:
        self.task = task
        self.base = base
        self.tip = tip
        self.commit = commit
        self.tree = tree


class Rest:
    """The candidate without some of its merges: it goes back to `commit` with `tree`; the tasks `again` are merged once more;
    those of `restart` hold work of what is left out, and start over."""

    __slots__ = ("again", "commit", "restart", "tree")

    def __init__(self, commit: str, tree: str, again: list[str], restart: list[str]) -> None:
        self.commit = commit
        self.tree = tree
        self.again = again
        self.restart = restart


class Chain:
    """The merges since `origin` (a commit and its tree), oldest first; the first `published` of them are proven.

    `left_behind` are candidates that were gone back from since the last merge: the candidate's ref may still be at one.
    """

    __slots__ = ("left_behind", "merges", "origin", "published")

    def __init__(self, commit: str = "", tree: str = "") -> None:
        self.origin = (commit, tree)
        self.merges: list[Merge] = []
        self.published = 0
        self.left_behind: list[str] = []

    def add(self, merge: Merge) -> None:
        """One merge more."""
        self.merges.append(merge)
        self.left_behind = []

    def publish(self) -> None:
        """All of it is proven."""
        self.published = len(self.merges)

    def cut(self, candidate: str, tasks: Collection[str]) -> None:
        """Go back from `candidate` to before the first merge of one of `tasks`."""
        self.left_behind.append(candidate)
        self.merges = self.merges[: self._first(tasks)]

    def states(self) -> list[tuple[str, str]]:
        """The candidate after each number of merges, from none on: commit and tree."""
        return [self.origin, *((merge.commit, merge.tree) for merge in self.merges)]

    def start_of(self, base: str, before: int) -> int:
        """After how many merges the candidate was what an attempt was cut from: the last place that is `base`, among those
        before the merge of that number. 0 also when it was cut from something older."""
        states = self.states()
        return next((place for place in range(before - 1, 0, -1) if states[place][0] == base), 0)

    def starts(self) -> tuple[int, ...]:
        """`start_of` each merge."""
        return tuple(self.start_of(merge.base, number) for number, merge in enumerate(self.merges, start=1))

    def unproven(self) -> list[str]:
        """Tasks that are merged and not published, in the order of their merges."""
        return [merge.task for merge in self.merges[self.published :]]

    def holds(self, base: str, task: str) -> bool:
        """Whether what was cut from the commit `base` holds the unproven merge of `task`."""
        number = self._first((task,)) + 1
        return self.start_of(base, len(self.merges) + 1) >= number

    def without(self, task: str, unmerged: Iterable[tuple[str, str]] = ()) -> Rest:
        """What is left when an unproven task is taken out. `unmerged` are (task, base) of attempts that are not merged."""
        first = self._first((task,))
        commit, tree = self.states()[first]
        later = [(merge.task, merge.base) for merge in self.merges[first + 1 :]]
        restart = [name for name, base in (*later, *unmerged) if self.holds(base, task)]
        again = [name for name, _ in later if name not in restart]
        return Rest(commit, tree, again, restart)

    def _first(self, tasks: Collection[str]) -> int:
        places = range(self.published, len(self.merges))
        return next((place for place in places if self.merges[place].task in tasks), len(self.merges))
