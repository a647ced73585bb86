"""`python -m tests.soak`: scenario after scenario until the time is over, then the figures; exit 1 when a rule was broken."""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pygit2  # noqa: F401  # loaded before children are forked, like all commands

from git_waves.cli.app import program
from tests.soak import disks, invariants, kinds, mounts, power
from tests.soak.lab import Lab, Result
from tests.soak.scripts import SCRIPTS
from tests.soak.world import become_subreaper, place_for_worlds

KINDS = (*kinds.KINDS, *power.KINDS, *disks.KINDS)


def main() -> int:
    """Soak with the given seed and print what came of it."""
    asked = _arguments()
    program()
    begun = time.monotonic()
    readers = []
    for number in range(asked.workers):
        reader, writer = os.pipe()
        if os.fork() == 0:
            os.close(reader)
            os._exit(_work(asked, asked.seed * 1000 + number, writer))
        os.close(writer)
        readers.append(reader)
    runs: Counter[str] = Counter()
    met: Counter[str] = Counter()
    asked_for: Counter[str] = Counter()
    broken: Counter[str] = Counter()
    stories = Path(asked.stories)
    is_whole = True
    for reader in readers:
        with os.fdopen(reader) as lines:
            told = [json.loads(line) for line in lines]
        is_whole = is_whole and bool(told) and told.pop() == "over"
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
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--kinds", nargs="*", choices=sorted(KINDS), default=sorted(KINDS))
    parser.add_argument("--scripts", default="", help="only scripts with this in their name")
    parser.add_argument("--every", type=int, default=1, help="of 'every event', only one in so many")
    parser.add_argument("--stories", default=str(Path(tempfile.gettempdir()) / "git-waves-soak"))
    return parser.parse_args()


def _work(asked: argparse.Namespace, seed: int, writer: int) -> int:
    become_subreaper()
    scripts = tuple(script for script in SCRIPTS if asked.scripts in script.name)
    lab = Lab(
        Path(tempfile.mkdtemp(prefix="soak-", dir=place_for_worlds())), seed, scripts, every=asked.every
    )
    possible = {**kinds.KINDS, **power.possible_kinds()}
    if mounts.leave_the_mounts_of_others():
        possible.update(disks.possible_kinds(lab.folder))
    names = [name for name in asked.kinds if name in possible]
    for name in sorted({*asked.kinds} - {*names}):
        print(f"left out, this machine does not let us: {name}", flush=True)
    if not names:
        return 1
    give_up = time.monotonic() + asked.minutes * 60
    number = 0
    with os.fdopen(writer, "w") as results:
        try:
            for name in _chosen(asked, names, lab.dice):
                for result in possible[name](lab):
                    number += 1
                    _tell(result, results.write, Path(asked.stories) / f"{seed}-{number}.txt")
                is_over = number >= asked.scenarios if asked.scenarios else time.monotonic() > give_up
                if is_over and not asked.rounds:
                    break
            results.write('"over"\n')
        except BaseException:
            traceback.print_exc()
            print((lab.place / "output").read_text(errors="replace")[-5000:], file=sys.stderr)
            return 1
        finally:
            lab.close()
    return 0


def _chosen(asked: argparse.Namespace, names: list[str], dice: random.Random) -> Iterator[str]:
    """The kinds, one after the other: each as often as there are rounds, else by the dice and without end."""
    if asked.rounds:
        yield from names * asked.rounds
    else:
        while True:
            yield dice.choice(names)


def _tell(result: Result, write: object, story: Path) -> None:
    account = result.account
    line = json.dumps(
        {"kind": result.kind, "met": account.met > 0, "asked": account.asked, "broken": account.broken}
    )
    write(line + "\n")  # type: ignore[operator]
    if account.broken:
        story.parent.mkdir(parents=True, exist_ok=True)
        broken = "".join(f"{kind}: {words}\n" for kind, words in account.broken)
        story.write_text(f"{result.kind}: {result.label}\n{broken}\n{account.story}")
        print(f"broken: {result.kind}: {result.label}: {account.broken} ({story})", flush=True)


if __name__ == "__main__":
    sys.exit(main())
