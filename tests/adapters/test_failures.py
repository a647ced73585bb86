"""The names of failures in a gate's output, whatever the output is."""

from __future__ import annotations

from pathlib import Path

import pytest

from git_waves.adapters import failures
from git_waves.adapters.failures import MOST, read_failures


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "gate.log"


@pytest.mark.parametrize(
    ("output", "pattern", "names"),
    [
        (b"FAILED a::b - x\nok\nFAILED c\n", r"^FAILED (\S+)", ("a::b", "c")),
        (b"not ok 1\nnot ok 2\n", "not ok [0-9]+", ("not ok 1", "not ok 2")),
        (b"FAILED a\nFAILED a\r\n", r"^FAILED (\S+)$", ("a",)),
        (b"\x1b[31mFAILED\x1b[0m a\n", r"^FAILED (\S+)$", ("a",)),
        (b"FAILED \xe9t\xff\n", r"FAILED (.+)", ("\udce9t\udcff",)),
        (b"x: \nx:\n", r"^x:(.*)", ()),
        (b"x=1 y\n", r"y|x=(\d)", ("1",)),
        (b"", "x", ()),
        (b"FAILED last", "FAILED (.*)", ("last",)),
    ],
)
def test_each_name_is_read_once_in_the_order_of_the_output(
    log: Path, output: bytes, pattern: str, names: tuple[str, ...]
) -> None:
    log.write_bytes(output)
    assert read_failures(log, pattern) == names


def test_more_names_than_anybody_looks_at_are_not_read(log: Path) -> None:
    log.write_bytes(b"".join(b"F %d\n" % number for number in range(MOST)))
    assert len(read_failures(log, "F (.*)") or ()) == MOST
    log.write_bytes(b"".join(b"F %d\n" % number for number in range(MOST + 1)))
    assert read_failures(log, "F (.*)") is None


def test_a_log_that_is_not_there_is_not_read(log: Path) -> None:
    assert read_failures(log, "F") is None


def test_a_pattern_that_takes_for_ever_ends(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failures, "_PATIENCE", 0.5)
    log.write_bytes(b"a" * 60 + b"\n")
    assert read_failures(log, "^(a+)+$b") is None
