"""masterplan's `plan.index.json`, schema 6.0 and the older 5.0: waves become groups in order, descriptions prompts.

What has no place here is left out: codex routing, goals, spec references, plan hashes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from git_waves.core.model import Claim, GroupDef, Intent, Plan, Task, TaskId
from git_waves.errors import PlanProblem
from git_waves.formats.checks import Placed, TaskNeeds, check_names, check_needs, plan_error, read_claims
from git_waves.formats.jsonmarks import JsonDocument, JsonEntry, JsonFault, read_document
from git_waves.formats.loosepaths import clean_path
from git_waves.formats.names import plan_name_complaint, plan_name_from, shorten
from git_waves.formats.problems import Problems
from git_waves.formats.records import Record, title_of
from git_waves.formats.source import PlanText

VERSIONS = ("6.0", "5.0")
"""The values of `schema_version` that are read."""

# The quotes are not escaped in the key itself, so a description that talks about the key is no match.
_looks_right = re.compile(r'"schema_version"\s*:').search


def is_masterplan(decoded: str) -> bool:
    """Whether the text looks like a `plan.index.json`."""
    return (
        decoded[:2000].lstrip().startswith("{")
        and '"schema_version"' in decoded
        and _looks_right(decoded) is not None
    )


def read_masterplan(text: PlanText, decoded: str) -> Plan:
    """The plan of a `plan.index.json`. Raises PlanError with all problems, sorted by line."""
    try:
        document = read_document(decoded, "tasks")
    except JsonFault as fault:
        raise plan_error(text.source, [PlanProblem(fault.line, fault.message)], measured=False) from None
    version = document.head.get("schema_version")
    if str(version) not in VERSIONS:
        raise plan_error(text.source, [_version_problem(document, version)], measured=False)
    if not document.entries:
        problem = PlanProblem(
            document.line_of_key("tasks"), "the plan has no tasks", "'tasks' is a list of objects"
        )
        raise plan_error(text.source, [problem], measured=False)
    folder = text.name_hint.rpartition("/")[0]
    reading = _Reading(document, is_old=str(version) == "5.0", folder=folder + "/" if folder else "")
    for number, entry in enumerate(document.entries, start=1):
        reading.take(number, entry)
    return reading.plan(text)


def _version_problem(document: JsonDocument, version: object) -> PlanProblem:
    hint = f"this git-waves reads {' and '.join(VERSIONS)}"
    if version is None:
        return PlanProblem(1, "the plan has no 'schema_version'", hint)
    line = document.line_of_key("schema_version")
    return PlanProblem(line, f"schema_version '{shorten(str(version))}' is not read", hint)


@dataclass(slots=True)
class _Reading:
    """A document half read: what was found so far and what was wrong."""

    document: JsonDocument
    is_old: bool
    folder: str
    problems: list[PlanProblem] = field(default_factory=Problems)
    tasks: list[Task] = field(default_factory=list)
    ids: list[Placed] = field(default_factory=list)
    needs: list[TaskNeeds] = field(default_factory=list)
    groups: dict[int, GroupDef] = field(default_factory=dict)
    last_old_group: str | None = None

    def take(self, number: int, entry: JsonEntry) -> None:
        """Read one task; `number` is its place in the list."""
        line = self.document.line(entry.start)
        if not isinstance(entry.value, dict):
            self.problems.append(PlanProblem(line, f"task {number} must be an object"))
            return
        owner, find = f"task {number}", self.document.line_of_key
        record = Record(entry.value, owner, line, lambda key: find(key, entry), self.problems)
        id_key, text_key = ("idx", "name") if self.is_old else ("id", "description")
        task_id = record.required(id_key, record.identity)
        if task_id is None:
            return
        record.owner = f"task '{shorten(task_id)}'"
        text = record.required(text_key, record.text) or ""
        group = self._old_group(record) if self.is_old else self._wave(record)
        deps = record.identities("deps")
        self.ids.append((task_id, record.line_of(id_key)))
        self.needs.append((TaskId(task_id), deps, [record.line_of("deps")] * len(deps) if deps else ()))
        self.tasks.append(
            Task(
                id=TaskId(task_id),
                title=title_of(text),
                needs=tuple(map(TaskId, deps)),
                group=group,
                claims=self._claims(record, entry),
                prompt=text + (self._details(record) if self.is_old else ""),
                verify=record.shell_commands("verify_commands"),
                line=line,
            )
        )

    def _wave(self, record: Record) -> str | None:
        wave = record.required("wave", record.whole_number)
        if wave is None:
            return None
        return self.groups.setdefault(wave, GroupDef(name=str(wave), line=record.line)).name

    def _old_group(self, record: Record) -> str:
        """In 5.0 tasks follow one another, except neighbours with the same `parallel_group`."""
        title = record.text("parallel_group")
        number = len(self.groups)
        if title is None or title != self.last_old_group:
            number += 1
        self.last_old_group = title
        return self.groups.setdefault(
            number, GroupDef(name=str(number), title=title_of(title or ""), line=record.line)
        ).name

    def _details(self, record: Record) -> str:
        """Where the rest of a 5.0 task is written: its index holds only a name and a place in the plan's Markdown."""
        first, count = record.whole_number("offset"), record.whole_number("lines")
        if not first or not count:
            return ""
        return f"\n\nThe details are in lines {first} to {first + count - 1} of {self.folder}plan.md."

    def _claims(self, record: Record, entry: JsonEntry) -> tuple[Claim, ...]:
        written = record.texts("files")
        lines: dict[str, int] = {}
        for path, line in zip(written, self.document.lines_of_texts("files", written, entry), strict=True):
            lines.setdefault(clean_path(path), line)
        return read_claims(tuple(lines), tuple(lines.values()), Intent.EDIT, record.owner, self.problems)

    def plan(self, text: PlanText) -> Plan:
        """The finished plan. Raises PlanError when anything was wrong with it."""
        check_names(self.ids, "task", self.problems)
        check_needs(self.needs, self.problems, is_fragment=text.is_fragment)
        if self.problems:
            raise plan_error(text.source, self.problems, measured=True)
        slug = self.document.head.get("slug")
        is_name = isinstance(slug, str) and plan_name_complaint(slug) is None
        return Plan(
            name=str(slug) if is_name else plan_name_from(text.name_hint),
            source=text.source,
            format="masterplan",
            groups=tuple(self.groups[number] for number in sorted(self.groups)),
            tasks=tuple(self.tasks),
        )
