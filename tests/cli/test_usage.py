"""The command line as core knows it is the command line there is."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

from git_waves.cli.app import program
from git_waves.core import usage

FILE = Path(usage.__file__)


def _rows() -> Iterator[str]:
    waiting: list[tuple[str, Any]] = [("", typer.main.get_command(program()))]
    while waiting:
        name, command = waiting.pop(0)
        inner = getattr(command, "commands", None)
        if inner is not None:
            waiting += [(f"{name} {word}".strip(), one) for word, one in inner.items()]
            continue
        options, least, most = [], 0, 0
        for param in command.params:
            if param.param_type_name == "option":
                mark = "" if getattr(param, "is_flag", False) else "="
                mark += "!" if param.required else ""
                options += [
                    f"{word}{mark if word == param.opts[0] else mark.rstrip('!')}" for word in param.opts
                ]
            else:
                least += 1 if param.required else 0
                most = -1 if param.nargs < 0 or most < 0 else most + param.nargs
        yield f"{name} | {least} {'*' if most < 0 else most} | {' '.join(options)}".rstrip()


def test_the_table_of_commands_is_the_one_of_the_program() -> None:
    table = "\n".join(_rows()) + "\n"
    if os.environ.get("GOLDEN") == "1":
        written = FILE.read_text(encoding="utf-8")
        new = re.sub(
            r'(?s)^TABLE = """\n.*?"""', lambda _: f'TABLE = """\n{table}"""', written, flags=re.MULTILINE
        )
        FILE.write_text(new, encoding="utf-8")
        usage.TABLE = f"\n{table}"
    assert usage.TABLE.lstrip("\n") == table, "the commands have changed: make golden"


@pytest.mark.parametrize(
    "words",
    [
        "git waves plan",
        "git-waves plan --json x.yaml",
        "git -C sub waves plan -",
        "git waves -C sub run --max 4 --only t1",
        "git waves run --max=4 --only t1 plan.yaml",
        "git waves status -z --plan api",
        "git waves log -f t1",
        "git waves skip t1 --reason because",
        "git waves hooks uninstall",
        "git waves hooks",
        "git waves help plan",
        "git waves plan -h",
        "git waves",
        "git waves clean -n -- ",
        "git status --no-such",
        "make waves",
        "/usr/bin/git waves plan",
    ],
)
def test_what_can_be_typed_is_no_misuse(words: str) -> None:
    assert usage.misuse(tuple(words.split())) is None


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        ("git waves plna", "'git waves' has no command 'plna'", "did you mean 'plan'?"),
        ("git-waves frobnicate", "'git waves' has no command 'frobnicate'", "git waves -h"),
        (
            "git waves hooks instal",
            "'git waves' has no command 'hooks instal'",
            "did you mean 'hooks uninstall'?",
        ),
        ("git waves plan --jsno", "'git waves plan' has no option '--jsno'", "did you mean '--json'?"),
        ("git waves plan --quick", "'git waves plan' has no option '--quick'", "git waves plan -h"),
        ("git waves run -x", "'git waves run' has no option '-x'", None),
        ("git waves run --max", "'--max' of 'git waves run' needs a value", "git waves run -h"),
        ("git waves plan --json=yes", "'--json' of 'git waves plan' takes no value", "git waves plan -h"),
        ("git waves plan a b", "'git waves plan' takes one argument, and is given 2", "git waves plan -h"),
        ("git waves stop t1", "'git waves stop' takes no argument, and is given 1", "git waves stop -h"),
        ("git waves retry", "'git waves retry' needs an argument", "git waves retry -h"),
        ("git waves skip t1", "'git waves skip' needs '--reason'", "git waves skip -h"),
    ],
)
def test_a_misuse_is_told_with_what_was_meant(words: str, message: str, hint: str | None) -> None:
    found = usage.misuse(tuple(words.split()))
    assert found is not None
    assert found.message == message
    assert hint is None or found.hint == hint


def test_words_that_are_not_known_are_given_the_benefit_of_the_doubt() -> None:
    assert usage.misuse(("git", "waves", "plan", None, "b", "c")) is None
    assert usage.misuse(("git", "waves", None)) is None
    assert usage.misuse(("git", None, "plna")) is None
