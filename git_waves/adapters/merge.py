"""One task's tip merged into the candidate, without a checkout: the fence of P1.

The merge is judged twice from trees: what the task changed since it left the candidate's history, and what the merged
tree changes in the candidate. Both must lie inside what the task owns, whatever happened in the worktree.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from git_waves.adapters.git import Change, Git, MergeConflict
from git_waves.core.model import Oid, RepoPath, Rules
from git_waves.core.ownership import foreign_paths
from git_waves.core.treenames import TreeNames, leaves_the_tree, unsafe_reason

SYMLINK = "120000"
GITLINK = "160000"
ABSENT = "000000"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A clean merge: the new commit, its tree, and the paths it changes in the old candidate."""

    commit: Oid
    tree: Oid
    paths: tuple[RepoPath, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Git would stop here. `paths` may be empty when the conflict has no file."""

    paths: tuple[RepoPath, ...]
    messages: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Something in the tip may not enter the integration ref: `reason` in words, `paths` the ones it is about."""

    reason: str
    paths: tuple[RepoPath, ...]


def judge(git: Git, *, onto: Oid, base: Oid, tip: Oid, rules: Rules) -> tuple[RepoPath, ...] | Refused:
    """What `tip` changes against its last common commit with `onto`, when all of it may be merged; else Refused.

    `base` is the commit the attempt was cut from; a tip that does not descend from it has rewritten what was there.
    """
    if not git.is_ancestor(base, tip):
        return Refused(reason="its history no longer contains the commit it was cut from", paths=())
    bases = git.merge_bases(onto, tip)
    if not bases:
        return Refused(reason="its history has nothing in common with the candidate", paths=())
    changes = git.changes(bases[0], tip)
    refused = _refuse(git, changes, rules)
    return refused or tuple(change.path for change in changes)


def _refuse(git: Git, changes: tuple[Change, ...], rules: Rules) -> Refused | None:
    foreign = foreign_paths(rules, [change.path for change in changes])
    if foreign:
        return Refused(reason="it changes paths the task does not own", paths=foreign)
    present = [change for change in changes if change.new_mode != ABSENT]
    added = [change.path for change in present if change.old_mode == ABSENT]
    unsafe = tuple(path for path in added if unsafe_reason(path))
    if unsafe:
        return Refused(reason=f"it adds a path that is not safe: {unsafe_reason(unsafe[0])}", paths=unsafe)
    gitlinks = tuple(  # a submodule is wanted only where the plan names its very path (git-facts D16)
        change.path
        for change in present
        if change.new_mode == GITLINK and change.old_mode != GITLINK and change.path not in rules.files
    )
    if gitlinks:
        return Refused(reason="it adds a repository inside the repository (a gitlink)", paths=gitlinks)
    links = tuple(
        change.path
        for change in present
        if change.new_mode == SYMLINK and leaves_the_tree(change.path, git.blob(change.new) or b"")
    )
    return (
        Refused(reason="it adds a symbolic link that leaves the repository", paths=links) if links else None
    )


def merge_tip(
    git: Git,
    *,
    candidate: Oid,
    tree: Oid,
    base: Oid,
    tip: Oid,
    rules: Rules,
    message: str,
    names: TreeNames,
    scratch: Path,
) -> Candidate | Conflict | Refused:
    """Merge `tip` into `candidate`, whose tree is `tree`, as a commit of its own with both as parents; no ref is moved."""
    judged = judge(git, onto=candidate, base=base, tip=tip, rules=rules)
    if isinstance(judged, Refused):
        return judged
    if not names.are_of(tree):
        names.read(tree, git.paths_in(tree))
    with attributes_of(git, candidate, names.attribute_files, scratch) as attributes:
        merged = git.merge_tree(candidate, tip, attributes=attributes)
    if isinstance(merged, MergeConflict):
        return Conflict(paths=merged.paths, messages=merged.messages)
    changes = git.changes(candidate, merged.tree)
    refused = _refuse(git, changes, rules)
    if refused is not None:
        return refused
    own = set(judged)
    moved = tuple(change.path for change in changes if change.path not in own)
    if moved:  # a rename or a merge driver put something where neither side had changed it (decision D12)
        return Refused(reason="the merge would change paths that the task did not", paths=moved)
    gone = tuple(change.path for change in changes if change.new_mode == ABSENT)
    added = tuple(change.path for change in changes if change.old_mode == ABSENT)
    collision = names.collision(added, gone)
    if collision is not None:
        words = f"'{collision[0]}' and '{collision[1]}' differ only in case or normalization"
        return Refused(reason=words, paths=collision)
    commit = git.commit_tree(merged.tree, (candidate, tip), message)
    names.moved_to(merged.tree, added, gone)
    return Candidate(commit=commit, tree=merged.tree, paths=tuple(change.path for change in changes))


def try_merge(git: Git, *, ours: Oid, theirs: Oid, scratch: Path) -> Oid | None:
    """The tree that two lines of work make together, None when they conflict. Nothing is judged, no ref is moved."""
    attribute_files = {path for path in git.paths_in(ours) if path.rpartition("/")[2] == ".gitattributes"}
    with attributes_of(git, ours, attribute_files, scratch) as attributes:
        merged = git.merge_tree(ours, theirs, attributes=attributes)
    return None if isinstance(merged, MergeConflict) else merged.tree


@contextmanager
def attributes_of(git: Git, commit: Oid, paths: set[RepoPath], scratch: Path) -> Iterator[Path]:
    """A temporary folder that holds a commit's `.gitattributes` files, which are at `paths`, where merge-tree looks for
    them."""
    folder = Path(tempfile.mkdtemp(prefix="attributes-", dir=scratch))
    try:
        for path in paths:
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(git.blob(f"{commit}:{path}") or b"")
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
