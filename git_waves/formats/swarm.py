"""Swarm plans: `### T1: Name` with `depends_on`, `location` and `validation` as fields in bold."""

from __future__ import annotations

import re

from git_waves.core.coverage import Reading
from git_waves.core.model import Command, Intent
from git_waves.formats.boldfields import BoldField, read_fields
from git_waves.formats.checks import plan_error
from git_waves.formats.draft import DraftTask, PlanDraft
from git_waves.formats.loosepaths import file_or_folder, listed_paths
from git_waves.formats.markdown import Document, Line, join, read_markdown, sections
from git_waves.formats.prose import mentions_in
from git_waves.formats.shelltext import leading_commands
from git_waves.formats.source import PlanText

HINT = "a task is a heading such as '### T1: Name' with a field '**depends_on**'"

_TASK = re.compile(r"\W{0,4}(T[0-9]{1,4}(?:\.[0-9]{1,3})?[A-Za-z]?)\s*[:\u2014\u2013-]\s*(.*)")
_PART = re.compile(r"(T[0-9]{1,4}(?:\.[0-9]{1,3})?[A-Za-z]?)|(-|\u2013|\u2014|\.\.|\bto\b)")
_DONE = ("completed", "complete", "done", "✅")


def read_swarm(text: PlanText, decoded: str) -> Reading:
    """The plan of a swarm document. Raises PlanError."""
    document = read_markdown(decoded)
    if not isinstance(document, Document):
        raise plan_error(text.source, [document], measured=False)
    draft = PlanDraft(text=text, format="swarm")
    if document.unclosed:
        draft.skip(document.unclosed, "```", "this block never ends, so nothing behind it was read")
    found = [
        (heading, body, read_fields(body))
        for heading, body in sections(document.lines, lambda line: _TASK.fullmatch(line.title) is not None)
    ]
    order = [named[1] for heading, _, _ in found if (named := _TASK.fullmatch(heading.title))]
    for heading, body, fields in found:
        _add(draft, heading, body, fields, order)
    return draft.finish(hint=HINT)


def _add(
    draft: PlanDraft,
    heading: Line,
    body: tuple[Line, ...],
    fields: dict[str, BoldField],
    order: list[str],
) -> None:
    named = _TASK.fullmatch(heading.title)
    assert named is not None  # that is how the heading was found
    status = fields["status"].value.lower().strip(" *`[]") if "status" in fields else ""
    task = DraftTask(
        raw=named[1],
        line=heading.number,
        title=named[2],
        prompt=join([heading, *body]),
        prompt_line=heading.number,
        is_done=status.startswith(_DONE),
        blocker="blocked" if status.startswith("blocked") else None,
    )
    depends = fields.get("depends_on")
    if depends is not None:
        task.needs = {raw: depends.line for raw in _listed(depends.value, order)[:1_000] if raw != task.raw}
    location = fields.get("location") or fields.get("files")
    for line, row in location.rows if location else ():
        paths, left = listed_paths(row)
        task.files += [(one, Intent.EDIT, line) for path in paths for one in file_or_folder(path)]
        if left:
            draft.skip(line, left, "it reads like prose, not like a path, so it is not claimed")
    validation = fields.get("validation")
    for line, row in validation.rows if validation else ():
        commands, _ = leading_commands(re.sub(r"^(?:run|execute):?\s+", "", row, flags=re.IGNORECASE))
        task.verify += [Command(shell=one, line=line) for one in commands if " " in one]
    if not task.files:
        task.mentions = mentions_in(body)
    draft.add(task)


def _listed(text: str, order: list[str]) -> list[str]:
    """The tasks between the brackets; `T1-T5` counts through the tasks there are. Words behind the brackets are prose."""
    inside = re.search(r"\[([^\[\]\n]{0,4000})\]", text[:5000])
    found: list[str] = []
    is_range = False
    for part in _PART.finditer(inside[1] if inside else text[:200]):
        if part[2]:
            is_range = bool(found)
            continue
        if is_range and found[-1] in order and part[1] in order:
            found += order[order.index(found[-1]) + 1 : order.index(part[1])]
        found.append(part[1])
        is_range = False
    return list(dict.fromkeys(found))
