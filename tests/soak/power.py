"""Power cuts: a run is recorded call by call, and from each moment chosen the disk is put together as a cut would leave it."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.soak import scenario
from tests.soak.disk import Disk, Loss
from tests.soak.invariants import BROKEN_REPOSITORIES, COMMITS_LOST, INTEGRATION, OTHER_ENDS, Broken
from tests.soak.lab import Kind, Lab, Measure, Result
from tests.soak.scenario import Account
from tests.soak.trace import Call, Replay, calls, can_trace, record
from tests.soak.world import World

SPARED = frozenset({"home", "notes", "tmp", "output"})
"""What is not the disk's: the user's home is nobody's to write, and the notes are ours."""
MOST = 10  # cuts of one recording


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """One command of a script as it was recorded: the calls that touched the disk, and a copy of the disk before them."""

    at: int
    calls: tuple[Call, ...]
    before: Path


def recorded(lab: Lab, measure: Measure) -> Recording:
    """Record one `git waves run` of the script, by the dice. AssertionError when the recorder missed something."""
    runs = [at for at, step in enumerate(measure.script.steps) if step.words[:1] == ("run",)]
    at = lab.dice.choice(runs)
    world = scenario.fresh(lab.place, measure.template)
    scenario.walk(world, measure.script, Account(), until=at)
    before, trace = lab.folder / "before", lab.folder / "trace"
    shutil.rmtree(before, ignore_errors=True)
    shutil.copytree(world.folder, before, symlinks=True)
    code = record(
        (sys.executable, "-m", "git_waves", *measure.script.steps[at].words),
        cwd=world.repo,
        environment=world.environment,
        into=trace,
    )
    assert code == measure.script.steps[at].code, f"recorded, it ends with {code}"
    found = tuple(calls(trace))
    disk = Disk(world.folder, copy=before)
    replay = Replay(disk, Loss.NOTHING, str(world.repo))
    touching = tuple(call for call in found if replay.step(call) or call.name in _STRUCTURE)
    wrong = list(disk.differences(world.folder))
    assert not wrong, f"the recording is not what happened: {wrong[:5]}"
    return Recording(at=at, calls=touching, before=before)


_STRUCTURE = ("clone", "clone3", "fork", "vfork", "chdir", "fchdir", "lseek", "open", "openat", "creat")


def power_cut(lab: Lab) -> Iterator[Result]:
    """The power goes off in the middle of a run; what was not synced is gone, or is not."""
    yield from _cuts(lab, "power cut", lab.dice.choice((Loss.JOURNAL, Loss.POSIX)))


def cut_in_git(lab: Lab) -> Iterator[Result]:
    """Everything dies between two system calls, inside git's own writes too; the disk lives."""
    yield from _cuts(lab, "cut in git", Loss.NOTHING)


def _cuts(lab: Lab, kind: str, loss: Loss) -> Iterator[Result]:
    # Who moves the ref there syncs nothing, and thinks that it is moved.
    measure = lab.any_measure(without="conflicting" if loss is not Loss.NOTHING else " ")
    recording = recorded(lab, measure)
    world = World(lab.place)
    replay = Replay(Disk(world.folder, copy=recording.before), loss, str(world.repo))
    moments = sorted(lab.dice.sample(range(len(recording.calls)), k=min(MOST, len(recording.calls))))
    announced = b""
    for number, call in enumerate(recording.calls):
        replay.step(call)
        announced = _announced(replay, call) or announced
        if number not in moments:
            continue
        world.remove()
        world.folder.mkdir()
        replay.disk.write_out(world.folder, loss, lab.dice, spared=SPARED)
        if loss is not Loss.NOTHING:
            another_boot(world)
        broken = list(kept_its_word(world, announced))
        account = scenario.take_up(
            world, measure.script, recording.at, measure.end, may_leave=loss is Loss.POSIX
        )
        account.broken = broken + account.broken
        label = f"{measure.script.name}: {loss.name.lower()} after call {number} ({call.name}) of command {recording.at}"
        yield Result(kind=kind, label=label, account=account)


def _announced(replay: Replay, call: Call) -> bytes:
    """The event log as it was when it was last synced, once the run had its name: from then on people are told."""
    if call.name != "fsync":
        return b""
    found = re.search(r"<([^>]*)>", call.arguments)
    path = bytes.fromhex(found[1].replace("\\x", "")).decode() if found else ""
    node = replay.disk.node(path) if replay.disk.is_here(path) else None
    return (
        bytes(node.data)
        if node is not None and path.endswith("/events.jsonl") and "/runs/." not in path
        else b""
    )


def another_boot(world: World) -> None:
    """The machine was started again, and what agents noted for themselves is no announcement of ours."""
    for path in world.git_dir.glob("waves/runs/*/jobs/*/*.json"):
        path.write_bytes(re.sub(rb'"boot": "[^"]*"', b'"boot": "the one before"', path.read_bytes()))
    for name in ("half", "commits"):
        (world.notes / name).unlink(missing_ok=True)


def kept_its_word(world: World, announced: bytes) -> Iterator[Broken]:
    """Every event that was told is in the log, and what it speaks of is in git, before anybody mends anything."""
    logs = [path.read_bytes() for path in world.git_dir.glob("waves/runs/[!.]*/events.jsonl")]
    if announced and not any(log.startswith(announced) for log in logs):
        yield COMMITS_LOST, "events that were told are not in the log"
        return
    events = [json.loads(line) for line in announced.splitlines()]
    published = [event["new"] for event in events if event["event"] in ("published", "integration_accepted")]
    for commit in {str(event[key]) for event in events for key in ("tip", "commit") if event.get(key)}:
        if world.git("rev-list", "--objects", "--quiet", commit, exit=None) != "" or not _is_there(
            world, commit
        ):
            yield COMMITS_LOST, f"{commit} was told of and cannot be read"
    if published and world.git("merge-base", published[-1], INTEGRATION, exit=None) != published[-1]:
        yield OTHER_ENDS, f"{published[-1]} was published, and the ref is elsewhere"
    if world.git("config", "--list", "--local", exit=None) == "":
        yield BROKEN_REPOSITORIES, "the configuration cannot be read"


def _is_there(world: World, commit: str) -> bool:
    return world.git("cat-file", "-t", commit, exit=None) == "commit"


KINDS = ("power cut", "cut in git")


def possible_kinds() -> dict[str, Kind]:
    """Those that can be had on this machine."""
    return {"power cut": power_cut, "cut in git": cut_in_git} if can_trace() else {}
