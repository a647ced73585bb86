"""The manual pages of commands, made of the one manual; that they are true of the program is in tests/test_docs.py."""

from __future__ import annotations

from git_waves.views.manual import command_pages
from tests.support.golden import check_golden
from tests.support.repo import ROOT


def test_a_page_as_it_is_written() -> None:
    pages = command_pages((ROOT / "man/git-waves.1").read_text(encoding="utf-8"))
    check_golden("manual/git-waves-restore.1", pages["git-waves-restore.1"])
