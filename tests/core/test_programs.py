"""Which programs of a plan are looked up before anything starts: only those that are certain to be started."""

from __future__ import annotations

from dataclasses import replace

import pytest

from git_waves.core.findings import programs
from git_waves.core.model import AgentSpec, Background, Command
from git_waves.core.shellwords import first_program, is_sure_name
from tests.core.plans import plan, sh, task


@pytest.mark.parametrize(
    ("text", "program"),
    [
        ("cargo test", "cargo"),
        ("  cargo\n", "cargo"),
        ("pytest -q && ruff check", "pytest"),
        ("grep -c 'a;b && c' file", "grep"),
        ("g++ -o x x.c", "g++"),
        ("python3.11 -m pytest", "python3.11"),
        ("/usr/bin/make all", "/usr/bin/make"),
        ("foo | tee log", "foo"),
        ("A=1 B=x/y npm test", "npm"),
        ("A=1\nnpm test", "npm"),
        ("cd sub && make", "make"),
        ("set -euo pipefail; cargo test", "cargo"),
        ("export RUST_LOG=debug && cargo test", "cargo"),
        ("#!/bin/sh\n# build; then test\nset -e\n\nmake", "make"),
        ("make \\\n  all", "make"),
    ],
)
def test_the_first_program_of_a_shell_text_is_found(text: str, program: str) -> None:
    assert first_program(text) == program


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# nothing",
        "true",
        "echo ok",
        "./run.sh",
        "scripts/test.sh",
        "~/bin/tool",
        "$TOOL --x",
        '"quoted tool" x',
        "`which make`",
        "(cd sub; make)",
        "{ make; }",
        "if make; then true; fi",
        "for f in *; do lint $f; done",
        "[ -f x ] && make",
        "! make",
        "build() { make; }; build",
        "build () { make; }; build",
        "PATH=/opt/bin tool",
        "export PATH=/opt/bin && tool",
        "export A=$(pwd) && tool",
        ". venv/bin/activate && tool",
        "source x; tool",
        "cd $DIR && make",
        "ruff check || flake8",
        "eval tool",
        "command -v tool && tool",
        'A="b c" tool',
        ">log tool",
        "make&",
    ],
)
def test_nothing_is_said_about_what_is_not_certain(text: str) -> None:
    assert first_program(text) is None


@pytest.mark.parametrize(
    ("name", "is_sure"),
    [
        ("make", True),
        ("/bin/sh", True),
        ("bin/tool", False),
        ("./tool", False),
        ("-x", False),
        ("a b", False),
    ],
)
def test_only_bare_and_absolute_names_are_sure(name: str, is_sure: bool) -> None:
    assert is_sure_name(name) is is_sure


def test_every_command_of_a_plan_is_looked_at_once_with_its_place() -> None:
    some = plan(
        task(
            "a",
            agent=AgentSpec(command=sh("agent-a"), resume=sh("agent-b --resume")),
            run=Command(argv=("run-a", "x"), line=7),
            verify=(sh("verify-a"), sh("./local")),
        ),
        task("named", agent=AgentSpec(name="claude"), run=None, verify=()),
        task("done", run=sh("never"), is_done=True),
        gates={"unit": []},
    )
    some = replace(
        some,
        setup=(sh("install-it"),),
        agent=AgentSpec(command=Command(argv=("agent-all",))),
        background=(Background(name="cron", quiesce=sh("stop-it"), resume=sh("start-it")),),
    )
    assert [tuple(use) for use in programs(some)] == [
        ("install-it", "setup", 0, None),
        ("stop-it", "quiesce of background 'cron'", 0, None),
        ("start-it", "resume of background 'cron'", 0, None),
        ("make", "gate 'unit'", 0, None),
        ("agent-all", "agent", 0, None),
        ("agent-a", "agent", 0, "a"),
        ("agent-b", "resume of the agent", 0, "a"),
        ("run-a", "run", 7, "a"),
        ("verify-a", "verify", 0, "a"),
    ]
