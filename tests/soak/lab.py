"""The templates and measures that scenarios share: each script's world before its first step, and where it ends undisturbed."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.soak import scenario
from tests.soak.scenario import Account, End, Hurt
from tests.soak.scripts import SCRIPTS, Script
from tests.soak.strike import Deed
from tests.soak.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A script's world before its first step, its end when nothing happens, and how many steps each command takes."""

    script: Script
    template: World
    end: End
    steps: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One scenario: its kind, what was done in words, and what came of it."""

    kind: str
    label: str
    account: Account


class Lab:
    """One worker's folder, dice (to be seeded) and measures. `every` says how many of a script's events are tried: one in so
    many."""

    def __init__(self, folder: Path, scripts: tuple[Script, ...] = SCRIPTS, *, every: int = 1) -> None:
        self.folder = folder
        self.every = every
        self.dice = random.Random()
        self.scripts = scripts
        self._measures: dict[str, Measure] = {}

    @property
    def place(self) -> Path:
        """Where scenarios happen, one after the other: worktrees know their absolute place."""
        return self.folder / "w"

    def measure(self, script: Script) -> Measure:
        """The script's measure, taken when it is first asked for. AssertionError when the undisturbed run breaks a rule."""
        if script.name not in self._measures:
            template = World(self.folder / script.name.replace(" ", "-"))
            script.make(template)
            end, account = scenario.undisturbed(scenario.fresh(self.place, template), script)
            assert not account.broken, (script.name, account.broken)
            self._measures[script.name] = Measure(
                script=script, template=template, end=end, steps=tuple(account.steps)
            )
        return self._measures[script.name]

    def any_measure(self, *, without: str = " ") -> Measure:
        """The measure of a script, by the dice; of none whose name has that word in it."""
        named = [script for script in self.scripts if without == " " or without not in script.name]
        return self.measure(self.dice.choice(named or self.scripts))

    def moment(self, measure: Measure) -> tuple[int, int]:
        """A step of a command, all steps of the script being alike: the command's number, the step's (from 1)."""
        number = self.dice.randrange(sum(measure.steps))
        for at, steps in enumerate(measure.steps):
            if number < steps:
                return at, number + 1
            number -= steps
        raise AssertionError("the dice stay below the sum")

    def suffer(self, kind: str, measure: Measure, *hurts: Hurt, words: str) -> Result:
        """Let these things happen to the script, and judge."""
        world = scenario.fresh(self.place, measure.template)
        label = f"{measure.script.name}: {words} at " + ", ".join(
            f"{hurt.at}/{hurt.number}" for hurt in hurts
        )
        return Result(
            kind=kind, label=label, account=scenario.suffer(world, measure.script, hurts, measure.end)
        )

    def hurt(
        self,
        measure: Measure,
        deed: Deed,
        *,
        beside: Callable[[World], None] | None = None,
        after: Callable[[World], None] | None = None,
        lasts: bool = False,
        is_users: bool = False,
    ) -> Hurt:
        """The deed at a moment by the dice."""
        at, number = self.moment(measure)
        return Hurt(
            at=at, number=number, deed=deed, beside=beside, after=after, lasts=lasts, is_users=is_users
        )

    def close(self) -> None:
        """Give back the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)


Kind = Callable[[Lab], Iterator[Result]]
"""Some scenarios of one kind, by the lab's dice."""
