"""spec-kit's `tasks.md`: checkboxes with ids under phases, some marked `[P]`.

Phases are groups. Inside one a task without `[P]` waits for all before it, and those behind it wait for it; `[P]` tasks
beside each other may run together as far as their author is right. Files are only known from the text of a task.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from git_waves.core.coverage import Reading
from git_waves.formats.checks import plan_error
from git_waves.formats.draft import DraftTask, PlanDraft
from git_waves.formats.markdown import (
    LONGEST_LINE,
    Checkbox,
    Document,
    Line,
    checkbox,
    join,
    read_markdown,
    without_box,
)
from git_waves.formats.prose import mentions_in
from git_waves.formats.source import PlanText
from git_waves.formats.taskids import slug

HINT = "a task is a line such as '- [ ] T001 Create src/app.py'"

_ID = r"(?:\*\*)?(T[0-9]{1,5}[A-Za-z]?)\b(?:\*\*)?[:.]?[ \t]*(.*)"
_TASK = re.compile(_ID)
_HEADING_TASK = re.compile(
    r"(?:\[(.)\][ \t]*)?(?:\*\*)?(T[0-9]{3,4}[A-Za-z]?)\b(?:\*\*)?[ \t]*[:.\u2014\u2013-]?[ \t]*(.*)"
)
_MARK = re.compile(r"\[([A-Za-z0-9 ]{1,12})\][ \t]*")
_PHASE = re.compile(r"(?:\W{0,4})Phase[ \t]+([0-9]{1,4}(?:\.[0-9]{1,3})?[A-Za-z]?)\b", re.IGNORECASE)
_DEPENDS = re.compile(r"\((?:[^()\n]{0,60}\b)?depends? on ([^()\n]{1,400})\)", re.IGNORECASE)
_TASK_IDS = re.compile(r"\bT[0-9]{1,5}[A-Za-z]?\b")
_DOCUMENTS = "plan.md, spec.md, data-model.md, research.md, quickstart.md, contracts/"
_LONGEST_INTRO = 1_500


@dataclass(slots=True)
class _Phase:
    """The part of the document that is being read: its tasks so far, as far as later ones wait for them."""

    title: str = ""
    line: int = 0
    intro: list[Line] = field(default_factory=list)
    name: str | None = None
    last_alone: str | None = None
    beside: list[str] = field(default_factory=list)


def read_spec_kit(text: PlanText, decoded: str) -> Reading:
    """The plan of a `tasks.md` of spec-kit. Raises PlanError."""
    document = read_markdown(decoded)
    if not isinstance(document, Document):
        raise plan_error(text.source, [document], measured=False)
    draft = PlanDraft(text=text, format="spec-kit")
    if document.unclosed:
        draft.skip(document.unclosed, "```", "this block never ends, so nothing behind it was read")
    folder = text.name_hint.rpartition("/")[0]
    _Reader(draft, f"{folder}/" if folder else "").read(document.lines)
    return draft.finish(hint=HINT)


class _Reader:
    def __init__(self, draft: PlanDraft, folder: str) -> None:
        self._draft = draft
        self._folder = folder
        self._phase = _Phase()
        self._seen: set[str] = set()
        self._task: DraftTask | None = None
        self._lines: list[Line] = []
        self._indent = 0

    def read(self, lines: tuple[Line, ...]) -> None:
        """Go through the document once."""
        for line in lines:
            box = checkbox(line)
            named = _TASK.fullmatch(box.text) if box else None
            heading = _HEADING_TASK.fullmatch(line.title) if line.level >= 2 else None
            if box is not None and named is not None:
                self._close()
                self._indent = box.indent
                self._open(line, named[1], named[2], box.mark)
            elif heading is not None:
                self._close()
                self._indent = -1
                self._open(line, heading[2], heading[3], heading[1] or " ")
            elif line.level and (line.level <= 2 or _PHASE.match(line.title)):
                self._close()
                self._phase = _Phase(title=line.title, line=line.number)
            elif self._task is not None and self._belongs(line, box):
                self._lines.append(line)
            else:
                self._close()
                self._pass_over(line, box)
        self._close()

    def _belongs(self, line: Line, box: Checkbox | None) -> bool:
        """Deeper lines belong to a task in a list; to a task that is a heading belongs all until the next heading."""
        if self._indent < 0:
            return not line.level
        if box is not None:
            return box.indent > self._indent
        depth = len(line.text) - len(line.text.lstrip())
        return bool(line.text.strip()) and depth > self._indent

    def _pass_over(self, line: Line, box: Checkbox | None) -> None:
        if box is not None:
            self._draft.skip(line.number, line.text, "this checkbox has no task id")
        elif not self._phase.name and line.text.strip() and not line.is_code:
            self._phase.intro.append(line)

    def _open(self, line: Line, raw: str, words: str, mark: str) -> None:
        is_parallel, title = False, words
        while found := _MARK.match(title):
            is_parallel = is_parallel or found[1].strip().upper() == "P"
            title = title[found.end() :]
        phase = self._phase
        if phase.name is None:
            phase.name = self._group()
        task = DraftTask(
            raw=raw, line=line.number, title=title, group=phase.name or None, is_done=mark in "xX-"
        )
        if mark == "-":
            self._draft.skip(
                line.number, line.text, "the task is cancelled or deferred; nothing waits for it"
            )
        if phase.last_alone is not None:
            task.needs[phase.last_alone] = line.number
        if is_parallel:
            phase.beside.append(raw)
        else:
            task.needs.update((other, line.number) for other in phase.beside)
            if phase.beside and phase.last_alone is not None:
                del task.needs[phase.last_alone]  # those between need it already
            phase.last_alone, phase.beside = raw, []
        self._depends(task, words)
        self._seen.add(raw)
        self._task, self._lines = task, [line]

    def _depends(self, task: DraftTask, words: str) -> None:
        for found in _DEPENDS.finditer(words[:LONGEST_LINE]):
            for raw in _TASK_IDS.findall(found[1]):
                if raw in self._seen:
                    task.needs.setdefault(raw, task.line)
                else:
                    self._draft.skip(task.line, found.group(), f"'{raw}' is no earlier task")

    def _group(self) -> str:
        """The phase as a group; tasks before the first heading have none."""
        phase = self._phase
        if not phase.title:
            return ""
        numbered = _PHASE.match(phase.title)
        name = f"phase-{numbered[1]}" if numbered else slug(phase.title) or f"line-{phase.line}"
        if name in self._draft.groups:
            name = f"{name}-line-{phase.line}"
        return self._draft.group(name, phase.title, phase.line)

    def _close(self) -> None:
        task = self._task
        if task is None:
            return
        lines = self._lines
        words = join([Line(lines[0].number, without_box(lines[0])), *lines[1:]])
        intro = join(self._phase.intro)[:_LONGEST_INTRO]
        context = "\n".join(part for part in (self._phase.title, intro) if part)
        task.prompt = "\n\n".join(
            part
            for part in (
                words,
                context,
                f"Read what there is of {_DOCUMENTS} in {self._folder or 'the folder of the plan'}.",
            )
            if part
        )
        task.mentions = mentions_in([Line(line.number, line.text) for line in lines])
        task.prompt_line = task.line
        self._draft.add(task)
        self._task = None
