"""OpenSpec's `tasks.md`, and any other list of checkboxes: work in the order in which it is written down.

There are no needs, no files and no parallel marks in this format, so every task needs the one before it. Headings tell
an agent what a task belongs to; they claim nothing about what may run together, so they are no groups.
"""

from __future__ import annotations

import re

from git_waves.core.coverage import Reading
from git_waves.formats.checks import plan_error
from git_waves.formats.draft import DraftTask, PlanDraft
from git_waves.formats.markdown import Document, Line, checkbox, join, read_markdown, without_box
from git_waves.formats.names import shorten
from git_waves.formats.prose import mentions_in
from git_waves.formats.source import PlanText

HINT = "a task is a line such as '- [ ] 1.1 Name'"

_NUMBERED = re.compile(r"(?:\*\*)?([0-9]{1,4}(?:\.[0-9A-Za-z]{1,4}){0,4})\.?(?:\*\*)?[ \t:]+(.*)")
_DEEPEST = 6
_HEADING = re.compile(r"([0-9]{1,4})[.)]?[ \t]")


def read_checklist(text: PlanText, decoded: str) -> Reading:
    """The plan of a list of checkboxes. Raises PlanError."""
    document = read_markdown(decoded)
    if not isinstance(document, Document):
        raise plan_error(text.source, [document], measured=False)
    draft = PlanDraft(text=text, format="openspec")
    if document.unclosed:
        draft.skip(document.unclosed, "```", "this block never ends, so nothing behind it was read")
    folder = text.name_hint.rpartition("/")[0]
    where = f"Read proposal.md, design.md and specs/ in {folder}/." if folder else ""
    _Reader(draft, where).read(document)
    for before, after in zip(draft.tasks, draft.tasks[1:], strict=False):
        after.needs[before.raw] = after.line
    return draft.finish(hint=HINT)


class _Reader:
    def __init__(self, draft: PlanDraft, where: str) -> None:
        self._draft, self._where = draft, where
        self._chapters, self._chapter, self._title = 0, "0", ""
        self._above: list[tuple[int, str, str]] = []  # indentation, id and words of the tasks around this one
        self._count: dict[str, int] = {}
        self._taken: set[str] = set()
        self._open: tuple[DraftTask, Line, list[Line], int] | None = None

    def read(self, document: Document) -> None:
        """Go through the document once."""
        for line in document.lines:
            box = checkbox(line)
            if box is not None and box.text.strip():
                self._close()
                self._start(line, box.text, box.indent, is_done=box.is_done)
            elif line.level:
                self._close()
                self._above = []
                if line.level >= 2:
                    self._chapters += 1
                    numbered = _HEADING.match(line.title)
                    self._chapter = numbered[1] if numbered else str(self._chapters)
                    self._title = line.title
            elif self._open is not None and line.text.strip():
                depth = len(line.text) - len(line.text.lstrip())
                self._open[2].extend([line] if line.is_code or depth > self._open[3] else [])
        self._close()

    def _start(self, line: Line, words: str, indent: int, *, is_done: bool) -> None:
        while self._above and (self._above[-1][0] >= indent or len(self._above) == _DEEPEST):
            self._above.pop()
        numbered = _NUMBERED.fullmatch(words)
        parent = self._above[-1][1] if self._above else self._chapter
        raw = numbered[1] if numbered else self._next(parent)
        if raw in self._taken:
            again = self._next(raw)
            self._draft.skip(
                line.number, words, f"the number '{raw}' is there twice; this one is called '{again}'"
            )
            raw = again
        self._taken.add(raw)
        task = DraftTask(raw=raw, line=line.number, title=numbered[2] if numbered else words, is_done=is_done)
        self._open = task, line, [], indent
        self._above.append((indent, raw, words))

    def _next(self, parent: str) -> str:
        while True:
            self._count[parent] = self._count.get(parent, 0) + 1
            raw = f"{parent}.{self._count[parent]}"
            if raw not in self._taken:
                return raw

    def _close(self) -> None:
        if self._open is None:
            return
        task, line, body, _ = self._open
        around = [f"Part of: {shorten(words, 200)}" for _, _, words in self._above[:-1]]
        context = [f"Chapter: {self._title}"] if self._title else []
        words = join([Line(line.number, without_box(line)), *body])
        task.prompt = "\n\n".join(part for part in (words, *around, *context, self._where) if part)
        task.prompt_line = task.line
        task.mentions = mentions_in([line, *body])
        self._draft.add(task)
        self._open = None
