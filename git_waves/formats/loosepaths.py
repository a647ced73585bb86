"""Paths as people and other tools write them in lists of files: in quotes, with a remark or a line number behind."""

from __future__ import annotations

import re
from itertools import product

from git_waves.formats.filenames import is_known_name, reads_like_a_path

_is_clean = re.compile(r"[A-Za-z0-9_./-]+").fullmatch  # nearly every path
_REMARK = re.compile(r"\s+\(.*\)$")  # only after white space: `app/(shop)/page.tsx` is a path
_LINES = re.compile(r":[0-9]{1,9}(?:[-\u2013][0-9]{1,9})?(?:,\s?[0-9]{1,9}(?:[-\u2013][0-9]{1,9})?)*$")
_BRACES = re.compile(r"\{([^{},]*(?:,[^{},]*)+)\}")
_TICKED = re.compile(r"`([^`\n]{1,400})`")
_NEXT = re.compile(r"\s*(\([^()\n]{0,400}\)\s*)?(?:,|;|&|\+|and\b|->|→|to\b)?\s*")
_ONLY_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,6}")
_MOST_EXPANDED = 64


def clean_path(text: str) -> str:
    """The path that `text` means: `` `src\\a.py:10-20` (new) `` is `src/a.py`. It is not judged here."""
    if _is_clean(text):
        return text
    text = text.strip().strip("`'\"").strip()
    text = _REMARK.sub("", text[:4200]).strip("`'\"")
    return _LINES.sub("", text).replace("\\", "/")


def loose_path(text: str) -> str | None:
    """The path that an entry of a list of files means; None when it reads like prose.

    `src/api.ts or equivalent` is `src/api.ts`, `relevant tests` is nothing. A path with blanks needs quotes around it.
    """
    path = clean_path(text)
    if not any(map(str.isspace, path)):
        return path or None
    bare = text.strip()
    if len(bare) > 2 and bare[0] == bare[-1] in "`'\"" and bare.count(bare[0]) == 2:
        return path
    head = clean_path(path.split()[0].rstrip(",;"))
    return head if reads_like_a_path(head) else None


def expand_braces(path: str) -> tuple[str, ...]:
    """`test/{a,b}.ts` as the paths it stands for; the path itself when it has no such braces, or too many."""
    if "{" not in path or len(path) > 1000:
        return (path,)
    parts: list[tuple[str, ...]] = []
    at, count = 0, 1
    for found in _BRACES.finditer(path):
        choices = tuple(dict.fromkeys(choice.strip() for choice in found[1].split(",")))
        parts += [(path[at : found.start()],), choices]
        at, count = found.end(), count * len(choices)
        if count > _MOST_EXPANDED:
            return (path,)
    return tuple("".join(chosen) for chosen in product(*parts, (path[at:],)))


def listed_paths(text: str) -> tuple[list[str], str]:
    """The paths of one line that lists files, and the rest of the line that is none (see `listed_entries`)."""
    entries, rest = listed_entries(text)
    return [path for path, _ in entries], rest


def listed_entries(text: str) -> tuple[list[tuple[str, str]], str]:
    """The paths of one line that lists files, each with the remark behind it, and the rest of the line.

    In backquotes, they follow one another with commas and remarks between; the first word of prose ends the list, so
    that `` `a.fs` (create), register in `b.fsproj` `` is `a.fs`. `` `Home.fsi`, `.fs` `` is two files with one stem.
    Without backquotes, entries are between commas.
    """
    text = text[:20_000]
    if "`" not in text:
        entries = [entry.strip() for entry in text.split(",") if entry.strip()]
        paths = [(entry, loose_path(entry)) for entry in entries]
        good = [(path, entry) for entry, path in paths if path is not None and reads_like_a_path(path)]
        rest = [entry for entry, path in paths if path is None or not reads_like_a_path(path)]
        return good, ", ".join(rest)
    found: list[tuple[str, str]] = []
    at = len(text) - len(text.lstrip(" *"))
    while (span := _TICKED.match(text, at)) is not None:
        path = loose_path(f"`{span[1]}`")
        if path is None or (not reads_like_a_path(path) and not _could_be(path)):
            break
        if found and _ONLY_SUFFIX.fullmatch(path) and not is_known_name(path):
            path = found[-1][0].rpartition(".")[0] + path
        after = _NEXT.match(text, span.end())
        assert after is not None  # every part of it may be empty
        found.append((path, after[1] or ""))
        at = after.end()
    return found, text[at:].strip()


def file_or_folder(path: str) -> tuple[str, ...]:
    """What a name in a list of files may claim: `src/core` has no ending, so it may be a file or a folder, or become one."""
    name = path.rpartition("/")[2]
    if "/" in path and name and "." not in name.lstrip(".") and "*" not in path and not is_known_name(name):
        return path, f"{path}/"
    return (path,)


def _could_be(path: str) -> bool:
    """In a list of files more is a path than in prose: anything with a slash or a dot and nothing a name cannot hold."""
    return ("/" in path or "." in path) and not any(letter in path for letter in " \t()<>\"'|;&$!?")
