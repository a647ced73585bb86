"""Paths taken out of a plan's text and given to one last task: what changes, what stays, and what is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_waves import plan_files
from git_waves.core.model import Plan
from git_waves.core.schedule import build_schedule
from git_waves.errors import UsageError
from git_waves.formats import PlanText, read_plan
from tests.support.kbuild import HOT, kbuild_plan
from tests.support.properties import examples


def text_of(written: str | bytes) -> PlanText:
    data = written.encode() if isinstance(written, str) else written
    return PlanText(name_hint="p.yaml", source="p.yaml", data=data)


def read(text: PlanText) -> Plan:
    return read_plan(text, known_agents=frozenset())


def hoisted(written: str | bytes, *paths: str) -> str:
    """The text with these paths hoisted."""
    text = text_of(written)
    result, _ = plan_files.hoisted(text, read(text), paths)
    return result.data.decode()


def refusal(written: str, *paths: str) -> str:
    with pytest.raises(UsageError) as caught:
        hoisted(written, *paths)
    return caught.value.message


HEAD = "version: 1\nname: p\n"
WIRING = """\
  - id: wire-kbuild
    title: Wire up Kbuild
    needs: [a, b]
    files: {modify: [Kbuild]}
    prompt: |
      Write Kbuild for the tasks before this one (a, b):
      look at what they added, register it there, and change nothing else.
"""


# --- the plan of the issue


def test_the_plan_of_twelve_tasks_loses_one_claim_a_task_and_gains_one_task() -> None:
    before, after = kbuild_plan(), hoisted(kbuild_plan(), HOT)
    assert after.startswith(before.replace(f", modify: [{HOT}]", ""))
    assert len(build_schedule(read(text_of(after))).groups) == 2
    assert after == before.replace(f", modify: [{HOT}]", "") + (
        "  - id: wire-kbuild\n"
        "    title: Wire up tests/kunit/Kbuild\n"
        "    needs: [clock, dma, gpio, i2c, irq, led, mmc, pwm, rtc, spi, uart, watchdog]\n"
        "    files: {modify: [tests/kunit/Kbuild]}\n"
        "    prompt: |\n"
        "      Write tests/kunit/Kbuild for the tasks before this one "
        "(clock, dma, gpio, i2c, irq, led, mmc, pwm, rtc, spi, uart, watchdog):\n"
        "      look at what they added, register it there, and change nothing else.\n"
    )


# --- every way to write it


def test_comments_order_and_blank_lines_stay() -> None:
    before = (
        "# top\n"
        + HEAD
        + """\
# the work
tasks:
  # first
  - id: a  # a's
    files:
      create:
        - a.c  # keep me
      # about what follows
      modify:
        # in between
        - Kbuild  # goes with its line
    prompt: one  # two

  - files:
      create: [b.c]   # before
      modify: [b.h, Kbuild]   # after
    id: b
    prompt: |
      two

      three
  # after the last task

# the end
expect: {shared_paths: [Kbuild, b.h]}  # both
"""
    )
    after = (
        "# top\n"
        + HEAD
        + """\
# the work
tasks:
  # first
  - id: a  # a's
    files:
      create:
        - a.c  # keep me
      # about what follows
        # in between
    prompt: one  # two

  - files:
      create: [b.c]   # before
      modify: [b.h]   # after
    id: b
    prompt: |
      two

      three

"""
        + WIRING
        + """\
  # after the last task

# the end
expect: {shared_paths: [b.h]}  # both
"""
    )
    assert hoisted(before, "Kbuild") == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[x, a, b]", "[a, b]"),
        ("[a, x, b]", "[a, b]"),
        ("[a, b, x]", "[a, b]"),
        ("[a, x]", "[a]"),
        ("[ a , x ]", "[ a ]"),
        ("[a, x,]", "[a,]"),
        ("['a', \"x\"]", "['a']"),
        ("[a,\n      x,  # ours\n      b]", "[a,\n      b]"),
        ("[\n      a,  # first, of two\n      x\n    ]", "[\n      a  # first, of two\n    ]"),
        ("[\n      a,\n      x,\n    ]", "[\n      a,\n    ]"),
        ("[./x, a]", "[a]"),
        ("\n      - a\n      - x\n      - b", "\n      - a\n      - b"),
        ("\n    - x\n    - a", "\n    - a"),
        ("\n      -   'x'  # gone\n      # stays\n      - a", "\n      # stays\n      - a"),
        ("{create: [x, a]}", "{create: [a]}"),
        ("{create: [a], modify: [x]}", "{create: [a]}"),
        ("{modify: [x], create: [a]}", "{create: [a]}"),
        ("{modify: [x], create: [a], delete: [b]}", "{create: [a], delete: [b]}"),
        ("{create: [a], modify: [x], delete: [b]}", "{create: [a], delete: [b]}"),
        ("{create: [a],\n      modify: [x]}", "{create: [a]}"),
        ("\n      create: [a]\n      modify: [x]", "\n      create: [a]"),
        ("\n      modify: [x]\n      create: [a]", "\n      create: [a]"),
        ("\n      modify:\n      - x\n      create:\n      - a", "\n      create:\n      - a"),
        ("\n      modify: [\n        x,\n      ]\n      create: [a]", "\n      create: [a]"),
        ("\n      'modify': [x]\n      create: [a]", "\n      create: [a]"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_path_is_taken_out_of_every_kind_of_list(before: str, after: str, end: str) -> None:
    def written(files: str) -> str:
        tasks = f"tasks:\n  - id: a\n    files: {files}\n    prompt: p\n  - id: b\n    files: [x, y]\n    prompt: q\n"
        return (HEAD + tasks).replace("\n", end)

    result = hoisted(written(before), "x")
    assert result.startswith(written(after).replace("[x, y]", "[y]"))
    assert result.count("wire-x") == 1
    assert "\n" not in result.replace(end, "")


def test_several_paths_at_once_and_both_lists_of_a_task() -> None:
    written = HEAD + (
        "tasks:\n"
        "  - {id: a, files: {create: [x], modify: [y], delete: [z]}, prompt: p}\n"
        "  - {id: b, files: {delete: [w], create: [x], modify: [y]}, prompt: p}\n"
        "  - {id: c, files: {create: [c, x], modify: [d, y]}, prompt: p}\n"
        "  - id: d\n    files:\n      create: [x]\n      modify: [y]\n      delete: [v]\n    prompt: p\n"
    )
    result = hoisted(written, "x", "y", "x")
    assert result == HEAD + (
        "tasks:\n"
        "  - {id: a, files: {delete: [z]}, prompt: p}\n"
        "  - {id: b, files: {delete: [w]}, prompt: p}\n"
        "  - {id: c, files: {create: [c], modify: [d]}, prompt: p}\n"
        "  - id: d\n    files:\n      delete: [v]\n    prompt: p\n"
        "  - id: wire-up\n"
        "    title: Wire up x and y\n"
        "    needs: [a, b, c, d]\n"
        "    files:\n"
        "      create: [x]\n"
        '      modify: ["y"]\n'
        "    prompt: |\n"
        "      Write x and y for the tasks before this one (a, b, c, d):\n"
        "      look at what they added, register it there, and change nothing else.\n"
    )


def test_what_is_created_comes_before_what_is_modified_whatever_the_order_of_the_paths() -> None:
    written = HEAD + (
        "tasks:\n- {id: a, files: {create: [a, new], modify: [old]}}\n- {id: b, files: [b, old, new]}\n"
    )
    result = hoisted(written, "old", "new")
    assert "\n  files:\n    create: [new]\n    modify: [old]\n" in result


def test_a_plain_list_makes_a_plain_list() -> None:
    result = hoisted(HEAD + "tasks:\n- {id: a, files: [x, a]}\n- {id: b, files: [b, x]}\n", "x")
    assert "\n  files: [x]\n" in result, "at the left margin, where the other tasks stand"


@pytest.mark.parametrize("indent", [None, 2])
def test_json_stays_json(indent: int | None) -> None:
    plan = {
        "version": "1",
        "tasks": [
            {"id": "a", "files": ["a", "x"], "prompt": "p"},
            {"id": "b", "files": ["x", "b"], "prompt": "q"},
        ],
        "expect": {"shared_paths": ["x"]},
    }
    result = json.loads(hoisted(json.dumps(plan, indent=indent), "x"))
    assert result == {
        "version": "1",
        "tasks": [
            {"id": "a", "files": ["a"], "prompt": "p"},
            {"id": "b", "files": ["b"], "prompt": "q"},
            {
                "id": "wire-x",
                "title": "Wire up x",
                "needs": ["a", "b"],
                "files": ["x"],
                "prompt": "Write x for the tasks before this one (a, b):\n"
                "look at what they added, register it there, and change nothing else.\n",
            },
        ],
    }


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("expect: {shared_paths: 3}\n", "expect: {shared_paths: 2}\n"),
        ("expect:\n  shared_paths:\n    - x\n", ""),
        ("expect:\n  # why\n  shared_paths: [x]\nmax_parallel: 3\n", "  # why\nmax_parallel: 3\n"),
        ("expect: {shared_paths: [x, y]}\n", "expect: {shared_paths: [y]}\n"),
        ("expect: {shared_paths: [y]}\n", "expect: {shared_paths: [y]}\n"),
    ],
)
def test_what_is_shared_no_more_is_not_expected_any_more(before: str, after: str) -> None:
    tasks = "tasks:\n- {id: a, files: [x, a]}\n- {id: b, files: [x, b]}\n"
    assert hoisted(HEAD + before + tasks, "x").startswith(HEAD + after + "tasks:\n- {id: a, files: [a]}")


@pytest.mark.parametrize(
    "last",
    [
        "prompt: p",
        "prompt: p  # why",
        "prompt: 'a\n\n      b'",
        "prompt: |\n      text",
        "prompt: |-\n      text\n",
        "prompt: |+\n      text\n\n\n",
        "prompt: >\n      text\n      more\n\n    # comment",
        "verify: [a b,\n      c d]",
        "verify:\n      - a b\n      - c d  # last",
    ],
)
@pytest.mark.parametrize("tail", ["", "\n", "\n\n", "\n# bye\n", "\nmax_parallel: 3\n", "\n...\n"])
def test_the_last_task_comes_behind_whatever_the_plan_ends_with(last: str, tail: str) -> None:
    written = HEAD + f"tasks:\n  - {{id: a, files: [x, a]}}\n  - id: b\n    files: [x, b]\n    {last}{tail}"
    result = hoisted(written, "x")
    assert [task.id for task in read(text_of(result)).tasks] == ["a", "b", "wire-x"]
    for line in filter(None, written.splitlines()[6:]):
        assert line in result.splitlines(), "every line of the rest is there as it was"


def test_a_byte_order_mark_and_letters_of_all_lands_stay() -> None:
    written = (
        HEAD + "tasks:\n- {id: a, title: Zoë 🌊, files: [ünï/日本.c, a]}\n- {id: b, files: [b, ünï/日本.c]}\n"
    )
    result = hoisted(b"\xef\xbb\xbf" + written.encode(), "ünï/日本.c")
    assert result.startswith(
        "\ufeff" + HEAD + "tasks:\n- {id: a, title: Zoë 🌊, files: [a]}\n- {id: b, files: [b]}\n"
    )
    assert '  files: ["ünï/日本.c"]\n' in result


def test_the_last_task_commits_as_the_plan_says() -> None:
    tasks = "tasks:\n- {id: a, files: [x, a]}\n- {id: b, files: [b, x], commit: auto}\n"
    again = read(text_of(hoisted(HEAD + "commit: agent\n" + tasks, "x")))
    assert [task.commit for task in again.tasks] == ["agent", "auto", "agent"]


def test_odd_names_are_quoted() -> None:
    path = "app/[id]/my page.tsx"
    written = HEAD + f"tasks:\n- {{id: '1', files: ['{path}', a]}}\n- {{id: 'null', files: ['{path}', b]}}\n"
    result = hoisted(written, path)
    assert f'  files: ["{path}"]\n' in result
    assert '  needs: ["1", "null"]\n' in result


def test_a_crowd_is_listed_over_several_lines() -> None:
    tasks = "".join(f"  - {{id: task-{n}, files: [Kbuild, f{n}]}}\n" for n in range(60))
    result = hoisted(HEAD + "tasks:\n" + tasks, "Kbuild")
    needs = result[result.index("    needs: [") : result.index("    files: [Kbuild]")]
    assert 6 <= needs.count("\n") <= 12
    assert max(map(len, needs.splitlines())) <= 104
    assert "(task-0, task-1," in result
    assert "task-19 and 40 more)" in result


# --- refusals


def test_a_path_that_no_task_shares_and_what_is_no_file_are_refused() -> None:
    some = HEAD + "tasks:\n- {id: a, files: [x, d/]}\n- {id: b, files: {delete: [y], modify: [z]}}\n"
    assert refusal(some, "nope") == "no task to do claims 'nope'"
    assert refusal(some, "d/") == "'d/' is no single file, so no last task can write it"
    assert refusal(some, "../x") == "path '../x' goes up with '..'"
    assert refusal(some, "y") == "'y' is to be deleted, so no last task can write it"


def test_a_task_of_which_nothing_would_be_left_is_named() -> None:
    some = HEAD + "tasks:\n- {id: a, files: [x]}\n- {id: b, files: [x, b]}\n"
    assert refusal(some, "x") == "task 'a' claims nothing but what is hoisted, so nothing would be left of it"


def test_other_formats_are_refused() -> None:
    meta = '{"type": "meta", "schema": "session-state/v1"}\n'
    tasks = "".join(f'{{"type": "task", "id": "{n}", "prompt": "p", "files": ["x", "{n}"]}}\n' for n in "ab")
    assert refusal(meta + tasks, "x") == (
        "'p.yaml' is a plan of format 'session-state', which git-waves reads and does not write"
    )


@pytest.mark.parametrize(
    "files",
    ["\n      ? modify\n      : [x]\n      ? create\n      : [a]", "\n      -\n        x\n      - a"],
    ids=["explicit keys", "dash on a line of its own"],
)
def test_a_layout_that_is_not_understood_is_refused_with_its_line(files: str) -> None:
    some = HEAD + f"tasks:\n  - id: a\n    files: {files}\n    prompt: p\n  - {{id: b, files: [x, b]}}\n"
    assert refusal(some, "x").startswith("'p.yaml:")
    assert refusal(some, "x").endswith("is laid out in a way that cannot be rewritten")


# --- properties

NAMES = st.sampled_from(["x", "y", "src/a.c", "b c", "ünï"])


@st.composite
def plans(draw: st.DrawFn) -> str:
    """Plans in many styles, in which at least two tasks share `x` and all have a file of their own."""
    lines = ["version: 1", "tasks:"]
    indent = draw(st.sampled_from(["", "  "]))
    for number in range(draw(st.integers(2, 5))):
        own = [f"own{number}"]
        shared = draw(st.lists(NAMES, unique=True, max_size=3))
        if number < 2:
            shared = ["x", *(name for name in shared if name != "x")]
        entries = draw(st.permutations([f"'{name}'" for name in own + shared]))
        files = draw(st.sampled_from(["flow", "block", "mapping", "blocks"]))
        lines.append(f"{indent}- id: t{number}")
        match files:
            case "flow":
                lines.append(f"{indent}  files: [{', '.join(entries)}]  # c")
            case "block":
                lines += [f"{indent}  files:", *(f"{indent}    - {entry}  # {entry}" for entry in entries)]
            case "mapping":
                lines.append(
                    f"{indent}  files: {{create: [{entries[0]}], modify: [{', '.join(entries[1:])}]}}"
                )
            case _:
                cut = draw(st.integers(1, max(1, len(entries) - 1)))
                lines += [f"{indent}  files:"]
                for key, part in (("create", entries[:cut]), ("modify", entries[cut:])):
                    lines += [f"{indent}    {key}:", f"{indent}     # of {key}"] if part else []
                    lines += [f"{indent}    - {entry}" for entry in part]
        lines += [""] * draw(st.integers(0, 1))
    return "\n".join(lines) + draw(st.sampled_from(["", "\n", "\n# end\n"]))


@examples(150)
@given(plans())
def test_any_style_comes_out_as_the_plan_that_was_meant_and_keeps_its_lines(written: str) -> None:
    text = text_of(written)
    result, wanted = plan_files.hoisted(text, read(text), ["x"])
    again = read(result)
    assert [task.id for task in again.tasks] == [task.id for task in wanted.plan.tasks]
    assert len(build_schedule(again).groups) == len(build_schedule(wanted.plan).groups)
    kept = [
        line
        for line in written.splitlines()
        if "'x'" not in line and line.strip() and "modify:" not in line and "create:" not in line
    ]
    lines = iter(result.data.decode().splitlines())
    assert all(any(line == one for one in lines) for line in kept), "in their order"
