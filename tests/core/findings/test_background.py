"""Writers that are no tasks, and commands of git-waves itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from git_waves.core.model import Background, Command, Gate, Plan
from git_waves.core.paths import parse_pattern
from tests.core.findings.told import findings, told
from tests.core.plans import plan, sh, task


def with_writer(some: Plan, *paths: str, **fields: object) -> Plan:
    writer = Background(name="sync", writes=tuple(map(parse_pattern, paths)), line=3, **fields)  # type: ignore[arg-type]  # fields by name
    return replace(some, background=(writer,))


def test_a_writer_of_an_owned_path_that_nothing_stops_is_told() -> None:
    some = plan(
        task("a", "data/stock.json", "src/a"), task("b", "data/"), task("c", "src/c"), gates={"unit": []}
    )
    (found,) = findings(with_writer(some, "data/*.json", gate="unit"), "W71")
    assert (found.code, found.level, found.line, found.tasks) == ("W711", "warning", 3, ("a", "b"))
    assert found.message == "background writer 'sync' writes 2 paths that 2 tasks own, and nothing stops it"
    assert found.evidence == ("task 'a' edits 'data/stock.json'", "task 'b' edits 'data/'")


def test_a_writer_that_is_stopped_or_writes_elsewhere_is_not() -> None:
    some = plan(task("a", "data/stock.json"), task("b", "log/x", is_done=True), gates={"unit": []})
    assert told(with_writer(some, "data/", quiesce=sh("stop sync")), "W71") == []
    assert told(with_writer(some, "log/", gate="unit"), "W71") == []


def test_a_gate_that_does_not_exist_notices_nothing() -> None:
    some = plan(task("a", "a"), gates={"unit": []})
    (found,) = findings(with_writer(some, "b", gate="untit"), "W71")
    assert (found.code, found.level) == ("W712", "violation")
    assert found.message == "background writer 'sync' relies on gate 'untit', which the plan does not have"
    assert found.hint == "name 'unit'"


def test_git_waves_called_in_a_way_it_would_refuse_is_a_violation() -> None:
    some = plan(
        task("a", "a", verify=(sh("make && (cd x; timeout 5 git waves plan --jsno)"),)),
        task("b", "b", verify=(Command(argv=("git-waves", "plan", "--jsno")),)),
    )
    some = replace(some, gates=(Gate(name="g", command=sh("echo $(git waves stauts)"), line=8),))
    assert told(some, "W502") == [
        "W502 violation: 'git waves plan' has no option '--jsno'",
        "W502 violation: 'git waves' has no command 'stauts'",
    ]
    first, second = findings(some, "W502")
    assert (first.tasks, first.hint) == (("a", "b"), "did you mean '--json'?")
    assert first.evidence == ("verify of task 'a' starts it", "verify of task 'b' starts it")
    assert (second.hint, second.evidence) == ("did you mean 'status'?", ("gate 'g' starts it",))


@pytest.mark.parametrize(
    "text",
    [
        "git waves plan --json .waves/plan.yaml",
        "git -C sub waves status -z",
        "echo 'git waves frobnicate'",
        "git waves plan $OPTIONS",
        "# git waves frobnicate",
        "surf-waves --frobnicate",
        "sh -c 'git waves owned -z'",
    ],
)
def test_git_waves_called_as_it_is_meant_is_not(text: str) -> None:
    assert told(plan(task("a", "a", verify=(sh(text),))), "W502") == []


def test_a_shell_inside_the_shell_is_looked_into() -> None:
    assert told(plan(task("a", "a", verify=(sh("bash -ec 'git waves frobnicate'"),))), "W502") == [
        "W502 violation: 'git waves' has no command 'frobnicate'"
    ]
