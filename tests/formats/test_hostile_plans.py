"""No bytes whatever make a reader fail, hang or swallow the machine: a plan, or a list of problems."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_waves.core.coverage import measure
from git_waves.errors import PlanError
from git_waves.formats.native.expressible import expressible
from git_waves.formats.native.writer import write_plan
from tests.formats.readings import reading
from tests.formats.shown import DATA, read
from tests.support.properties import examples
from tests.support.repo import ROOT

SEEDS = {
    path.relative_to(DATA).as_posix(): path.read_bytes()
    for path in sorted(DATA.rglob("*"))
    if path.is_file()
    and path.name != "ORIGIN.md"
    and not path.name.endswith("expected.txt")
    and path.parent != DATA
}
WEDGES = [b"\n", b"\t", b"    ", b"```\n", b"````", b"<!--", b"-->", b"---\n", b"## ", b"### Task 1: ", b"- [ ] ", b"- [x] T001 [P] ", b"- [ ] 1.1 ", b"**Files:**\n- Create: `a`\n", b"- **Dependencies**: All above\n", b"<task>", b"</task>", b"<files>", b"<verify>", b"&amp;", b"[", b"]", b"{", b"}", b'"', b'\\"', b",", b": ", b"null", b"1e999", b"\\ud800", b"\\u0000", b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"\r", b"`", b"*", b"(P)", b"_Files: a.py_", b"depends_on: [01-01, Phase 1]", b"../", b"/", b"~", b"T001", b"\xf0\x9f\x9a\x80", b"0" * 40, b"a" * 300]  # fmt: skip


def gives_a_plan_or_problems(data: bytes, path: str) -> None:
    try:
        one = reading(data, path=path)
    except PlanError as error:
        assert error.problems
        assert all(problem.message and problem.line >= 0 for problem in error.problems)
        assert all((problem.message + problem.hint).isprintable() for problem in error.problems)
        assert error.exit_code in (1, 2)
        return
    assert one.plan.tasks
    coverage = measure(one)
    assert coverage.declared + coverage.guessed <= coverage.tasks
    assert all(skipped.what.isprintable() and skipped.why.isprintable() for skipped in one.skipped)
    plan = expressible(one.plan)
    if plan.tasks:
        assert len(read(write_plan(plan)).tasks) == len(plan.tasks)


@examples(250)
@given(st.data())
def test_a_real_plan_with_any_bytes_changed(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(sorted(SEEDS)))
    content = bytearray(SEEDS[path])
    start = data.draw(st.integers(0, max(len(content) - 3_000, 0)))
    content = content[start : start + 6_000] if data.draw(st.booleans()) else content
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(content)))
        cut = data.draw(st.integers(0, 60))
        content[at : at + cut] = data.draw(st.one_of(st.sampled_from(WEDGES), st.binary(max_size=6)))
    gives_a_plan_or_problems(bytes(content), path)


STARTS = [b"", b"---\nphase: 01\nplan: 01\n---\n", b"# X\n### Task 1: A\n**Files:**\n", b"- [ ] T001 ", b"- [ ] 1.1 (P) ", b"- [ ] ", b"### Task 1.1: A\n- **Action**: ", b"### T1: A\n- **depends_on**: ", b'{"tasks": [{"dependencies": ', b'[{"key": "a", "tasks": [', b'{"id": "a", "title": "b", "status": "open", "priority": ', b"phases:\n- execution_id: ", b"---\nwork_package_id: WP01\n"]  # fmt: skip


@examples(150)
@given(
    st.sampled_from(STARTS), st.lists(st.one_of(st.sampled_from(WEDGES), st.binary(max_size=10)), max_size=12)
)
def test_any_bytes_behind_the_beginning_of_a_plan(start: bytes, rest: list[bytes]) -> None:
    gives_a_plan_or_problems(start + b"".join(rest), "x/tasks.md")


MIB = 1024 * 1024
SIZE = 8 * MIB - 1000
"""Just below what is read of a foreign plan."""

HUGE: dict[str, Callable[[], bytes]] = {
    "checkboxes": lambda: b"- [ ] T001 [P] in a/b.py\n",
    "spec-kit": lambda: b"".join(b"- [ ] T%d [P] src/a%d.py src/b.py\n" % (n, n) for n in range(200_000)),
    "needs": lambda: b"".join(b"### T%d: A\n- **depends_on**: [T0-T%d]\n" % (n, n) for n in range(200_000)),
    "all above": lambda: b"# X\n" + b"".join(b"### Task 1.%d: A\n- **Dependencies**: All above\n- **Action**: x\n" % n for n in range(9_000)),
    "one line": lambda: b"- [ ] T001 " + b"a/b.py " * (SIZE // 7),
    "no blanks": lambda: b"- [ ] T001 " + b"(" * (SIZE - 20),
    "brackets": lambda: b"- [ ] T001 " + b"[(" * (SIZE // 2 - 20),
    "ticks": lambda: b"# X\n### Task 1: A\n**Files:**\n- Create: " + b"`a`, " * (SIZE // 5 - 20),
    "braces": lambda: b"# X\n### Task 1: A\n**Files:**\n" + b"- Create: `{a,b}{c,d}{e,f}{g,h}{i,j}{k,l}/x.py`\n" * 100_000,
    "deep paths": lambda: b"# X\n### Task 1: A\n**Files:**\n" + b"".join(b"- Create: `%s%d.py`\n" % (b"a/" * 60, n) for n in range(50_000)),
    "blanks": lambda: b"- [ ] T001 a\n" + b" " * (SIZE - 100) + b"\n- [ ] T002 b\n",
    "lines": lambda: b"- [ ] T001 a\n" + b"\n" * (SIZE - 100),
    "headings": lambda: b"# X\n" + b"### Task 1: A\n**Files:**\n" * (SIZE // 25 - 20),
    "nesting": lambda: b"".join(b" " * (n % 2000) + b"- [ ] a%d\n" % n for n in range(7_000)),
    "parents": lambda: b"# Implementation Plan\n- [ ] 1. A\n" + b"  words words words\n" * 50_000 + b"".join(b"  - [ ] 1.%d B\n" % n for n in range(9_000)),
    "tags": lambda: b"---\nphase: 01\nplan: 01\n---\n" + b"<files>a.py,\n<verify><automated>" * (SIZE // 32 - 50),
    "front": lambda: b"---\nphase: 01\nplan: 01\n" + b"x: [" * 1000 + b"\n---\n",
    "yaml": lambda: b"phases:\n- execution_id: a\n" + b"- execution_id: b\n" * (SIZE // 19),
    "objects": lambda: b'{"tasks": [' + b'{"":{"":0}},' * (SIZE // 12 - 50) + b'{"dependencies": 1}]}',
    "lists": lambda: b'{"tasks": [' + b"[]," * (SIZE // 3 - 50) + b'{"dependencies": 1}]}',
    "depth": lambda: b'{"tasks": ' + b"[" * (SIZE // 2) + b']}, "dependencies":',
    "parts": lambda: b'{"tasks": [' + b",".join(b'{"id":%d,"dependencies":[%d],"subtasks":[%s]}' % (n, n - 1, b",".join(b'{"id":%d,"dependencies":[]}' % m for m in range(400))) for n in range(1, 500)) + b"]}",
    "fragments": lambda: b'[{"key":"a","tasks":[' + b",".join(b'{"key":"k%d","description":"x","files":["a.py"]}' % n for n in range(100_000)) + b"]}]",
    "issues": lambda: b"\n".join(b'{"id":"a-%d","title":"x","status":"open","priority":1,"dependencies":[{"depends_on_id":"e","type":"blocks"}]}' % n for n in range(60_000)),
    "epics": lambda: b'{"id":"e","title":"x","status":"open","priority":1,"issue_type":"epic"}\n' + b"\n".join(b'{"id":"a-%d","title":"x","status":"open","priority":1,"dependencies":[{"depends_on_id":"e","type":"%s"}]}' % (n, b"blocks" if n % 2 else b"parent-child") for n in range(15_000)),
    "comments": lambda: b"- [ ] T001 a\n" + b"<!--\n" * (SIZE // 5 - 50),
    "fences": lambda: b"- [ ] T001 a\n" + b"```\n" * 150_000,
    "cjk": lambda: b"- [ ] T001 " + "\u4e00src/a.py\u4e8c".encode() * (SIZE // 15),
    "ids": lambda: b"phases:\n" + b"".join("- execution_id: \u4e00/\u4e8c{}\n".format("\u4e09" * (n % 90)).encode() for n in range(15_000)),
}  # fmt: skip

CHILD = """
import sys, resource, time
from git_waves.core.coverage import measure
from git_waves.errors import PlanError
from git_waves.formats import PlanText, read_text
data = open(sys.argv[1], "rb").read()
start = time.process_time()
try:
    one = read_text(PlanText(name_hint="x/tasks.md", source="x", data=data), known_agents=frozenset())
    measure(one)
    told = f"{len(one.plan.tasks)} tasks"
except PlanError as error:
    told = error.problems[0].message[:80]
print(told, round(time.process_time() - start, 2), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


@pytest.mark.long
@pytest.mark.parametrize("kind", HUGE)
def test_a_plan_as_large_and_odd_as_may_be_costs_neither_ten_seconds_nor_a_gigabyte(
    kind: str, tmp_path: Path
) -> None:
    content = HUGE[kind]()
    if kind == "checkboxes":
        content = content * (SIZE // len(content))
    (tmp_path / "plan").write_bytes(content[:SIZE])

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (10, 11))
        resource.setrlimit(resource.RLIMIT_DATA, (1024 * MIB, 1024 * MIB))

    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(tmp_path / "plan")],
        capture_output=True, text=True, cwd=ROOT, preexec_fn=bound, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{kind}: {done.returncode} {done.stderr[-2000:]}"
