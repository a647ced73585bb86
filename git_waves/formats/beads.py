"""beads' `issues.jsonl`: an issue tracker in JSON lines, whose open issues can be read as a plan.

Blocking edges are needs. An epic is no work of its own; what belongs to it inherits what blocks it. People's names and
addresses, comments and history are not taken over.
"""

from __future__ import annotations

from git_waves.core.coverage import Reading
from git_waves.errors import PlanProblem
from git_waves.formats.checks import plan_error
from git_waves.formats.draft import DraftTask, PlanDraft
from git_waves.formats.jsonmarks import JsonFault, read_object, rows_of
from git_waves.formats.markdown import Line
from git_waves.formats.names import shorten
from git_waves.formats.prose import mentions_in
from git_waves.formats.records import Record
from git_waves.formats.size import MOST_TASKS
from git_waves.formats.source import PlanText

HINT = "an issue is a line with an 'id', a 'title' and a 'status'"

_BLOCKING = frozenset({"blocks", "conditional-blocks", "waits-for"})
_PARENT = "parent-child"
_NO_WORK = frozenset({"epic", "message", "milestone", "molecule"})
_DONE = frozenset({"closed", "tombstone"})
_STUCK = frozenset({"blocked", "deferred", "pinned", "hooked"})
_DEEPEST = 20


class _Issue:
    """One issue: its record, what blocks it, and the epic it belongs to."""

    __slots__ = ("blocked_by", "line", "parent", "raw", "record", "status", "type")

    def __init__(self, raw: str, record: Record) -> None:
        self.raw, self.record, self.line = raw, record, record.line
        self.status = (record.text("status") or "open").strip().lower()
        self.type = (record.text("issue_type") or "task").strip().lower()
        self.blocked_by: list[str] = []
        self.parent: str | None = None

    @property
    def is_work(self) -> bool:
        """Whether somebody has to do something for this issue itself."""
        return self.type not in _NO_WORK


def read_beads(text: PlanText, decoded: str) -> Reading:
    """The plan of an `issues.jsonl`. Raises PlanError."""
    draft = PlanDraft(text=text, format="beads")
    issues: dict[str, _Issue] = {}
    for line, row in enumerate(rows_of(decoded), start=1):
        if row.strip():
            issue = _read(draft, line, row)
            if issue is None or issue.status == "tombstone":
                continue
            if issue.raw in issues:
                first = issues[issue.raw].line
                draft.refuse(line, f"issue '{shorten(issue.raw)}' is there twice, first on line {first}")
                continue
            issues[issue.raw] = issue
            if len(issues) > MOST_TASKS:
                problem = PlanProblem(line, f"the file has more than {MOST_TASKS} issues", "split the plan")
                raise plan_error(text.source, [problem], measured=False)
    open_work: dict[str, list[str]] = {}
    for issue in issues.values():
        if issue.parent is not None and issue.is_work and issue.status not in _DONE:
            open_work.setdefault(issue.parent, []).append(issue.raw)
    for issue in issues.values():
        if issue.is_work:
            draft.add(_task(draft, issue, issues, open_work))
        elif issue.status not in _DONE:
            draft.skip(
                issue.line,
                f"{issue.raw}: {issue.type}",
                f"an issue of type '{issue.type}' is no work of its own",
            )
    return draft.finish(hint=HINT)


def _read(draft: PlanDraft, line: int, row: str) -> _Issue | None:
    try:
        values = read_object(row)
    except JsonFault as fault:
        draft.refuse(line, fault.message, "one JSON object a line; is this one cut off?")
        return None
    kind = values.get("_type")
    if isinstance(kind, str) and kind != "issue":
        draft.skip(line, f"_type {kind}", "this record is no issue")
        return None
    record = Record(values, f"the issue on line {line}", line, lambda _: line, draft.problems)
    raw = record.required("id", record.identity)
    if raw is None:
        return None
    record.owner = f"issue '{shorten(raw)}'"
    issue = _Issue(raw, record)
    edges = values.get("dependencies")
    for edge in edges if isinstance(edges, list) else ():
        on = edge.get("depends_on_id") if isinstance(edge, dict) else None
        if isinstance(edge, dict) and isinstance(on, str):
            if edge.get("type") in _BLOCKING:
                issue.blocked_by.append(on)
            elif edge.get("type") == _PARENT:
                issue.parent = on
    return issue


def _task(
    draft: PlanDraft, issue: _Issue, issues: dict[str, _Issue], open_work: dict[str, list[str]]
) -> DraftTask:
    record = issue.record
    title = record.text("title") or ""
    parts = [title, record.text("description"), record.text("design"), record.text("notes")]
    acceptance = record.text("acceptance_criteria")
    if acceptance:
        parts.append(f"Accepted when:\n{acceptance}")
    prompt = "\n\n".join(part for part in parts if part)
    task = DraftTask(
        raw=issue.raw,
        line=issue.line,
        title=title,
        prompt=prompt,
        is_done=issue.status in _DONE,
        mentions=mentions_in([Line(issue.line, row) for row in prompt.split("\n")[:2_000]]),
    )
    if issue.status in _STUCK:
        task.blocker = issue.status
    awaited = record.text("await_type")
    if awaited:
        task.blocker = f"waits for {shorten(awaited)} {shorten(record.text('await_id') or '')}".strip()
    minutes = record.whole_number("estimated_minutes")
    task.estimate = minutes * 60.0 if minutes else None
    for raw in _blockers(issue, issues):
        if raw in issues:
            # An epic is through when the open work that belongs to it is.
            work = [raw] if issues[raw].is_work else open_work.get(raw, [])
            task.needs.update((one, issue.line) for one in work if one != issue.raw)
        else:
            draft.skip(issue.line, raw, "the issue that blocks this one is not in the file")
    return task


def _blockers(issue: _Issue, issues: dict[str, _Issue]) -> list[str]:
    """What blocks an issue, itself or through the epics it belongs to."""
    found: list[str] = []
    one: _Issue | None = issue
    for _ in range(_DEEPEST):
        if one is None:
            break
        found += one.blocked_by
        one = issues.get(one.parent) if one.parent is not None else None
    return list(dict.fromkeys(found))
