"""session-state/v1: JSON lines, one `meta` record and one record per task; waves become groups in ascending order.

No public definition of the format was found. A record says what it is under `record`, `type` or `kind`; records that
are neither `meta` nor `task` (notes, decisions) are passed over, unless their kind looks like a slip of the pen.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from git_waves.core.model import Claim, GroupDef, Intent, Plan, SchedulerName, Task, TaskId
from git_waves.errors import PlanProblem
from git_waves.formats.checks import (
    Placed,
    TaskNeeds,
    check_names,
    check_needs,
    plan_error,
    read_claims,
)
from git_waves.formats.jsonmarks import MOST_ENTRIES, JsonFault, read_object, rows_of
from git_waves.formats.names import plan_name_complaint, plan_name_from, shorten
from git_waves.formats.problems import Problems
from git_waves.formats.records import Record, title_of
from git_waves.formats.source import PlanText

SCHEMA = "session-state/v1"

_KIND_KEYS = ("record", "type", "kind")
_KINDS = ("meta", "task")
_says_its_kind = re.compile(rf'"(?:{"|".join(_KIND_KEYS)})"\s*:\s*"(?:{"|".join(_KINDS)})"').search
_OPEN = frozenset({"pending", "open", "todo", "ready", "in_progress", "running"})
_DONE = frozenset({"done", "completed", "committed", "merged"})
_BLOCKED = frozenset({"blocked", "parked"})


def is_session_state(decoded: str) -> bool:
    """Whether the first record looks like one of this format."""
    first = decoded.lstrip().split("\n", 1)[0]
    names_us = f'"{SCHEMA.partition("/")[0]}/' in decoded
    if not first.startswith("{") or not (names_us or _says_its_kind(first)):
        return False  # a whole plan in JSON may stand on this line, so it is not decoded for nothing
    try:
        record = read_object(first)
    except JsonFault:
        return names_us
    return _kind(record) in _KINDS or record.get("schema") == SCHEMA


def read_session_state(text: PlanText, decoded: str) -> Plan:
    """The plan of a session-state file. Raises PlanError with all problems, sorted by line."""
    reading = _Reading()
    for line, row in enumerate(rows_of(decoded), start=1):
        if row.strip():
            reading.take(line, row)
        if len(reading.ids) > MOST_ENTRIES:
            problem = PlanProblem(line, f"the plan has more than {MOST_ENTRIES} tasks", "split the plan")
            raise plan_error(text.source, [problem], measured=False)
    return reading.plan(text)


def _kind(values: Mapping[str, object]) -> str | None:
    """What a record says it is: `meta` or `task` under any of the keys, else whatever the first of them says."""
    said = [value for key in _KIND_KEYS if isinstance(value := values.get(key), str)]
    return next((kind for kind in said if kind in _KINDS), said[0] if said else None)


@dataclass(slots=True)
class _Reading:
    """A file half read: what was found so far and what was wrong."""

    problems: list[PlanProblem] = field(default_factory=Problems)
    meta: Record | None = None
    tasks: list[Task] = field(default_factory=list)
    ids: list[Placed] = field(default_factory=list)
    needs: list[TaskNeeds] = field(default_factory=list)
    wave_of: dict[TaskId, int] = field(default_factory=dict)
    waves: dict[int, GroupDef] = field(default_factory=dict)
    groups: dict[str, GroupDef] = field(default_factory=dict)

    def take(self, line: int, row: str) -> None:
        """Read one line."""
        try:
            values = read_object(row)
        except JsonFault as fault:
            self.problems.append(
                PlanProblem(line, fault.message, "one JSON object a line; is this one cut off?")
            )
            return
        kind = _kind(values)
        record = Record(values, f"the record on line {line}", line, lambda _: line, self.problems)
        if kind == "meta":
            self._take_meta(record)
        elif kind == "task":
            self._take_task(record)
        elif kind is None:
            record.refuse("type", f"{record.owner} does not say what it is", 'add "type": "task"')
        elif near := difflib.get_close_matches(kind.lower(), _KINDS, n=1, cutoff=0.7):
            record.refuse("type", f"unknown record type '{shorten(kind)}'", f"did you mean '{near[0]}'?")

    def _take_meta(self, record: Record) -> None:
        if self.meta is not None:
            record.refuse(
                "type", f"a second meta record, the first is on line {self.meta.line}", "keep one of the two"
            )
            return
        self.meta = record
        record.owner = "the meta record"
        schema = record.required("schema", record.text)
        if schema not in (None, SCHEMA):
            record.refuse(
                "schema", f"schema '{shorten(schema)}' is not read", f"this git-waves reads {SCHEMA}"
            )

    def _take_task(self, record: Record) -> None:
        task_id = record.required("id", record.identity)
        if task_id is None:
            return
        record.owner = f"task '{shorten(task_id)}'"
        prompt, run = record.text("prompt"), record.command("run")
        if prompt is not None and run is not None:
            record.refuse("run", f"{record.owner} has both 'run' and 'prompt'", "keep one of the two")
        deps = record.identities("deps")
        is_done, blocker = self._status(record)
        self.ids.append((task_id, record.line))
        self.needs.append((TaskId(task_id), deps, [record.line] * len(deps)))
        self.tasks.append(
            Task(
                id=TaskId(task_id),
                title=title_of(record.text("title") or prompt or ""),
                needs=tuple(map(TaskId, deps)),
                group=self._group(record, TaskId(task_id)),
                claims=self._claims(record),
                prompt=prompt,
                run=run,
                verify=record.shell_commands("verify"),
                is_done=is_done,
                blocker=blocker,
                line=record.line,
            )
        )

    def _status(self, record: Record) -> tuple[bool, str | None]:
        """Whether the task is done, and what blocks it if it is not."""
        blocker = (record.text("blocker") or "").strip()
        written = record.text("status") or "pending"
        status = written.strip().lower().replace("-", "_").replace(" ", "_")
        if status in _DONE:
            return True, None
        if status in _BLOCKED:
            return False, blocker or "blocked"
        if status not in _OPEN:
            known = ", ".join(sorted(_OPEN | _DONE | _BLOCKED))
            record.refuse(
                "status", f"unknown status '{shorten(written)}' of {record.owner}", f"known: {known}"
            )
        return False, blocker or None

    def _group(self, record: Record, task: TaskId) -> str | None:
        wave, title = record.whole_number("wave"), record.text("group") or ""
        if wave is None:
            if not title:
                return None
            return self.groups.setdefault(title, GroupDef(name=title, line=record.line)).name
        self.wave_of[task] = wave
        return self.waves.setdefault(
            wave, GroupDef(name=str(wave), title=title_of(title), line=record.line)
        ).name

    def _claims(self, record: Record) -> tuple[Claim, ...]:
        paths = tuple(dict.fromkeys(record.texts("files")))
        return read_claims(paths, [record.line] * len(paths), Intent.EDIT, record.owner, self.problems)

    def plan(self, text: PlanText) -> Plan:
        """The finished plan. Raises PlanError when anything was wrong with it."""
        if not self.ids:
            self.problems.append(
                PlanProblem(0, "the plan has no tasks", 'a task is a line with "type": "task"')
            )
        scheduler = self._scheduler()
        check_names(self.ids, "task", self.problems)
        check_needs(self.needs, self.problems, is_fragment=text.is_fragment)
        self._check_waves()
        if self.problems:
            raise plan_error(text.source, self.problems, measured=bool(self.ids))
        return Plan(
            name=self._name(text),
            source=text.source,
            format="session-state",
            scheduler=scheduler,
            groups=tuple(self.waves[wave] for wave in sorted(self.waves)) or tuple(self.groups.values()),
            tasks=tuple(self.tasks),
        )

    def _scheduler(self) -> SchedulerName | None:
        """The scheduler of the meta record; absent means sequential, unknown is a problem and never a default."""
        if self.meta is None:
            hint = f'add a line {{"type": "meta", "schema": "{SCHEMA}"}}'
            self.problems.append(PlanProblem(1, "the plan has no meta record", hint))
            return None
        written = self.meta.text("scheduler")
        if written is None:
            return SchedulerName.SEQUENTIAL
        try:
            return SchedulerName(written)
        except ValueError:
            known = ", ".join(SchedulerName)
            self.meta.refuse("scheduler", f"unknown scheduler '{shorten(written)}'", f"known: {known}")
            return None

    def _check_waves(self) -> None:
        """Waves are barriers: either every task has one or none has, and nothing needs what comes in a later one."""
        if not self.waves:
            check_names(((group.name, group.line) for group in self.groups.values()), "group", self.problems)
            return
        for task in self.tasks:
            wave = self.wave_of.get(task.id)
            if wave is None:
                self.problems.append(
                    PlanProblem(task.line, f"task '{shorten(task.id)}' has no 'wave'", "all tasks have one")
                )
                continue
            for on in task.needs:
                other = self.wave_of.get(on, wave)
                if other > wave:
                    message = f"task '{shorten(task.id)}' of wave {wave} needs '{shorten(on)}' of the later wave {other}"
                    self.problems.append(PlanProblem(task.line, message, "move one of the two"))

    def _name(self, text: PlanText) -> str:
        slug = self.meta.values.get("slug", self.meta.values.get("name")) if self.meta else None
        if isinstance(slug, str) and plan_name_complaint(slug) is None:
            return slug
        return plan_name_from(text.name_hint)
