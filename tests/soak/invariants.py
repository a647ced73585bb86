"""What must be true of a world after any fault and its recovery, each broken rule as one line under its kind.

Judged from git, the files and what agents and gates noted for themselves, and from the event log only where the log's own
word is at stake: a broken program must not be its own witness.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from tests.soak.scripts import Script
from tests.soak.world import World

COMMITS_LOST = "commits lost"
FILES_LOST = "files of tasks lost"
DOUBLE_MERGES = "double merges"
FOREIGN_PATHS = "foreign paths merged"
UNPROVEN = "unproven tips published"
ORPHANS = "orphan processes"
USER_CHANGED = "user files changed"
BROKEN_REPOSITORIES = "broken repositories"
OTHER_ENDS = "other ends than undisturbed"
KINDS = (
    COMMITS_LOST,
    FILES_LOST,
    DOUBLE_MERGES,
    FOREIGN_PATHS,
    UNPROVEN,
    ORPHANS,
    USER_CHANGED,
    BROKEN_REPOSITORIES,
    OTHER_ENDS,
)

Broken = tuple[str, str]
"""A kind, and what is wrong in words."""
INTEGRATION = "refs/waves/integration/p"


def broken_rules(world: World, script: Script) -> Iterator[Broken]:
    """Every rule that does not hold; the repository itself is sound (I7)."""
    refs = dict(_pairs(world.git("for-each-ref", "--format=%(refname) %(objectname)")))
    words = world.git("fsck", "--strict", "--no-dangling", "--no-progress", exit=None)
    if world.git("rev-list", "--objects", "--all", "--quiet", exit=None) or words:
        yield BROKEN_REPOSITORIES, words.splitlines()[0] if words else "refs name what is not there"
    listed = world.git("rev-list", "--objects", "--all", "--ignore-missing", exit=None)
    objects = {line.split(" ")[0] for line in listed.splitlines()}
    yield from _locks(world)
    yield from _commits(world, objects)
    yield from _files(world, objects)
    yield from _merges(world, script, refs)
    yield from _proofs(world, refs)


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        name, _, oid = line.partition(" ")
        yield name, oid


def _locks(world: World) -> Iterator[Broken]:
    """No lock is left that would stop the next git."""
    for lock in world.git_dir.rglob("*.lock"):
        if lock.parent.parent == world.git_dir / "waves" and lock.parent.name.startswith("config-"):
            continue  # of a configuration that was being made ready aside: no git looks there
        is_of_nothing = lock.parent.parent.name == "worktrees" and not _can_be_asked(world, lock.parent)
        if lock.parent != world.git_dir / "waves" and "jobs" not in lock.parts and not is_of_nothing:
            yield BROKEN_REPOSITORIES, f"'{lock.relative_to(world.folder)}' was left"


def _can_be_asked(world: World, admin: Path) -> bool:
    """Whether git is led to this folder of a worktree, or from it to one: a power cut may leave it cut off from both."""
    pointer = admin / "gitdir"
    if pointer.exists() and Path(pointer.read_text(errors="replace").strip()).is_file():
        return True
    pointers = (one for one in world.worktrees.glob("*/*/.git") if one.is_file())
    return any(one.read_text(errors="replace") == f"gitdir: {admin}\n" for one in pointers)


def _commits(world: World, objects: set[str]) -> Iterator[Broken]:
    """I1: what an agent committed, and what the log ever announced, hangs on some ref."""
    announced = {str(event[key]) for event in world.events() for key in ("tip", "commit") if event.get(key)}
    for commit in sorted((announced | set(world.lines("commits"))) - set(world.lines("forgotten"))):
        if commit not in objects:
            yield COMMITS_LOST, f"{commit} hangs on no ref"


def _files(world: World, objects: set[str]) -> Iterator[Broken]:
    """I2: half a work that its agent never finished is on the disk, or in a ref."""
    whole = set(world.lines("whole"))
    for line in world.lines("half"):
        file, _, text = line.partition(" ")
        name = text.removeprefix("half of ")
        if name in whole or _blob(f"{text}\n") in objects:
            continue
        places = [world.worktrees / "p" / name / file, *world.folder.glob(f"moved-{name}-*/{file}")]
        if not any(place.exists() and place.read_text() == f"{text}\n" for place in places):
            yield FILES_LOST, f"'{text}' of '{file}' is nowhere"


def _blob(text: str) -> str:
    data = text.encode()
    return hashlib.sha1(b"blob %d\0%b" % (len(data), data), usedforsecurity=False).hexdigest()


def _merges(world: World, script: Script, refs: dict[str, str]) -> Iterator[Broken]:
    """I3 and P1: each task at most once in a history, and nothing in it but its own paths."""
    for name, tip in refs.items():
        if name != INTEGRATION and not name.endswith("/candidate"):
            continue
        log = world.git(
            "log",
            "--first-parent",
            "-m",
            "--name-only",
            "--no-renames",
            "--format=%x01%(trailers:key=Waves-Task,valueonly,separator=%x2C)",
            tip,
        )
        seen: set[str] = set()
        for commit in log.split("\x01")[1:]:
            task, _, rest = commit.partition("\n")
            if not task:
                continue
            if task in seen:
                yield DOUBLE_MERGES, f"'{task}' is merged twice in '{name}'"
            seen.add(task)
            if task in script.spared and name != INTEGRATION:
                continue
            for path in rest.split():
                if path not in script.owned.get(task, ()):
                    yield FOREIGN_PATHS, f"'{task}' changes '{path}' in '{name}'"


def _proofs(world: World, refs: dict[str, str]) -> Iterator[Broken]:
    """I4: the integration ref only ever went forward, and only to trees on which the gate noted that it was green."""
    if INTEGRATION not in refs or not (world.notes / "green").exists():
        return
    green = set(world.lines("green"))
    reflog = world.git_dir / "logs" / INTEGRATION
    for line in reflog.read_text().splitlines():
        found = re.search(
            r"([0-9a-f]{40}) ([0-9a-f]{40}) ", line
        )  # behind half a line, if the power went off there
        if found is None or set(found[1]) == {"0"} or "waves: publish" not in line:
            continue
        old, new = found[1], found[2]
        if world.git("rev-parse", f"{new}^{{tree}}") not in green:
            yield UNPROVEN, f"{new} was published, and the gate never was green on it"
        if world.git("merge-base", old, new) != old:
            yield UNPROVEN, f"{new} is no descendant of {old}, which it followed"


def rest(world: World, *, may_leave: bool) -> Iterator[Broken]:
    """I6: nothing runs any more, and nothing was left in the temporary folder, nor worktrees of a plan that has ended
    without a word, unless that may be."""
    for words in world.settle():
        yield ORPHANS, words
    for path in (world.folder / "tmp").iterdir():
        yield OTHER_ENDS, f"'{path.name}' was left in the temporary folder"
    if may_leave:
        return
    told = " ".join(str(event.get("message")) for event in world.events() if event["event"] == "warned")
    told += world.output.read_text(errors="replace")
    for folder in world.worktrees.glob("*/*"):
        if f"worktree '{folder}'" not in told:
            yield OTHER_ENDS, f"the worktree '{folder.name}' was left, and nobody told of it"
