"""Lock files that a killed git left behind, removed when nobody can hold them any more.

Git holds a lock by the mere existence of a file, so one whose owner was killed keeps everybody out for ever. The owner of a
lock is a git that was there before it. A lock is dead when no such git is at work in this repository; where that cannot be
seen (no /proc), no lock is. Only names that a run writes are looked at: never the user's own index, HEAD or branches.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from git_waves.adapters import supervisor
from git_waves.adapters.admins import is_our_creation, place_of
from git_waves.core.health.repository import Lock

_SHARED = ("packed-refs.lock", "config.lock")  # the user's git takes these too
_YOUNG = (
    3.0  # seconds in which somebody whom we cannot see (in another container) may still hold a shared lock
)


def remove_dead(
    common_dir: Path, main_work_tree: Path, worktrees: Path, plan: str, *, since: float
) -> Iterator[Path]:
    """Remove the dead locks on what runs of this plan write, and yield them. Its worktrees are in `worktrees`. Shared locks
    go only when they came after `since`, in seconds as files have them: when this run began. Call it under the plan's lock."""
    places = (common_dir, main_work_tree)
    for lock in sorted(_ours(common_dir, worktrees, plan)):
        if _is_dead(lock, places):
            lock.unlink(missing_ok=True)
            yield lock
    for lock in (common_dir / name for name in _SHARED):
        if _changed(lock) >= since and _is_dead(lock, places) and _is_old_enough(lock):
            lock.unlink(missing_ok=True)
            yield lock


def look(common_dir: Path, git_dir: Path, main_work_tree: Path) -> Iterator[Lock]:
    """Every lock file of git's in a repository, those of the user's own index and branches too; nothing is removed."""
    places = (common_dir, main_work_tree)
    can_tell = Path("/proc/self/stat").exists()
    worktrees = common_dir / "worktrees"
    found = {*common_dir.glob("*.lock"), *git_dir.glob("*.lock"), *(common_dir / "refs").rglob("*.lock")}
    found |= set(worktrees.glob("*/*.lock")) | set((common_dir / "objects/info").rglob("*.lock"))
    for lock in sorted(found):
        changed = _changed(lock)
        if changed >= 0:
            is_dead = _is_dead(lock, places) if can_tell else None
            yield Lock(path=str(lock), age=max(0.0, time.time() - changed), is_dead=is_dead)


def _ours(common_dir: Path, worktrees: Path, plan: str) -> Iterator[Path]:
    for refs in ("refs/waves", f"refs/heads/waves/{plan}"):
        yield from (common_dir / refs).rglob("*.lock")
    registered = common_dir / "worktrees"
    for admin in registered.iterdir() if registered.is_dir() else ():
        if _is_in(worktrees, admin):
            yield from admin.glob("*.lock")
    runs = common_dir / "waves" / "runs"
    yield from runs.glob("*/index/*.lock")
    for own in runs.glob("*/private/*"):
        yield from (*own.glob("*.lock"), *(own / "refs").rglob("*.lock"))


def _is_in(worktrees: Path, admin: Path) -> bool:
    """Whether git's folder is of a worktree of ours. A power cut may have emptied the reason it is locked for, and have cut
    the pointer to its place: then the pointer at that place tells, unless git's leads to somebody else's."""
    place = place_of(admin)
    if is_our_creation(admin) or (place is not None and place.parent == worktrees):
        return True
    if place is not None and (place / ".git").exists():
        return False
    named = (folder for folder in worktrees.glob("*") if admin.name.startswith(folder.name))
    return any(_leads_to(folder / ".git", admin) for folder in named)


def _leads_to(pointer: Path, admin: Path) -> bool:
    try:
        text = pointer.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return False
    return text.strip() == f"gitdir: {admin}"


def _changed(lock: Path) -> float:
    try:
        return lock.lstat().st_ctime
    except OSError:  # let go meanwhile
        return -1.0


def _is_dead(lock: Path, places: tuple[Path, ...]) -> bool:
    changed = _changed(lock)
    if changed < 0:
        return False
    age = max(
        0.0, time.time() - changed
    )  # a clock that was put back makes it young, and more gits its owners
    return not any(True for _ in _gits_at_work(places, at_least=age - 1.0))


def _is_old_enough(lock: Path) -> bool:
    """Wait until the lock is no young one; whether it is still the same one then."""
    changed = _changed(lock)
    while 0 <= time.time() - changed < _YOUNG and _changed(lock) == changed:
        time.sleep(0.05)
    return _changed(lock) == changed


def _gits_at_work(places: tuple[Path, ...], *, at_least: float) -> Iterator[int]:
    """Processes of git in this repository, or that may be, which have been there for so many seconds. `places` are its
    common folder and its main work tree."""
    if not Path("/proc/self/stat").exists():
        yield 0  # nobody can tell
        return
    now, ticks = time.clock_gettime(time.CLOCK_BOOTTIME), os.sysconf("SC_CLK_TCK")
    for pid in supervisor.processes():
        born = supervisor.birth(pid)
        if born is not None and now - born / ticks >= at_least and _is_git_in(pid, places):
            yield pid


def _is_git_in(pid: int, places: tuple[Path, ...]) -> bool:
    process = Path("/proc") / str(pid)
    try:
        if not (process / "comm").read_bytes().startswith(b"git"):
            return False
        words = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
        place = (process / "cwd").readlink()
    except (FileNotFoundError, ProcessLookupError):
        return False
    except OSError:  # another user's
        return True
    return os.fsencode(places[0]) in words or any(
        place.is_relative_to(one) for one in (*places, *_worktrees(places[0]))
    )


def _worktrees(common_dir: Path) -> Iterator[Path]:
    for pointer in (common_dir / "worktrees").glob("*/gitdir"):
        try:
            text = pointer.read_text(encoding="utf-8", errors="surrogateescape").strip()
        except OSError:
            continue
        if text:
            yield Path(text).parent
