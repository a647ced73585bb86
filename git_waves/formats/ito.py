"""ito's `tasks.md`: waves with tasks in them, each with files, dependencies and a command that verifies it.

ito itself takes only the first path of a list of files; here all of them count. Waves stay groups in their order.
"""

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
from git_waves.formats.taskids import slug

HINT = "a task is a heading such as '### Task 1.1: Name'"

_TASK = re.compile(r"Task\s+([0-9]{1,4}\.[0-9]{1,4}[A-Za-z]?)\s*:?\s*(.*)", re.IGNORECASE)
_CHECKPOINT = re.compile(r"Checkpoint\b\s*:?\s*(.*)", re.IGNORECASE)
_WAVE = re.compile(r"Wave\s+([0-9]{1,6})\b\s*[:.\u2014\u2013-]?\s*(.*)", re.IGNORECASE)
_NONE = re.compile(r"\W*(?:none|n/a|nothing|-)\W*", re.IGNORECASE)
_IDS = re.compile(r"[0-9]{1,4}\.[0-9]{1,4}[A-Za-z]?\b")
_ALL_WAVE = re.compile(r"\ball\b[^.\n]{0,20}\bwave\s+([0-9]{1,6})", re.IGNORECASE)
_ALL_ABOVE = re.compile(r"\ball\b[^.\n]{0,20}\b(?:above|previous|prior|earlier)\b", re.IGNORECASE)
_STATUS = re.compile(r"\[(.)\]\s*(.*)")


def read_ito(text: PlanText, decoded: str) -> Reading:
    """The plan of an ito change. Raises PlanError."""
    document = read_markdown(decoded)
    if not isinstance(document, Document):
        raise plan_error(text.source, [document], measured=False)
    draft = PlanDraft(text=text, format="ito")
    if document.unclosed:
        draft.skip(document.unclosed, "```", "this block never ends, so nothing behind it was read")
    wave: str | None = None
    waves: dict[str, list[str]] = {}
    for heading, body in sections(document.lines, _is_start):
        if named := _WAVE.fullmatch(heading.title):
            title = f"wave {named[1]}" + (f": {named[2]}" if named[2] else "")
            wave = draft.group(named[1], title, heading.number)
        elif heading.level < 3:
            wave = None
        else:
            _add(draft, heading, body, wave, waves)
    used = {task.group for task in draft.tasks}
    draft.groups = {name: group for name, group in draft.groups.items() if name in used}
    return draft.finish(hint=HINT)


def _is_start(line: Line) -> bool:
    return line.level == 2 or (
        line.level in (3, 4) and bool(_TASK.fullmatch(line.title) or _CHECKPOINT.fullmatch(line.title))
    )


def _add(
    draft: PlanDraft,
    heading: Line,
    body: tuple[Line, ...],
    wave: str | None,
    waves: dict[str, list[str]],
) -> None:
    fields = read_fields(body)
    named, checkpoint = _TASK.fullmatch(heading.title), _CHECKPOINT.fullmatch(heading.title)
    is_checkpoint = named is None or "checkpoint" in _value(fields, "type").lower()
    if named is not None:
        raw, title = named[1], named[2]
    else:
        title = (checkpoint[1] if checkpoint else "") or "checkpoint"
        raw = f"checkpoint-{slug(title)}".rstrip("-")
    task = DraftTask(
        raw=raw,
        line=heading.number,
        title=title,
        prompt=join([heading, *body]),
        prompt_line=heading.number,
        group=wave,
        attended=is_checkpoint,
        allow_empty=is_checkpoint,
    )
    _status(draft, task, fields.get("status"))
    _needs(draft, task, fields.get("dependencies"), waves)
    _files(draft, task, fields.get("files"))
    _verify(draft, task, fields.get("verify"))
    if not task.files:
        task.mentions = mentions_in(body)
    draft.add(task)
    if wave is not None:
        waves.setdefault(wave, []).append(raw)


def _value(fields: dict[str, BoldField], name: str) -> str:
    return fields[name].value if name in fields else ""


def _status(draft: PlanDraft, task: DraftTask, status: BoldField | None) -> None:
    found = _STATUS.match(status.value) if status else None
    if status is None or found is None:
        return
    word = found[2].strip().lower()
    task.is_done = found[1] in "xX-"
    if found[1] == "-":
        draft.skip(
            status.line,
            f"{task.raw}: {status.value}",
            f"the task is {word or 'shelved'}; nothing waits for it",
        )
    elif found[1] == "!" or word == "blocked":
        task.blocker = word or "blocked"


def _needs(
    draft: PlanDraft, task: DraftTask, dependencies: BoldField | None, waves: dict[str, list[str]]
) -> None:
    if dependencies is None:
        return
    for line, row in dependencies.rows:
        if _NONE.fullmatch(row):
            continue
        wave = _ALL_WAVE.search(row)
        if wave:
            names = waves.get(wave[1], [])
        elif _ALL_ABOVE.search(row):
            names = [other.raw for other in draft.tasks]
        else:
            names = _IDS.findall(row)
        if not names:
            draft.skip(line, row, "no task was found in this dependency")
        task.needs.update((name, line) for name in names if name != task.raw)


def _files(draft: PlanDraft, task: DraftTask, files: BoldField | None) -> None:
    for line, row in files.rows if files else ():
        if _NONE.fullmatch(row.strip("()")):
            continue
        paths, left = listed_paths(row)
        task.files += [(one, Intent.EDIT, line) for path in paths for one in file_or_folder(path)]
        if left:
            draft.skip(line, left, "it reads like prose, not like a path, so it is not claimed")


def _verify(draft: PlanDraft, task: DraftTask, verify: BoldField | None) -> None:
    for line, row in verify.rows if verify else ():
        if _NONE.fullmatch(row.strip("()")):
            continue
        commands, left = leading_commands(row)
        task.verify += [Command(shell=command, line=line) for command in commands]
        if left:
            draft.skip(
                line,
                left,
                "it is no command" if not commands else "only the commands before these words are run",
            )
