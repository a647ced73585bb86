"""The manual pages that are shipped: found, put where `man` looks, and shown."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from git_waves.errors import SurroundingsError


def manuals_folder() -> Path:
    """Where the pages written by hand lie: inside the package when it came from a wheel, beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "man", package.parent / "man"):
        if (folder / "git-waves.1").is_file():
            return folder
    raise SurroundingsError("cannot find the manual of git-waves", hint="install git-waves again")


def page(name: str) -> str:
    """The text of a page written by hand (`git-waves.1`)."""
    return (manuals_folder() / name).read_text(encoding="utf-8")


def home() -> Path:
    """Where pages of this user belong: `man` looks there when `~/.local/bin` is in PATH."""
    data = os.environ.get("XDG_DATA_HOME", "")
    return (Path(data) if Path(data).is_absolute() else Path.home() / ".local/share") / "man"


def install(pages: Mapping[str, str], folder: Path) -> None:
    """Write the pages below a manual folder, each in that of its section. SurroundingsError when it cannot be written."""
    for name, text in pages.items():
        place = folder / f"man{name.rpartition('.')[2]}"
        try:
            place.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(text, encoding="utf-8")
        except OSError as error:
            raise SurroundingsError(
                f"cannot write '{place / name}': {error.strerror}", hint=f"ls -ld '{folder}'"
            ) from error


def show(name: str, text: str) -> bool:
    """Show a page with `man`, and so in the pager of its reader; False when there is no `man` here, or it would not."""
    man = shutil.which("man")
    if man is None:
        return False
    with tempfile.TemporaryDirectory(prefix="git-waves-man-") as scratch:
        file = Path(scratch) / name
        file.write_text(text, encoding="utf-8")
        return subprocess.run([man, str(file)], check=False).returncode == 0
