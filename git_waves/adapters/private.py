"""The repository of a fenced attempt's own: beside the one of everybody, with its objects borrowed and its own refs.

A kernel lets a command write a folder or not; it knows nothing of branches, and who can add an object to a repository can
delete all of them. So the `.git` file of a fenced worktree leads here (docs/decisions/0027), and what is committed here is
taken over by us when the attempt ends: objects only, read as objects and checked, and the tips that refs here name. What an
agent left here steers no git of ours: its configuration, its hooks and its index are never looked at.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from git_waves.adapters import admins, archive
from git_waves.adapters.git import Git
from git_waves.adapters.rundir import write_durably
from git_waves.core.model import Oid
from git_waves.errors import SurroundingsError

INBOX = "waves-inbox"
"""The folder in it for what its agent asks of the run."""

_PRIVATE = "private"
_COPIED = ("info/exclude", "info/attributes", "shallow")
_OID = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_MOST_BYTES = 64 << 20  # of its list of refs
_MOST_REFS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenOver:
    """What a private repository held: the `tip` of the attempt's branch, the branch that HEAD is on (None when it is
    detached, at `detached`), and `others`: every other commit that its refs name and the repository's own do not."""

    tip: Oid | None
    head: str | None
    detached: Oid | None
    others: tuple[Oid, ...]


def folder_of(run_folder: Path, name: str) -> Path:
    """Where the private repository of the attempt `name` lies, below the folder of its run."""
    return run_folder / _PRIVATE / name


def home_of(git_dir: Path) -> Path | None:
    """The common directory of the repository that a private one belongs to; None for any other."""
    parents = git_dir.parents
    is_private = len(parents) > 4 and [parents[n].name for n in (0, 2, 3)] == [_PRIVATE, "runs", "waves"]
    return parents[4] if is_private else None


# ---------------------------------------------------------------------- making


def make(git: Git, private: Path, *, admin: Path, worktree: Path, branch: str, tip: Oid) -> None:
    """Make the private repository and lead the worktree to it; `admin` is the worktree's administrative folder, filled.

    Before an agent has worked there. What a coordinator that died here left is made anew.
    """
    discard(private)
    for name in ("objects/info", "objects/pack", "refs/heads", "info", INBOX):
        (private / name).mkdir(mode=0o700, parents=True)
    common = git.git_dir
    _write(private / "objects/info/alternates", os.fsencode(common / "objects") + b"\n")
    for name in _COPIED:
        if (common / name).is_file():
            _write(private / name, (common / name).read_bytes())
    for name in ("index", "config.worktree", "info/sparse-checkout"):
        if (admin / name).is_file():
            _write(private / name, (admin / name).read_bytes())
    _write(private / "packed-refs", _packed(git.refs("refs/heads/", "refs/tags/", "refs/remotes/", _SHOWN)))
    _write(private / "config", _configuration(common, is_sha256=len(tip) == 64))
    _write(private / branch, tip.encode() + b"\n")
    _write(private / "HEAD", f"ref: {branch}\n".encode())
    write_durably(worktree / ".git", b"gitdir: " + os.fsencode(private) + b"\n", mode=0o644)


_SHOWN = "refs/waves/integration/"


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.write_bytes(content)


def _packed(refs: Mapping[str, Oid]) -> bytes:
    return b"".join(oid.encode() + b" " + os.fsencode(name) + b"\n" for name, oid in sorted(refs.items()))


def _configuration(common: Path, *, is_sha256: bool) -> bytes:
    """The repository's own settings apply; nothing is signed, for the keys lie outside of the fence."""
    quoted = os.fsencode(common / "config").replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    extension = b"\tobjectFormat = sha256\n" if is_sha256 else b""
    return (
        b"[core]\n\trepositoryFormatVersion = 1\n\tbare = false\n"
        b"[extensions]\n\tworktreeConfig = true\n" + extension + b'[include]\n\tpath = "' + quoted + b'"\n'
        b"[core]\n\tbare = false\n[commit]\n\tgpgSign = false\n[tag]\n\tgpgSign = false\n"
    )


# ---------------------------------------------------------------------- taking over


def take_over(git: Git, private: Path, *, branch: str, name: str) -> TakenOver | None:
    """Bring what was committed there into the repository and move the attempt's branch to it; None when there is no private
    repository. `name` is the archive ref for a tip that the branch loses. Safe to repeat.

    Raises GitError when objects are missing or damaged, SurroundingsError when its refs cannot be read.
    """
    if not private.is_dir():
        return None
    named = _refs(private)
    head, detached = _head(private)
    tip = named.pop(branch, None)
    known = set(git.refs().values())
    others = tuple(dict.fromkeys(oid for oid in named.values() if oid not in known and oid != tip))
    wanted = [oid for oid in dict.fromkeys((tip, detached, *others)) if oid is not None and oid not in known]
    if wanted:
        git.take_objects(wanted, private / "objects", known=known)
    old = git.ref(branch)
    if tip is not None and old is not None and tip != old and git.is_ancestor(tip, old):
        tip = old  # a person went on from there
    if tip is not None and tip != old:
        if old is not None and not git.is_ancestor(old, tip):
            archive.keep(git, name, old)
        command = f"create {branch} {tip}" if old is None else f"update {branch} {tip} {old}"
        if not git.update_refs([command], message="waves: take over from behind the fence"):
            raise SurroundingsError(f"'{branch}' moved while what was committed for it was taken over")
    commits = tuple(commit for oid in others if (commit := git.resolve(oid)) is not None)
    return TakenOver(tip=tip, head=head, detached=detached, others=commits)


def _head(private: Path) -> tuple[str | None, Oid | None]:
    text = _read(private / "HEAD").strip()
    if text.startswith("ref:"):
        return text.removeprefix("ref:").strip(), None
    return (None, Oid(text)) if _OID.fullmatch(text) else ("nothing git can read", None)


def _refs(private: Path) -> dict[str, Oid]:
    """Every ref by its full name; what is none is passed over, links are not followed."""
    found: dict[str, Oid] = {}
    if os.path.lexists(private / "packed-refs"):
        for line in _read(private / "packed-refs").splitlines():
            oid, _, name = line.partition(" ")
            if _OID.fullmatch(oid) and name.startswith("refs/"):
                found[name] = Oid(oid)
    for folder, _, names in os.walk(private / "refs"):
        for path in (Path(folder, name) for name in names if not name.endswith(".lock")):
            text = _read(path).strip()
            if _OID.fullmatch(text):
                found[str(path.relative_to(private))] = Oid(text)
        if len(found) > _MOST_REFS:
            raise SurroundingsError(f"'{private}' has more than {_MOST_REFS} refs")
    return found


def _read(path: Path) -> str:
    """A plain file's text; empty for anything else, and when it is not there."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return ""
        return os.fsdecode(file.read(_MOST_BYTES))


# ---------------------------------------------------------------------- giving back


def hand_back(git: Git, private: Path, worktree: Path) -> None:
    """Lead the worktree to its administrative folder again, so that git knows it as its own. What lies in the place of the
    `.git` file is left there when it is no plain file."""
    admin, pointer = admins.of(git, worktree), worktree / ".git"
    is_ours = not os.path.lexists(pointer) or (pointer.is_file() and not pointer.is_symlink())
    if private.is_dir() and admin is not None and worktree.is_dir() and is_ours:
        write_durably(pointer, b"gitdir: " + os.fsencode(admin) + b"\n", mode=0o644)


def discard(private: Path) -> None:
    """Remove the private repository: before its agent began, or when everything in it was taken over."""
    if private.is_dir() and not private.is_symlink():
        shutil.rmtree(private)
