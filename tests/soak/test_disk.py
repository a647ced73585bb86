"""The disk that remembers what was synced: it must lose what a power cut loses, and keep what one keeps."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.soak.disk import Disk, Loss
from tests.soak.trace import Replay, calls, can_trace, record

DICE = random.Random(1)


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    """A disk with one file that was always there."""
    (tmp_path / "disk").mkdir()
    (tmp_path / "disk/old").write_text("old\n")
    return Disk(tmp_path / "disk")


def write(disk: Disk, name: str, text: str, *, loss: Loss | None = None) -> None:
    """Write a file; with `loss`, sync it under that law."""
    path = f"{disk.root}/{name}"
    disk.open(path, creates=True, cuts=True, appends=False, mode=0o644)
    disk.write(path, text.encode())
    if loss is not None:
        disk.sync(path, loss)


def left(disk: Disk, tmp_path: Path, loss: Loss) -> list[dict[str, str]]:
    """What the disk may be after a power cut, in a hundred tries."""
    found: list[dict[str, str]] = []
    for number in range(100):
        folder = tmp_path / f"cut-{number}"
        folder.mkdir()
        disk.write_out(folder, loss, DICE)
        state = {
            str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()
        }
        if state not in found:
            found.append(state)
    return found


def test_what_was_never_synced_may_be_gone_or_empty_or_there(disk: Disk, tmp_path: Path) -> None:
    write(disk, "new", "new\n")
    states = left(disk, tmp_path, Loss.JOURNAL)
    assert {"old": "old\n"} in states
    assert {"old": "old\n", "new": ""} in states
    assert {"old": "old\n", "new": "new\n"} in states
    assert all(state["old"] == "old\n" for state in states)


def test_a_synced_file_has_its_bytes_and_by_the_letter_not_yet_its_name(disk: Disk, tmp_path: Path) -> None:
    write(disk, "new", "new\n", loss=Loss.POSIX)
    states = left(disk, tmp_path, Loss.POSIX)
    assert {"old": "old\n"} in states
    assert all(state.get("new", "new\n") == "new\n" for state in states)
    disk.sync(disk.root, Loss.POSIX)
    (tmp_path / "again").mkdir()
    assert left(disk, tmp_path / "again", Loss.POSIX) == [{"old": "old\n", "new": "new\n"}]


def test_in_a_journal_a_sync_carries_all_names_before_it(disk: Disk, tmp_path: Path) -> None:
    write(disk, "first", "1")
    write(disk, "second", "2", loss=Loss.JOURNAL)
    for state in left(disk, tmp_path, Loss.JOURNAL):
        assert state["second"] == "2"
        assert state["first"] in ("", "1"), "its name is there, its bytes need not be"


def test_a_rename_over_another_file_is_the_old_one_or_the_new_one(disk: Disk, tmp_path: Path) -> None:
    write(disk, "temporary", "new\n", loss=Loss.POSIX)
    disk.rename(f"{disk.root}/temporary", f"{disk.root}/old")
    states = left(disk, tmp_path, Loss.POSIX)
    assert {state.get("old") for state in states} == {"old\n", "new\n"}


def test_names_in_a_folder_that_is_not_safe_itself_are_gone_with_it(disk: Disk, tmp_path: Path) -> None:
    disk.make_folder(f"{disk.root}/folder", 0o755)
    write(disk, "folder/file", "x", loss=Loss.POSIX)
    disk.sync(f"{disk.root}/folder", Loss.POSIX)
    states = left(disk, tmp_path, Loss.POSIX)
    assert {"old": "old\n"} in states
    assert {"old": "old\n", "folder/file": "x"} in states


def test_nothing_is_lost_when_only_the_processes_die(disk: Disk, tmp_path: Path) -> None:
    write(disk, "new", "new\n")
    disk.remove(f"{disk.root}/old")
    assert left(disk, tmp_path, Loss.NOTHING) == [{"new": "new\n"}]


EVERYTHING = """
import os, shutil, subprocess, threading
os.mkdir("d"); os.chdir("d")
with open("a", "w") as file:
    file.write("one"); file.flush(); file.seek(1); file.write("X"); file.flush(); os.fsync(file.fileno())
with open("log", "a") as file:
    for number in range(3): file.write(f"line {number}\\n"); file.flush()
os.truncate("log", 8)
shutil.copyfile("a", "b"); os.rename("b", "c"); os.link("c", "linked"); os.symlink("c", "soft")
descriptor = os.open("at", os.O_WRONLY | os.O_CREAT); os.pwrite(descriptor, b"end", 10); os.close(descriptor)
subprocess.run(["sh", "-c", "mkdir x; cd x; echo shell > s; echo more >> s; cat s > t; rm s; cd ..; mv x y"])
threads = [threading.Thread(target=lambda n=n: open(f"thread-{n}", "w").write(str(n))) for n in range(4)]
[thread.start() for thread in threads]; [thread.join() for thread in threads]
subprocess.run(["git", "init", "-q", "r"]); subprocess.run(["git", "-C", "r", "commit", "-q", "--allow-empty", "-m", "x"])
os.rename("a", "../a"); os.unlink("c"); os.mkdir("gone"); os.rmdir("gone"); os.chmod("log", 0o600)
"""


@pytest.mark.skipif(not can_trace(), reason="needs strace, and leave to trace")
def test_a_recorded_program_did_what_is_written_down(tmp_path: Path, environment: dict[str, str]) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    (folder / "there").write_text("before\n")
    disk, trace = Disk(folder), tmp_path / "trace"
    assert record((sys.executable, "-c", EVERYTHING), cwd=folder, environment=environment, into=trace) == 0
    replay = Replay(disk, Loss.NOTHING, str(folder))
    steps = sum(replay.step(call) for call in calls(trace))
    assert steps > 50
    assert list(disk.differences(folder)) == []
    (folder / "d/log").write_text("something else\n")
    assert list(disk.differences(folder)) == ["/d/log"], "and it notices what it did not see"


def test_git_itself_is_recorded_with_its_syncs(tmp_path: Path, environment: dict[str, str]) -> None:
    if not can_trace():
        pytest.skip("needs strace, and leave to trace")
    folder = tmp_path / "disk"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", str(folder)], env=environment, check=True)
    for setting, is_synced in (("none", False), ("committed", True)):
        trace = tmp_path / f"trace-{setting}"
        git = ("git", "-c", f"core.fsync={setting}", "commit", "-q", "--allow-empty", "-m", setting)
        assert record(git, cwd=folder, environment=environment, into=trace) == 0
        assert any(call.name in ("fsync", "fdatasync") for call in calls(trace)) == is_synced
