"""superpowers plans: tasks under headings, lists of files with verbs, steps with commands to run.

They are written to be carried out in order, and say so only for some tasks: what one consumes from earlier ones. A task
that says it needs just those; any other needs the task before it. Files that two tasks touch keep the order of the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from git_waves.core.coverage import Reading
from git_waves.core.model import Command, Intent, SchedulerName
from git_waves.formats.checks import plan_error
from git_waves.formats.draft import DraftTask, PlanDraft
from git_waves.formats.loosepaths import clean_path, listed_entries
from git_waves.formats.markdown import (
    Document,
    Line,
    blocks_of_code,
    checkbox,
    join,
    read_markdown,
    sections,
)
from git_waves.formats.prose import mentions_in
from git_waves.formats.shelltext import SHELLS, block_commands, ticked
from git_waves.formats.source import PlanText

HINT = "a task is a heading such as '### Task 1: Name'"

_TASK = re.compile(
    r"[^\w#]{0,12}Task\s+([0-9]{1,4}(?:\.[0-9]{1,4}){0,2}[A-Za-z]?)\b\s*[:.\u2014\u2013-]?\s*(.*)",
    re.IGNORECASE,
)
_FILES = re.compile(r"\s*\*\*Files:?\*\*:?\s*(.*)")
_INTERFACES = re.compile(r"\s*(?:[-*]\s+)?(?:\*\*)?Consumes[^:\n]{0,40}:(?:\*\*)?\s*(.*)", re.IGNORECASE)
_BOLD = re.compile(r"\s*\*\*[A-Z][^*\n]{0,60}\*\*")
_BULLET = re.compile(r"\s*[-*+]\s+(.*)")
_VERB = re.compile(
    r"(?:\*\*)?([A-Za-z][A-Za-z /&-]{0,30}?)(?:\s*\([^()\n]{0,60}\))?(?:\*\*)?\s*:(?:\*\*)?\s*(.*)"
)
_REFERENCE = re.compile(
    r"\bTasks?\s+([0-9]{1,4}(?:\.[0-9]{1,4}){0,2}[A-Za-z]?(?:\s*(?:,|and|&|[-\u2013\u2014])\s*(?:Task\s+)?[0-9]{1,4}(?:\.[0-9]{1,4}){0,2}[A-Za-z]?\b){0,40})",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"([0-9]{1,4}(?:\.[0-9]{1,4}){0,2}[A-Za-z]?)|([-\u2013\u2014])")
_NOTHING = re.compile(r"\W*(?:nothing|none|n/a)\b", re.IGNORECASE)
_ALL = re.compile(
    r"\b(?:everything|all)\b[^.\n]{0,30}\b(?:above|earlier|previous|prior|preceding)\b", re.IGNORECASE
)
_RUN = re.compile(
    r"\s*(?:[-*]\s+|[0-9]{1,3}[.)]\s+)?(?:\*\*)?Run(?:\s[^:`\n]{0,60})?:(?:\*\*)?\s*(.*)", re.IGNORECASE
)
_EXPECTED = re.compile(r"\s*(?:[-*]\s+)?(?:\*\*)?Expect(?:ed)?[^:\n]{0,20}:(?:\*\*)?\s*(.*)", re.IGNORECASE)
_FAILS = re.compile(
    r"\bFAIL|(?<!no )(?<!without )\b(?:fail(?:s|ed|ures?|ing)?|errors?)\b|\bnot found\b|\bcannot\b|\bred\b",
    re.IGNORECASE,
)
_STEP = re.compile(
    r"(?:\*\*)?(?:Step\s[^:\n]{1,12}:\s*)?(?:Run|Verify|Build|Test|Check|Confirm|Execute)\b", re.IGNORECASE
)
_COMMITS = re.compile(r"\s*git (?:add|commit|push|tag)\b")
_GIT_ADD = re.compile(r"\s*git add\s+([^&|;<>$`\n]{1,2000})")
_CREATED = re.compile(r"\((?:[^()\n]{0,40}\b)?(?:create|new)\b", re.IGNORECASE)

_MOST_EARLIER = 1_000

_VERBS = {
    "create": Intent.CREATE,
    "add": Intent.CREATE,
    "new": Intent.CREATE,
    "modify": Intent.MODIFY,
    "update": Intent.MODIFY,
    "edit": Intent.MODIFY,
    "change": Intent.MODIFY,
    "extend": Intent.MODIFY,
    "refactor": Intent.MODIFY,
    "rewrite": Intent.MODIFY,
    "delete": Intent.DELETE,
    "remove": Intent.DELETE,
    "move": None,
    "rename": None,
    "copy": Intent.CREATE,
}
_READS = frozenset({"reference", "references", "read", "see", "context", "depends", "verify", "none"})


def read_superpowers(text: PlanText, decoded: str) -> Reading:
    """The plan of a superpowers document. Raises PlanError."""
    document = read_markdown(decoded)
    if not isinstance(document, Document):
        raise plan_error(text.source, [document], measured=False)
    draft = PlanDraft(text=text, format="superpowers")
    if document.unclosed:
        draft.skip(document.unclosed, "```", "this block never ends, so nothing behind it was read")
    constraints = _constraints(document.lines)
    for heading, body in sections(document.lines, lambda line: _TASK.fullmatch(line.title) is not None):
        named = _TASK.fullmatch(heading.title)
        assert named is not None  # that is how the heading was found
        _add(draft, _Section(heading, named[1], named[2], body), constraints)
    _order(draft)
    return draft.finish(hint=HINT, scheduler=SchedulerName.SEQUENTIAL)


def _constraints(lines: Sequence[Line]) -> str:
    """What holds for every task."""
    for heading, body in sections(lines, lambda line: line.title.lower().startswith("global constraints")):
        return join([heading, *body]).strip()[:4_000]
    return ""


@dataclass(slots=True)
class _Section:
    """One task's part of the document, and what is found in it."""

    heading: Line
    number: str
    title: str
    body: tuple[Line, ...]
    files: list[tuple[str, Intent, int]] = field(default_factory=list)
    has_list: bool = False
    consumes: list[Line] = field(default_factory=list)


def _add(draft: PlanDraft, section: _Section, constraints: str) -> None:
    _read_files(draft, section)
    _read_consumes(section)
    steps = [box for line in section.body if (box := checkbox(line)) is not None]
    prompt = join([section.heading, *section.body])
    task = DraftTask(
        raw=section.number,
        line=section.heading.number,
        title=section.title or f"Task {section.number}",
        prompt=f"{prompt}\n\n{constraints}" if constraints else prompt,
        prompt_line=section.heading.number,
        files=section.files,
        mentions=_added(section.body) if section.has_list else mentions_in(section.body),
        verify=_last_run(section.body),
        is_done=bool(steps) and all(box.is_done for box in steps),
    )
    _need(draft, section, task, [other.raw for other in draft.tasks[-_MOST_EARLIER:]])
    draft.add(task)


def _need(draft: PlanDraft, section: _Section, task: DraftTask, earlier: list[str]) -> None:
    """What the task consumes from earlier ones; without a word about it, whatever comes right before."""
    if not section.consumes:
        if earlier:
            task.needs[earlier[-1]] = task.line
        return
    known = set(earlier)
    for line in section.consumes:
        if _NOTHING.match(line.text):
            continue
        if _ALL.search(line.text[:2000]):
            task.needs.update((raw, line.number) for raw in earlier)
        for reference in _REFERENCE.finditer(line.text[:5000]):
            for raw in _numbers(reference[1], earlier):
                if raw in known:
                    task.needs.setdefault(raw, line.number)
                elif raw != task.raw:
                    draft.skip(line.number, f"Task {raw}", "it is consumed, and is no earlier task")


def _numbers(text: str, earlier: Sequence[str]) -> list[str]:
    """`2, 4 and 6-8` as the numbers it means; a range counts through the tasks there are."""
    found: list[str] = []
    is_range = False
    for part in _NUMBER.finditer(text):
        if part[2]:
            is_range = True
            continue
        if is_range and found and found[-1] in earlier and part[1] in earlier:
            start, end = earlier.index(found[-1]), earlier.index(part[1])
            found += earlier[start + 1 : end]
        found.append(part[1])
        is_range = False
    return found


def _order(draft: PlanDraft) -> None:
    """A file of several tasks is written in the order of the text."""
    last: dict[str, str] = {}
    for task in draft.tasks:
        paths = {clean_path(path).removeprefix("./"): line for path, _, line in task.files}
        for path, line in paths.items():
            before = last.get(path)
            if before is not None and before != task.raw:
                task.needs.setdefault(before, line)
            last[path] = task.raw


def _read_files(draft: PlanDraft, section: _Section) -> None:
    inside = False
    for line in section.body:
        if line.is_code:
            continue
        found = _FILES.match(line.text[:2000])
        if found:
            inside = section.has_list = True
            if found[1]:
                _read_entry(draft, section, line.number, found[1])
            continue
        if inside and line.text.strip():
            bullet = _BULLET.fullmatch(line.text[:20_000])
            if bullet is None or checkbox(line) is not None or _BOLD.fullmatch(line.text[:200]):
                inside = line.text.startswith((" ", "\t")) and checkbox(line) is None
                continue
            _read_entry(draft, section, line.number, bullet[1])


def _read_entry(draft: PlanDraft, section: _Section, line: int, entry: str) -> None:
    verb, rest = "", entry
    found = _VERB.fullmatch(entry)
    if found and "`" not in found[1]:
        verb, rest = found[1].strip().lower(), found[2]
    first = re.split(r"[ /&]", verb, maxsplit=1)[0]
    if first in _READS or (not rest.strip() and not verb):
        return
    entries, left = listed_entries(rest)
    paths = [path for path, _ in entries]
    if not paths:
        if not _NOTHING.match(rest):
            draft.skip(line, entry, "no path was found in this entry of the list of files")
        return
    if first in ("move", "rename") and len(paths) > 1:
        section.files += [(paths[0], Intent.DELETE, line), (paths[1], Intent.CREATE, line)]
        return
    if first == "copy" and len(paths) > 1:
        entries = entries[1:]
    intent = Intent.EDIT if "/" in verb else _VERBS.get(first) or Intent.EDIT
    section.files += [
        (path, Intent.CREATE if intent is Intent.EDIT and _CREATED.search(remark) else intent, line)
        for path, remark in entries
    ]
    if "`" in left and re.search(r"`[^`\n]{0,300}[/.][^`\n]{1,300}`", left):
        draft.skip(line, left, "only the paths before these words are claimed")


def _read_consumes(section: _Section) -> None:
    inside = False
    for line in section.body:
        if line.is_code:
            continue
        found = _INTERFACES.match(line.text[:2000])
        if found:
            inside = True
            section.consumes.append(Line(line.number, found[1]))
        elif inside:
            inside = line.text.startswith((" ", "\t")) and bool(line.text.strip())
            if inside:
                section.consumes.append(Line(line.number, line.text.strip(" -*")))
    if not section.consumes and any(
        re.match(r"\s*(?:[-*]\s+)?(?:\*\*)?Produces\b", line.text[:100])
        for line in section.body
        if not line.is_code
    ):
        # A task that only says what it produces consumes nothing.
        section.consumes.append(Line(section.heading.number, "nothing"))


def _last_run(body: Sequence[Line]) -> list[Command]:
    """The last `Run:` of the task, or step with a block of shell text, that is expected to pass."""
    runs: list[tuple[list[Command], str]] = []
    for at, line in enumerate(body):
        if line.is_code:
            continue
        found = _RUN.fullmatch(line.text[:5000])
        if found:
            inline = ticked(found[1])
            commands = [Command(shell=inline[0], line=line.number)] if inline else _block_after(body, at)
            if commands:
                runs.append((commands, ""))
            continue
        step = checkbox(line)
        if step is not None and _STEP.match(step.text):
            commands = _block_after(body, at)
            if commands and not any(_COMMITS.match(str(command)) for command in commands):
                runs.append((commands, step.text))
            continue
        expected = _EXPECTED.fullmatch(line.text[:5000])
        if expected and runs:
            runs[-1] = runs[-1][0], f"{runs[-1][1]} {expected[1]}"
    passing = [commands for commands, expected in runs if not _FAILS.search(expected) or "PASS" in expected]
    return passing[-1] if passing else []


def _block_after(body: Sequence[Line], at: int) -> list[Command]:
    """The shell block that follows a line, with at most one blank line between."""
    rest = list(body[at + 1 : at + 400])
    while rest and not rest[0].text.strip():
        del rest[0]
    if not rest or not rest[0].is_code:
        return []
    for language, rows in blocks_of_code(rest):
        return block_commands(rows) if language in SHELLS else []
    return []


def _added(body: Sequence[Line]) -> list[tuple[str, int]]:
    """Files that a step of the task hands to `git add`: they are touched, whether the list of files says so or not."""
    found: dict[str, int] = {}
    for line in body:
        command = _GIT_ADD.match(line.text[:5000]) if line.is_code else None
        for word in command[1].split() if command else ():
            word = word.strip("'\"\\")
            if (
                word
                and not word.startswith("-")
                and "*" not in word
                and ("/" in word or "." in word.strip("."))
            ):
                found.setdefault(word, line.number)
    return list(found.items())
