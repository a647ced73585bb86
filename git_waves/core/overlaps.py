"""Which tasks' claims collide, found from an index of paths and never by comparing all pairs of tasks.

Equal paths meet in a dictionary; folders and what lies below them are neighbours once the paths are sorted; a glob meets
only the paths and globs that share its literal beginning or end. 100,000 paths take a tenth of a second.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from git_waves.core.collision import Collision, OverlapKind
from git_waves.core.globs import can_meet, glob_regex, literal_head, literal_tail, segments_of
from git_waves.core.model import PathPattern, PatternKind, RepoPath, TaskId
from git_waves.core.paths import compiled, fold, folders_of, overlap, overlap_as_written
from git_waves.errors import UnmeasurableError

MOST_LOOKS = 4_000_000
"""How often claims are held against each other, some seconds of it. When every glob may meet every other it is the square
of their number."""
_GLOB_PAIR, _INSIDE = 8, 4  # looks: how much longer they take than a glob and a name

_LAST = "\U0010ffff"  # sorts behind every letter of a path


@dataclass(slots=True)
class _Entry:
    """One pattern and everybody who claims it; the value says whether the claim is explicit."""

    pattern: PathPattern
    claimants: dict[TaskId, bool]


Claims = Iterable[tuple[TaskId, PathPattern, bool]]
"""Task, pattern, and whether the plan says so itself (explicit) or its reader guessed (inferred)."""


def find_collisions(claims: Claims) -> tuple[Collision, ...]:
    """Every collision between different tasks, by path and kind; UnmeasurableError when that takes too many looks."""
    index = _Index.of(claims)
    found = _Found()
    for entry in map(index.entry, index.shared):
        found.add(OverlapKind.SAME, entry, entry)
    plain = _Plain(index)
    plain.meet_in_folders(found)
    globs = [index.entry(text) for text, pattern in index.wide.items() if pattern.kind is PatternKind.GLOB]
    if globs:
        _Globs(plain, globs, found).meet()
    return found.collisions()


@dataclass(slots=True)
class _Index:
    """Who claims what, by the pattern's text as plans write it, which says its kind too.

    Nearly every path of a plan is claimed by one task and meets nothing. So such a path has its place in `first` and
    nothing more: entries are made for those that meet. `wide` are the patterns that are no single file, `shared` the
    claimants where there are several (whether each says so itself), `guessed` what its first claimant only guessed.
    """

    first: dict[str, TaskId] = field(default_factory=dict)
    wide: dict[str, PathPattern] = field(default_factory=dict)
    shared: dict[str, dict[TaskId, bool]] = field(default_factory=dict)
    guessed: set[str] = field(default_factory=set)
    _entries: dict[str, _Entry] = field(default_factory=dict)

    @classmethod
    def of(cls, claims: Claims) -> _Index:
        """The index of these claims. Whoever claims a pattern twice, once explicitly, claims it explicitly."""
        index = cls()
        first, shared = index.first, index.shared
        for task, pattern, is_explicit in claims:
            text: str = pattern.text
            if pattern.kind is not PatternKind.FILE:
                text = str(pattern)
                index.wide[text] = pattern
            before = first.get(text)
            if before is None:
                first[text] = task
                if not is_explicit:
                    index.guessed.add(text)
            elif before != task or text in shared:
                claimants = shared.setdefault(text, {before: text not in index.guessed})
                claimants[task] = claimants.get(task, False) or is_explicit
            elif is_explicit:
                index.guessed.discard(text)
        return index

    def entry(self, text: str) -> _Entry:
        """What is known of one pattern; always the same value."""
        known = self._entries.get(text)
        if known is None:
            pattern = self.wide.get(text) or PathPattern(kind=PatternKind.FILE, text=RepoPath(text))
            claimants = self.shared.get(text) or {self.first[text]: text not in self.guessed}
            known = self._entries[text] = _Entry(pattern, claimants)
        return known


class _Plain:
    """Files and folders by name: folded, and with NUL for the slash, so that a folder sorts right before what lies below
    it: `a`, `a/b`, then `a-b`."""

    def __init__(self, index: _Index) -> None:
        self._index = index
        texts = [text for text in index.first if text not in index.wide] if index.wide else list(index.first)
        names = _names(texts)
        folders = [text for text, pattern in index.wide.items() if pattern.kind is PatternKind.DIR]
        texts += folders
        names += _names([text[:-1] for text in folders])
        self._texts: dict[str, str] = dict(zip(names, texts, strict=True))
        self._twins: dict[str, list[str]] = {}
        if len(self._texts) < len(names):  # spelled in several ways, or a file where another has a folder
            for name, text in zip(names, texts, strict=True):
                if self._texts[name] != text:
                    self._twins.setdefault(name, []).append(text)
            for name, others in self._twins.items():
                others.append(self._texts[name])
        self.folders = sorted(set(names[len(names) - len(folders) :]))
        self.names = sorted(self._texts)

    def entries(self, name: str) -> list[_Entry]:
        """Everything of that name, files first; empty when nobody claims it."""
        text = self._texts.get(name)
        if text is None:
            return []
        return list(map(self._index.entry, self._twins.get(name, (text,))))

    def meet_in_folders(self, found: _Found) -> None:
        """Every claim meets the claims above it (a claimed file above is a collision too), and those of its name."""
        for name in self._twins:
            here = self.entries(name)
            for number, entry in enumerate(here):
                for other in here[:number]:
                    is_file = entry.pattern.kind is PatternKind.FILE
                    wider, inner = (other, entry) if is_file else (entry, other)
                    found.add(_kind(OverlapKind.INSIDE, wider, inner), wider, inner)
        for name, following in pairwise(self.names):
            if following.startswith(name) and following[len(name)] == "\0":
                for below in self.names[_range(self.names, name + "\0")]:
                    for wider in self.entries(name):
                        for entry in self.entries(below):
                            found.look(_INSIDE * len(entry.claimants))
                            found.add(_kind(OverlapKind.INSIDE, wider, entry), wider, entry)


class _Found:
    """Collects meetings: one collision for each wider claim and kind, however many claims it meets."""

    def __init__(self) -> None:
        self._sides: dict[
            tuple[OverlapKind, int], tuple[_Entry, dict[TaskId, RepoPath], dict[TaskId, bool]]
        ] = {}
        self._looks = 0

    def look(self, times: int = 1) -> None:
        """Before two claims are held against each other, so many times."""
        self._looks += times
        if self._looks > MOST_LOOKS:
            raise UnmeasurableError(
                "there are too many folders and globs that may meet each other, so collisions cannot be measured",
                hint="claim the files or the folder that a task works in, and not '**' of everything",
            )

    def add(self, kind: OverlapKind, wider: _Entry, other: _Entry) -> None:
        """`other` meets `wider`; nothing to say when one and the same task claims both."""
        if len(wider.claimants) == 1 and wider.claimants.keys() == other.claimants.keys():
            return
        _, second, explicit = self._sides.setdefault((kind, id(wider)), (wider, {}, {}))
        for task, is_explicit in other.claimants.items():
            second.setdefault(task, RepoPath(str(other.pattern)))
            explicit[task] = explicit.get(task, False) or is_explicit

    def collisions(self) -> tuple[Collision, ...]:
        """Everything found, sorted."""
        found = []
        for (kind, _), (wider, second, explicit) in self._sides.items():
            if len(wider.claimants) == 1:
                second.pop(next(iter(wider.claimants)), None)  # a task does not collide with itself
            ordered = sorted(second)
            everyone = {*wider.claimants, *second}
            found.append(
                Collision(
                    path=RepoPath(str(wider.pattern)),
                    kind=kind,
                    first=tuple(sorted(wider.claimants)),
                    second=tuple(ordered),
                    others=tuple(second[task] for task in ordered),
                    guessed=frozenset(
                        task for task in everyone if not (wider.claimants.get(task) or explicit.get(task))
                    ),
                )
            )
        return tuple(sorted(found, key=lambda each: (each.path, each.kind)))


class _Globs:
    """Globs against files, folders and one another."""

    def __init__(self, plain: _Plain, globs: list[_Entry], found: _Found) -> None:
        self._names = plain.names
        self._plain = plain
        self._globs = globs
        self._found = found

    def meet(self) -> None:
        """Look at every glob once."""
        for glob in self._globs:
            self._meet_above(glob)
            self._meet_below(glob)
        self._meet_each_other()

    def _meet_above(self, glob: _Entry) -> None:
        """Claims at or above the folder that all matches lie in: a folder holds them, a file leaves them no room."""
        head = literal_head(glob.pattern.text)
        for folder in (*folders_of(head), head):
            for entry in self._plain.entries(_name(folder)):
                self._found.add(_kind(OverlapKind.INSIDE, entry, glob), entry, glob)

    def _meet_below(self, glob: _Entry) -> None:
        """Files that match, and folders below the glob's beginning that can hold a match."""
        head = _name(literal_head(glob.pattern.text))
        below = head + "\0" if head else ""
        accepts = compiled(glob_regex(fold(glob.pattern.text))).fullmatch
        for name in self._candidates(glob, below):
            self._found.look()
            is_match = accepts(name.replace("\0", "/")) is not None
            for entry in self._plain.entries(name):
                # As written too: folding can change the number of letters, which `?` counts.
                if entry.pattern.kind is PatternKind.FILE and (
                    is_match or (not entry.pattern.text.isascii() and overlap(glob.pattern, entry.pattern))
                ):
                    self._found.add(_kind(OverlapKind.GLOB, glob, entry), glob, entry)
        for name in self._plain.folders[_range(self._plain.folders, below)]:
            self._found.look(_GLOB_PAIR)
            for entry in self._plain.entries(name):
                if entry.pattern.kind is PatternKind.DIR and overlap(glob.pattern, entry.pattern):
                    self._found.add(_kind(OverlapKind.GLOB, glob, entry), glob, entry)

    def _candidates(self, glob: _Entry, below: str) -> Iterable[str]:
        """Names in the same folder, with the same ending, or with the same beginning of the last segment: the fewest."""
        text = glob.pattern.text
        last = re.split(r"[*?]", segments_of(text)[-1])[0]
        in_folder = _range(self._names, below)
        by_ending = _range(self._backwards, _ending(glob)[::-1])
        by_last = _range(self._by_last, _name(last))
        fewest = min(in_folder, by_ending, by_last, key=lambda found: found.stop - found.start)
        if fewest is in_folder:
            return self._names[in_folder]
        if fewest is by_ending:
            return (name[::-1] for name in self._backwards[by_ending])
        return (name.partition("\0\0")[2] for name in self._by_last[by_last])

    @cached_property
    def _backwards(self) -> list[str]:
        return sorted(name[::-1] for name in self._names)

    @cached_property
    def _by_last(self) -> list[str]:
        return sorted(name.rpartition("\0")[2] + "\0\0" + name for name in self._names)

    def _meet_each_other(self) -> None:
        """Two globs can meet only when the beginning of one is, or lies in, the beginning of the other."""
        above: list[tuple[str, str, tuple[str, ...], _Entry]] = []
        for head, number in sorted(
            (_name(literal_head(entry.pattern.text)), number) for number, entry in enumerate(self._globs)
        ):
            glob = self._globs[number]
            ending = _ending(glob)
            segments = segments_of(fold(glob.pattern.text))
            while not f"{head}\0".startswith(above[-1][0] if above else ""):
                above.pop()
            self._found.look(_GLOB_PAIR * len(above))
            for _, other_ending, other_segments, other in above:
                if (ending.endswith(other_ending) or other_ending.endswith(ending)) and (
                    can_meet(other_segments, segments) or self._meet_as_written(other, glob)
                ):
                    self._found.add(_kind(OverlapKind.GLOB, other, glob), other, glob)
            above.append((head + "\0" if head else "", ending, segments, glob))

    @staticmethod
    def _meet_as_written(a: _Entry, b: _Entry) -> bool:
        """What folding hides: it can change the number of letters, which `?` counts."""
        is_plain = a.pattern.text.isascii() and b.pattern.text.isascii()
        return not is_plain and overlap_as_written(a.pattern, b.pattern)


def _kind(kind: OverlapKind, a: _Entry, b: _Entry) -> OverlapKind:
    return kind if overlap_as_written(a.pattern, b.pattern) else OverlapKind.CASE


def _name(text: str) -> str:
    """The index's form of a path. Patterns are composed (NFC), so beginnings and endings fold to beginnings and endings."""
    return fold(text).replace("/", "\0")


def _names(texts: list[str]) -> list[str]:
    """`_name` of each, all at once: one by one, 100,000 of them take longer than everything else here."""
    joined = "\n".join(texts)
    names = joined.lower().replace("/", "\0").split("\n") if joined.isascii() else []
    return names if len(names) == len(texts) else list(map(_name, texts))


def _ending(glob: _Entry) -> str:
    """What all matches end with."""
    return _name(literal_tail(glob.pattern.text))


def _range(names: list[str], beginning: str) -> slice:
    """Where in a sorted list the names with this beginning stand."""
    return slice(bisect_left(names, beginning), bisect_left(names, beginning + _LAST))
