"""A scene's processes: a coordinator beside the test, and whatever was left behind, found by the folder it stands in or names."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.support.repo import ROOT, RepoBuilder


class Coordinator(subprocess.Popen[str]):
    """`git waves run` beside the test, both of its streams to be read as one.

    A test that fails while it works takes it along, with everything in the scene's folder: its agents may wait for what
    only that test would have done, and the coordinator for them.
    """

    def __init__(self, repo: RepoBuilder, *arguments: str) -> None:
        self._place = repo.folder.parent
        super().__init__(
            [sys.executable, "-m", "git_waves", "run", *arguments],
            cwd=repo.folder,
            env={**repo.environment, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            process_group=0,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            end_all_in(self._place)
        super().__exit__(kind, error, trace)


def processes_of(repo: RepoBuilder) -> list[str]:
    """Command lines of live processes whose working folder or arguments lie in the scene's temporary folder."""
    return processes_in(repo.folder.parent)


def processes_in(folder: Path) -> list[str]:
    """Command lines of live processes whose working folder lies in `folder`, or whose arguments name something there."""
    return list(_found_in(folder).values())


def end_all_in(folder: Path) -> None:
    """Kill them, and whoever they start meanwhile, until none is left."""
    patience = time.monotonic() + 10
    while (found := _found_in(folder)) and time.monotonic() < patience:
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)


def _found_in(folder: Path) -> dict[int, str]:
    place = os.fsencode(folder)
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            stands = os.fsencode(os.readlink(entry / "cwd"))  # noqa: PTH115  # the text, even of a deleted folder
            words = (entry / "cmdline").read_bytes()
            state = (entry / "stat").read_bytes().rpartition(b")")[2].split()[0]
        except OSError:
            continue
        if state != b"Z" and (stands.startswith(place) or place in words):
            found[int(entry.name)] = words.replace(b"\0", b" ").decode(errors="replace")
    return found
