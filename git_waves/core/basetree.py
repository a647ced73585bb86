"""What lies in the tree a plan starts from: is a path there, does a pattern match, what is in the way, what looks alike."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from git_waves.core.globs import literal_head
from git_waves.core.model import PathPattern, PatternKind, RepoPath
from git_waves.core.paths import fold, folders_of, matches

LINK = "120000"
SUBMODULE = "160000"
_AFTER_SLASH = (
    "0"  # the letter behind `/`: a range of sorted paths that ends here holds all that lies below a folder
)


@dataclass(frozen=True, kw_only=True)  # without slots: the indexes below are computed on first use and kept
class BaseTree:
    """Every path of a tree with git's octal mode. Folders are where paths lie in; git knows no empty ones."""

    modes: Mapping[RepoPath, str]

    @cached_property
    def _sorted(self) -> list[RepoPath]:
        return sorted(self.modes)

    @cached_property
    def _folders(self) -> frozenset[str]:
        found: set[str] = set()
        for path in self.modes:
            folder = path.rpartition("/")[0]
            while folder and folder not in found:
                found.add(folder)
                folder = folder.rpartition("/")[0]
        return frozenset(found)

    @cached_property
    def _folded(self) -> dict[str, RepoPath]:
        """One path or folder for each name that systems which ignore case would store."""
        found: dict[str, RepoPath] = {}
        for name in (*self.modes, *sorted(self._folders)):
            found.setdefault(fold(name), RepoPath(name))
        return found

    @cached_property
    def _by_name(self) -> dict[str, list[RepoPath]]:
        """Paths by their last segment."""
        found: dict[str, list[RepoPath]] = {}
        for path in self._sorted:
            found.setdefault(path.rpartition("/")[2], []).append(path)
        return found

    def has_folder(self, path: str) -> bool:
        """Whether something lies below `path`."""
        return path in self._folders

    def has_match(self, pattern: PathPattern) -> bool:
        """Whether the pattern claims anything that is there."""
        if pattern.kind is PatternKind.FILE:
            return pattern.text in self.modes
        if pattern.kind is PatternKind.DIR:
            return pattern.text in self._folders
        return any(matches(pattern, path) for path in self._below(literal_head(pattern.text)))

    def _below(self, folder: str) -> list[RepoPath]:
        if not folder:
            return self._sorted
        start = bisect_left(self._sorted, f"{folder}/")
        return self._sorted[start : bisect_left(self._sorted, f"{folder}{_AFTER_SLASH}")]

    def barrier(self, path: str, *, is_folder: bool = False) -> RepoPath | None:
        """The file, link or submodule that stands where `path` needs a folder; None when nothing is in its way.

        `is_folder` says that `path` itself has to be a folder.
        """
        folder = path if is_folder else path.rpartition("/")[0]
        if folder in self._folders or not folder:
            return None
        if folder not in self._barriers:  # plans name many paths of few folders
            above = (*folders_of(folder), folder)
            self._barriers[folder] = next((RepoPath(one) for one in above if one in self.modes), None)
        return self._barriers[folder]

    @cached_property
    def _barriers(self) -> dict[str, RepoPath | None]:
        return {}

    def twin(self, path: str) -> tuple[RepoPath, RepoPath] | None:
        """A part of `path` (a folder it lies in, or all of it) that is not there, and what is there in its place where
        case or normalisation is ignored."""
        if path in self.modes or path in self._folders:
            return None
        is_placed = path.rpartition("/")[0] in self._folders
        for part in (path,) if is_placed else (*folders_of(path), path):
            if part not in self.modes and part not in self._folders:
                other = self._folded.get(fold(part))
                return None if other is None else (RepoPath(part), other)
        return None

    def namesakes(self, path: str) -> tuple[RepoPath, ...]:
        """Files elsewhere with the same last segment, those first that have most of the path's end in common."""
        wanted = path.split("/")

        def shared(other: str) -> int:
            pairs = zip(reversed(wanted), reversed(other.split("/")), strict=False)
            return next(
                (n for n, (a, b) in enumerate(pairs) if a != b), min(len(wanted), other.count("/") + 1)
            )

        return tuple(sorted(self._by_name.get(wanted[-1], ()), key=lambda other: (-shared(other), other)))
