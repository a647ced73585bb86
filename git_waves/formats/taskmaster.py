"""Task Master's `tasks.json`: a graph of tasks with parts, and hardly a word about files.

Where a task has parts, they are the work: they inherit what the whole needs, and whoever needs the whole needs those
parts that no other part waits for.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from git_waves.core.coverage import Reading
from git_waves.core.model import Intent
from git_waves.errors import PlanProblem
from git_waves.formats.checks import plan_error
from git_waves.formats.draft import DraftTask, PlanDraft
from git_waves.formats.jsonmarks import JsonDocument, JsonEntry, JsonFault, read_document, read_documents
from git_waves.formats.markdown import Line
from git_waves.formats.names import shorten
from git_waves.formats.prose import mentions_in
from git_waves.formats.records import Record
from git_waves.formats.source import PlanText

HINT = "'tasks' is a list of objects with an 'id'"

_DONE = frozenset({"done", "completed", "cancelled", "canceled"})
_STUCK = frozenset({"blocked", "deferred", "review"})
_OPEN = frozenset({"pending", "in-progress", "in_progress", "todo", "open", ""})
_DEEPEST = 4


@dataclass(slots=True)
class _Node:
    """A task or a part of one: `raw` is its full number (`3.1`), `needs` the full numbers it names."""

    raw: str
    values: dict[str, object]
    line: int
    needs: list[str] = field(default_factory=list)
    parts: list[_Node] = field(default_factory=list)


def read_task_master(text: PlanText, decoded: str) -> Reading:
    """The plan of one tag of a `tasks.json`: `master`, else the only or first one. Raises PlanError."""
    draft = PlanDraft(text=text, format="task-master")
    try:
        document = read_document(decoded, "tasks")
        if document.entries is None:
            document = _tag(draft, read_documents(decoded, "tasks"))
    except JsonFault as fault:
        raise plan_error(text.source, [PlanProblem(fault.line, fault.message)], measured=False) from None
    reader = _Reader(draft, document)
    nodes = [node for entry in document.entries or () if (node := reader.node(entry)) is not None]
    reader.add_all(nodes)
    return draft.finish(hint=HINT)


def _tag(draft: PlanDraft, tags: dict[str, JsonDocument]) -> JsonDocument:
    """The tag to read; the others are noted."""
    filled = [name for name, document in tags.items() if document.entries is not None]
    if not filled:
        raise draft.nothing_here(HINT)
    chosen = "master" if "master" in filled else filled[0]
    for name in filled:
        if name != chosen:
            draft.skip(0, f"tag '{name}'", f"only the tasks of tag '{chosen}' are read")
    return tags[chosen]


class _Reader:
    def __init__(self, draft: PlanDraft, document: JsonDocument) -> None:
        self._draft, self._document = draft, document

    def node(self, entry: JsonEntry) -> _Node | None:
        """A task with its parts; None for what is none, which is a problem."""
        line = self._document.line(entry.start)
        return self._node(entry.value, "", line, 0)

    def _node(self, value: object, above: str, line: int, depth: int) -> _Node | None:
        if not isinstance(value, dict):
            self._draft.refuse(line, f"a task of {above or 'the plan'} must be an object")
            return None
        record = self._record(value, f"a task of {above or 'the plan'}", line)
        own = record.required("id", record.identity)
        if own is None:
            return None
        raw = own if not above or own.startswith(f"{above}.") else f"{above}.{own}"
        record.owner = f"task '{shorten(raw)}'"
        node = _Node(raw, value, line)
        node.needs = list(record.identities("dependencies"))
        parts = value.get("subtasks")
        if isinstance(parts, list) and depth < _DEEPEST:
            found = (self._node(part, raw, line, depth + 1) for part in parts)
            node.parts = [part for part in found if part is not None]
        return node

    def _record(self, values: dict[str, object], owner: str, line: int) -> Record:
        return Record(values, owner, line, lambda _: line, self._draft.problems)

    def add_all(self, nodes: list[_Node]) -> None:
        """Add the tasks that have no parts, with what they need by themselves and through what they are part of."""
        known = {node.raw: node for top in nodes for node in _all(top)}
        for node in known.values():
            node.needs = [_meant(on, node.raw.rpartition(".")[0], known) for on in node.needs]
        for top in nodes:
            self._add(top, [], known)

    def _add(self, node: _Node, above: list[_Node], known: dict[str, _Node]) -> None:
        if node.parts:
            for part in node.parts:
                self._add(part, [*above, node], known)
            return
        task = self._task(node, above)
        for one in (node, *reversed(above)):
            for on in one.needs:
                other = known.get(on)
                if other is None:
                    task.needs.setdefault(on, node.line)
                elif other not in above:  # a part that names the whole it belongs to says nothing
                    task.needs.update((leaf.raw, node.line) for leaf in _last(other))
        self._draft.add(task)

    def _task(self, node: _Node, above: list[_Node]) -> DraftTask:
        record = self._record(node.values, f"task '{shorten(node.raw)}'", node.line)
        title = record.text("title") or ""
        parts = [title, record.text("description"), record.text("details")]
        test = record.text("testStrategy")
        around = [
            f"Part of {shorten(one.raw)}: {shorten(str(one.values.get('title') or ''), 200)}\n"
            f"{str(one.values.get('description') or '')[:1_000]}"
            for one in above
        ]
        task = DraftTask(
            raw=node.raw,
            line=node.line,
            title=title,
            prompt="\n\n".join(
                part for part in (*parts, f"How it is tested:\n{test}" if test else "", *around) if part
            ),
        )
        self._status(record, task, above)
        self._files(node, task)
        if not task.files:
            words = "\n".join(part for part in (*parts,) if part)
            task.mentions = mentions_in([Line(node.line, row) for row in words.split("\n")[:2_000]])
        return task

    def _status(self, record: Record, task: DraftTask, above: list[_Node]) -> None:
        written = record.text("status") or ""
        status = written.strip().lower()
        whole = {str(one.values.get("status") or "").lower() for one in above}
        task.is_done = status in _DONE or bool(whole & _DONE)
        if status in ("cancelled", "canceled"):
            self._draft.skip(record.line, task.raw, "the task is cancelled; nothing waits for it")
        elif status in _STUCK:
            task.blocker = status
        elif status not in _OPEN | _DONE:
            self._draft.skip(
                record.line, f"status {written}", "this status is not known; the task counts as open"
            )

    def _files(self, node: _Node, task: DraftTask) -> None:
        """`relevantFiles` as Task Master has them, and a plain `files` that some people add."""
        relevant = node.values.get("relevantFiles")
        for one in relevant if isinstance(relevant, list) else ():
            action = str(one.get("action") or "modify") if isinstance(one, dict) else ""
            if isinstance(one, dict) and isinstance(one.get("path"), str) and action != "reference":
                intent = Intent.CREATE if action == "create" else Intent.MODIFY
                task.files.append((str(one["path"]), intent, node.line))
        plain = node.values.get("files")
        for path in plain if isinstance(plain, list) else ():
            if isinstance(path, str):
                task.files.append((path, Intent.EDIT, node.line))


def _meant(on: str, above: str, known: dict[str, _Node]) -> str:
    """The full number of what a task names: a part of the same whole when there is one, else a task of the plan."""
    sibling = f"{above}.{on}" if above else on
    return sibling if sibling in known or (above and "." not in on and on not in known) else on


def _all(node: _Node) -> list[_Node]:
    return [node, *(inner for part in node.parts for inner in _all(part))]


def _last(node: _Node) -> list[_Node]:
    """The work that has to be through before the whole is: parts that no other part of it waits for."""
    if not node.parts:
        return [node]
    waited_for = {on for part in node.parts for on in part.needs}
    ends = [part for part in node.parts if part.raw not in waited_for] or node.parts
    return [leaf for part in ends for leaf in _last(part)]
