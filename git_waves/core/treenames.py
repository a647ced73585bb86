"""What may stand in a tree: names that are safe and do not collide on any system, links that stay inside."""

from __future__ import annotations

import os
import posixpath
import unicodedata
from collections.abc import Iterable

from git_waves.core.model import Oid, RepoPath
from git_waves.core.paths import fold

# HFS+ ignores these when it compares names, NTFS drops trailing dots and spaces and has short names and streams; so all
# of these are `.git` somewhere, and git's own checks for them are off where it thinks they do not matter (F-78).
_IGNORED_BY_HFS = frozenset((*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF))


def unsafe_reason(path: RepoPath) -> str:
    """Why `path` must not be added to a tree, in words; empty when it may.

    Bytes that are not UTF-8, spaces and quotes are no reason: such names exist, and every tool of ours keeps them.
    """
    for part in path.split("/"):
        if part in ("", ".", ".."):
            return f"'{part}' as a name"
        plain = "".join(letter for letter in part if ord(letter) not in _IGNORED_BY_HFS)
        if plain.split(":")[0].rstrip(". ").casefold() in (".git", "git~1"):
            return "a spelling of '.git'"
        if any(unicodedata.category(letter) == "Cc" for letter in part):
            return "a control character in its name"
    return ""


def leaves_the_tree(path: RepoPath, target: bytes) -> bool:
    """Whether a symbolic link at `path` with this target points outside the repository."""
    text = os.fsdecode(target)
    if text.startswith("/"):
        return True
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), text)).split("/")[0] == ".."


class TreeNames:
    """The names of the candidate's tree, read once and then kept up to date merge by merge.

    Two uses: names that differ only in case or normalization collide on other file systems, and git merges them without
    a word (git-facts section 5); and the `.gitattributes` files that a merge has to obey.
    """

    def __init__(self) -> None:
        self._tree: Oid | None = None
        self._folded: dict[str, RepoPath] = {}
        self.attribute_files: set[RepoPath] = set()

    def are_of(self, tree: Oid) -> bool:
        """Whether the names are those of `tree`."""
        return self._tree == tree

    def read(self, tree: Oid, paths: Iterable[RepoPath]) -> None:
        """Take in the whole tree."""
        self._tree = tree
        self._folded = {}
        self.attribute_files = set()
        for path in paths:
            self._add(path)

    def collision(
        self, added: tuple[RepoPath, ...], gone: tuple[RepoPath, ...]
    ) -> tuple[RepoPath, RepoPath] | None:
        """A path that is added and the other one it collides with, in the tree without the `gone` ones."""
        missing = set(gone)
        new: dict[str, RepoPath] = {}
        for path in added:
            for name in _with_parents(path):
                key = fold(name)
                twin = self._folded.get(key)
                if twin is None or twin in missing:
                    twin = new.setdefault(key, name)
                if twin != name:
                    return path, twin
        return None

    def moved_to(self, tree: Oid, added: Iterable[RepoPath], gone: Iterable[RepoPath]) -> None:
        """The candidate is now `tree`, which has these paths more and these less."""
        for path in gone:
            self._folded.pop(fold(path), None)
            self.attribute_files.discard(path)
        for path in added:
            self._add(path)
        self._tree = tree

    def _add(self, path: RepoPath) -> None:
        if path.rpartition("/")[2] == ".gitattributes":
            self.attribute_files.add(path)
        for name in _with_parents(path):
            self._folded.setdefault(fold(name), name)


def _with_parents(path: RepoPath) -> list[RepoPath]:
    parts = path.split("/")
    return [RepoPath("/".join(parts[:count])) for count in range(1, len(parts) + 1)]
