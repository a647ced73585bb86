"""Orders that sentences ask for, written as needs into a plan's text: what changes, what stays, and what is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_waves import plan_files
from git_waves.core.findings.prose import missing_needs
from git_waves.core.model import Plan
from git_waves.errors import UsageError
from git_waves.formats import PlanText, read_plan
from tests.support.properties import examples

HEAD = "version: 1\nname: p\n"


def text_of(written: str | bytes) -> PlanText:
    data = written.encode() if isinstance(written, str) else written
    return PlanText(name_hint="p.yaml", source="p.yaml", data=data)


def read(written: str | bytes) -> Plan:
    return read_plan(text_of(written), known_agents=frozenset())


def promoted(written: str | bytes) -> str:
    """The text with what its sentences ask for; read again, it asks for nothing more."""
    result, needs = plan_files.promoted(text_of(written), read(written))
    assert missing_needs(read(result.data)) == ()
    assert (result.data == text_of(written).data) is (needs == ())
    return result.data.decode()


def test_needs_come_where_there_are_none_and_behind_those_there_are() -> None:
    before = (
        HEAD
        + """\
# what has to be done
tasks:
  - id: a  # the first
    files: [a]

  - id: b
    title: after task a   # really
    files: [b]
    run: make b
  - id: c
    needs: [a]  # the schema
    files: [c]
    prompt: |
      Depends on task b, and before `d`.
  - files: [d]
    needs:
      - a
      # a remark
      - b
    id: d
    run: make d
"""
    )
    after = (
        before.replace("  - id: b\n", "  - id: b\n    needs: [a]\n")
        .replace("    needs: [a]  # the schema\n", "    needs: [a, b]  # the schema\n")
        .replace("      - b\n    id: d\n", "      - b\n      - c\n    id: d\n")
    )
    assert promoted(before) == after


def test_several_needs_come_in_one_line_or_an_entry_each() -> None:
    before = (
        HEAD
        + "tasks:\n- {id: a, files: [a]}\n- {id: b, files: [b]}\n- id: c\n  files: [c]\n  title: after tasks a and b\n"
    )
    assert promoted(before) == before.replace("- id: c\n", "- id: c\n  needs: [a, b]\n")


def test_tasks_in_braces_and_json_are_written_in_their_own_way() -> None:
    flow = HEAD + "tasks: [{id: a, files: [a]}, {id: b, title: after task a, files: [b]}]\n"
    assert promoted(flow) == flow.replace("{id: b,", "{id: b, needs: [a],")
    tasks = [{"id": "a", "files": ["a"]}, {"id": "b", "title": "after task a", "files": ["b"], "needs": []}]
    written = json.dumps({"version": "1", "name": "p", "tasks": tasks})
    assert promoted(written) == written.replace('"needs": []', '"needs": ["a"]')
    del tasks[1]["needs"]
    written = json.dumps({"version": "1", "name": "p", "tasks": tasks})
    assert json.loads(promoted(written))["tasks"][1]["needs"] == ["a"]


def test_line_ends_and_marks_stay() -> None:
    before = (HEAD + "tasks:\n- id: a\n  files: [a]\n- id: b\n  title: after task a\n  files: [b]\n").replace(
        "\n", "\r\n"
    )
    data = b"\xef\xbb\xbf" + before.encode()
    result, _ = plan_files.promoted(text_of(data), read(data))
    assert result.data == data.replace(b"- id: b\r\n", b"- id: b\r\n  needs: [a]\r\n")


def test_the_last_line_may_have_no_end() -> None:
    before = HEAD + "tasks:\n- id: a\n  files: [a]\n- files: [b]\n  title: after task a\n  id: b"
    assert promoted(before) == before + "\n  needs: [a]"
    listed = (
        HEAD
        + "tasks:\n- id: a\n  files: [a]\n- id: x\n  files: [x]\n- id: b\n  files: [b]\n  title: after task a\n  needs:\n  - x"
    )
    assert promoted(listed) == listed + "\n  - a"


def test_ids_that_yaml_would_read_as_something_else_are_quoted() -> None:
    before = (
        HEAD
        + "tasks:\n- id: 'no'\n  files: [a]\n- id: '01'\n  files: [c]\n- id: b\n  title: after tasks 'no' and '01'\n  files: [b]\n"
    )
    assert promoted(before) == before.replace("- id: b\n", '- id: b\n  needs: ["no", "01"]\n')


def test_a_plan_that_lacks_nothing_stays_as_it_is() -> None:
    before = (
        HEAD + "tasks:\n- id: a\n  files: [a]\n- id: b\n  needs: [a]\n  title: after task a\n  files: [b]\n"
    )
    assert promoted(before) == before


def test_sentences_that_contradict_each_other_are_not_all_written() -> None:
    before = (
        HEAD
        + "tasks:\n- id: a\n  title: after task b\n  files: [a]\n- id: b\n  title: after task a\n  files: [b]\n"
    )
    assert promoted(before) == before.replace("- id: a\n", "- id: a\n  needs: [b]\n")


def test_other_formats_are_not_written() -> None:
    lines = '{"type": "meta", "schema": "session-state/v1"}\n{"type": "task", "id": "a", "title": "x"}\n'
    with pytest.raises(UsageError) as caught:
        plan_files.promoted(text_of(lines), read(lines))
    assert "format 'session-state'" in caught.value.message


def test_a_layout_that_is_not_understood_is_refused_with_its_line() -> None:
    odd = HEAD + "tasks:\n- id: a\n  files: [a]\n- ? id\n  : b\n  title: after task a\n  files: [b]\n"
    try:
        result = promoted(odd)
    except UsageError as error:
        assert "laid out in a way that cannot be rewritten" in error.message
        assert "needs" in error.hint
    else:
        assert read(result).tasks[1].needs == ("a",)


_IDS = st.sampled_from(["a", "b2", "7", "01-02", "x.y"])


@st.composite
def _plans(draw: st.DrawFn) -> str:
    ids = draw(st.lists(_IDS, min_size=2, max_size=5, unique=True))
    tasks = []
    for number, task in enumerate(ids):
        named = draw(
            st.sampled_from(
                ["", *(f"after task {other}" for other in ids), "depends on tasks " + ", ".join(ids)]
            )
        )
        needs = draw(st.lists(st.sampled_from(ids[:number]), unique=True, max_size=2)) if number else []
        lines = [f"files: [f{number}]  # keep", f"title: {named or 'x'}"]
        if needs:
            is_flow = draw(st.booleans())
            lines.append(
                f"needs: [{', '.join(needs)}]" if is_flow else "needs:\n      - " + "\n      - ".join(needs)
            )
        lines.insert(draw(st.integers(0, len(lines))), f"id: {task}")
        tasks.append("  - " + "\n    ".join(lines) + "\n")
    return HEAD + "# all of it\ntasks:\n" + "\n".join(tasks)


@examples(150)
@given(_plans())
def test_any_plan_is_rewritten_by_whole_lines_or_words(before: str) -> None:
    after = promoted(before)
    kept = iter(after.splitlines())
    for line in before.splitlines():
        start = line.split("]")[0]
        assert any(other.startswith(start) for other in kept), "every line is still there, in the same order"
    assert promoted(after) == after
