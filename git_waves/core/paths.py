"""What a plan's path means: which texts are accepted, which paths a pattern matches, and when two patterns collide."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from git_waves.core.globs import can_meet, glob_regex, is_glob, literal_head, segments_of
from git_waves.core.model import PathPattern, PatternKind, RepoPath

__all__ = [
    "PathProblem",
    "compiled",
    "fold",
    "folders_of",
    "glob_regex",
    "matches",
    "overlap",
    "overlap_as_written",
    "parse_pattern",
]

LONGEST = 4096  # bytes; Linux's PATH_MAX, and a bound on the work a hostile plan can ask of `overlap`

# Nearly every path of a real plan: quick to accept, and too plain to be any of the spellings refused below.
_PLAIN = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9_.+-]*/)*[A-Za-z0-9_][A-Za-z0-9_.+-]*")
_BRACES = re.compile(r"\{[^{}]*,[^{}]*\}")
_DRIVE = re.compile(r"[A-Za-z]:")
# HFS+ ignores these when it compares names, so `.g<U+200C>it` is `.git` there (git's own list, utf8.c).
_HFS_IGNORED = dict.fromkeys(
    (*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF), None
)


class PathProblem(ValueError):  # noqa: N818  # a problem of the plan, listed beside its other PlanProblems
    """A text that is no path inside the repository: `message` says why, `hint` what to write."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def parse_pattern(text: str) -> PathPattern:
    """The pattern a plan means by `text`: `dir/` and `dir/**` a folder, `*` or `?` a glob, anything else one file.

    `./a` and `a//b` are tidied. Raises PathProblem for whatever git, another system or a shell would read differently.
    """
    if _PLAIN.fullmatch(text) and len(text) <= LONGEST:
        return PathPattern(kind=PatternKind.FILE, text=RepoPath(text))
    _refuse_characters(text)
    parts = [part for part in text.split("/") if part not in ("", ".")]
    if text.startswith("/") and not parts:
        raise PathProblem(f"path '{text}' is absolute", "write '**' to claim the whole repository")
    if not parts:
        raise PathProblem(
            f"path '{text}' is the whole repository", "name the folders, or write '**' to claim it all"
        )
    _refuse_parts(text, parts)
    is_folder = text.endswith(("/", "/."))
    if not is_glob(text):
        kind = PatternKind.DIR if is_folder else PatternKind.FILE
        return PathPattern(kind=kind, text=RepoPath("/".join(parts)))
    return _glob_pattern([*parts, "**"] if is_folder else parts)


def _glob_pattern(parts: list[str]) -> PathPattern:
    simple = list(segments_of("/".join(parts)))
    if simple[-2:] == ["**", "*"]:  # says no more than `**` at the end
        del simple[-1]
    if simple[-1] == "**" and len(simple) > 1 and not any(map(is_glob, simple[:-1])):
        return PathPattern(kind=PatternKind.DIR, text=RepoPath("/".join(simple[:-1])))
    return PathPattern(kind=PatternKind.GLOB, text=RepoPath("/".join(simple)))


def _refuse_characters(text: str) -> None:
    if not text.strip():
        raise PathProblem("path is empty", "remove the entry, or name a file, a folder or a glob")
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
    if any("\ud800" <= c <= "\udfff" for c in text):
        raise PathProblem(f"path '{shown}' is not valid UTF-8", "claim the folder it lies in")
    if _has_controls(text):
        raise PathProblem(f"path '{shown}' holds a control character", "claim the folder it lies in")
    if len(text.encode()) > LONGEST:
        raise PathProblem(f"path '{shown[:40]}…' is longer than {LONGEST} bytes", "claim a folder above it")
    if not unicodedata.is_normalized("NFC", text):
        raise PathProblem(
            f"path '{shown}' is not in composed form (NFC)",
            "write accented letters as one character, or claim the folder it lies in",
        )
    if "\\" in text:
        raise PathProblem(f"path '{text}' holds a backslash", "write '/' between folders")
    if _BRACES.search(text):
        raise PathProblem(f"braces in path '{text}' are not expanded", "list the paths one by one")


def _refuse_parts(text: str, parts: list[str]) -> None:
    first = parts[0]
    if text.startswith("/"):
        raise PathProblem(
            f"path '{text}' is absolute", "write it from the top of the repository, without '/'"
        )
    if first.startswith("~"):
        raise PathProblem(f"path '{text}' starts with '~'", "only paths inside the repository can be owned")
    if first.startswith("-"):
        raise PathProblem(
            f"path '{text}' starts with '-'", "a command could take it for an option; rename the file"
        )
    if _DRIVE.match(first):
        raise PathProblem(
            f"path '{text}' starts with a drive letter", "write it from the top of the repository"
        )
    if ".." in parts:
        raise PathProblem(f"path '{text}' goes up with '..'", "write it from the top of the repository")
    if any(map(_is_git_folder, parts)):
        raise PathProblem(
            f"path '{text}' names git's own folder", "remove the entry; no commit can hold '.git'"
        )


def _has_controls(text: str) -> bool:
    """Control characters and line or paragraph separators."""
    return any(unicodedata.category(c) in ("Cc", "Zl", "Zp") for c in text)


def _is_git_folder(part: str) -> bool:
    """`.git` as any file system reads it: case, HFS+'s ignored characters, NTFS's short name, streams, trailing dots."""
    name = part.translate(_HFS_IGNORED).split(":")[0].rstrip(" .").casefold()
    return name in (".git", "git~1")


def matches(pattern: PathPattern, path: str) -> bool:
    """Whether the pattern claims this path, letter for letter. A folder claims what lies below it, never itself."""
    if pattern.kind is PatternKind.FILE:
        return path == pattern.text
    if pattern.kind is PatternKind.DIR:
        return path.startswith(pattern.text + "/")
    return compiled(glob_regex(pattern.text)).fullmatch(path) is not None


@lru_cache(maxsize=8192)
def compiled(regex: str) -> re.Pattern[str]:
    """The compiled form of a regular expression of `glob_regex`, kept for the next question."""
    return re.compile(regex)


def fold(path: str) -> str:
    """The name under which systems that ignore case or normalisation would store the path."""
    return path.lower() if path.isascii() else unicodedata.normalize("NFC", path).casefold()


def folders_of(path: str) -> Iterator[str]:
    """The folders a path lies in, outermost first: `a/b/c` gives `a`, `a/b`."""
    end = path.find("/")
    while end != -1:
        yield path[:end]
        end = path.find("/", end + 1)


def overlap(a: PathPattern, b: PathPattern) -> bool:
    """Whether two tasks holding these patterns can get in each other's way.

    That is: some path matches both; or a file stands where the other needs a folder (`a` against `a/b`, no tree holds
    both). Compared as written and folded, so `README` and `readme` collide too. A glob that could match a folder's own
    name (`src/*` against `src/sub/x`) is no collision: it claims files, and the folder is none.
    """
    folded_a, folded_b = _folded(a), _folded(b)
    if overlap_as_written(folded_a, folded_b):
        return True
    # Folding can change lengths (`ß`), and `?` counts letters: what matches as written must never be missed.
    return (folded_a is not a or folded_b is not b) and overlap_as_written(a, b)


def _folded(pattern: PathPattern) -> PathPattern:
    text = fold(pattern.text)
    return pattern if text == pattern.text else PathPattern(kind=pattern.kind, text=RepoPath(text))


def overlap_as_written(a: PathPattern, b: PathPattern) -> bool:
    """The same question where every letter counts: false for what only other file systems would mix up."""
    if a.kind is not PatternKind.GLOB:
        if b.kind is not PatternKind.GLOB:
            return a.text == b.text or a.text.startswith(b.text + "/") or b.text.startswith(a.text + "/")
        a, b = b, a
    if b.kind is PatternKind.GLOB:
        return can_meet(segments_of(a.text), segments_of(b.text))
    if b.kind is PatternKind.DIR:
        return can_meet(segments_of(a.text), (*b.text.split("/"), "**", "*"))
    return matches(a, b.text) or f"{literal_head(a.text)}/".startswith(b.text + "/")
