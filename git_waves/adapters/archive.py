"""What a worktree that is to go holds and nothing else does, saved in a ref before it goes (P3).

An archive ref only ever grows: what it held once stays reachable from it or from a ref beside it, however often a removal
is begun, killed and begun again.
"""

from __future__ import annotations

from collections.abc import Iterable

from git_waves.adapters.git import Git
from git_waves.core.model import Oid


def archive_of(run: str, task: str, attempt: int) -> str:
    """The ref that keeps what a removed worktree held."""
    return f"refs/waves/archive/{run}/{task}/{attempt}"


def loose_ends(git: Git, commits: Iterable[Oid], *, integration: Oid) -> tuple[Oid, ...]:
    """Those of the commits that hang neither on `integration` nor on another of them."""
    found: list[Oid] = []
    for commit in dict.fromkeys(commits):
        if not any(git.is_ancestor(commit, other) for other in (integration, *found)):
            found = [other for other in found if not git.is_ancestor(other, commit)] + [commit]
    return tuple(found)


def keep(git: Git, name: str, commit: Oid) -> str | None:
    """Make the commit reachable from the ref `name`, or from one beside it when that ref holds something else.

    Returns the ref that holds it; None when git would not write it.
    """
    number = 1
    ref = name
    while (old := git.ref(ref)) is not None and not git.is_ancestor(old, commit):
        if git.is_ancestor(commit, old):
            return ref
        number += 1
        ref = f"{name}.{number}"
    if old == commit:
        return ref
    command = f"create {ref} {commit}" if old is None else f"update {ref} {commit} {old}"
    return ref if git.update_refs([command], message="waves: archive before removal") else None


def holding(git: Git, name: str, tree: Oid, parents: tuple[Oid, ...]) -> Oid | None:
    """The commit at the ref `name`, when it is of this tree on top of these parents: then nothing is to be saved again."""
    old = git.ref(name)
    return old if old is not None and git.tree_of(old) == tree and git.parents(old) == parents else None
