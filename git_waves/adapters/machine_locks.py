"""Resources that all runs of this user on this machine share, whatever the repository: places held by kernel locks.

<state folder>/git-waves/resources/_door         held for the moment in which somebody takes a place or looks
                                   <name>/<n>    place n of a resource: locked while somebody holds it, and says who

The lock is the only sign of life, never what a file says: the places of whoever died are free. It is held by every process
that has the open file, so a supervisor that inherits it holds the place as long as its command lives, also when the
coordinator is killed. Places are taken all at once or not at all, so two tasks never wait for each other.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from git_waves.core.model import Resource
from git_waves.errors import SurroundingsError

_PATIENCE = 1.0  # seconds at the door, which others pass in a millisecond
_LONGEST_NOTE = 4096  # bytes of what a place says about its holder


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """Who holds a place, for people, and the `capacity` by which it counts: 0 when it does not say."""

    run: str = ""
    repository: str = ""
    task: str = ""
    capacity: int = 0

    def __str__(self) -> str:
        if not self.run:
            return "somebody who left no name"
        return f"task '{self.task}' of run {self.run} in '{self.repository}'"


@dataclass(frozen=True, slots=True)
class Held:
    """Places that are held as long as one of these descriptors is open anywhere."""

    descriptors: tuple[int, ...]

    def release(self) -> None:
        """Give the places back at once, also where a process that is being forked this moment has copies."""
        for descriptor in self.descriptors:
            fcntl.flock(descriptor, fcntl.LOCK_UN)
            os.close(descriptor)


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """No place is free at `resource`; `reason` says in words who is there."""

    resource: str
    reason: str


def folder() -> Path:
    """Where the places of this user's resources are."""
    from platformdirs import user_state_path  # only where a plan has such resources

    return user_state_path("git-waves", appauthor=False) / "resources"


def take(resources: Iterable[Resource], who: Holder) -> Held | Taken:
    """Take one place at each of the resources, or none.

    A place is free when fewer tasks hold one than this plan's capacity says, and than that of everybody who holds one
    says. Waits for nobody. Raises SurroundingsError when the folder cannot be used.
    """
    held: list[int] = []
    try:
        with _door() as is_open:
            for resource in sorted(resources, key=lambda one: one.name):
                if not is_open:
                    return Taken(resource=resource.name, reason=f"waits at the door of '{folder()}'")
                place = _take_place(resource)
                if isinstance(place, Taken):
                    _close(held)
                    return place
                held.append(place)
                _say_who(place, who, resource.capacity)
    except OSError as error:
        _close(held)
        raise _unusable(error) from error
    return Held(tuple(held))


def check(resources: Iterable[Resource]) -> None:
    """Raise SurroundingsError when places of these resources could not be taken on this machine, free or not."""
    resources = tuple(resources)
    if not resources:
        return
    try:
        with _door():
            for resource in resources:
                for descriptor in _places(resource):
                    os.close(descriptor)
    except OSError as error:
        raise _unusable(error) from error


def _unusable(error: OSError) -> SurroundingsError:
    place = Path(error.filename) if error.filename else folder()
    owner = _owner_of(place)
    words = f"cannot lock machine-wide resources at '{place}': {error.strerror}"
    if owner is not None and owner != os.geteuid():
        words += f"; it belongs to {_name_of(owner)}"
    return SurroundingsError(
        words, hint=f"look at the room and the rights there: df '{folder()}'; ls -lR '{folder()}'"
    )


def _owner_of(place: Path) -> int | None:
    """The user whose file it is, or the nearest folder above it that can be seen."""
    for path in (place, *place.parents):
        try:
            return path.lstat().st_uid
        except OSError:
            continue
    return None


def _name_of(user: int) -> str:
    import pwd

    try:
        return f"user '{pwd.getpwuid(user).pw_name}'"
    except KeyError:
        return f"user {user}"


@contextmanager
def _door() -> Iterator[bool]:
    """Only one at a time looks and takes; False when somebody stays there."""
    folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = _open(folder() / "_door")
    try:
        yield _is_locked_within(descriptor, _PATIENCE)
    finally:
        os.close(descriptor)


def _is_locked_within(descriptor: int, seconds: float) -> bool:
    give_up = time.monotonic() + seconds
    while not _is_locked(descriptor):
        if time.monotonic() > give_up:
            return False
        time.sleep(0.005)
    return True


def _is_locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def _places(resource: Resource) -> Iterator[int]:
    """An open descriptor of every place there ever was, and as many as this plan needs."""
    at = folder() / resource.name
    at.mkdir(mode=0o700, exist_ok=True)
    known = {int(path.name) for path in at.iterdir() if path.name.isascii() and path.name.isdigit()}
    for number in sorted(known | set(range(resource.capacity))):
        yield _open(at / str(number))


def _take_place(resource: Resource) -> int | Taken:
    """A locked place; the others are left as they were."""
    free: list[int] = []
    holders: list[Holder] = []
    try:
        for descriptor in _places(resource):
            if _is_locked(descriptor):
                free.append(descriptor)
            else:
                holders.append(_who(descriptor))
                os.close(descriptor)
        capacity = min([resource.capacity, *(holder.capacity or resource.capacity for holder in holders)])
        if free and len(holders) < capacity:
            return free.pop(0)
        return Taken(resource=resource.name, reason=_waits_for(resource, holders))
    finally:
        _close(free)


def _waits_for(resource: Resource, holders: list[Holder]) -> str:
    more = f" and {len(holders) - 1} more" if len(holders) > 1 else ""
    return f"waits for '{resource.name}', held by {holders[0]}{more}"


def _close(descriptors: Iterable[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def _who(descriptor: int) -> Holder:
    try:
        said = json.loads(os.pread(descriptor, _LONGEST_NOTE, 0))
        return Holder(
            run=str(said["run"]),
            repository=str(said["repository"]),
            task=str(said["task"]),
            capacity=max(int(said["capacity"]), 0),
        )
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return Holder()


def _say_who(descriptor: int, who: Holder, capacity: int) -> None:
    note = {
        "run": who.run,
        "repository": who.repository,
        "task": who.task,
        "capacity": capacity,
        "pid": os.getpid(),
        "since": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
    text = json.dumps(note, indent=1).encode() + b"\n"
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, text, 0)
    except OSError:  # a full disk: the lock holds all the same, and says no name
        return
