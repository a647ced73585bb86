"""Who broke a gate: the search over trees of a serial merge, as questions and a verdict. What a tree is made of is numbers.

The candidate is a row of merges, numbered from 1; its first `published` ones are proven. Each merge brings in the tip of one
task, which was cut from the candidate after `start` merges. Between a green beginning and a red end there is a merge at which
green turns to red: its task is the suspect. Red on its own branch already, it did it alone; otherwise it broke together with
something that was merged since it was cut, which its agent could not see.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

MOST_PAIRS = 24
"""How many partners of a suspect are tried one by one, when the search by halves did not find one."""


@dataclass(frozen=True, slots=True)
class Mix:
    """A tree to try: the candidate after `upto` merges, and the tips of the merges `also` on top, in that order."""

    upto: int
    also: tuple[int, ...] = ()


class Why(StrEnum):
    """How a search ended."""

    ALONE = "alone"  # the suspect's own branch is red
    PAIR = "pair"  # the suspect and one other, and neither without the other
    NOBODY = "nobody"  # a suspect, and no single task and no pair that breaks it
    BEFORE = "before"  # red before the first merge in question
    UNCLEAR = "unclear"  # a tree that the search needs gave no clear answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """`tasks` are the numbers of the merges that break the gate: one, a pair, or none. `suspect` is the merge at which green
    turns to red, None when there is no such place. `untried` is how many pairs were left out."""

    why: Why
    tasks: tuple[int, ...] = ()
    suspect: int | None = None
    untried: int = 0


Ask = Callable[[Mix], bool | None]
"""Whether the gate is green on a tree; None when that cannot be said. What it raises passes through the search."""


def most_tries(merges: int) -> int:
    """How many trees a search among so many merges asks about, at most."""
    return 2 * max(merges - 1, 0).bit_length() + min(merges, MOST_PAIRS) + 2


def search(starts: tuple[int, ...], published: int, ask: Ask) -> Verdict:
    """Find who turned the gate red, when it is red after all merges. `starts` holds the start of each merge.

    Asks in an order that depends on the answers alone, so a search that is begun again asks the same again.
    """
    before = ask(Mix(published))
    if not before:
        return Verdict(why=Why.UNCLEAR if before is None else Why.BEFORE)
    suspect = _first_red(published, len(starts), lambda upto: ask(Mix(upto)))
    if suspect is None:
        return Verdict(why=Why.UNCLEAR)
    return _Partners(suspect=suspect, start=starts[suspect - 1], ask=ask).verdict()


def _first_red(green: int, red: int, ask: Callable[[int], bool | None]) -> int | None:
    """A place between `green` and `red` that is red and comes right after a green one; None when an answer is missing."""
    while red - green > 1:
        middle = (green + red) // 2
        answer = ask(middle)
        if answer is None:
            return None
        green, red = (middle, red) if answer else (green, middle)
    return red


@dataclass(slots=True, kw_only=True)
class _Partners:
    suspect: int
    start: int
    ask: Ask

    def verdict(self) -> Verdict:
        """Whether the suspect did it alone, or with whom."""
        alone = self.ask(Mix(self.start, (self.suspect,)))
        if alone is None:
            return Verdict(why=Why.UNCLEAR, suspect=self.suspect)
        if not alone:
            return Verdict(why=Why.ALONE, tasks=(self.suspect,), suspect=self.suspect)
        likely = _first_red(self.start, self.suspect - 1, lambda upto: self.ask(Mix(upto, (self.suspect,))))
        others = [number for number in range(self.start + 1, self.suspect) if number != likely]
        order = others if likely is None or likely <= self.start else [likely, *others]
        for partner in order[:MOST_PAIRS]:
            if self.ask(Mix(self.start, (partner, self.suspect))) is False:
                return Verdict(why=Why.PAIR, tasks=(partner, self.suspect), suspect=self.suspect)
        return Verdict(why=Why.NOBODY, suspect=self.suspect, untried=max(len(order) - MOST_PAIRS, 0))


def words(verdict: Verdict, names: Callable[[int], str], tried: int) -> str:
    """The verdict as one sentence without an end; `names` gives the task of a merge, `tried` is how many trees were tried."""
    trees = f" ({tried} other tree{'s' * (tried != 1)} tried)" if tried else ""
    suspect = f"'{names(verdict.suspect)}'" if verdict.suspect is not None else ""
    match verdict.why:
        case Why.ALONE:
            said = f"task {suspect} broke it: what came before is green, and its own branch is red"
        case Why.PAIR:
            first, second = (f"'{names(number)}'" for number in verdict.tasks)
            said = f"tasks {first} and {second} break it together: it is green with either of them, and red with both"
        case Why.NOBODY:
            left_out = f", as far as was tried ({verdict.untried} pairs were not)" if verdict.untried else ""
            said = (
                f"it is red since {suspect} was merged, but no single task and no pair breaks it{left_out}: "
                "it takes more of them, or the gate is flaky"
            )
        case Why.BEFORE:
            said = "it is red without any of these tasks, so none of them broke it"
        case Why.UNCLEAR:
            said = "who broke it cannot be said, for a tree that would tell gave no clear answer"
        case _:
            assert_never(verdict.why)
    return said + trees
