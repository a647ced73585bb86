"""The manual pages of commands: made of the one manual, and true of the program."""

from __future__ import annotations

import re

import pytest

from git_waves.core.usage import commands
from git_waves.views.manual import command_pages, page_name
from tests.support.golden import check_golden
from tests.support.repo import ROOT

MANUAL = (ROOT / "man/git-waves.1").read_text(encoding="utf-8")
PAGES = command_pages(MANUAL)


def section(page: str, name: str) -> str:
    """A section without the marks of roff."""
    found = re.search(rf"^\.SH {name}\n(.*?)(?=^\.SH |\Z)", page, re.MULTILINE | re.DOTALL)
    return re.sub(r"\\f.", "", found[1]).replace("\\-", "-") if found else ""


@pytest.mark.parametrize("name", sorted(commands()))
def test_the_page_of_a_command_explains_its_options_and_no_others(name: str) -> None:
    page = PAGES[page_name(name.split(" ")[0])]
    entries = re.findall(r"^\.TP\n(.*)$", section(page, "OPTIONS"), re.MULTILINE)
    explained = {word for entry in entries for word in re.findall(r"(?<![\w-])--?[a-z][a-z-]*", entry)}
    said = explained | set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", section(page, "SYNOPSIS")))
    long = {option for option in commands()[name].options if option.startswith("--")}
    assert long <= said, "each option is in OPTIONS or at least in SYNOPSIS"
    assert explained <= {*commands()[name].options}, "OPTIONS has none that the command has not"
    assert section(page, "NAME").startswith(f"git-waves-{name.split(' ')[0]} - ")
    assert section(page, "SYNOPSIS").count(f"git waves {name}") >= 1
    assert len(section(page, "DESCRIPTION")) > 20


def test_a_page_as_it_is_written() -> None:
    check_golden("manual/git-waves-restore.1", PAGES["git-waves-restore.1"])
