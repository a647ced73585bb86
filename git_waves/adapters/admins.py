"""Git's own folders of worktrees (`.git/worktrees/<name>`): found, mended where a killed git or an agent broke them, and
forgotten one by one.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from git_waves.adapters.git import Git
from git_waves.adapters.locks import worktree_lock
from git_waves.adapters.rundir import write_durably


def _all(git: Git) -> list[Path]:
    folder = git.git_dir / "worktrees"
    return sorted(folder.iterdir()) if folder.is_dir() else []


def of(git: Git, folder: Path) -> Path | None:
    """The administrative folder of the worktree at `folder`, as git's own side says it; None when there is none."""
    return next((admin for admin in _all(git) if _points_to(admin, folder)), None)


def places(git: Git) -> set[Path]:
    """Where git believes its worktrees to be, those included whose folder is gone."""
    return {place for admin in _all(git) if (place := place_of(admin)) is not None}


def drop(git: Git, folder: Path) -> None:
    """Forget a worktree whose folder is gone, and no other: never a bare `git worktree prune` (git-facts section 3)."""
    for admin in _all(git):
        if _points_to(admin, folder):
            shutil.rmtree(admin)


def _points_to(admin: Path, folder: Path) -> bool:
    return place_of(admin) in (folder, folder.resolve())


def mend_half_made(git: Git, folders: Iterable[Path]) -> None:
    """Remove what killed `git worktree add`s for these folders left; see `repair`. A worktree that is whole and
    not where it was (deleted, moved, on a disk that is not there) keeps git's folder: people may bring it back."""
    with worktree_lock(git.git_dir):
        for folder in folders:
            repair(git, folder, may_forget=False)
        heal(git)


def repair(git: Git, folder: Path, *, may_forget: bool = True) -> None:
    """Remove what a killed `git worktree add` for `folder` left: its administrative folder, nothing else.

    An empty `commondir` in there breaks git for the whole repository, a HEAD of zeros its collector and `git log --all`, and
    `git worktree prune` mends neither (git-facts section 3). Called under the worktree lock, so no creator of ours is alive; a folder that git names after
    ours and that never got its pointers is recognised by its lock reason. One whose worktree holds anything is no
    half-made one: somebody broke it, and it is left for people to look at.
    """
    for admin in _all(git):
        if not admin.name.startswith(folder.name):
            continue
        pointer, common, head = admin / "gitdir", admin / "commondir", admin / "HEAD"
        whole = all(file.is_file() and file.stat().st_size for file in (pointer, common, head))
        whole = whole and not _names_nothing(head)
        points_here = _points_to(admin, folder)
        if whole and not (may_forget and points_here and not (folder / ".git").is_file()):
            continue
        if not (points_here or is_our_creation(admin)) or _holds_files(place_of(admin)):
            continue
        shutil.rmtree(admin)
        if points_here and folder.is_dir() and not folder.is_symlink():
            shutil.rmtree(folder)


def broken(common_dir: Path) -> tuple[Path, ...]:
    """Administrative folders whose `commondir` is empty: git refuses to work in the whole repository (see `repair`)."""
    return tuple(
        sorted(file.parent for file in (common_dir / "worktrees").glob("*/commondir") if _is_empty(file))
    )


def heal(git: Git) -> None:
    """Give worktrees their `commondir` back when it was emptied, whoever's they are: git does nothing at all in a
    repository that has one without, and no other content is right. Of those that we made, drop an empty index, which
    stops git's collector. Called under the worktree lock, after `repair` has had its look."""
    for admin in _all(git):
        if _is_empty(admin / "commondir"):
            write_durably(admin / "commondir", b"../..\n", mode=0o644)
        if _is_empty(admin / "index") and is_our_creation(admin):
            (admin / "index").unlink()


def _is_empty(file: Path) -> bool:
    return not file.is_symlink() and file.is_file() and not file.stat().st_size


def _names_nothing(head: Path) -> bool:
    """Whether HEAD is the zeros that `git worktree add` begins with."""
    return not head.read_bytes().strip().strip(b"0")


def place_of(admin: Path) -> Path | None:
    """The worktree an administrative folder points to; None when it never got that far."""
    try:
        text = (admin / "gitdir").read_text(encoding="utf-8", errors="surrogateescape").strip()
    except OSError:
        return None
    return Path(text).parent if text else None


def _holds_files(place: Path | None) -> bool:
    if place is None or not place.is_dir():
        return False
    return any(child.name != ".git" for child in place.iterdir())


def is_our_creation(admin: Path) -> bool:
    """Whether the administrative folder is of a worktree that we made, or that somebody was just making."""
    try:
        reason = (admin / "locked").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return reason.startswith("git-waves") or reason.strip() == "initializing"
