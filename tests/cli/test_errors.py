"""What a person reads when something goes wrong: once, in words, with an exit code that a script can trust."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from git_waves import quick
from tests.cli.conftest import Waves
from tests.support import scenes
from tests.support.repo import ROOT, RepoBuilder


@pytest.fixture
def bug(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bug of ours in every quick answer."""

    def fail(_words: object) -> int:
        raise KeyError("a bug")

    monkeypatch.setattr(quick, "answer", fail)


@pytest.mark.usefixtures("bug")
def test_a_bug_is_exit_70_with_its_story_in_a_file_for_the_owner_alone(
    repo: RepoBuilder, waves: Waves
) -> None:
    story = repo.folder / ".git/waves/crash.txt"
    typed = waves("status", exit=70)
    assert typed.err == (
        "fatal: git-waves has a bug: KeyError: 'a bug'\n"
        f"hint: the whole story is in '{story}'; please report it\n"
    )
    assert "Traceback" in story.read_text()
    assert story.stat().st_mode & 0o777 == 0o600


@pytest.mark.usefixtures("bug")
def test_a_bug_outside_of_a_repository_says_how_to_see_more(waves: Waves, tmp_path: Path) -> None:
    err = waves("status", exit=70, cwd=tmp_path).err
    assert "Traceback" not in err
    assert "GIT_WAVES_DEBUG=1" in err


@pytest.mark.usefixtures("bug")
def test_debugging_prints_the_story(repo: RepoBuilder, waves: Waves, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_WAVES_DEBUG", "1")
    assert "Traceback" in waves("status", exit=70).err
    assert not (repo.folder / ".git/waves/crash.txt").exists()


@pytest.mark.usefixtures("bug")
def test_a_planted_link_is_not_written_through(repo: RepoBuilder, waves: Waves, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine")
    (repo.folder / ".git/waves").mkdir()
    (repo.folder / ".git/waves/crash.txt").symlink_to(precious)
    waves("status", exit=70)
    assert precious.read_text() == "mine"


def test_ctrl_c_is_exit_130_without_a_word(waves: Waves, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_words: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(quick, "answer", interrupt)
    typed = waves("status", exit=130)
    assert (typed.out, typed.err) == ("", "")


@pytest.mark.parametrize("words", [("status",), ("explain",), ("-h",)])
def test_a_reader_who_leaves_is_no_error(repo: RepoBuilder, words: tuple[str, ...]) -> None:
    scenes.morning(repo.folder / ".git")
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "git_waves", *words],
        cwd=repo.folder,
        env={**repo.environment, "PYTHONPATH": str(ROOT)},
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


def test_a_full_disk_behind_standard_output_is_no_bug(repo: RepoBuilder) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "git_waves", "-h"],
            cwd=repo.folder,
            env={**repo.environment, "PYTHONPATH": str(ROOT)},
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (done.returncode, done.stderr) == (
        4,
        b"fatal: cannot write to standard output: No space left on device\n",
    )


def test_what_the_machine_refuses_is_no_bug(waves: Waves, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_words: object) -> int:
        raise OSError(28, "No space left on device", "/r/.git/waves/x")

    monkeypatch.setattr(quick, "answer", fail)
    assert waves("status", exit=4).err.startswith(
        "fatal: cannot write '/r/.git/waves/x': No space left on device\n"
    )


def test_a_folder_that_was_removed_under_our_feet(repo: RepoBuilder, waves: Waves, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    done = subprocess.run(
        ["sh", "-c", f"cd {gone} && rmdir {gone} && exec {sys.executable} -m git_waves status"],
        env={**repo.environment, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 4
    assert done.stderr == (
        "fatal: the current folder is gone: No such file or directory\nhint: go to one that is there: cd\n"
    )
    assert waves("-C", str(repo.folder), "status").out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("xyzzy",), "fatal: no such command 'xyzzy'\nhint: git waves -h\n"),
        (("plan", "--nope"), "fatal: no such option: --nope\nhint: git waves plan [OPTIONS] [PLAN]\n"),
        (("log",), "fatal: missing argument 'TASK'\nhint: git waves log [OPTIONS] TASK\n"),
        (("skip", "t1"), "fatal: missing option '--reason'\nhint: git waves skip [OPTIONS] TASK\n"),
        (("hooks",), "fatal: missing command\nhint: git waves hooks [OPTIONS] COMMAND [ARGS]...\n"),
    ],
)
def test_wrong_usage_is_exit_2_and_shows_the_right_one(
    waves: Waves, words: tuple[str, ...], says: str
) -> None:
    typed = waves(*words, exit=2)
    assert (typed.out, typed.err) == ("", says)


def test_a_choice_that_there_is_not_lists_those_there_are(waves: Waves) -> None:
    err = waves("run", "--scheduler", "magic", exit=2).err
    assert all(name in err for name in ("magic", "sequential", "dag-parallel", "ready-set"))


def test_output_that_the_terminal_cannot_show_is_no_bug(repo: RepoBuilder) -> None:
    scene = scenes.Scene(repo.folder / ".git")
    scene.begin({"1": [["t1"]]}, titles={"t1": "Überraschung"})
    done = repo.run_waves("status", environment={"LC_ALL": "C", "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0, done.stderr
    assert "Überraschung" in done.stdout, "bytes go out as UTF-8, as git's do"
