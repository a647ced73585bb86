"""Task worktrees: made one at a time, filled from our own index, judged by trees, removed only after proof.

The worktree's own `.git`, index and configuration can be written by the agent that worked there, so nothing here reads
them: a folder's content is read into a tree with an index file of ours and the common git directory (reliability R5).
`remove` is the one deletion function of the code base: archive, prove, then remove (R10).
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from git_waves.adapters import admins, archive, private, submodules
from git_waves.adapters.durable import sync_path
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

    @property
    def private(self) -> Path:
        """Where the attempt's own repository lies when it is fenced."""
        return private.folder_of(self.index.parent.parent, self.name)

    @property
    def reason(self) -> str:
        """Why git is told to lock the worktree; also the mark by which it is known as this attempt's."""
        return f"git-waves: task {self.task}, attempt {self.attempt} of run {self.run}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """The worktree is gone; `archive` is the ref that keeps its unmerged work, None when all of it was merged."""

    archive: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The worktree was not removed, and why: somebody needs it, or something went wrong."""

    reason: str
    is_trouble: bool = False


def branch_of(plan: str, task: str, attempt: int) -> str:
    """The full name of an attempt's branch. A folder per task lets a kernel fence cover it and keeps old attempts."""
    return f"refs/heads/waves/{plan}/{task}/{attempt}"


def admin_folder(folder: Path) -> Path:
    """The worktree's administrative folder, as its `.git` file says. Only to be believed right after `ensure`."""
    text = (folder / ".git").read_text(encoding="utf-8", errors="surrogateescape")
    return Path(text.removeprefix("gitdir:").strip())


def ensure(git: Git, lease: Lease) -> Path:
    """Create the lease's branch and worktree, or find them as they were left; return the administrative folder.

    Safe to repeat after a crash at any point. Raises SurroundingsError when the folder is there and is not ours.
    """
    with worktree_lock(git.git_dir):
        admins.repair(git, lease.folder)
        entry = registered(git, lease.folder)
        is_ours = entry is not None and (entry.get("locked"), entry.get("branch")) == (
            lease.reason,
            lease.branch,
        )
        admin = admins.of(git, lease.folder)
        if is_ours and admin is not None and (lease.folder / ".git").is_file():
            private.hand_back(git, lease.private, lease.folder)  # a coordinator died before its agent began
            private.discard(lease.private)
            return admin
        if is_taken(lease.folder):
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
            reason=lease.reason,
        )
        return admin_folder(lease.folder)


def is_taken(folder: Path) -> bool:
    """Whether something is in the way there; an empty folder is not."""
    return folder.is_symlink() or (folder.exists() and not (folder.is_dir() and not any(folder.iterdir())))


def fill(lease: Lease, admin: Path, *, cone: Sequence[str] | None = None) -> None:
    """Write the base's files into the folder, or those of the folders `cone` only. Only before an agent has started there."""
    placed = Git(admin, work_tree=lease.folder)
    placed.reset_hard(lease.base, cone=cone)
    if cone is None:  # whatever git in there does later: as sparse as the user's checkout it is not
        whole = {"core.sparseCheckout": "false", "index.sparse": "false"}
        placed.edit_config(
            admin / "config.worktree", whole if placed.config_values("core.sparseCheckout") else {}
        )
    lease.index.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(admin / "index", lease.index)
    if cone is not None:
        shutil.copyfile(admin / "index", _sparse_index(lease))


def _sparse_index(lease: Lease) -> Path:
    """Which files a sparse worktree never had, so that they do not look deleted when our index is damaged."""
    return lease.index.with_name(f"{lease.index.name}.sparse")


def fence_in(git: Git, lease: Lease, admin: Path) -> Path:
    """Give the attempt a repository of its own, and the folder of it. Only before an agent has started there."""
    private.make(
        git,
        lease.private,
        admin=admin,
        worktree=lease.folder,
        branch=lease.branch,
        tip=git.ref(lease.branch) or lease.base,
    )
    return lease.private


def take_over(git: Git, lease: Lease) -> private.TakenOver | None:
    """What a fenced attempt committed in its own repository is in everybody's from now on; None when it has none."""
    lost = archive.archive_of(lease.run, lease.task, lease.attempt) + ".before"
    return private.take_over(git, lease.private, branch=lease.branch, name=lost)


def snapshot(git: Git, lease: Lease, without: Sequence[RepoPath] = ()) -> Oid:
    """The tree of everything in the folder that is not ignored: what a commit of all of it would hold. What lies at the
    paths `without` is looked away from."""
    if lease.index.exists():
        try:
            return git.write_work_tree(lease.folder, index=lease.index, without=without)
        except GitError:  # damaged, locked by a git that was killed, or a collection took what only it named
            lease.index.unlink()
    lease.index.with_name(f"{lease.index.name}.lock").unlink(missing_ok=True)
    lease.index.parent.mkdir(parents=True, exist_ok=True)
    if _sparse_index(lease).exists():
        shutil.copyfile(_sparse_index(lease), lease.index)
    else:
        git.read_tree(git.tree_of(lease.base), index=lease.index)
    return git.write_work_tree(lease.folder, index=lease.index, without=without)


def uncommitted(
    git: Git, lease: Lease, tip: Oid, *, without: Sequence[RepoPath] = ()
) -> tuple[Oid, tuple[Change, ...]]:
    """The folder's tree, and how it differs from the commit `tip`: what the agent left uncommitted. Files that are handed
    on (`without`) are none of its work; committed all the same, they look changed."""
    tree = snapshot(git, lease, without)
    return tree, git.changes(tip, tree)


def remove(git: Git, lease: Lease, *, integration: Oid, handed_on: Collection[Oid] = ()) -> Removed | Kept:
    """Archive what is not merged, prove that everything is in a ref, then remove the worktree.

    `handed_on` are trees of files that are kept anyway: what lies there in the folder, unchanged, need not be saved. Merged means: reachable from `integration`. The branch stays (`git waves clean` removes it when it is merged).
    Keeps the worktree, and says why, when something in it could not be saved as objects, or somebody has made it theirs.
    Safe to repeat after a crash at any point.
    """
    try:
        with worktree_lock(git.git_dir):
            entry = registered(git, lease.folder)
            if entry is None:  # a `git worktree add` that was killed got as far as its folder
                remove_if_empty(lease.folder)
        own = take_over(git, lease)
        saved = _save(git, lease, entry, integration, handed_on, own)
        if isinstance(saved, Kept):
            return saved
        ref = archive.archive_of(lease.run, lease.task, lease.attempt)
        kept_in = archive.keep(git, ref, saved) if saved is not None else None
    except (GitError, OSError) as error:
        why = error.stderr or error.message if isinstance(error, GitError) else str(error)
        return Kept(reason=f"what it holds could not be saved: {why}", is_trouble=True)
    if saved is not None and kept_in is None:
        return Kept(reason=f"'{ref}' could not be written", is_trouble=True)
    with worktree_lock(git.git_dir):
        if entry is None and lease.folder.exists():
            return Kept(reason="git does not know it as a worktree")
        if not lease.folder.exists():
            if entry is not None:
                admins.drop(git, lease.folder)
        else:
            try:
                private.hand_back(git, lease.private, lease.folder)
                git.remove_worktree(lease.folder)
            except GitError as error:
                return Kept(reason=f"git would not remove it: {error.stderr}", is_trouble=True)
    private.discard(lease.private)
    try:  # whoever is told that it is gone may rely on it: a power cut must not bring it back
        for place in (lease.folder.parent, git.git_dir / "worktrees", git.git_dir):
            sync_path(place)
    except OSError as error:
        return Kept(reason=f"its removal may not last: {error.strerror}", is_trouble=True)
    return Removed(archive=kept_in)


def _save(
    git: Git,
    lease: Lease,
    entry: dict[str, str] | None,
    integration: Oid,
    handed_on: Collection[Oid],
    own: private.TakenOver | None,
) -> Oid | Kept | None:
    """A commit from which all that the worktree holds and `integration` does not can be reached; None when nothing is."""
    tip = git.ref(lease.branch)
    held = [tip] if tip is not None else []
    if entry is not None and entry.get("branch", lease.branch) != lease.branch:
        return Kept(reason=f"somebody works there on '{entry['branch'].removeprefix('refs/heads/')}'")
    if entry is not None and "detached" in entry:
        held.append(Oid(entry["HEAD"]))
    if own is not None:
        held += [*own.others, *([own.detached] if own.detached is not None else [])]
    ends = archive.loose_ends(git, held, integration=integration)
    if not lease.folder.is_dir():
        return _joined(git, lease, ends)
    if lease.folder.is_symlink():
        return Kept(reason="it was replaced by a symbolic link")
    tree, left = uncommitted(git, lease, tip or lease.base)
    nested = _repositories_in(git, lease.folder, tree, scratch=lease.index.parents[1])
    if nested:
        return Kept(reason=f"'{nested[0]}' is a repository of its own, which an archive would not hold")
    if not _not_kept(git, left, handed_on):
        return _joined(git, lease, ends)
    parents = ends or (tip or lease.base,)
    ref = archive.archive_of(lease.run, lease.task, lease.attempt)
    message = f"waves: what attempt {lease.attempt} of task '{lease.task}' left uncommitted\n"
    return archive.holding(git, ref, tree, parents) or git.commit_tree(tree, parents, message)


def _not_kept(git: Git, left: tuple[Change, ...], handed_on: Collection[Oid]) -> bool:
    """Whether something was left that is in none of the trees of files that were handed on."""
    if not left or not handed_on:
        return bool(left)
    kept = {(path, blob) for tree in handed_on for path, (_, blob) in git.files_in(tree).items()}
    return any((change.path, change.new) not in kept for change in left)


def _joined(git: Git, lease: Lease, ends: tuple[Oid, ...]) -> Oid | None:
    if len(ends) < 2:
        return ends[0] if ends else None
    message = f"waves: what attempt {lease.attempt} of task '{lease.task}' left in several places\n"
    return git.commit_tree(git.tree_of(ends[0]), ends, message)


def _repositories_in(git: Git, folder: Path, tree: Oid, *, scratch: Path) -> tuple[str, ...]:
    """Repositories below the folder: new ones, and submodules in which something was done. Their own content is in no tree of
    ours."""
    links = (path for path, mode in git.modes_in(tree).items() if mode == GITLINK)
    filled = (path for path in links if (folder / path / ".git").exists())
    return tuple(path for path in filled if not submodules.is_expendable(git, folder / path, scratch=scratch))


def commit_leftovers(git: Git, lease: Lease, tip: Oid, tree: Oid, message: str) -> Oid | None:
    """Commit the folder's tree on top of the attempt's branch; None when the branch moved under us."""
    commit = git.commit_tree(tree, (tip,), message)
    moved = git.update_refs([f"update {lease.branch} {commit} {tip}"], message="waves: commit what was left")
    return commit if moved else None


def remove_if_empty(folder: Path) -> None:
    """Remove a folder that holds nothing; anything else stays."""
    try:
        folder.rmdir()
    except OSError:
        return  # somebody's files, or a sibling's worktree


def forget_empty_folders(folder: Path) -> None:
    """Remove the plan's worktree folder and its parent when nothing is left in them."""
    remove_if_empty(folder)
    remove_if_empty(folder.parent)


def registered(git: Git, folder: Path) -> dict[str, str] | None:
    """What git says of the worktree at `folder`; None when it knows none there."""
    admins.heal(git)
    for entry in git.worktrees():
        if Path(entry["worktree"]) == folder.resolve():
            return entry
    return None
