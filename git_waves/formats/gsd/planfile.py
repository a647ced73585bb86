"""One `PLAN.md` of GSD: its frontmatter, the files and commands of its tasks, and what a person has to do.

Tags in the body are looked for and not parsed: it is Markdown with tags in it, and whatever stands in them is prose.
"""

from __future__ import annotations

import html
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field

from git_waves.core.model import Command, PatternKind
from git_waves.core.paths import PathProblem, parse_pattern
from git_waves.formats.draft import PlanDraft
from git_waves.formats.frontmatter import (
    Front,
    lenient_yaml,
    maps_under,
    split_front,
    text_under,
    texts_under,
)
from git_waves.formats.loosepaths import listed_paths, loose_path
from git_waves.formats.markdown import Document, Line, blocks_of_code, read_markdown, sections
from git_waves.formats.marks import MarkedMap, line_of, map_under
from git_waves.formats.prose import mentions_in
from git_waves.formats.shelltext import SHELLS, block_commands, leading_commands
from git_waves.formats.source import PlanText

_STEM = re.compile(r"(?:(.*)-)?PLAN\.md", re.IGNORECASE)
_NUMBERS = re.compile(r"([0-9]+(?:\.[0-9]+)*)-([0-9]+[A-Za-z]?)(?:-|$)")
_ABSOLUTE = re.compile(r"(?:^|[\s='\"(])(/(?:home|Users|Volumes|root|mnt)/[^\s'\"]{1,200})")
_DONE = frozenset({"complete", "completed", "done"})
_MOST_TAGS = 1000
_LONGEST_TAG = 200_000


@dataclass(slots=True, kw_only=True)
class Written:
    """What one file says. `order` sorts plans by phase and number; `summary` is the path of the file that shows that it
    was carried out."""

    raw: str
    phase: str
    number: str
    folder: str
    phase_title: str
    summary: str
    title: str = ""
    prompt: str = ""
    prompt_line: int = 0
    wave: int | None = None
    wave_line: int = 1
    needs: list[tuple[str, int]] = field(default_factory=list)
    files: list[tuple[str, int]] = field(default_factory=list)
    mentions: list[tuple[str, int]] = field(default_factory=list)
    verify: list[Command] = field(default_factory=list)
    attended: bool = False
    is_done: bool = False

    @property
    def order(self) -> tuple[tuple[int, ...], tuple[int, str], str]:
        """By phase (decimal phases between the whole ones), number, then name."""
        parts = tuple(int(part[:9]) for part in self.phase.split(".") if part.isdecimal())
        digits = re.match(r"[0-9]{0,9}", self.number)
        return parts, (int(digits.group() or 0) if digits else 0, self.number), self.raw


def read_one(draft: PlanDraft, text: PlanText, decoded: str) -> Written:
    """Read one file; what cannot be taken is passed over in `draft`."""
    front = split_front(decoded)
    if not front.is_there:
        front = _fenced_front(decoded) or front
    for problem in front.problems:
        draft.skip(problem.line, "frontmatter", problem.message, source=text.source)
    plan = _named(text, front.keys)
    document = read_markdown(front.body, first=front.body_line)
    if not isinstance(document, Document):
        draft.refuse(document.line, document.message, document.hint)
        return plan
    plan.prompt = front.body.strip("\n")
    plan.prompt_line = front.body_line + len(front.body) - len(front.body.lstrip("\n"))
    plan.title = _title(document.lines, front.body) or plan.raw
    _frontmatter(draft, text, plan, front.keys)
    _body(draft, text, plan, front, document)
    return plan


def _named(text: PlanText, keys: MarkedMap) -> Written:
    """The id comes from the file's name, since YAML readers make the number 1 of `plan: 01`."""
    folder, _, name = text.name_hint.rpartition("/")
    phase, number = text_under(keys, "phase"), text_under(keys, "plan")
    stem = _STEM.fullmatch(name)
    raw = (stem[1] or "") if stem else ""
    if not raw:
        digits = re.match(r"[0-9]+(?:\.[0-9]+)*", phase)
        raw = number if "-" in number else f"{digits.group() if digits else phase or '00'}-{number or '01'}"
    numbers = _NUMBERS.match(raw)
    own_phase = re.match(r"(?:phase\s*)?([0-9]+(?:\.[0-9]+)*)", phase, re.IGNORECASE)
    title = folder.rpartition("/")[2] or phase
    return Written(
        raw=raw,
        phase=numbers[1] if numbers else own_phase[1] if own_phase else "0",
        number=numbers[2] if numbers else number,
        folder=folder,
        phase_title=phase if phase and not phase.isdecimal() else title or phase,
        summary=f"{folder}/{raw}-SUMMARY.md".lstrip("/"),
    )


def _fenced_front(decoded: str) -> Front | None:
    """Some plans write their frontmatter as a YAML block under a heading of that name."""
    document = read_markdown(decoded)
    if not isinstance(document, Document):
        return None
    for _, body in sections(document.lines, lambda line: line.title.strip().lower() == "frontmatter"):
        for language, rows in blocks_of_code(body):
            if language in ("yaml", "yml", "") and rows:
                keys, problems = lenient_yaml(
                    "\n" * (rows[0].number - 1) + "\n".join(row.text for row in rows)
                )
                if keys is not None:
                    return Front(keys, decoded, 1, is_there=True, problems=tuple(problems))
    return None


def _title(lines: tuple[Line, ...], body: str) -> str:
    heading = next((line.title for line in lines if line.level == 1), "")
    if heading:
        return heading
    objective = next((content.strip() for content, _, _ in tags(body, "objective")), "")
    return objective.split("\n", 1)[0]


def _frontmatter(draft: PlanDraft, text: PlanText, plan: Written, keys: MarkedMap) -> None:
    wave = text_under(keys, "wave")
    if re.fullmatch(r"[0-9]{1,6}", wave):
        plan.wave, plan.wave_line = int(wave), line_of(keys, "wave")
    elif wave:
        draft.skip(line_of(keys, "wave"), f"wave: {wave}", "it is no number", source=text.source)
    plan.needs = [
        (entry, line)
        for entry, line in texts_under(keys, "depends_on")
        if entry.lower() not in ("none", "n/a", "-")
    ]
    for key in ("files_modified", "files-modified"):
        plan.files += texts_under(keys, key)
    plan.attended = text_under(keys, "autonomous").lower() == "false"
    plan.is_done = text_under(keys, "status").lower() in _DONE
    setup = keys.get("user_setup")
    if setup:
        plan.attended = True
        line = line_of(keys, "user_setup")
        draft.skip(
            line,
            "user_setup",
            "a person has to prepare this; the task is marked as attended",
            source=text.source,
        )
        plan.prompt += f"\n\n<user_setup>\n{_as_text(setup)}\n</user_setup>"
    artifacts = maps_under(map_under(keys, "must_haves"), "artifacts")
    for artifact in artifacts[:_MOST_TAGS]:
        plan.verify += _artifact_checks(artifact)


def _as_text(value: object, depth: int = 0) -> str:
    """A value of the frontmatter as the lines an agent can read."""
    margin = "  " * depth
    if isinstance(value, dict):
        return "\n".join(f"{margin}{key}:\n{_as_text(one, depth + 1)}" for key, one in value.items())
    if isinstance(value, list):
        return "\n".join(f"{margin}-\n{_as_text(one, depth + 1)}" for one in value)
    return f"{margin}{value}"


def _artifact_checks(artifact: MarkedMap) -> Iterator[Command]:
    """What `must_haves` promises about a file, as checks that cost nothing: it is there, and it holds a text."""
    path = loose_path(text_under(artifact, "path"))
    if path is None:
        return
    try:
        pattern = parse_pattern(path)
    except PathProblem:
        return
    word = shlex.quote(pattern.text)
    contains = text_under(artifact, "contains")
    if pattern.kind is PatternKind.GLOB:
        return
    if pattern.kind is PatternKind.DIR:
        check = f"test -d {word}"
    elif contains and "\n" not in contains and "|" not in contains:  # `a|b` is meant as a choice
        check = f"grep -qF -e {shlex.quote(contains)} {word}"
    else:
        check = f"test -f {word}"
    yield Command(shell=check, line=artifact.line)


def _body(draft: PlanDraft, text: PlanText, plan: Written, front: Front, document: Document) -> None:
    body = front.body
    breaks = _Lines(body, front.body_line)
    for content, _, start in tags(body, "files"):
        line = breaks.line(start)
        entries = (
            entry.strip().lstrip("-* ").strip() for entry in re.split(r"[,\n]", html.unescape(content))
        )
        plan.files += [(entry, line) for entry in entries if entry]
    checks: list[Command] = []
    for content, _, start in tags(body, "verify"):
        inner = list(tags(content, "automated"))
        for inner_content, _, offset in inner:
            checks += _automated(inner_content, breaks.line(start + offset))
        if not inner:
            checks += _told(content, breaks.line(start))
    for _, attributes, _ in tags(body, "task"):
        if "checkpoint" in attributes:
            plan.attended = True
    if not checks and not plan.files:
        plan.files, checks = _under_headings(document)
    for command in checks:
        found = _ABSOLUTE.search(command.shell or "")
        if found:
            draft.skip(
                command.line, found[1], "a command names a folder of somebody's machine", source=text.source
            )
    plan.verify += checks
    if not plan.files:
        plan.mentions = [
            (path, line) for path, line in mentions_in(document.lines) if not path.startswith(".planning/")
        ]


def _automated(content: str, line: int) -> list[Command]:
    """`<automated>` holds a command; `MISSING ...` says that there is none yet."""
    command = html.unescape(content).strip()
    if not command or command.upper().startswith("MISSING"):
        return []
    commands, rest = leading_commands(command)
    if commands and not rest:
        return [Command(shell=one, line=line) for one in commands]
    return [Command(shell=command, line=line)]


def _told(content: str, line: int) -> list[Command]:
    """The commands in the prose of `<verify>`: what a line has right after its start or after `Run`."""
    found = []
    for number, row in enumerate(html.unescape(content).split("\n")):
        told = re.sub(r"^\s*(?:[-*]|[0-9]{1,3}[.)])?\s*(?:(?:re-?)?run:?\s+)?", "", row, flags=re.IGNORECASE)
        commands, rest = leading_commands(told)
        if len(commands) == 1 and not re.match(r"(?:and\s+)?(?:visually|manually)", rest, re.IGNORECASE):
            found.append(Command(shell=commands[0], line=line + number))
    return [command for command in found if " " in str(command)]


def _says_files_or_checks(heading: Line) -> bool:
    words = heading.title.lower()
    is_list = re.match(r"(?:key |expected )?files\b", words) is not None and "read" not in words
    return is_list or words.startswith("verif")


def _under_headings(document: Document) -> tuple[list[tuple[str, int]], list[Command]]:
    """Plans without tags write their files and commands under headings of their own."""
    files: list[tuple[str, int]] = []
    checks: list[Command] = []
    for heading, body in sections(document.lines, _says_files_or_checks):
        words = heading.title.lower()
        if not words.startswith("verif"):
            for line in body:
                if not line.is_code and re.match(r"\s*[-*]\s", line.text):
                    files += [(path, line.number) for path in listed_paths(line.text.strip(" -*"))[0]]
        else:
            for language, rows in blocks_of_code(body):
                checks += block_commands(rows) if language in SHELLS else []
            for line in body:
                if not line.is_code and re.match(r"\s*[-*]\s", line.text):
                    commands, rest = leading_commands(line.text.strip().lstrip("-* "))
                    checks += [
                        Command(shell=one, line=line.number) for one in commands if not rest and " " in one
                    ]
    return files, checks


def tags(text: str, name: str) -> Iterator[tuple[str, str, int]]:
    """Each `<name ...>content</name>` of a text: content, attributes, and where the content starts. Never nested."""
    opening, closing = f"<{name}", f"</{name}>"
    at = 0
    for _ in range(_MOST_TAGS):
        start = text.find(opening, at)
        if start < 0:
            return
        end_of_tag = text.find(">", start, start + 600)
        after = text[start + len(opening) : start + len(opening) + 1]
        if end_of_tag < 0 or after not in (">", " ", "\n", "\t"):
            at = start + len(opening)
            continue
        end = text.find(closing, end_of_tag, end_of_tag + _LONGEST_TAG)
        if end < 0:
            at = end_of_tag
            continue
        yield text[end_of_tag + 1 : end], text[start + len(opening) : end_of_tag], end_of_tag + 1
        at = end


class _Lines:
    """From a place in a body to the line of the file."""

    def __init__(self, body: str, first: int) -> None:
        self._body, self._first = body, first

    def line(self, offset: int) -> int:
        """The line of an offset."""
        return self._first + self._body.count("\n", 0, offset)
