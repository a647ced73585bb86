"""spec-kitty: a work package is a Markdown file with an id, its dependencies and the files it owns at its top.

One file is one task; a folder of them is a plan. Status is kept elsewhere in newer versions; where a file says `lane`,
`done` counts as done.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from git_waves.core.coverage import Reading
from git_waves.core.model import Intent
from git_waves.formats.draft import DraftTask, PlanDraft
from git_waves.formats.frontmatter import split_front, text_under, texts_under
from git_waves.formats.markdown import Document, read_markdown
from git_waves.formats.marks import line_of
from git_waves.formats.prose import mentions_in
from git_waves.formats.source import PlanText

HINT = "a work package is a file with 'work_package_id' at its top"
_OUTSIDE = "the work package that is needed is not in this source, so nothing waits for it"
_DONE = frozenset({"done", "merged", "approved"})


def read_spec_kitty(text: PlanText, decoded: str) -> Reading:
    """The plan of one work package: a single task. Raises PlanError."""
    return read_spec_kitty_files(text, [(text, decoded)])


def read_spec_kitty_files(whole: PlanText, files: Sequence[tuple[PlanText, str]]) -> Reading:
    """The plan of several work packages; `whole` names them together. Raises PlanError."""
    draft = PlanDraft(text=whole, format="spec-kitty")
    for text, decoded in files:
        _add(draft, text, decoded)
    draft.tasks.sort(key=lambda task: task.raw)
    return draft.finish(hint=HINT, needs_outside=_OUTSIDE)


def _add(draft: PlanDraft, text: PlanText, decoded: str) -> None:
    front = split_front(decoded)
    for problem in front.problems:
        draft.skip(problem.line, "frontmatter", problem.message, source=text.source)
    raw = text_under(front.keys, "work_package_id")
    if not raw:
        draft.refuse(1, "the work package has no 'work_package_id'", HINT)
        return
    document = read_markdown(front.body, first=front.body_line)
    if not isinstance(document, Document):
        draft.refuse(document.line, document.message, document.hint)
        return
    created = {path for path, _ in texts_under(front.keys, "create_intent")}
    task = DraftTask(
        raw=raw,
        line=line_of(front.keys, "work_package_id"),
        title=text_under(front.keys, "title") or text_under(front.keys, "work_package_name"),
        prompt=front.body.strip("\n"),
        prompt_line=front.body_line + len(front.body) - len(front.body.lstrip("\n")),
        needs={
            re.sub(r"^(WP[0-9]+)\b.*", r"\1", on): line
            for on, line in texts_under(front.keys, "dependencies")
        },
        files=[
            (path, Intent.CREATE if path in created else Intent.EDIT, line)
            for path, line in texts_under(front.keys, "owned_files")
        ],
        is_done=text_under(front.keys, "lane").lower() in _DONE,
    )
    if not task.files:
        task.mentions = mentions_in(document.lines)
    draft.add(task)
