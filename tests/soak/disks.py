"""Disks that run full, and a real file system that loses its power in the middle of a run."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

from tests.soak import mounts, scenario, strike
from tests.soak.invariants import OTHER_ENDS
from tests.soak.lab import Kind, Lab, Result
from tests.soak.power import another_boot, kept_its_word
from tests.soak.scenario import Account
from tests.soak.strike import Strike
from tests.soak.world import World

_FULL_FOR = 5.0  # seconds; a command that gives up sooner finds room at once the next time


def _world_at(place: Path, notes: Path, template: World) -> World:
    """A fresh world on a disk of its own; what we note ourselves lies elsewhere."""
    world = World(place / "w")
    world.copy_from(template)
    shutil.rmtree(notes, ignore_errors=True)
    shutil.move(world.notes, notes)
    world.notes.symlink_to(notes)
    (notes / "output").touch()
    world.output.symlink_to(notes / "output")
    return world


def disk_full(lab: Lab) -> Iterator[Result]:
    """The disk runs full in the middle of a command, for everybody: out of bytes, or out of files. Later there is room."""
    measure = lab.any_measure()
    place, notes = lab.folder / "disk", lab.folder / "notes"
    slack = lab.dice.choice((0, 4096, 16384, 65536, 262144))
    is_files = lab.dice.random() < 0.3
    with mounts.small(place, files=6000 if is_files else 20_000):
        world = _world_at(place, notes, measure.template)
        taken: list[Path] = []

        def take(_: World) -> None:
            if is_files:
                taken.append(mounts.use_up_files(place, slack=slack // 4096))
            else:
                taken.append(mounts.fill(place, slack=slack))
            room_again.start()

        def give() -> None:
            while taken:
                path = taken.pop()
                if path.is_dir():
                    shutil.rmtree(path)
                else:
                    path.unlink()

        def give_at_once(_: World) -> None:
            room_again.cancel()
            give()

        # A supervisor with a result in its hand waits for room, and the command for the supervisor.
        room_again = threading.Timer(_FULL_FOR, give)
        hurt = lab.hurt(measure, strike.pause, beside=take, after=give_at_once)
        account = scenario.suffer(world, measure.script, (hurt,), measure.end)
    what = "files" if is_files else "bytes"
    label = f"{measure.script.name}: no {what} but {slack} from {hurt.at}/{hurt.number}"
    yield Result(kind="disk full", label=label, account=account)


def ext4_switched_off(lab: Lab) -> Iterator[Result]:
    """A real ext4 loses its power in the middle of a command: from there on every write is refused, and after the next
    mount there is what it had written."""
    measure = lab.any_measure(without="conflicting")  # who moves the ref there syncs nothing
    place, notes, image = lab.folder / "disk", lab.folder / "notes", lab.folder / "image"
    image.unlink(missing_ok=True)
    at, number = lab.moment(measure)
    account = Account()
    with mounts.ext4(place, image):
        world = _world_at(place, notes, measure.template)
        mounts.sync(place)
        scenario.walk(world, measure.script, account, until=at)
        announced = _announced(world)
        off = Strike(world.folder, number, strike.pause)
        done = world.waves(
            *measure.script.steps[at].words, before=off.arm, on_stop=lambda: mounts.switch_off(place)
        )
        if off.met() and done.code == measure.script.steps[at].code == 0:
            account.broken.append((OTHER_ENDS, "a command ends well on a disk that is gone"))
        if "Traceback" in done.words or done.code in (70, 99, -99):
            account.broken.append((OTHER_ENDS, f"a disk that is gone ends it with {done.code}"))
        world.kill_everything()
    with mounts.ext4(place, image):
        another_boot(world)
        broken = list(kept_its_word(world, announced))
        taken_up = scenario.take_up(world, measure.script, at, measure.end)
    taken_up.broken = account.broken + broken + taken_up.broken
    taken_up.met = off.met()
    yield Result(
        kind="ext4 switched off", label=f"{measure.script.name}: off at {at}/{number}", account=taken_up
    )


def _announced(world: World) -> bytes:
    """The event log as it was when the last command had ended."""
    logs = sorted(world.git_dir.glob("waves/runs/[!.]*/events.jsonl"))
    return logs[-1].read_bytes() if logs else b""


KINDS = ("disk full", "ext4 switched off")


def possible_kinds(folder: Path) -> dict[str, Kind]:
    """Those that can be had on this machine; to be asked in a mount namespace of our own."""
    found: dict[str, Kind] = {"disk full": disk_full}
    if mounts.can_mount_ext4(folder):
        found["ext4 switched off"] = ext4_switched_off
    return found
