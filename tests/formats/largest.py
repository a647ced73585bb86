"""Plans of every format that are as long as one likes, each task with words, files and an order: what size alone costs."""

from __future__ import annotations

import json
from collections.abc import Callable

Written = Callable[[int], str]
"""The plan with so many tasks."""


def _files(number: int) -> list[str]:
    return [f"src/part{number % 97}/unit{number}.py", f"tests/test_{number}.py", "src/registry.py"]


def _words(number: int) -> str:
    """Prose that names another task and files, once in an order."""
    before = max(number - 2, 1)
    return f"Change src/part{number % 97}/unit{number}.py once task {before} is merged, run make {number}, see docs/a.md."


def _rows(row: Callable[[int], str], count: int) -> str:
    return "".join(map(row, range(1, count + 1)))


def _after(number: int, name: str = "{}") -> list[str]:
    return [name.format(number - 1)] if number > 1 else []


def native_tasks(count: int) -> str:
    """The native format as JSON."""
    tasks = [
        {"id": f"t{n}", "needs": _after(n, "t{}"), "files": _files(n), "prompt": _words(n)}
        for n in range(1, count + 1)
    ]
    return json.dumps({"version": "1", "tasks": tasks}, indent=1)


def _yaml(number: int) -> str:
    files = "".join(f"      - {path}\n" for path in _files(number))
    return f"  - id: t{number}\n    needs: [{', '.join(_after(number, 't{}'))}]\n    files:\n{files}    prompt: >-\n      {_words(number)}\n"


def _record(number: int, **more: object) -> str:
    record = {"type": "task", "id": f"t{number}", "files": _files(number), "prompt": _words(number), **more}
    return json.dumps(record) + "\n"


_META = '{"type": "meta", "schema": "session-state/v1", "scheduler": "dag-parallel"}\n'


def _masterplan(count: int) -> str:
    tasks = [
        {"id": f"t{n}", "wave": n // 2, "description": _words(n), "files": _files(n)[:2]}
        for n in range(1, count + 1)
    ]
    return json.dumps({"schema_version": "6.0", "tasks": tasks})


def _fragments(count: int) -> str:
    tasks = [
        {"key": f"t{n}", "description": _words(n), "files": _files(n), "deps": _after(n, "t{}")}
        for n in range(1, count + 1)
    ]
    return json.dumps([{"key": "part", "tasks": tasks}])


def _task_master(count: int) -> str:
    tasks = [
        {"id": n, "title": "a", "description": _words(n), "dependencies": [n - 1] if n > 1 else []}
        for n in range(1, count + 1)
    ]
    return json.dumps({"tasks": tasks})


def _issue(number: int) -> str:
    issue = {
        "id": f"a-{number}",
        "title": "b",
        "status": "open",
        "priority": 1,
        "description": _words(number),
    }
    blocks = [{"depends_on_id": on, "type": "blocks"} for on in _after(number, "a-{}")]
    return json.dumps({**issue, "dependencies": blocks}) + "\n"


def _ito(number: int) -> str:
    wave = f"## Wave {number // 2 + 1}\n" if number % 2 == 0 or number == 1 else ""
    return (
        f"{wave}### Task {number // 9_000 + 1}.{number % 9_000}: Do it\n- **Files**: `{'`, `'.join(_files(number))}`\n"
        f"- **Dependencies**: None\n- **Action**: {_words(number)}\n"
    )


LARGEST: dict[str, tuple[str, Written]] = {
    "native YAML": ("p.yaml", lambda count: "version: 1\ntasks:\n" + _rows(_yaml, count)),
    "native JSON": ("p.json", native_tasks),
    "session-state": ("s.jsonl", lambda count: _META + _rows(_record, count)),
    "session-state, waves": ("s.jsonl", lambda count: _META + _rows(lambda n: _record(n, wave=n // 2), count)),
    "masterplan": ("plan.index.json", _masterplan),
    "masterplan fragments": (".plan-fragments.json", _fragments),
    "Task Master": ("tasks.json", _task_master),
    "beads": ("issues.jsonl", lambda count: _rows(_issue, count)),
    "loopdeck": ("run-plan.yaml", lambda count: "phases:\n" + _rows(lambda n: f"- execution_id: prd/loop-{n}\n  status: queued\n", count)),
    "GSD": ("01-PLAN.md", lambda count: "---\nphase: 01\nplan: 01\n---\n" + _rows(lambda n: f"<task type=\"auto\">\n<name>Do {n}</name>\n<files>{', '.join(_files(n))}</files>\n<action>{_words(n)}</action>\n<verify>make {n}</verify>\n</task>\n", count)),
    "ito": ("tasks.md", lambda count: "# X\n" + _rows(_ito, count)),
    "swarm": ("x-plan.md", lambda count: "# X\n" + _rows(lambda n: f"### T{n}: Do it\n- **depends_on**: [{', '.join(_after(n, 'T{}'))}]\n- **location**: {_files(n)[0]}\n- **description**: {_words(n)}\n", count)),
    "superpowers": ("2026-01-01-x.md", lambda count: "# X\n> REQUIRED SUB-SKILL: x\n" + _rows(lambda n: f"### Task {n // 9_000 + 1}.{n % 9_000}: Do it\n**Files:**\n- Create: `{_files(n)[0]}`\n- Modify: `{_files(n)[2]}`\n\n- [ ] **Step 1: Write it**\n{_words(n)}\n", count)),
    "spec-kit": ("tasks.md", lambda count: "# Tasks\n" + _rows(lambda n: (f"## Phase {n // 2 + 1}: X\n" if n % 2 or n == 1 else "") + f"- [ ] T{n:05d} [P] {_words(n)} in src/app.py\n", count)),
    "Kiro": ("tasks.md", lambda count: "# Implementation Plan\n" + _rows(lambda n: f"- [ ] {n // 9_000 + 1}.{n % 9_000} {_words(n)}\n  - _Requirements: 1.2_\n- [ ] no number, so no task\n", count)),
    "OpenSpec": ("tasks.md", lambda count: "# Tasks\n## 1. A\n" + _rows(lambda n: f"- [ ] 1.{n} {_words(n)}\n" if n < 9_000 else f"- [ ] {_words(n)}\n", count)),
}  # fmt: skip
"""The name of a plan's file, and the plan, by its format."""
