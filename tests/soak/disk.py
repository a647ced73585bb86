"""A disk in memory that remembers what was synced: from it, what a power cut at any moment leaves.

Files and folders are nodes. A file's bytes count as safe once the file was synced; a name in a folder once that folder was.
Two ways to forget (`Loss`): a journalling file system, which keeps changes of names in order and lets a sync of anything
carry all earlier ones to the disk (ext4, xfs), so a file may be there and empty; and the letter of POSIX, where every name
is on its own until its folder is synced.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path


class Loss(Enum):
    """What a power cut takes: nothing (all processes die, the disk lives), or what the system had not yet written."""

    NOTHING = auto()
    JOURNAL = auto()
    POSIX = auto()


@dataclass(eq=False, slots=True)
class Node:
    """A file (`names` is None), a symbolic link (`target`), or a folder. `safe` is what a sync brought to the disk."""

    mode: int
    names: dict[str, Node] | None = None
    target: str = ""
    data: bytearray = field(default_factory=bytearray)
    position: int = 0  # where the next write goes: files are written front to back, by one writer
    safe_data: bytes = b""
    safe_names: dict[str, Node] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class Naming:
    """A change of names that is not safe yet: in each folder, the name and what it now stands for."""

    changes: tuple[tuple[Node, str, Node | None], ...]

    def apply(self, names_of: Callable[[Node], dict[str, Node]]) -> None:
        """Carry it out in whatever names are meant."""
        for folder, name, node in self.changes:
            if node is None:
                names_of(folder).pop(name, None)
            else:
                names_of(folder)[name] = node


class Disk:
    """What lies below one folder, read from there or from a copy. Paths are absolute; those elsewhere are none of our
    business."""

    def __init__(self, root: Path, *, copy: Path | None = None) -> None:
        self.root = str(root)
        self._top = _read(copy or root)
        self._journal: list[Naming] = []  # not yet safe, oldest first

    # ------------------------------------------------------------------ finding

    def is_here(self, path: str) -> bool:
        """Whether the path lies below our folder."""
        return path == self.root or path.startswith(self.root + "/")

    def node(self, path: str) -> Node | None:
        """What the path stands for now; links in folders are followed."""
        folder, name = self._place(path)
        if folder is None or folder.names is None:
            return None
        return folder.names.get(name) if name else folder

    def _place(self, path: str) -> tuple[Node | None, str]:
        parts = [part for part in path[len(self.root) :].split("/") if part and part != "."]
        resolved: list[str] = []
        for part in parts:
            if part == "..":
                resolved.pop()
            else:
                resolved.append(part)
        node: Node | None = self._top
        for part in resolved[:-1]:
            node = node.names.get(part) if node is not None and node.names is not None else None
        return node, resolved[-1] if resolved else ""

    # ------------------------------------------------------------------ what programs do

    def open(self, path: str, *, creates: bool, cuts: bool, appends: bool, mode: int) -> None:
        """A file was opened for writing."""
        node = self.node(path)
        if node is None and creates:
            node = Node(mode=mode)
            self._name((path, node))
        if node is not None and node.names is None:
            if cuts:
                node.data.clear()
            node.position = len(node.data) if appends else 0

    def write(self, path: str, data: bytes, *, at: int | None = None) -> None:
        """Bytes were written, one after the other or at a place."""
        node = self.node(path)
        if node is None or node.names is not None:
            return
        start = node.position if at is None else at
        node.data.extend(b"\0" * (start - len(node.data)))
        node.data[start : start + len(data)] = data
        if at is None:
            node.position = start + len(data)

    def seek(self, path: str, position: int) -> None:
        """The place of the next write was set."""
        node = self.node(path)
        if node is not None:
            node.position = position

    def cut(self, path: str, size: int) -> None:
        """A file was made this long."""
        node = self.node(path)
        if node is not None and node.names is None:
            del node.data[size:]
            node.data.extend(b"\0" * (size - len(node.data)))

    def make_folder(self, path: str, mode: int) -> None:
        """A folder was made."""
        self._name((path, Node(mode=mode, names={})))

    def make_link(self, path: str, target: str) -> None:
        """A symbolic link was made."""
        self._name((path, Node(mode=0o777, target=target)))

    def link(self, old: str, new: str) -> None:
        """A file got one more name."""
        self._name((new, self.node(old)))

    def rename(self, old: str, new: str) -> None:
        """A file or folder got another name."""
        node = self.node(old)
        if node is not None:
            self._name((old, None), (new, node))

    def remove(self, path: str) -> None:
        """A name is gone."""
        self._name((path, None))

    def set_mode(self, path: str, mode: int) -> None:
        """Modes are taken as safe at once."""
        node = self.node(path)
        if node is not None:
            node.mode = mode

    def _name(self, *changes: tuple[str, Node | None]) -> None:
        placed = []
        for path, node in changes:
            folder, name = self._place(path)
            if folder is None or folder.names is None:
                return
            placed.append((folder, name, node))
        naming = Naming(tuple(placed))
        naming.apply(_names)
        self._journal.append(naming)

    def sync(self, path: str, loss: Loss) -> None:
        """A file or folder was synced: what it holds is safe, and what the way to forget says comes with it."""
        node = self.node(path)
        if node is None:
            return
        if node.names is None:
            node.safe_data = bytes(node.data)
        if loss is Loss.JOURNAL:
            safe, self._journal = self._journal, []
        else:
            safe = [one for one in self._journal if any(folder is node for folder, _, _ in one.changes)]
            self._journal = [one for one in self._journal if one not in safe]
        for naming in safe:
            naming.apply(_safe_names)

    # ------------------------------------------------------------------ the power cut

    def write_out(
        self, folder: Path, loss: Loss, dice: random.Random, *, spared: frozenset[str] = frozenset()
    ) -> None:
        """Write what is left into an empty folder; all of the names `spared` in it. The dice say how much of what was not
        safe reached the disk all the same: the system writes back when it likes."""
        if loss is Loss.NOTHING:
            _write(self._top, folder, _names, lambda node: bytes(node.data), {})
            return
        top = _names(self._top)
        for name in spared & top.keys():
            _write(top[name], folder / name, _names, lambda node: bytes(node.data), {})
        names: dict[int, dict[str, Node]] = {}

        def left(node: Node) -> dict[str, Node]:
            return names.setdefault(id(node), dict(node.safe_names))

        kept = self._journal[: dice.choice((0, 0, len(self._journal), dice.randint(0, len(self._journal))))]
        if loss is Loss.POSIX:
            share = dice.choice((0.0, 0.0, 0.5, 0.9))
            kept = [one for one in self._journal if dice.random() < share]
        for naming in kept:
            naming.apply(left)
        luck = dice.choice((0.0, 0.0, 0.5, 1.0))

        def data(node: Node) -> bytes:
            if bytes(node.data) == node.safe_data or dice.random() >= luck:
                return node.safe_data
            return bytes(node.data[: dice.choice((len(node.data), dice.randint(0, len(node.data))))])

        for name, node in left(self._top).items():
            if name not in spared:
                _write(node, folder / name, left, data, {})

    def differences(self, folder: Path) -> Iterator[str]:
        """Where a real folder is not what we think it is: a recorder that missed something must not go unseen."""
        real = _read(folder)
        waiting = [("", self._top, real)]
        while waiting:
            path, ours, theirs = waiting.pop()
            if ours.names is None or theirs.names is None:
                if (ours.names, ours.target, ours.data) != (theirs.names, theirs.target, theirs.data):
                    yield path
                continue
            for name in ours.names.keys() ^ theirs.names.keys():
                yield f"{path}/{name}"
            both = ours.names.keys() & theirs.names.keys()
            waiting += [(f"{path}/{name}", ours.names[name], theirs.names[name]) for name in both]


def _names(node: Node) -> dict[str, Node]:
    assert node.names is not None, "a folder"
    return node.names


def _safe_names(node: Node) -> dict[str, Node]:
    return node.safe_names


def _read(path: Path) -> Node:
    mode = path.lstat().st_mode & 0o7777
    if path.is_symlink():
        return Node(mode=mode, target=str(path.readlink()))
    if path.is_dir():
        names = {child.name: _read(child) for child in path.iterdir()}
        return Node(mode=mode, names=names, safe_names=dict(names))
    if not path.is_file():
        return Node(mode=mode)
    data = path.read_bytes()
    return Node(mode=mode, data=bytearray(data), safe_data=data)


def _write(
    node: Node,
    path: Path,
    names: Callable[[Node], dict[str, Node]],
    data: Callable[[Node], bytes],
    written: dict[int, Path],
) -> None:
    if node.names is not None:
        path.mkdir(exist_ok=True)
        for name, child in names(node).items():
            _write(child, path / name, names, data, written)
        path.chmod(node.mode)
    elif node.target:
        path.symlink_to(node.target)
    elif id(node) in written:
        path.hardlink_to(written[id(node)])
    else:
        path.write_bytes(data(node))
        path.chmod(node.mode)
        written[id(node)] = path
