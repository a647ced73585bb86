"""The repository a command was typed in: its folders, and whether it is one we can work in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from git_waves.adapters import private
from git_waves.adapters.git import MINIMUM_VERSION, Git, Place, discover, version
from git_waves.errors import SurroundingsError


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """Where a command was typed. All folders are absolute.

    `folder` is the current folder, `work_tree` the top of the checkout around it, `main_work_tree` that of the main
    worktree (the same, unless this is a linked worktree), `git` speaks to the common directory.
    """

    folder: Path
    common_dir: Path
    git_dir: Path
    work_tree: Path
    main_work_tree: Path
    git: Git


def open_repository(folder: Path) -> Repository:
    """The repository around `folder`, as git finds it.

    Raises SurroundingsError when git is missing or too old, and when there is no repository or no work tree.
    """
    found = version()
    if found < MINIMUM_VERSION:
        wanted = ".".join(map(str, MINIMUM_VERSION))
        raise SurroundingsError(
            f"git {'.'.join(map(str, found))} is too old: git-waves merges without a checkout, which needs {wanted}",
            hint=f"install git {wanted} or newer",
        )
    place = discover(folder)
    if place is None:
        raise SurroundingsError(
            f"not a git repository, or one git will not open: '{folder}'",
            hint="'git status' says what git thinks of it; 'git waves -C PATH' works elsewhere",
        )
    if place.work_tree is None:
        raise _no_work_tree(place)
    work_tree, home = place.work_tree, private.home_of(place.git_dir)
    if home is not None:  # typed behind the fence
        place = replace(place, common_dir=home)
    git = Git(place.common_dir)
    return Repository(
        folder=folder.resolve(),
        common_dir=place.common_dir,
        git_dir=place.git_dir,
        work_tree=work_tree,
        main_work_tree=_main_work_tree(git, place, work_tree),
        git=git,
    )


def _no_work_tree(place: Place) -> SurroundingsError:
    if place.is_bare:
        return SurroundingsError(
            f"'{place.common_dir}' is a bare repository, and tasks need a checkout to be cut from",
            hint="work in a clone of it: git clone PATH",
        )
    return SurroundingsError(
        f"'{place.git_dir}' is git's own folder, not a work tree", hint="go to the checkout: cd .."
    )


def _main_work_tree(git: Git, place: Place, work_tree: Path) -> Path:
    """`git worktree list` names it wrongly for submodules, so it is worked out the way git itself places it."""
    if place.git_dir == place.common_dir:
        return work_tree
    configured = git.config_path("core.worktree")
    if configured is not None:
        return (place.common_dir / configured).resolve()
    # A worktree of a bare repository has no main one beside it; it stands for itself.
    return place.common_dir.parent if place.common_dir.name == ".git" else work_tree
