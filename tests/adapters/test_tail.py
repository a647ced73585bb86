"""New lines of a file that somebody else writes, whatever they write and whatever becomes of the file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from git_waves.adapters import tail
from git_waves.adapters.tail import Tail


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


def append(log: Path, content: bytes) -> None:
    with log.open("ab") as file:
        file.write(content)


def test_only_whole_lines_are_told_and_each_once(log: Path) -> None:
    reader = Tail(log)
    assert reader.lines() == []
    append(log, b"one\r\ntw")
    assert reader.lines() == ["one"]
    append(log, b"o\n\nthree")
    assert reader.lines() == ["two", ""]
    assert reader.lines() == []
    assert reader.rest() == ["three"]
    assert reader.rest() == []


def test_a_line_that_is_too_long_is_passed_over_and_the_next_is_not(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail, "_LONGEST", 100)
    reader = Tail(log)
    for _ in range(5):
        append(log, b"x" * 60)
        assert reader.lines() == []
    append(log, b"the end of it\nnext\n")
    assert reader.lines() == ["next"]


def test_bytes_that_are_no_text_are_shown_as_such(log: Path) -> None:
    append(log, b"\xff\xfe\0\n")
    assert Tail(log).lines() == ["\ufffd\ufffd\0"]


def test_whoever_lags_far_behind_skips_to_the_end_but_never_the_beginning(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail, "_AT_ONCE", 1000)
    monkeypatch.setattr(tail, "_BEHIND", 4000)
    append(log, b"".join(b"%07d\n" % number for number in range(10_000)))
    reader = Tail(log)
    assert reader.lines() == [f"{number:07}" for number in range(125)], "the beginning holds the session's id"
    found = reader.rest()
    assert found[-1] == "0009999"
    assert 100 < len(found) < 130
    assert all(len(line) == 7 for line in found), "no line is told in part"


def test_a_hole_in_the_middle_is_passed_over(log: Path) -> None:
    """What a supervisor leaves of a log that outgrew its limit: head, hole, tail."""
    append(log, b"head\nhalf a li")
    with log.open("r+b") as file:
        file.seek(20 << 20)
        file.write(b"half\ntail\n")
    reader = Tail(log)
    assert reader.lines() == ["head"]
    assert reader.rest()[-1] == "tail"


def test_a_file_that_was_cut_is_read_from_its_beginning(log: Path) -> None:
    reader = Tail(log)
    append(log, b"one\ntwo\nhalf")
    assert reader.lines() == ["one", "two"]
    log.write_bytes(b"new\n")
    assert reader.lines() == ["new"]


def test_what_is_no_file_is_no_line_and_blocks_nobody(log: Path, tmp_path: Path) -> None:
    os.mkfifo(log)
    assert Tail(log).rest() == []
    log.unlink()
    log.symlink_to("/dev/zero")
    assert Tail(log).rest() == []
    assert Tail(tmp_path).rest() == []


def test_a_file_that_grows_while_its_rest_is_read_ends_all_the_same(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pread = os.pread

    def grow(descriptor: int, size: int, at: int) -> bytes:
        append(log, b"more\n" * 10)
        return pread(descriptor, size, at)

    monkeypatch.setattr(os, "pread", grow)
    append(log, b"one\n")
    assert len(Tail(log).rest()) > 10
