"""`python -m tests.soak`: scenario after scenario until the time is over, then the figures; exit 1 when a rule was broken."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import shlex
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pygit2  # noqa: F401  # loaded before children are forked, like all commands

from git_waves.cli.app import program
from tests.soak import disks, invariants, kinds, mounts, power
from tests.soak.lab import Kind, Lab, Result
from tests.soak.scripts import SCRIPTS
from tests.soak.world import become_subreaper, place_for_worlds

KINDS = (*kinds.KINDS, *power.KINDS, *disks.KINDS)


def main() -> int:
    """Soak with the given seed and print what came of it."""
    asked = _arguments()
    program()
    begun = time.monotonic()
    readers = []
    turns = Turns(asked.turn)
    for number in range(asked.workers):
        reader, writer = os.pipe()
        if os.fork() == 0:
            os.close(reader)
            os._exit(_work(asked, turns, writer, is_first=number == 0))
        os.close(writer)
        readers.append(reader)
    runs: Counter[str] = Counter()
    met: Counter[str] = Counter()
    asked_for: Counter[str] = Counter()
    broken: Counter[str] = Counter()
    stories = Path(asked.stories)
    is_whole = True
    hoped_for: set[str] = set()
    for reader in readers:
        with os.fdopen(reader) as lines:
            told = [json.loads(line) for line in lines]
        hoped_for.update(told.pop(0) if told else ())
        if told[-1:] == ["over"]:
            told.pop()
        else:
            is_whole = False
        for one in told:
            runs[one["kind"]] += 1
            met[one["kind"]] += one["met"]
            asked_for[one["kind"]] += one["asked"]
            broken.update(kind for kind, _ in one["broken"])
    for _ in readers:
        os.wait()
    print(f"seed {asked.seed}, {asked.workers} at a time, {time.monotonic() - begun:.0f} s")
    for kind in sorted(runs):
        words = f"{kind:16}{runs[kind]:6} scenarios, {met[kind]:6} hurt on their way"
        print(words + (f", {asked_for[kind]} more commands by a person" if asked_for[kind] else ""))
    for kind in sorted(hoped_for - {*runs}) if _is_timed(asked) else ():
        print(f"{kind:16}     0 scenarios, the time was over before its turn")
    print(f"{'scenarios run':40}{sum(runs.values()):6}")
    for kind in invariants.KINDS:
        print(f"{kind:40}{broken[kind]:6}")
    if not is_whole:
        print("a worker did not get to its end")
    if sum(broken.values()):
        print(f"the stories of what was broken lie in '{stories}'")
    return 0 if is_whole and runs and not sum(broken.values()) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="how long to go on")
    parser.add_argument(
        "--scenarios", type=int, default=0, help="how many for each worker, instead of a time"
    )
    parser.add_argument("--rounds", type=int, default=0, help="every kind so many times, instead of a time")
    parser.add_argument(
        "--seed", type=int, default=int(time.time()) % 100_000, help="told, so that it can be had again"
    )
    parser.add_argument("--turn", type=int, help="only this one of the seed's, as a story names it")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--kinds", nargs="*", choices=sorted(KINDS), default=sorted(KINDS))
    parser.add_argument("--scripts", default="", help="only scripts with this in their name")
    parser.add_argument("--every", type=int, default=1, help="of 'every event', only one in so many")
    parser.add_argument("--stories", default=str(Path(tempfile.gettempdir()) / "git-waves-soak"))
    return parser.parse_args()


def _is_timed(asked: argparse.Namespace) -> bool:
    return not (asked.rounds or asked.scenarios or asked.turn is not None)


class Turns:
    """The workers' common queue, or one turn alone. A turn is a number from 0; what happens in it is up to the seed and the
    number, whichever worker has it. To be made before the workers are forked."""

    def __init__(self, only: int | None) -> None:
        self._only = only
        self._next = multiprocessing.get_context("fork").Value("q", only or 0)

    def __iter__(self) -> Iterator[int]:
        while True:
            with self._next.get_lock():
                turn = self._next.value
                self._next.value += 1
            if self._only not in (None, turn):
                return
            yield turn


def kind_of_turn(seed: int, turn: int, names: Sequence[str]) -> str:
    """Every kind has its turn before any has another, in an order by the seed that is new each time."""
    number, place = divmod(turn, len(names))
    return random.Random(f"{seed} {number}").sample(names, k=len(names))[place]


def _work(asked: argparse.Namespace, turns: Turns, writer: int, *, is_first: bool) -> int:
    become_subreaper()
    scripts = tuple(script for script in SCRIPTS if asked.scripts in script.name)
    lab = Lab(Path(tempfile.mkdtemp(prefix="soak-", dir=place_for_worlds())), scripts, every=asked.every)
    possible = {name: kind for name, kind in _possible(lab).items() if name in asked.kinds}
    names = sorted(possible)
    for name in sorted({*asked.kinds} - {*names}):
        if is_first:
            print(f"left out, this machine does not let us: {name}", flush=True)
    if not names:
        return 1
    with os.fdopen(writer, "w") as results:
        try:
            results.write(json.dumps(names) + "\n")
            for turn, result in _results(asked, lab, turns, possible):
                _tell(result, results.write, Path(asked.stories), _again(asked, turn))
            results.write('"over"\n')
        except BaseException:
            traceback.print_exc()
            print((lab.place / "output").read_text(errors="replace")[-5000:], file=sys.stderr)
            return 1
        finally:
            lab.close()
    return 0


def _possible(lab: Lab) -> dict[str, Kind]:
    """The kinds that can be had on this machine; goes into a mount namespace of our own where that is allowed."""
    found = {**kinds.KINDS, **power.possible_kinds()}
    if mounts.leave_the_mounts_of_others():
        found.update(disks.possible_kinds(lab.folder))
    return found


def _results(
    asked: argparse.Namespace, lab: Lab, turns: Turns, possible: dict[str, Kind]
) -> Iterator[tuple[int, Result]]:
    """What came of scenario after scenario, with its turn, until there were as many as was asked for or the time is over."""
    give_up = time.monotonic() + asked.minutes * 60
    names = sorted(possible)
    number = 0
    for turn in turns:
        if asked.rounds and turn >= asked.rounds * len(names):
            return
        lab.dice.seed(f"{asked.seed} turn {turn}")
        for result in possible[kind_of_turn(asked.seed, turn, names)](lab):
            yield turn, result
            number += 1
            if _is_timed(asked) and time.monotonic() > give_up:
                return
        if asked.scenarios and number >= asked.scenarios:
            return


def _again(asked: argparse.Namespace, turn: int) -> str:
    """What to add to `python -m tests.soak` to have that turn again."""
    words = ["--seed", str(asked.seed), "--turn", str(turn)]
    if asked.scripts:
        words += ["--scripts", asked.scripts]
    if asked.every != 1:
        words += ["--every", str(asked.every)]
    if sorted(asked.kinds) != sorted(KINDS):
        words += ["--kinds", *asked.kinds]
    return shlex.join(words)


def _tell(result: Result, write: object, stories: Path, again: str) -> None:
    account = result.account
    line = json.dumps(
        {"kind": result.kind, "met": account.met > 0, "asked": account.asked, "broken": account.broken}
    )
    write(line + "\n")  # type: ignore[operator]
    if account.broken:
        stories.mkdir(parents=True, exist_ok=True)
        descriptor, path = tempfile.mkstemp(
            prefix=f"{result.kind.replace(' ', '-')}-", suffix=".txt", dir=stories
        )
        broken = "".join(f"{kind}: {words}\n" for kind, words in account.broken)
        with os.fdopen(descriptor, "w") as story:
            story.write(f"{result.kind}: {result.label} ({again})\n{broken}\n{account.story}")
        print(f"broken: {result.kind}: {result.label}: {account.broken} ('{path}', {again})", flush=True)


if __name__ == "__main__":
    sys.exit(main())
