"""masterplan's `.plan-fragments.json`: what several planners wrote, before it is merged into `plan.index.json`.

Only here do tasks say what they need; the merge turns that into waves and drops it.
"""

from __future__ import annotations

import json

from git_waves.core.coverage import Reading
from git_waves.core.graph import AcyclicGraph
from git_waves.core.model import Intent
from git_waves.errors import PlanProblem
from git_waves.formats.checks import plan_error
from git_waves.formats.draft import DraftTask, PlanDraft
from git_waves.formats.jsonmarks import JsonDocument, JsonEntry, JsonFault, read_list
from git_waves.formats.loosepaths import clean_path
from git_waves.formats.names import shorten
from git_waves.formats.records import Record
from git_waves.formats.source import PlanText

HINT = "a fragment is an object with a 'key' and a list of 'tasks'"


def read_fragments(text: PlanText, decoded: str) -> Reading:
    """The plan of all fragments of a file. Raises PlanError."""
    try:
        document = read_list(decoded)
    except JsonFault as fault:
        raise plan_error(text.source, [PlanProblem(fault.line, fault.message)], measured=False) from None
    draft = PlanDraft(text=text, format="masterplan-fragments")
    for number, entry in enumerate(document.entries or (), start=1):
        line = document.line(entry.start)
        tasks = entry.value.get("tasks") if isinstance(entry.value, dict) else None
        if not isinstance(tasks, list):
            draft.refuse(line, f"fragment {number} has no list of 'tasks'", HINT)
            continue
        place = entry.start
        for value in tasks:
            place = _add(draft, document, entry, value, place)
    _order(draft)
    return draft.finish(hint=HINT)


def _order(draft: PlanDraft) -> None:
    """Tasks that share a file keep the order of the text, as in masterplan's own merge, unless their needs say otherwise."""
    numbers = {task.raw: number for number, task in enumerate(draft.tasks)}
    try:
        graph = AcyclicGraph(
            [
                [numbers[raw] for raw in task.needs if raw in numbers and raw != task.raw]
                for task in draft.tasks
            ]
        )
    except ValueError:
        return  # the needs go in a circle, which is reported with the other problems
    last: dict[str, DraftTask] = {}
    for task in draft.tasks:
        for path, _, line in task.files:
            path = clean_path(path).removeprefix("./")
            before = last.get(path)
            last[path] = task
            if before is None or before.raw in task.needs or before.raw == task.raw:
                continue
            if graph.add(numbers[before.raw], numbers[task.raw]):
                task.needs[before.raw] = line
                why = f"'{shorten(before.raw)}', written before, shares this file; '{shorten(task.raw)}' waits for it"
                draft.skip(line, path, why)


def _add(draft: PlanDraft, document: JsonDocument, fragment: JsonEntry, value: object, after: int) -> int:
    """Add one task; returns where its key stands, since the next one is looked for behind it."""
    if not isinstance(value, dict):
        draft.refuse(document.line(after), "a task of a fragment must be an object")
        return after
    at = _place(document, fragment, value.get("key"), after)
    line = document.line(at)
    inside = JsonEntry(value=value, start=at, end=fragment.end)

    def line_of(key: str) -> int:
        return document.line_of_key(key, inside)

    record = Record(value, "a task", line, line_of, draft.problems)
    raw = record.required("key", record.identity)
    if raw is None:
        return at
    record.owner = f"task '{shorten(raw)}'"
    text = record.required("description", record.text) or ""
    deps, files = record.identities("deps"), record.texts("files")
    lines = document.lines_of_texts("files", files, inside) if files else []
    draft.add(
        DraftTask(
            raw=raw,
            line=line,
            title=text,
            prompt=text,
            needs=dict.fromkeys(deps, line_of("deps") if deps else line),
            files=[(path, Intent.EDIT, where) for path, where in zip(files, lines, strict=True)],
            verify=list(record.shell_commands("verify_commands")),
        )
    )
    return at


def _place(document: JsonDocument, fragment: JsonEntry, key: object, after: int) -> int:
    """Where a task's key is written; where the last one was when it cannot be found."""
    if not isinstance(key, str):
        return after
    at = after
    for _ in range(4):  # a key may also stand among the needs of a task before it
        at = document.text.find(json.dumps(key, ensure_ascii=False), at + 1, fragment.end)
        if at < 0:
            return after
        if document.text[max(at - 40, 0) : at].rstrip().endswith(":"):
            return at
    return after
