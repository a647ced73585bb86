"""The kinds of scenarios. Each call makes a few of its kind; what happens and when is up to the lab's dice."""

from __future__ import annotations

import errno
import random
import shutil
import signal
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

from git_waves import starting
from git_waves.adapters import eventlog, locks, rundir
from tests.soak import invariants, scenario, strike
from tests.soak.hands import ACTS, COLLECTIONS
from tests.soak.invariants import OTHER_ENDS
from tests.soak.lab import Kind, Lab, Measure, Result
from tests.soak.scenario import Account, Hurt
from tests.soak.strike import Strike
from tests.soak.world import World

# ---------------------------------------------------------------------- kill -9


def killed(lab: Lab) -> Iterator[Result]:
    """`kill -9` of the coordinator alone; what it had started goes on."""
    measure = lab.any_measure()
    deed = lab.dice.choice((strike.die, strike.die_before, strike.die_behind_a_child))
    yield lab.suffer("killed", measure, lab.hurt(measure, deed), words=deed.__name__)


def killed_again(lab: Lab) -> Iterator[Result]:
    """`kill -9` of the coordinator, and of those who take up the same command, once or twice more."""
    measure = lab.any_measure()
    first = lab.hurt(measure, strike.die)
    more = [
        Hurt(at=first.at, number=1 + lab.dice.randrange(measure.steps[first.at]), deed=strike.die)
        for _ in range(lab.dice.choice((1, 1, 2)))
    ]
    yield lab.suffer("killed again", measure, first, *more, words="die")


def _kill_everything(world: World) -> None:
    world.kill_everything()


def machine_gone(lab: Lab) -> Iterator[Result]:
    """`kill -9` of everything at once: coordinator, supervisors, agents, every git at work."""
    measure = lab.any_measure()
    hurt = lab.hurt(measure, strike.die, after=_kill_everything)
    yield lab.suffer("machine gone", measure, hurt, words="everything dies")


def frozen(lab: Lab) -> Iterator[Result]:
    """One undisturbed run of which copies are taken, each in the middle of a step with everything at work: what the disk
    holds when all of it dies at once. Each copy is then taken up, and has the rest of the way to go only."""
    measure = lab.any_measure()
    commands = [at for at, steps in enumerate(measure.steps) if steps]
    at = lab.dice.choices(commands, weights=[measure.steps[one] for one in commands])[0]
    wanted = frozenset(lab.dice.sample(range(1, measure.steps[at] + 1), k=min(8, measure.steps[at])))
    yield from _frozen(lab, "frozen", measure, at, AtSteps(lab.place, wanted))


def every_event(lab: Lab) -> Iterator[Result]:
    """The same at every event of every command of a script (or as many as the lab wants): it is not written yet, or half of
    it is."""
    measure = lab.any_measure()
    for at, steps in enumerate(measure.steps):
        if steps:
            yield from _frozen(lab, "every event", measure, at, AtEvents(lab.place, lab.every))


class AtSteps(Strike):
    """Stops at several steps of one command."""

    def __init__(self, folder: Path, numbers: frozenset[int]) -> None:
        super().__init__(folder, 0, strike.pause)
        self._numbers = numbers

    def is_due(self, number: int) -> bool:
        return number in self._numbers


class AtEvents(Strike):
    """Stops before each event is written, or before every so manieth."""

    def __init__(self, folder: Path, every: int) -> None:
        super().__init__(folder, 0, strike.pause)
        self._every = every
        self._events = 0

    def is_due(self, _number: int) -> bool:
        self._events += self.file >= 0
        return self.file >= 0 and self._events % self._every == 0


def _frozen(lab: Lab, kind: str, measure: Measure, at: int, watch: Strike) -> Iterator[Result]:
    for number, world in _copies(lab, measure, at, watch):
        if number % 2:
            _tear(world)
        account = scenario.take_up(world, measure.script, at, measure.end)
        label = f"{measure.script.name}: everything dies at {at}/{number}"
        yield Result(kind=kind, label=label, account=account)


def _copies(lab: Lab, measure: Measure, at: int, watch: Strike) -> Iterator[tuple[int, World]]:
    """The world at each step of a command at which `watch` stops, one after the other at the lab's place."""
    copies: list[tuple[int, Path]] = []
    world = scenario.fresh(lab.place, measure.template)

    def copy(one: World) -> None:
        copies.append((watch.counted(), lab.folder / f"copy-{len(copies)}"))
        with one.stopped():
            shutil.copytree(one.folder, copies[-1][1], symlinks=True)

    scenario.walk(world, measure.script, Account(), until=at, watch=watch, on_stop=copy)
    for number, folder in copies:
        world.remove()
        shutil.move(folder, world.folder)
        yield number, world


def _tear(world: World) -> None:
    """The last line of the log is half written."""
    for log in world.git_dir.glob("waves/runs/*/events.jsonl"):
        with log.open("ab") as file:
            file.write(b'{"n":1,"at":"2026-')


# ---------------------------------------------------------------------- files that are not what they were


def damaged(lab: Lab) -> Iterator[Result]:
    """Everything dies, and one of our own files is then not what it was: empty, cut, with a bit turned, or something else.
    The next command goes on or refuses in words; the end need not be the same, but nothing is lost, merged twice or foreign."""
    measure = lab.any_measure()
    commands = [at for at, steps in enumerate(measure.steps) if steps]
    at = lab.dice.choices(commands, weights=[measure.steps[one] for one in commands])[0]
    wanted = frozenset(lab.dice.sample(range(1, measure.steps[at] + 1), k=min(6, measure.steps[at])))
    for number, world in _copies(lab, measure, at, AtSteps(lab.place, wanted)):
        files = [path for path in sorted(world.git_dir.glob("waves/**/*")) if _is_ours_to_damage(path)]
        if not files:
            continue
        path = lab.dice.choice(files)
        how = lab.dice.choice(sorted(DAMAGES))
        path.write_bytes(DAMAGES[how](path.read_bytes(), lab.dice))
        account = Account(met=1)
        for _ in range(3):
            done = world.waves(*measure.script.steps[at].words)
            if "Traceback" in done.words or done.code not in (0, 1, 2, 3, 4):
                account.broken.append((OTHER_ENDS, f"a damaged file ends it with {done.code}"))
        account.broken += list(invariants.rest(world, may_leave=True))
        account.broken += list(invariants.broken_rules(world, measure.script))
        account.story = world.output.read_text(errors="replace")
        name = path.relative_to(world.git_dir)
        label = f"{measure.script.name}: '{name}' is {how} after everything died at {at}/{number}"
        yield Result(kind="damaged", label=label, account=account)


def _is_ours_to_damage(path: Path) -> bool:
    return path.is_file() and path.suffix not in (".log", ".lock") and path.name != "lock"


def _with_a_bit_turned(data: bytes, dice: random.Random) -> bytes:
    if not data:
        return b"\0"
    place = dice.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << dice.randrange(8)]) + data[place + 1 :]


DAMAGES: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "empty": lambda _data, _dice: b"",
    "cut": lambda data, dice: data[: dice.randrange(len(data) + 1)],
    "with a bit turned": _with_a_bit_turned,
    "full of zeros": lambda data, _dice: b"\0" * len(data),
    "something else": lambda _data, _dice: b"{}\n",
    "twice as long": lambda data, _dice: data + data,
}


# ---------------------------------------------------------------------- signals and refusals


def signalled(lab: Lab) -> Iterator[Result]:
    """A person, the shell or the system asks the coordinator to go, once, twice, or by closing the terminal."""
    measure = lab.any_measure()
    numbers = lab.dice.choice(
        (
            (signal.SIGINT,),
            (signal.SIGTERM,),
            (signal.SIGINT, signal.SIGINT),
            (signal.SIGHUP,),
            (signal.SIGTERM, signal.SIGINT),
        )
    )
    names = " and ".join(number.name for number in numbers)
    yield lab.suffer(
        "signalled", measure, lab.hurt(measure, strike.signalled(*numbers), lasts=True), words=names
    )


_ERRORS = (
    errno.ENOSPC,
    errno.EROFS,
    errno.EIO,
    errno.EDQUOT,
    errno.EMFILE,
    errno.ENFILE,
    errno.ENOMEM,
    errno.EACCES,
)


def refused(lab: Lab) -> Iterator[Result]:
    """The system refuses one step of the coordinator's, or all from one on: full, read-only, broken, no handles, no memory."""
    measure = lab.any_measure()
    number, is_lasting = lab.dice.choice(_ERRORS), lab.dice.random() < 0.5
    words = f"{errno.errorcode[number]} {'from there on' if is_lasting else 'once'}"
    hurt = lab.hurt(measure, strike.refused(number), lasts=is_lasting)
    yield lab.suffer("refused", measure, hurt, words=words)


# ---------------------------------------------------------------------- clocks


def clock(lab: Lab) -> Iterator[Result]:
    """The clock of the coordinator jumps, back or forth, by an hour or by years."""
    measure = lab.any_measure()
    jump = timedelta(hours=lab.dice.choice((-24 * 365 * 3, -24, -1, 1, 24, 24 * 365 * 3)))

    def deed(_strike: Strike) -> None:
        class Jumped(datetime):
            @classmethod
            def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]  # a plain one is handed out
                return datetime.now(tz) + jump

        for module in (eventlog, locks, rundir, starting):
            module.datetime = Jumped  # type: ignore[attr-defined]  # the clock of those who ask for the wall's time

    yield lab.suffer("clock", measure, lab.hurt(measure, deed), words=f"the clock jumps by {jump}")


# ---------------------------------------------------------------------- the hands of others


def hands(lab: Lab) -> Iterator[Result]:
    """The user does something to refs, branches, worktrees or the checkout in the middle of a command."""
    measure = lab.any_measure(without="conflicting")  # there somebody moves the ref already, and is obeyed
    name = lab.dice.choice(sorted(ACTS))
    act = ACTS[name]
    hurt = lab.hurt(measure, strike.pause, beside=lambda world: act(world, lab.dice), is_users=True)
    yield lab.suffer("hands", measure, hurt, words=name)


def collected(lab: Lab) -> Iterator[Result]:
    """Garbage is collected, refs are packed, in the middle of a command."""
    measure = lab.any_measure()
    name = lab.dice.choice(sorted(COLLECTIONS))
    act = COLLECTIONS[name]
    hurt = lab.hurt(measure, strike.pause, beside=lambda world: act(world, lab.dice), is_users=True)
    yield lab.suffer("collected", measure, hurt, words=name)


def raced(lab: Lab) -> Iterator[Result]:
    """A crowd types the same command at once, in a new world or in one whose coordinator was killed; one of them works."""
    measure = lab.any_measure()
    crowd = lab.dice.choice((2, 5, 20))
    at, number = lab.moment(measure)
    account = Account()
    world = scenario.fresh(lab.place, measure.template)
    scenario.walk(world, measure.script, account, until=at)
    step = measure.script.steps[at]
    if lab.dice.random() < 0.7:
        world.waves(*step.words, before=Strike(world.folder, number, strike.die).arm)
    begun = [world.begin(*step.words) for _ in range(crowd)]
    codes = [world.wait(pid) for pid in begun]
    if any(code in (70, 99, -99) for code in codes):
        account.broken.append((OTHER_ENDS, f"one of a crowd ends with {codes}"))
    finished = scenario.take_up(world, measure.script, at, measure.end)
    finished.broken = account.broken + finished.broken
    finished.met = 1
    yield Result(
        kind="raced", label=f"{measure.script.name}: {crowd} at once at {at}/{number}", account=finished
    )


KINDS: dict[str, Kind] = {
    kind.__name__.replace("_", " "): kind
    for kind in (
        killed,
        killed_again,
        machine_gone,
        frozen,
        every_event,
        damaged,
        signalled,
        refused,
        clock,
        hands,
        collected,
        raced,
    )
}
