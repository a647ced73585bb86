"""Help where people look for it: `-h` and `--help`, on the whole and on each command."""

from __future__ import annotations

import pytest

from git_waves.cli.app import COMMANDS
from git_waves.views.usage_text import GROUPS
from tests.cli.conftest import Waves
from tests.support.golden import check_golden


def test_the_short_help_knows_every_command_and_no_other() -> None:
    assert sorted(name for _, commands in GROUPS for name, _ in commands) == sorted(COMMANDS)


@pytest.mark.parametrize("words", [(), ("-h",), ("--help",), ("help",)])
def test_the_short_help_comes_by_every_name(waves: Waves, words: tuple[str, ...]) -> None:
    check_golden("help/short.txt", waves(*words).out)


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_each_command_explains_itself(waves: Waves, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = waves(command, "-h").out
    assert text.startswith(f"usage: git waves {command} ")
    assert text == waves(command, "--help").out == waves("help", command).out
    assert "-h, --help" in text
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 80


def test_the_help_of_the_largest_command(waves: Waves, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = waves("run", "-h").out
    assert "usage: git waves run [OPTIONS] [PLAN]" in text
    assert all(
        option in text
        for option in (
            "--max", "--scheduler", "--on-failure", "--dry-run", "--only", "--from", "--until-group", "--new",
            "--base", "--accept", "--restore", "--quiet", "--verbose",
        )
    )  # fmt: skip


def test_findings_are_explained(waves: Waves) -> None:
    assert waves("explain", "w101").out.startswith("W101: tasks collide at a path")
    assert waves("explain").out.startswith("W101  tasks collide")
    assert waves("explain", "W999", exit=2).err == (
        "fatal: there is no finding 'W999'\nhint: 'git waves explain' lists them all\n"
    )


def test_the_schema_is_the_one_that_is_shipped(waves: Waves) -> None:
    from git_waves.formats.native import SCHEMA_PATH

    assert waves("schema").out == SCHEMA_PATH.read_text(encoding="utf-8")
