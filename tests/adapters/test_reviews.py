"""Verdicts on disk: bound to a plan and a content, kept, and never taken for an approval when they cannot be read."""

from __future__ import annotations

import json
import stat
import threading
from pathlib import Path

import pytest

from git_waves.adapters.reviews import add_verdict, verdicts_on
from git_waves.core.model import Oid
from git_waves.core.review import Verdict, Word
from git_waves.errors import SurroundingsError

BLOB, OTHER = Oid("a" * 40), Oid("b" * 40)
YES = Verdict(word=Word.APPROVE, by="ann", note="reads well", at="2026-11-30T12:00:00+00:00")
NO = Verdict(word=Word.REVISE, by="böb\udcff", note="Kbuild\nqueues", at="2026-11-30T12:00:01+00:00")


def test_verdicts_come_back_as_they_were_said(tmp_path: Path) -> None:
    assert verdicts_on(tmp_path, "p", BLOB) == ()
    assert add_verdict(tmp_path, "p", BLOB, YES) == (YES,)
    assert add_verdict(tmp_path, "p", BLOB, NO) == (YES, NO)
    assert verdicts_on(tmp_path, "p", BLOB) == (YES, NO)


def test_another_content_and_another_plan_have_their_own(tmp_path: Path) -> None:
    add_verdict(tmp_path, "p", BLOB, YES)
    assert verdicts_on(tmp_path, "p", OTHER) == ()
    assert verdicts_on(tmp_path, "q", BLOB) == ()


def test_the_file_is_one_json_value_that_only_its_owner_reads(tmp_path: Path) -> None:
    add_verdict(tmp_path, "p", BLOB, YES)
    file = tmp_path / "waves/reviews/p" / f"{BLOB}.json"
    assert json.loads(file.read_text()) == {
        "version": 1,
        "plan": "p",
        "blob": BLOB,
        "verdicts": [
            {"verdict": "approve", "by": "ann", "note": "reads well", "at": "2026-11-30T12:00:00+00:00"}
        ],
    }
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert [path.name for path in file.parent.iterdir()] == [file.name]


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"[]",
        b"\xff",
        b'{"version": 1}',
        b'{"version": 1, "verdicts": [{"verdict": "maybe", "by": "x"}]}',
    ],
)
def test_a_damaged_review_approves_nothing_and_is_not_written_over(tmp_path: Path, damage: bytes) -> None:
    add_verdict(tmp_path, "p", BLOB, YES)
    file = tmp_path / "waves/reviews/p" / f"{BLOB}.json"
    file.write_bytes(damage)
    with pytest.raises(SurroundingsError, match="cannot be read"):
        verdicts_on(tmp_path, "p", BLOB)
    with pytest.raises(SurroundingsError, match="cannot be read"):
        add_verdict(tmp_path, "p", BLOB, NO)
    assert file.read_bytes() == damage


def test_a_review_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    add_verdict(tmp_path, "p", BLOB, YES)
    file = tmp_path / "waves/reviews/p" / f"{BLOB}.json"
    file.write_text('{"version": 2, "verdicts": []}')
    with pytest.raises(SurroundingsError, match="has version 2; this git-waves reads version 1"):
        verdicts_on(tmp_path, "p", BLOB)


def test_two_reviewers_at_once_lose_no_word(tmp_path: Path) -> None:
    sayings = [Verdict(word=Word.APPROVE, by=f"r{n}") for n in range(8)]
    threads = [threading.Thread(target=add_verdict, args=(tmp_path, "p", BLOB, one)) for one in sayings]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {verdict.by for verdict in verdicts_on(tmp_path, "p", BLOB)} == {one.by for one in sayings}
