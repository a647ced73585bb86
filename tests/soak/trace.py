"""What a run and everything it starts did to the disk, as `strace` saw it, step by step, on a `Disk`.

strace names the file behind every descriptor (`-y`), so only the current folder of each process has to be followed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.soak.disk import Disk, Loss

STRACE = shutil.which("strace")
_CALLS = (
    "open,openat,creat,write,writev,pwrite64,lseek,sendfile,copy_file_range,ftruncate,truncate,rename,renameat,renameat2,"
    "link,linkat,symlink,symlinkat,unlink,unlinkat,rmdir,mkdir,mkdirat,fsync,fdatasync,chmod,fchmod,fchmodat,chdir,fchdir,"
    "clone,clone3,fork,vfork"
)


@dataclass(frozen=True, slots=True)
class Call:
    """One call that succeeded: who, which, with what, and its answer."""

    pid: int
    name: str
    arguments: str
    answer: int


def can_trace() -> bool:
    """Whether strace is there and may trace."""
    if STRACE is None:
        return False
    done = subprocess.run([STRACE, "-qq", "-o", os.devnull, "true"], capture_output=True, check=False)
    return done.returncode == 0


def record(words: tuple[str, ...], *, cwd: Path, environment: Mapping[str, str], into: Path) -> int:
    """Run a command under strace; its exit code."""
    assert STRACE is not None, "asked before"
    tracing = [
        STRACE,
        "--seccomp-bpf",
        "-f",
        "-qq",
        "-y",
        "-xx",
        "-a1",
        "-s",
        "10000000",
        "-e",
        "signal=none",
    ]
    done = subprocess.run(
        [*tracing, "-e", f"trace={_CALLS}", "-o", str(into), *words],
        cwd=cwd,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    return done.returncode


_LINE = re.compile(r"(\d+) +(?:<\.\.\. (\w+) resumed>|(\w+)\()?(.*)")
_ENDING = re.compile(r"\) = (-?\d+)(?:<[^>]*>)?(?: .*)?$")


def calls(trace: Path) -> Iterator[Call]:
    """Every successful call in the order they ended in."""
    begun: dict[int, str] = {}
    with trace.open() as lines:
        for line in lines:
            found = _LINE.match(line.rstrip("\n"))
            if found is None:
                continue
            pid, resumed, name, rest = int(found[1]), found[2], found[3], found[4]
            if name is not None and rest.endswith("<unfinished ...>"):
                begun[pid] = rest.removesuffix("<unfinished ...>").rstrip()
                continue
            if resumed is not None:
                name, rest = resumed, begun.pop(pid, "") + rest
            ending = _ENDING.search(rest)
            if name is not None and ending is not None and int(ending[1]) >= 0:
                yield Call(pid, name, rest[: ending.start()], int(ending[1]))


_HEX = re.compile(r"\\x([0-9a-f]{2})")
_TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
_PLACE = re.compile(r"(?:AT_FDCWD|\d+)<((?:\\x[0-9a-f]{2})*)>")


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))


def _texts(arguments: str) -> list[bytes]:
    return [_bytes(found) for found in _TEXT.findall(arguments)]


def _places(arguments: str) -> list[str]:
    return [os.fsdecode(_bytes(found)) for found in _PLACE.findall(arguments)]


def _mode(arguments: str) -> int:
    last = arguments.rpartition(", ")[2]
    return int(last, 8) & ~0o022 if re.fullmatch("[0-7]+", last) else 0o644


class Replay:
    """The calls of a trace on a disk, one at a time. `loss` says what a sync carries along."""

    def __init__(self, disk: Disk, loss: Loss, cwd: str) -> None:
        self.disk = disk
        self._loss = loss
        self._start = cwd
        self._folders: dict[int, str] = {}
        self._waiting: dict[int, list[Call]] = {}
        self._read_so_far: dict[tuple[int, str], int] = {}

    def step(self, call: Call) -> bool:
        """Take in a call; whether it changed or synced something on the disk, or will once its process is known."""
        if not self._folders:
            self._folders[call.pid] = self._start
        if call.pid not in self._folders:  # its birth is told when the call that made it ends
            self._waiting.setdefault(call.pid, []).append(call)
            return True
        if call.name in ("clone", "clone3", "fork", "vfork"):
            self._folders[call.answer] = self._folders[call.pid]
            is_change = False
            for one in self._waiting.pop(call.answer, []):
                is_change = self.step(one) or is_change
            return is_change
        handler = getattr(self, f"_{call.name}")
        return bool(handler(call))

    def _paths(self, call: Call) -> list[str]:
        """The paths of a call with one or two of them, each preceded by the folder it counts from or by none."""
        found = []
        pattern = r'(?:(?:AT_FDCWD|\d+)<((?:\\x[0-9a-f]{2})*)>, )?"((?:\\x[0-9a-f]{2})*)"'
        for folder, text in re.findall(pattern, call.arguments):
            base = os.fsdecode(_bytes(folder)) if folder else self._folders[call.pid]
            found.append(os.path.normpath(os.path.join(base, os.fsdecode(_bytes(text)))))  # noqa: PTH118  # texts, not files
        return found

    def _chdir(self, call: Call) -> None:
        self._folders[call.pid] = self._paths(call)[0]

    def _fchdir(self, call: Call) -> None:
        self._folders[call.pid] = _places(call.arguments)[0]

    def _openat(self, call: Call) -> bool:
        path = self._paths(call)[0]
        if not self.disk.is_here(path) or not re.search("O_WRONLY|O_RDWR|O_CREAT|O_TRUNC", call.arguments):
            return False
        creates = "O_CREAT" in call.arguments
        cuts, appends = "O_TRUNC" in call.arguments, "O_APPEND" in call.arguments
        is_new = creates and self.disk.node(path) is None
        mode = _mode(call.arguments) if creates else 0o644
        self.disk.open(path, creates=creates, cuts=cuts, appends=appends, mode=mode)
        return is_new or cuts

    _open = _openat

    def _creat(self, call: Call) -> bool:
        path = self._paths(call)[0]
        if not self.disk.is_here(path):
            return False
        self.disk.open(path, creates=True, cuts=True, appends=False, mode=_mode(call.arguments))
        return True

    def _write(self, call: Call) -> bool:
        return self._written(call, _texts(call.arguments)[0] if '"' in call.arguments else b"")

    def _writev(self, call: Call) -> bool:
        return self._written(call, b"".join(_texts(call.arguments)))

    def _written(self, call: Call, data: bytes, *, at: int | None = None) -> bool:
        places = _places(call.arguments)
        if not places or not self.disk.is_here(places[0]):
            return False
        self.disk.write(places[0], data[: call.answer], at=at)
        return True

    def _pwrite64(self, call: Call) -> bool:
        at = int(call.arguments.rpartition(", ")[2])
        return self._written(call, _texts(call.arguments)[0], at=at)

    def _sendfile(self, call: Call) -> bool:
        target, source = _places(call.arguments)
        return self._copied(call, source, target)

    def _copy_file_range(self, call: Call) -> bool:
        source, target = _places(call.arguments)
        return self._copied(call, source, target)

    def _copied(self, call: Call, source: str, target: str) -> bool:
        found = re.search(r"\[(\d+)\]", call.arguments)
        start = int(found[1]) if found else self._read_so_far.get((call.pid, source), 0)
        self._read_so_far[call.pid, source] = start + call.answer
        if not self.disk.is_here(target):
            return False
        node = self.disk.node(source) if self.disk.is_here(source) else None
        data = bytes(node.data) if node is not None else Path(source).read_bytes()
        self.disk.write(target, data[start : start + call.answer])
        return True

    def _lseek(self, call: Call) -> bool:
        places = _places(call.arguments)
        if places and self.disk.is_here(places[0]):
            self.disk.seek(places[0], call.answer)
        return False

    def _ftruncate(self, call: Call) -> bool:
        path = _places(call.arguments)[0]
        if not self.disk.is_here(path):
            return False
        self.disk.cut(path, int(call.arguments.rpartition(", ")[2]))
        return True

    def _truncate(self, call: Call) -> bool:
        path = self._paths(call)[0]
        if self.disk.is_here(path):
            self.disk.cut(path, int(call.arguments.rpartition(", ")[2]))
        return self.disk.is_here(path)

    def _rename(self, call: Call) -> bool:
        old, new = self._paths(call)
        if self.disk.is_here(old) and self.disk.is_here(new):
            self.disk.rename(old, new)
            return True
        return False

    _renameat = _renameat2 = _rename

    def _link(self, call: Call) -> bool:
        old, new = self._paths(call)
        if self.disk.is_here(old) and self.disk.is_here(new):
            self.disk.link(old, new)
            return True
        return False

    _linkat = _link

    def _symlink(self, call: Call) -> bool:
        target, path = os.fsdecode(_texts(call.arguments)[0]), self._paths(call)[-1]
        if self.disk.is_here(path):
            self.disk.make_link(path, target)
        return self.disk.is_here(path)

    _symlinkat = _symlink

    def _unlink(self, call: Call) -> bool:
        path = self._paths(call)[0]
        if self.disk.is_here(path):
            self.disk.remove(path)
        return self.disk.is_here(path)

    _unlinkat = _rmdir = _unlink

    def _mkdir(self, call: Call) -> bool:
        path = self._paths(call)[0]
        if self.disk.is_here(path):
            self.disk.make_folder(path, _mode(call.arguments))
        return self.disk.is_here(path)

    _mkdirat = _mkdir

    def _chmod(self, call: Call) -> bool:
        path = self._paths(call)[0]
        if self.disk.is_here(path):
            self.disk.set_mode(path, int(call.arguments.rpartition(", ")[2], 8))
        return False

    _fchmodat = _chmod

    def _fchmod(self, call: Call) -> bool:
        path = _places(call.arguments)[0]
        if self.disk.is_here(path):
            self.disk.set_mode(path, int(call.arguments.rpartition(", ")[2], 8))
        return False

    def _fsync(self, call: Call) -> bool:
        path = _places(call.arguments)[0]
        if self.disk.is_here(path):
            self.disk.sync(path, self._loss)
        return self.disk.is_here(path)

    _fdatasync = _fsync
