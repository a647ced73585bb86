"""The graph at the end of newer Kiro plans: waves of task numbers, as JSON in a block of code.

It is written by a model and has many shapes: waves as objects or as bare lists, numbers as texts or as numbers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from git_waves.formats.draft import PlanDraft
from git_waves.formats.markdown import Document, Line, blocks_of_code, sections

_LONGEST = 500_000


@dataclass(slots=True)
class Waves:
    """The waves in their order: a name, a title and a line each, and the place of every task that is in one."""

    names: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)


def find_waves(
    draft: PlanDraft, document: Document, leaves: Sequence[str], parents: Mapping[str, Sequence[str]]
) -> Waves | None:
    """The waves of the document; None when it has no graph that can be read, which is noted."""
    for heading, body in sections(document.lines, lambda line: "dependency graph" in line.title.lower()):
        for _, rows in blocks_of_code(body):
            if rows and rows[0].text.lstrip().startswith(("{", "[")):
                return _read(draft, rows, leaves, parents)
        draft.skip(heading.number, heading.title, "this graph is no JSON; the tasks keep their order")
        return None
    return None


def _read(
    draft: PlanDraft, rows: Sequence[Line], leaves: Sequence[str], parents: Mapping[str, Sequence[str]]
) -> Waves | None:
    line = rows[0].number
    written = "\n".join(row.text for row in rows)
    try:
        graph = json.loads(written) if len(written) <= _LONGEST else None
    except (ValueError, RecursionError):
        graph = None
    entries = graph.get("waves") if isinstance(graph, dict) else graph
    if not isinstance(entries, list):
        draft.skip(line, "{...}", "this graph holds no list of waves; the tasks keep their order")
        return None
    known = set(leaves)
    waves = Waves()
    for number, entry in enumerate(entries):
        tasks = entry.get("tasks") if isinstance(entry, dict) else entry
        if not isinstance(tasks, list):
            draft.skip(line, f"wave {number}", "it holds no list of tasks")
            continue
        title = _title(entry, number)
        place = len(waves.names)
        waves.names.append(f"wave-{number}")
        waves.titles.append(title)
        waves.lines.append(_line_of(rows, tasks))
        for raw in (raw for task in tasks for raw in _meant(task, parents)):
            if raw not in known:
                draft.skip(waves.lines[-1], raw, "the graph names it, and it is no task of the plan")
            elif raw in waves.places:
                draft.skip(waves.lines[-1], raw, "the graph has it in two waves; the first one counts")
            else:
                waves.places[raw] = place
    return waves if waves.places else None


def _meant(task: object, parents: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """The tasks that an entry means: itself, or all parts of a task that has some."""
    if isinstance(task, bool) or not isinstance(task, str | int | float):
        return ()
    raw = str(task)[:40].strip().removeprefix("T").removeprefix("t").rstrip(".")
    return parents.get(raw, (raw,))


def _title(entry: object, number: int) -> str:
    if isinstance(entry, dict):
        for key in ("name", "description", "title"):
            if isinstance(entry.get(key), str) and entry[key].strip():
                return str(entry[key])
    return f"wave {number}"


def _line_of(rows: Sequence[Line], tasks: Sequence[object]) -> int:
    """The line on which the first task of a wave stands."""
    if tasks and isinstance(tasks[0], str | int):
        wanted = json.dumps(tasks[0])
        for row in rows:
            if wanted in row.text and (
                "tasks" in row.text or "[" in row.text or row.text.strip().startswith(wanted)
            ):
                return row.number
    return rows[0].number
