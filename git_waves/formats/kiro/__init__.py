"""Kiro's `tasks.md`: numbered checkboxes, tasks with parts, and in newer files a graph of waves in JSON.

Only tasks without parts are work. With a graph its waves are groups; what the graph leaves out (checkpoints) stands as
a group of its own where the text has it. With `(P)` marks the numbered chapters are groups, and what has no mark waits
for all before it. With neither the tasks keep their order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from git_waves.core.coverage import Reading
from git_waves.core.model import Intent
from git_waves.formats.checks import plan_error
from git_waves.formats.draft import DraftTask, PlanDraft
from git_waves.formats.filenames import reads_like_a_path
from git_waves.formats.kiro.graph import Waves, find_waves
from git_waves.formats.loosepaths import listed_paths
from git_waves.formats.markdown import Document, Line, checkbox, join, read_markdown, without_box
from git_waves.formats.prose import mentions_in
from git_waves.formats.source import PlanText

HINT = "a task is a line such as '- [ ] 1.1 Name'"

_NUMBERED = re.compile(r"\*?(?:Task[ \t]+)?([0-9]{1,4}(?:\.[0-9A-Za-z]{1,4}){0,4})\.?(?:[ \t]+|$)(.*)")
_PARALLEL = re.compile(r"\(P\)[ \t]*")
_NOTE = re.compile(r"[ \t]*(?:[-*][ \t]+)?_([^_:\n]{1,40}):[ \t]*(.{1,5000}?)_[ \t]*")
_CHECKPOINT = re.compile(r"(?:final )?checkpoint\b|.{0,60}\bensure all (?:tests|checks)\b", re.IGNORECASE)
_DOCUMENTS = "requirements.md and design.md"


@dataclass(slots=True)
class _Item:
    """A numbered checkbox with the lines that belong to it."""

    raw: str
    line: Line
    title: str
    is_done: bool
    is_parallel: bool
    is_optional: bool
    indent: int
    body: list[Line] = field(default_factory=list)

    @property
    def is_checkpoint(self) -> bool:
        """Whether the task only looks whether all is well so far, and asks a person."""
        return bool(_CHECKPOINT.match(self.title))


def read_kiro(text: PlanText, decoded: str) -> Reading:
    """The plan of a `tasks.md` of Kiro. Raises PlanError."""
    document = read_markdown(decoded)
    if not isinstance(document, Document):
        raise plan_error(text.source, [document], measured=False)
    draft = PlanDraft(text=text, format="kiro")
    if document.unclosed:
        draft.skip(document.unclosed, "```", "this block never ends, so nothing behind it was read")
    items = _items(draft, document)
    parents = _parents(items)
    leaves = [item for item in items if item.raw not in parents]
    by_raw = {item.raw: item for item in items}
    folder = text.name_hint.rpartition("/")[0]
    where = f"{folder}/" if folder else "the folder of the plan"
    for leaf in leaves:
        draft.add(_task(leaf, [by_raw[raw] for raw in _above(leaf.raw) if raw in by_raw], where))
    waves = find_waves(draft, document, [leaf.raw for leaf in leaves], parents)
    if waves is not None:
        _by_waves(draft, leaves, waves)
    elif any(leaf.is_parallel for leaf in leaves):
        _by_marks(draft, leaves, by_raw)
    else:
        for before, after in zip(draft.tasks, draft.tasks[1:], strict=False):
            after.needs[before.raw] = after.line
    return draft.finish(hint=HINT)


def _items(draft: PlanDraft, document: Document) -> list[_Item]:
    items: list[_Item] = []
    for line in document.lines:
        box = checkbox(line)
        named = _NUMBERED.fullmatch(box.text) if box else None
        if box is not None and named is not None:
            mark = _PARALLEL.match(named[2])
            items.append(
                _Item(
                    raw=named[1].rstrip("."),
                    line=line,
                    title=named[2][mark.end() :] if mark else named[2],
                    is_done=box.is_done,
                    is_parallel=mark is not None,
                    is_optional=box.is_starred or box.text.startswith("*"),
                    indent=box.indent,
                )
            )
        elif line.level:
            items.append(_Item("", line, "", False, False, False, -1))  # ends the task before it
        elif items and items[-1].raw and (box is None or box.indent > items[-1].indent):
            items[-1].body.append(line)
        elif box is not None:
            draft.skip(line.number, line.text, "this checkbox has no number")
    return [item for item in items if item.raw]


def _above(raw: str) -> list[str]:
    """The numbers of the tasks that one is part of: `1.2.3` is part of `1` and `1.2`."""
    parts = raw.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


def _parents(items: list[_Item]) -> dict[str, list[str]]:
    """Each task that has parts, with those of its parts that have none, in the order of the text."""
    numbers = {item.raw for item in items}
    has_parts = {above for raw in numbers for above in _above(raw) if above in numbers}
    parents: dict[str, list[str]] = {raw: [] for raw in has_parts}
    for item in items:
        if item.raw not in has_parts:
            for above in _above(item.raw):
                if above in parents:
                    parents[above].append(item.raw)
    return parents


def _task(item: _Item, above: list[_Item], where: str) -> DraftTask:
    context = [join([Line(0, without_box(one.line)), *one.body[:40]])[:1_000] for one in above]
    own = join([Line(item.line.number, without_box(item.line)), *item.body])
    prompt = "\n\n".join([own, *(f"Part of: {words}" for words in context), f"Read {_DOCUMENTS} in {where}."])
    task = DraftTask(
        raw=item.raw,
        line=item.line.number,
        title=item.title + (" (optional)" if item.is_optional else ""),
        prompt=prompt,
        prompt_line=item.line.number,
        attended=item.is_checkpoint,
        allow_empty=item.is_checkpoint,
        is_done=item.is_done,
    )
    notes: list[Line] = []
    for line in item.body:
        note = None if line.is_code else _NOTE.fullmatch(line.text[:6000])
        if note is None:
            continue
        notes.append(line)
        paths, left = listed_paths(note[2])
        # Labels are in the author's language; what stands behind them tells whether it is a list of files.
        if paths and not left and all(map(reads_like_a_path, paths)):
            task.files += [(path, Intent.EDIT, line.number) for path in paths]
    if not task.files:
        task.mentions = mentions_in([item.line, *(line for line in item.body if line not in notes)])
    return task


def _by_waves(draft: PlanDraft, leaves: list[_Item], waves: Waves) -> None:
    """Waves as groups; a task that no wave has stands behind the latest wave of the tasks before it in the text."""
    places: dict[int, list[tuple[str, str, int]]] = {}
    latest = -1
    for leaf, task in zip(leaves, draft.tasks, strict=True):
        place = waves.places.get(leaf.raw)
        if place is not None:
            task.group = waves.names[place]
            latest = max(latest, place)
            continue
        kind = "checkpoint" if leaf.is_checkpoint else "task"
        task.group = f"{kind}-{leaf.raw}"
        places.setdefault(latest, []).append((task.group, leaf.title, leaf.line.number))
        if not leaf.is_checkpoint:
            draft.skip(
                leaf.line.number,
                f"{leaf.raw} {leaf.title}",
                "no wave of the graph has it; it runs by itself where it stands",
            )
    for place in range(-1, len(waves.names)):
        if place >= 0:
            draft.group(waves.names[place], waves.titles[place], waves.lines[place])
        for name, title, line in places.get(place, ()):
            draft.group(name, title, line)


def _by_marks(draft: PlanDraft, leaves: list[_Item], by_raw: dict[str, _Item]) -> None:
    """Chapters as groups; in each a task without a mark waits for all before it, and those behind it wait for it."""
    last_alone: dict[str, str] = {}
    beside: dict[str, list[str]] = {}
    for leaf, task in zip(leaves, draft.tasks, strict=True):
        chapter = leaf.raw.split(".")[0]
        head = by_raw.get(chapter)
        task.group = draft.group(chapter, head.title if head else "", head.line.number if head else task.line)
        alone = last_alone.get(chapter)
        marked = beside.setdefault(chapter, [])
        if leaf.is_parallel or not marked:
            if alone is not None:
                task.needs[alone] = task.line
        else:
            task.needs.update((other, task.line) for other in marked)
        if leaf.is_parallel:
            marked.append(leaf.raw)
        else:
            last_alone[chapter], beside[chapter] = leaf.raw, []
