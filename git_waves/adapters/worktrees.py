"""Task worktrees: made one at a time, filled from our own index, judged by trees, removed only after proof.

The worktree's own `.git`, index and configuration can be written by the agent that worked there, so nothing here reads
them: a folder's content is read into a tree with an index file of ours and the common git directory (reliability R5).
`remove` is the one deletion function of the code base: archive, prove, then remove (R10).
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from git_waves.adapters.git import Change, Git, GitError
from git_waves.adapters.locks import worktree_lock
from git_waves.core.model import Oid, RepoPath
from git_waves.errors import SurroundingsError

GITLINK = "160000"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """One attempt of one task: its branch (full ref name), base, folder, and our own index file for that folder."""

    plan: str
    run: str
    task: str
    attempt: int
    branch: str
    base: Oid
    folder: Path
    index: Path

    @property
    def name(self) -> str:
        """The attempt's name in files and folders."""
        return f"{self.task}.{self.attempt}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """The worktree is gone; `archive` is the ref that keeps its unmerged work, None when all of it was merged."""

    archive: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The worktree was not removed, and why."""

    reason: str


def branch_of(plan: str, task: str, attempt: int) -> str:
    """The full name of an attempt's branch. A folder per task lets a kernel fence cover it and keeps old attempts."""
    return f"refs/heads/waves/{plan}/{task}/{attempt}"


def archive_of(run: str, task: str, attempt: int) -> str:
    """The ref that keeps what a removed worktree held."""
    return f"refs/waves/archive/{run}/{task}/{attempt}"


def admin_folder(folder: Path) -> Path:
    """The worktree's administrative folder, as its `.git` file says. Only to be believed right after `ensure`."""
    text = (folder / ".git").read_text(encoding="utf-8", errors="surrogateescape")
    return Path(text.removeprefix("gitdir:").strip())


def ensure(git: Git, lease: Lease) -> Path:
    """Create the lease's branch and worktree, or find them as they were left; return the administrative folder.

    Safe to repeat after a crash at any point. Raises SurroundingsError when the folder is there and is not ours.
    """
    with worktree_lock(git.git_dir):
        _repair_half_made(git, lease.folder)
        registered = lease.folder.resolve() in {Path(entry["worktree"]) for entry in git.worktrees()}
        if registered and (lease.folder / ".git").is_file():
            return admin_folder(lease.folder)
        if lease.folder.exists() and any(lease.folder.iterdir()):
            raise SurroundingsError(
                f"the worktree folder '{lease.folder}' already exists and is not ours",
                hint="move it away, or set another place: git config waves.worktreeDir PATH",
            )
        if git.ref(lease.branch) is None and not git.update_refs(
            [f"create {lease.branch} {lease.base}"],
            message=f"waves: lease {lease.task} attempt {lease.attempt}",
        ):
            raise SurroundingsError(
                f"cannot create the branch '{lease.branch.removeprefix('refs/heads/')}'",
                hint=f"look for a branch in its way: git branch --list 'waves/{lease.plan}*'",
            )
        lease.folder.parent.mkdir(parents=True, exist_ok=True)
        git.add_worktree(
            lease.folder,
            branch=lease.branch.removeprefix("refs/heads/"),
            commit=lease.base,
            reason=f"git-waves: task {lease.task}, attempt {lease.attempt} of run {lease.run}",
        )
        return admin_folder(lease.folder)


def fill(git: Git, lease: Lease, admin: Path) -> None:
    """Write the base's files into the folder. Only before an agent has started there."""
    placed = Git(admin, work_tree=lease.folder)
    placed.reset_hard(lease.base)
    lease.index.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(admin / "index", lease.index)


def snapshot(git: Git, lease: Lease) -> Oid:
    """The tree of everything in the folder that is not ignored: what a commit of all of it would hold."""
    if not lease.index.exists():  # the crash came before `fill` was through
        git.read_tree(git.tree_of(lease.base), index=lease.index)
    return git.write_work_tree(lease.folder, index=lease.index)


def uncommitted(git: Git, lease: Lease, tip: Oid) -> tuple[Oid, tuple[Change, ...]]:
    """The folder's tree, and how it differs from the commit `tip`: what the agent left uncommitted."""
    tree = snapshot(git, lease)
    return tree, git.changes(tip, tree)


def remove(git: Git, lease: Lease, *, integration: Oid) -> Removed | Kept:
    """Archive what is not merged, prove that everything is in a ref, then remove the worktree.

    Merged means: reachable from `integration`. The branch stays (`git waves clean` removes it when it is merged).
    Keeps the worktree, and says why, when something in it could not be saved as objects.
    """
    tip = git.ref(lease.branch)
    saved: Oid | None = None
    if lease.folder.is_dir():
        head = tip or lease.base
        try:
            tree, left = uncommitted(git, lease, head)
        except GitError as error:
            return Kept(reason=f"its files could not be saved: {error.stderr or error.message}")
        nested = [change.path for change in left if change.new_mode == GITLINK and change.old_mode != GITLINK]
        if nested:
            return Kept(reason=f"'{nested[0]}' is a repository of its own, which an archive would not hold")
        if left:
            message = f"waves: what attempt {lease.attempt} of task '{lease.task}' left uncommitted\n"
            saved = git.commit_tree(tree, (head,), message)
    if saved is None and tip is not None and not git.is_ancestor(tip, integration):
        saved = tip
    archive = archive_of(lease.run, lease.task, lease.attempt) if saved is not None else None
    if archive is not None and git.ref(archive) != saved:
        old = git.ref(archive)
        command = f"create {archive} {saved}" if old is None else f"update {archive} {saved} {old}"
        if not git.update_refs([command], message="waves: archive before removal"):
            return Kept(reason=f"'{archive}' could not be written")
    with worktree_lock(git.git_dir):
        entry = _registered(git, lease.folder)
        if entry is None:
            return (
                Kept(reason="git does not know it as a worktree")
                if lease.folder.exists()
                else Removed(archive=archive)
            )
        if not lease.folder.exists():
            _drop_admin(git, lease.folder)
            return Removed(archive=archive)
        try:
            git.remove_worktree(lease.folder)
        except GitError as error:
            return Kept(reason=f"git would not remove it: {error.stderr}")
    return Removed(archive=archive)


def commit_leftovers(git: Git, lease: Lease, tip: Oid, tree: Oid, message: str) -> Oid | None:
    """Commit the folder's tree on top of the attempt's branch; None when the branch moved under us."""
    commit = git.commit_tree(tree, (tip,), message)
    moved = git.update_refs([f"update {lease.branch} {commit} {tip}"], message="waves: commit what was left")
    return commit if moved else None


def make_throwaway(git: Git, folder: Path, commit: Oid, reason: str) -> None:
    """A detached worktree at `commit` for gates: nothing in it is worth keeping, `drop_throwaway` removes it."""
    with worktree_lock(git.git_dir):
        _repair_half_made(git, folder)
        if _registered(git, folder) is not None and folder.exists():
            git.remove_worktree(folder)
        elif folder.exists():
            raise SurroundingsError(
                f"the worktree folder '{folder}' already exists and is not ours",
                hint="move it away, or set another place: git config waves.worktreeDir PATH",
            )
        folder.parent.mkdir(parents=True, exist_ok=True)
        git.add_worktree(folder, branch=None, commit=commit, reason=reason)
    Git(admin_folder(folder), work_tree=folder).reset_hard(commit)


def drop_throwaway(git: Git, folder: Path) -> None:
    """Remove a worktree made by `make_throwaway`; a folder git does not know as a worktree is left alone."""
    with worktree_lock(git.git_dir):
        if _registered(git, folder) is not None and folder.exists():
            git.remove_worktree(folder)
        _remove_if_empty(folder.parent)


def _remove_if_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        return  # somebody's files, or a sibling's worktree


def forget_empty_folders(folder: Path) -> None:
    """Remove the plan's worktree folder and its parent when nothing is left in them."""
    _remove_if_empty(folder)
    _remove_if_empty(folder.parent)


def _registered(git: Git, folder: Path) -> dict[str, str] | None:
    for entry in git.worktrees():
        if Path(entry["worktree"]) == folder.resolve():
            return entry
    return None


def _admin_folders(git: Git) -> list[Path]:
    folder = git.git_dir / "worktrees"
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _drop_admin(git: Git, folder: Path) -> None:
    """Forget a worktree whose folder is gone, and no other: never a bare `git worktree prune` (git-facts section 3)."""
    for admin in _admin_folders(git):
        if _points_to(admin, folder):
            shutil.rmtree(admin)


def _points_to(admin: Path, folder: Path) -> bool:
    try:
        text = (admin / "gitdir").read_text(encoding="utf-8", errors="surrogateescape").strip()
    except OSError:
        return False
    return Path(text) in (folder / ".git", folder.resolve() / ".git")


def _repair_half_made(git: Git, folder: Path) -> None:
    """Remove what a killed `git worktree add` for `folder` left: its administrative folder, nothing else.

    An empty `commondir` in there breaks git for the whole repository, and `git worktree prune` does not mend it
    (git-facts section 3). Called under the worktree lock, so no creator of ours is alive; a folder that git names after
    ours and that never got its pointers is recognised by its lock reason.
    """
    for admin in _admin_folders(git):
        if not admin.name.startswith(folder.name):
            continue
        pointer, common, head = admin / "gitdir", admin / "commondir", admin / "HEAD"
        whole = all(file.is_file() and file.stat().st_size for file in (pointer, common, head))
        points_here = _points_to(admin, folder)
        if whole and (not points_here or (folder / ".git").is_file()):
            continue
        if points_here or _is_our_creation(admin):
            shutil.rmtree(admin)
            if folder.is_dir() and {child.name for child in folder.iterdir()} <= {".git"}:
                shutil.rmtree(folder)


def _is_our_creation(admin: Path) -> bool:
    try:
        reason = (admin / "locked").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return reason.startswith("git-waves") or reason.strip() == "initializing"
