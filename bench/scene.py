"""Where measuring happens: a sealed environment, and repositories of a given size in a temporary folder."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PER_FOLDER = 100
DATE = "1767323045 +0000"
"""A fixed commit date, in git's raw form."""

_KEPT = ("PATH", "LANG", "TMPDIR", "LEFTHOOK_BIN")


def seal_environment(home: Path) -> None:
    """Make this process's environment, which all it starts inherit, independent of whoever started it.

    PYTHONDONTWRITEBYTECODE and the like are dropped on purpose: they would have every start compile everything anew.
    """
    kept = {key: os.environ[key] for key in _KEPT if key in os.environ}
    os.environ.clear()
    os.environ.update(
        {
            **kept,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{kept.get('PATH', os.defpath)}",
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "XDG_CACHE_HOME": str(home / ".cache"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "A U Thor",
            "GIT_AUTHOR_EMAIL": "author@example.com",
            "GIT_COMMITTER_NAME": "C O Mitter",
            "GIT_COMMITTER_EMAIL": "committer@example.com",
            "NO_COLOR": "1",
        }
    )


def git(*arguments: str, cwd: Path, stdin: bytes = b"") -> str:
    """Run git; its standard output without the last newline. CalledProcessError when it fails."""
    done = subprocess.run(["git", *arguments], cwd=cwd, input=stdin, capture_output=True, check=True)
    return os.fsdecode(done.stdout).rstrip("\n")


def file_name(number: int) -> str:
    """The path of file `number` of a generated repository."""
    return f"src/d{number // PER_FOLDER:03d}/f{number:05d}.txt"


def make_repository(
    folder: Path, files: int, *, checkout: bool = True, extra: Mapping[str, str] | None = None
) -> Path:
    """A repository of so many small files, with one commit on `main`; its git folder.

    No clean-up by git may start in the middle of a measurement, hence `gc.auto`.
    """
    folder.mkdir(parents=True)
    git("init", "--quiet", "--initial-branch=main", cwd=folder)
    for setting in ("gc.auto", "maintenance.auto"):
        git("config", setting, "0", cwd=folder)
    git("fast-import", "--quiet", cwd=folder, stdin=b"".join(_stream(files, extra or {})))
    if checkout:
        git("reset", "--quiet", "--hard", cwd=folder)
    return folder / ".git"


def _stream(files: int, extra: Mapping[str, str]) -> Iterator[bytes]:
    yield f"commit refs/heads/main\ncommitter C O Mitter <committer@example.com> {DATE}\n".encode()
    yield b"data 4\nbase\n"
    named = {file_name(number): f"content of file {number}\n" * 4 for number in range(files)}
    for name, content in {**named, **extra}.items():
        data = content.encode()
        yield f"M 100644 inline {name}\ndata {len(data)}\n".encode() + data + b"\n"


def add_branches(folder: Path, names: Mapping[str, str]) -> None:
    """One branch off `main` for each full ref name, which adds the file of the given path."""
    stream = b"".join(
        f"commit {ref}\ncommitter C O Mitter <committer@example.com> {DATE}\ndata 4\nwork\n"
        f"from refs/heads/main^0\nM 100644 inline {path}\ndata 5\nwork\n\n".encode()
        for ref, path in names.items()
    )
    git("fast-import", "--quiet", cwd=folder, stdin=stream)
