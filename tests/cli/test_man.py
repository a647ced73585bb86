"""`git waves man`, and who is shown the manual for `--help`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from git_waves.cli.app import COMMANDS
from tests.cli.conftest import Waves
from tests.support.repo import RepoBuilder

FAKE = """#!/bin/sh
if test "$1" = -w; then
    for folder in $(echo "$MANPATH" | tr : ' '); do
        test -f "$folder/man1/$2.1" && echo "$folder/man1/$2.1" && exit 0
    done
    exit 16
fi
head -n 2 "$1" | tail -n 1
"""


@pytest.fixture
def man(repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `man` that looks into MANPATH only and prints a page's title; the folder of this user's pages."""
    program = repo.folder.parent / "bin/man"
    program.parent.mkdir()
    program.write_text(FAKE, encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    return Path(repo.environment["HOME"]) / ".local/share/man"


def test_install_puts_every_page_where_man_looks(
    waves: Waves, man: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MANPATH", f"/usr/share/man:{man}")
    assert waves("man", "--install").out == (
        f"wrote {len(COMMANDS) + 2} pages below '{man}'\n"
        "next: 'git help waves', 'man git-waves-run', 'man 5 git-waves-plan'\n"
    )
    assert (man / "man5/git-waves-plan.5").is_file()
    assert {path.name for path in (man / "man1").iterdir()} == {
        "git-waves.1",
        *(f"git-waves-{name}.1" for name in COMMANDS),
    }


def test_where_man_does_not_look_what_to_set_is_said(waves: Waves, man: Path) -> None:
    assert waves("man", "--install").out.endswith(f'next: export MANPATH="{man}:$MANPATH"\n')


def test_a_folder_that_cannot_be_written_is_told(waves: Waves, man: Path) -> None:
    man.parent.mkdir(parents=True)
    man.write_text("in the way")
    assert waves("man", "--install", exit=4).err == (
        f"fatal: cannot write '{man}/man1/git-waves.1': Not a directory\nhint: ls -ld '{man}'\n"
    )


@pytest.mark.usefixtures("man")
def test_a_command_that_is_none_has_no_manual(waves: Waves) -> None:
    assert waves("man", "pla", exit=2).err == (
        "fatal: there is no command 'pla'\nhint: 'git waves -h' lists them\n"
    )
    assert waves("man", "plan", "--install", exit=2).err.startswith("fatal: --install installs all pages")


@pytest.mark.parametrize(
    ("words", "title"),
    [
        (("man",), "GIT\\-WAVES 1"),
        (("man", "run"), "GIT\\-WAVES\\-RUN 1"),
        (("help", "run"), "GIT\\-WAVES\\-RUN 1"),
        (("run", "--help"), "GIT\\-WAVES\\-RUN 1"),
    ],
)
@pytest.mark.usefixtures("man")
def test_at_a_terminal_the_manual_is_opened(
    waves: Waves, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], title: str
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert waves(*words).out.startswith(f".TH {title} ")
    assert waves("run", "-h").out.startswith("usage: git waves run ")


def test_without_man_the_options_are_printed(
    waves: Waves, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    git = shutil.which("git")
    assert git is not None
    (tmp_path / "git").symlink_to(git)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert waves("run", "--help").out.startswith("usage: git waves run ")
    assert "there is no 'man' here" in waves("man", exit=4).err


def test_the_pages_are_good_roff(waves: Waves, man: Path) -> None:
    groff = shutil.which("groff", path="/usr/bin:/bin")
    waves("man", "--install")
    if groff is None:
        pytest.skip("groff is not here")
    pages = sorted(man.rglob("git-waves*"))
    done = subprocess.run(
        [groff, "-man", "-Tascii", "-ww", "-z", *pages], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
