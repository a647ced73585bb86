"""Which format a text is taken for, and that no bytes whatever give anything but a plan or a list of problems."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_waves.errors import PlanError
from git_waves.formats import FORMATS, format_of
from git_waves.formats.source import MAX_FOREIGN_BYTES
from tests.formats.shown import DATA, read, refused
from tests.support.properties import examples

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
        ('{"master": {"tasks": [{"id": 1, "dependencies": []}]}}', "task-master"),
        ('{"tasks": [{"id": 1, "subtasks": []}], "metadata": {"version": "1.0"}}', "task-master"),
        ('{"version": 1, "tasks": [{"id": "a", "prompt": "the \\"dependencies\\": key"}]}', "native"),
        ('[{"key": "core", "tasks": []}]', "masterplan-fragments"),
        ('{"id": "a-1", "title": "x", "status": "open", "priority": 1}', "beads"),
        ("id: run\nphases: []\n", None),
        ("id: run\nphases:\n- execution_id: a/b\n", "loopdeck"),
        ("---\nphase: 01-foundation\nplan: 01\nwave: 1\n---\n", "gsd"),
        ("---\ntitle: words\n---\n\n# Words\n", None),
        ("# Plan\n\n<task type='auto'>\n</task>\n", "gsd"),
        ("---\nwork_package_id: WP01\n---\n", "spec-kitty"),
        ("# X\n\n## Wave 1\n\n### Task 1.1: A\n\n- **Action**: go\n", "ito"),
        ("# X\n\n### T1: A\n- **depends_on**: []\n", "swarm"),
        ("# X\n\n### Task 1: A\n\n**Files:**\n- Create: `a`\n", "superpowers"),
        ("# X\n\nREQUIRED SUB-SKILL: y\n\n## Task 1\n", "superpowers"),
        ("# X\n\n### Task 1: A\n", None),
        ("# Tasks\n\n- [ ] T001 [P] Create src/a.py\n", "spec-kit"),
        ("# Implementation Plan\n\n- [ ] 1. A\n", "kiro"),
        ("- [ ] 1. A\n  - _Requirements: 1.1_\n", "kiro"),
        ("## 1. A\n\n- [ ] 1.1 B\n", "openspec"),
        ("# Read me\n\nwords\n", None),
        ("# A block\n\n```yaml\nversion: 1\ntasks:\n```\n\n- [ ] T001 x\n", "spec-kit"),
        (
            "version: 1\ntasks:\n- id: a\n  prompt: |\n    # X\n\n    ### Task 1: A\n\n    - [ ] T001 x\n",
            "native",
        ),
        ("# the work\n# - [ ] T001 not this\nversion: 1\ntasks: []\n", "native"),
        ('{"description": "the key \\"schema_version\\": is not here"}', None),
    ],
)
def test_the_content_tells_the_format(text: str, name: str | None) -> None:
    found = format_of(text)
    assert (found.name if found else None) == name


def test_the_name_of_a_file_may_help_and_never_decides() -> None:
    heading = "# Phase 67 Plan: Logs\n\nwords\n"
    assert format_of(heading) is None
    assert format_of(heading, ".planning/67-01-PLAN.md") is not None
    assert format_of("words\n", ".planning/67-01-PLAN.md") is None
    numbered = "- [ ] 1. A\n"
    kinds = [
        found.name if (found := format_of(numbered, name)) else None
        for name in ("x.md", ".kiro/specs/x/tasks.md")
    ]
    assert kinds == ["openspec", "kiro"]


def test_a_format_that_is_not_read_is_answered_with_those_that_are() -> None:
    assert refused("# Words\n\nand more words\n", path="words.md") == (
        "words.md:0: this is no plan of a format that is read\n"
        f"  hint: read today: {', '.join(one.title for one in FORMATS)}\n"
        "exit 2"
    )


def test_a_foreign_plan_has_less_room() -> None:
    text = "# X\n\n- [ ] T001 a\n" + "words\n" * (MAX_FOREIGN_BYTES // 6)
    assert refused(text, path="tasks.md") == (
        "tasks.md:0: the plan has 8.0 MiB, and at most 8 MiB of a plan of format 'spec-kit' are read\n"
        "  hint: split it\nexit 2"
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


@examples(150)
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


@examples(60)
@given(
    st.binary(max_size=80),
    st.sampled_from([b"", b"version: 1\ntasks:\n", b'{"type":"task",', b'{"schema_version": "6.0",']),
)
def test_any_bytes_give_a_plan_or_problems(data: bytes, start: bytes) -> None:
    gives_a_plan_or_problems(start + data)
