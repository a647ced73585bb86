"""Which format a text is taken for, and that no bytes whatever give anything but a plan or a list of problems."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from git_waves.errors import PlanError
from git_waves.formats import FORMATS
from tests.formats.shown import DATA, read, refused

SEEDS = [
    (DATA / name).read_bytes()
    for name in (
        "whole.yaml",
        "twenty-problems.yaml",
        "session-state.jsonl",
        "masterplan/old.plan.index.json",
        "masterplan/dispatch-subagent-reconcile/plan.index.json",
    )
]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("version: 1\ntasks: []\n", "native"),
        ("# words\n\n---\ntasks:\n- id: a\n", "native"),
        ("---\n{version: 1, tasks: [{id: a}]}\n", None),
        ('{"version": 1, "tasks": []}', "native"),
        ("{version: 1, tasks: []}", "native"),
        ('{"type":"meta","schema":"session-state/v1"}\n', "session-state"),
        ('\n\n{"kind":"task","id":"a"}', "session-state"),
        ('{"schema":"session-state/v1"}', "session-state"),
        ('{"type":"meta"\n{"schema":"session-state/v1"}', "session-state"),
        ('{"schema_version": "6.0", "tasks": []}', "masterplan"),
        ('{\n "tasks": [],\n "schema_version": "9"}', "masterplan"),
        ('{"master": {"tasks": [{"id": 1}]}}', None),
        ('[{"key": "core", "tasks": []}]', None),
        ("# Tasks\n\n- [ ] T001 [P] Create src/a.py\n", None),
        ("---\nphase: 01-foundation\nplan: 01\nwave: 1\n---\n", None),
        ("id: run\nphases: []\n", None),
        ('{"description": "the key \\"schema_version\\": is not here"}', None),
    ],
)
def test_the_content_tells_the_format(text: str, name: str | None) -> None:
    assert next((one.name for one in FORMATS if one.is_it(text)), None) == name


def test_a_format_that_is_not_read_is_answered_with_those_that_are() -> None:
    assert refused("# Tasks\n\n- [ ] T001 Create src/a.py\n", path="tasks.md") == (
        "tasks.md:0: this is no plan of a format that is read\n"
        "  hint: read today: session-state/v1 (JSON lines), masterplan (plan.index.json), "
        "git-waves (YAML with 'version: 1')\n"
        "exit 2"
    )


def gives_a_plan_or_problems(data: bytes) -> None:
    try:
        plan = read(data)
    except PlanError as error:
        assert error.problems
        assert all(problem.message and problem.line >= 0 for problem in error.problems)
        assert all((problem.message + problem.hint).isprintable() for problem in error.problems)
        lines = [problem.line for problem in error.problems]
        assert lines == sorted(lines)
        assert max(lines) <= data.count(b"\n") + data.count(b"\r") + 2
        assert error.exit_code in (1, 2)
    else:
        assert plan.tasks
        str(plan).encode()


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_plan_with_any_bytes_changed_gives_a_plan_or_problems(data: st.DataObject) -> None:
    content = bytearray(data.draw(st.sampled_from(SEEDS)))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content)))
        cut = data.draw(st.integers(0, 12))
        put = data.draw(st.one_of(st.binary(max_size=6), st.sampled_from(WEDGES)))
        content[at : at + cut] = put
    gives_a_plan_or_problems(bytes(content))


WEDGES = [b"\n", b"\t", b": ", b"- ", b"[", b"]", b"{", b"}", b"&a ", b"*a", b"!!x ", b"<<: ", b'"', b"'", b"|\n", b"\\u0000", b"\\ud800", b"\\e[31m", b'"\\x1b": ', b"\xe2\x80\xa8", b"\r", b"null", b"~", b"--- \n"]  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(
    st.binary(max_size=80),
    st.sampled_from([b"", b"version: 1\ntasks:\n", b'{"type":"task",', b'{"schema_version": "6.0",']),
)
def test_any_bytes_give_a_plan_or_problems(data: bytes, start: bytes) -> None:
    gives_a_plan_or_problems(start + data)
