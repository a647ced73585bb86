"""Ignored files of the user's checkout, brought into a worktree in which nobody has worked yet.

Only what git ignores there, never what is tracked, over nothing that is there, through no link: a link is copied as a link.
What is copied shares its blocks with the original where the file system can (reflink). A folder is linked entry by entry:
the folder itself is the worktree's own, so that an ignore rule such as `node_modules/` holds and what is added there stays
there.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import stat
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from git_waves.adapters.git import Git
from git_waves.adapters.nofollow import parent_of
from git_waves.core.include import FILE_NAME, fill_template, moved_target
from git_waves.core.model import How, Include, Oid, RepoPath

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe must not block us
_FICLONE = 0x40049409  # linux/fs.h: one ioctl, the same number on x86 and arm
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EMFILE, errno.ENFILE)
_LARGEST_TEMPLATE = 1 << 20  # bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What every worktree of a run is given: `entries` of the plan, and `shared`, the repository's `.worktreeinclude` as it is in
    the run's base. `checkout` is the user's own work tree."""

    checkout: Path
    entries: tuple[Include, ...] = ()
    shared: bytes = b""

    def __bool__(self) -> bool:
        return bool(self.entries or self.shared)


NOTHING = Wanted(checkout=Path())
"""What worktrees are given where nobody asks for anything."""


@dataclass(slots=True)
class Brought:
    """`paths` are all files and links that now lie in the worktree, `notes` what people should know, `unfit` what the plan asks
    for and cannot be had, in words; empty when all is well."""

    paths: list[RepoPath] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unfit: str = ""


@dataclass(frozen=True, slots=True)
class _Item:
    how: How
    source: RepoPath
    target: RepoPath
    is_named: bool = True  # by the plan, and so worth a word when it cannot be had


def bring(
    git: Git, wanted: Wanted, *, folder: Path, commit: Oid, scratch: Path, variables: Mapping[str, str]
) -> Brought:
    """Bring what is wanted into `folder`, which holds the files of `commit` and nothing else but what a call that was killed
    has left. `scratch` is a folder of ours, `variables` are for templates. Raises GitError, and OSError when the machine
    cannot write."""
    brought = Brought()
    items = _find(git, wanted, commit, scratch, brought)
    if not items or brought.unfit:
        return brought
    for item in _allowed(git, items, folder, commit, brought):
        try:
            if item.how is How.TEMPLATE:
                _write_filled(git, wanted.checkout, folder, commit, item, variables)
            elif not _put(wanted.checkout, folder, item):
                continue
        except KeyError as unknown:
            brought.unfit = (
                f"the template '{item.source}' names '${{{unknown.args[0]}}}', which is no variable of a task"
            )
            return brought
        except OSError as error:
            if error.errno in _FULL:
                raise
            brought.notes.append(f"'{item.source}' could not be brought: {error.strerror}")
            continue
        brought.paths.append(item.target)
    return brought


# ---------------------------------------------------------------------- what there is


def _find(git: Git, wanted: Wanted, commit: Oid, scratch: Path, brought: Brought) -> dict[RepoPath, _Item]:
    """What is to be placed, by where it goes; the plan's entries come first, in their order."""
    theirs = Git(git.git_dir, work_tree=wanted.checkout)
    items: dict[RepoPath, _Item] = {}
    for entry in wanted.entries:
        if entry.to is not None:
            source = RepoPath(entry.pattern)
            items.setdefault(entry.to, _Item(entry.how, source, entry.to))
            if source not in git.files_in(commit, source) and not _is_file(wanted.checkout, source):
                brought.unfit = f"the template '{source}' is neither in its base nor in '{wanted.checkout}'"
                return items
            continue
        if entry.how is How.LINK:
            found = list(_entries(wanted.checkout, theirs.others_matching(entry.pattern, whole_folders=True)))
        else:
            found = _files(theirs.others_matching(entry.pattern))
        if not found:
            brought.notes.append(
                f"'{entry.how}: {entry.pattern}' matches nothing in '{wanted.checkout}' that is not tracked"
            )
        for path in found:
            items.setdefault(path, _Item(entry.how, path, path))
    if wanted.shared:
        rules = scratch / f"{FILE_NAME}.{os.getpid()}.{threading.get_ident()}"
        rules.write_bytes(wanted.shared)
        try:
            for path in _files(theirs.others_matching(file=rules)):
                items.setdefault(path, _Item(How.COPY, path, path, is_named=False))
        finally:
            rules.unlink()
    return items


def _files(paths: Iterable[RepoPath]) -> list[RepoPath]:
    """Without the repositories of their own that git names as folders, and without git's own files in them."""
    return [path for path in paths if not path.endswith("/")]


def _entries(checkout: Path, paths: Sequence[RepoPath]) -> Iterator[RepoPath]:
    """Files as they are, of a folder what lies directly in it; what git names beside its folder is named once."""
    folders = tuple(path for path in paths if path.endswith("/"))
    for path in paths:
        if any(path != folder and path.startswith(folder) for folder in folders):
            continue
        if not path.endswith("/"):
            yield path
        elif not (checkout / path / ".git").exists():
            yield from (RepoPath(path + one.name) for one in sorted((checkout / path).iterdir()))


def _is_file(checkout: Path, path: RepoPath) -> bool:
    try:
        with parent_of(checkout, path) as (parent, name):
            return stat.S_ISREG(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode)
    except OSError:
        return False


def _allowed(
    git: Git, items: Mapping[RepoPath, _Item], folder: Path, commit: Oid, brought: Brought
) -> Iterator[_Item]:
    """Those whose place in the worktree git ignores and has no file for."""
    tracked = set(git.paths_in(git.tree_of(commit)))
    placed = Git(git.git_dir, work_tree=folder)
    free = [
        path for path in items if path not in tracked and not any(above in tracked for above in _above(path))
    ]
    ignored = {one.path for one in placed.ignored(free)} if free else set()
    for path, item in items.items():
        if path in ignored:
            yield item
        elif item.is_named:
            why = "tracked" if path in tracked or path not in free else "not ignored by git"
            brought.notes.append(f"'{path}' was not brought: it is {why}")


def _above(path: RepoPath) -> Iterator[str]:
    end = path.find("/")
    while end != -1:
        yield path[:end]
        end = path.find("/", end + 1)


# ---------------------------------------------------------------------- into the worktree


def _put(checkout: Path, folder: Path, item: _Item) -> bool:
    """Copy or link one thing; False for what is neither a file nor a link, nor a folder to link to."""
    with parent_of(checkout, item.source) as (there, name):
        status = os.stat(name, dir_fd=there, follow_symlinks=False)
        is_link = stat.S_ISLNK(status.st_mode)
        if item.how is How.LINK and (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
            with parent_of(folder, item.target, makes=True) as (here, new):
                _clear(here, new)
                os.symlink(f"{checkout}/{item.source}", new, dir_fd=here)
            return True
        if is_link:
            target = moved_target(os.readlink(name, dir_fd=there), out_of=str(checkout), into=str(folder))
            with parent_of(folder, item.target, makes=True) as (here, new):
                _clear(here, new)
                os.symlink(target, new, dir_fd=here)
            return True
        if not stat.S_ISREG(status.st_mode):
            return False
        source = os.open(name, _READ, dir_fd=there)
    try:
        status = os.fstat(source)
        if not stat.S_ISREG(status.st_mode):
            return False
        with parent_of(folder, item.target, makes=True) as (here, new):
            _clear(here, new)
            target_file = os.open(new, _NEW, stat.S_IMODE(status.st_mode) & 0o777, dir_fd=here)
        try:
            copy_content(source, target_file)
            os.utime(target_file, ns=(status.st_atime_ns, status.st_mtime_ns))  # what builds compare
        finally:
            os.close(target_file)
    finally:
        os.close(source)
    return True


def copy_content(source: int, target: int) -> bool:
    """Make the empty file `target` equal to `source`, both open; whether they now share their blocks."""
    if sys.platform == "linux":
        try:
            fcntl.ioctl(target, _FICLONE, source)
        except OSError as error:
            if error.errno in _FULL:
                raise
        else:
            return True
    with open(source, "rb", closefd=False) as reads, open(target, "wb", closefd=False) as writes:
        shutil.copyfileobj(reads, writes, 1 << 20)
    return False


def _write_filled(
    git: Git, checkout: Path, folder: Path, commit: Oid, item: _Item, variables: Mapping[str, str]
) -> None:
    """A template's text with the variables in it. KeyError names an unknown one."""
    content, mode = _template(git, checkout, commit, item.source)
    text = fill_template(os.fsdecode(content), variables)
    with parent_of(folder, item.target, makes=True) as (here, new):
        _clear(here, new)
        target = os.open(new, _NEW, mode, dir_fd=here)
    with os.fdopen(target, "wb") as file:
        file.write(os.fsencode(text))


def _template(git: Git, checkout: Path, commit: Oid, path: RepoPath) -> tuple[bytes, int]:
    """A template's content and mode: of the worktree's commit when it is tracked, else the user's file."""
    tracked = git.files_in(commit, path).get(path)
    if tracked is not None and tracked[0].startswith("100"):
        return git.blob(tracked[1]) or b"", 0o755 if tracked[0] == "100755" else 0o644
    with parent_of(checkout, path) as (parent, name):
        source = os.open(name, _READ, dir_fd=parent)
    with os.fdopen(source, "rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "it is no plain file")
        return file.read(_LARGEST_TEMPLATE), stat.S_IMODE(mode) & 0o777


def _clear(parent: int, name: str) -> None:
    """Remove what a call that was killed has left there: nobody else has been here."""
    try:
        os.unlink(name, dir_fd=parent)
    except FileNotFoundError:
        return
