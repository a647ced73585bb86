"""A plan of a foreign format while it is read: tasks as their author wrote them, and how they become tasks of ours.

Readers collect; `finish` judges. Ids are made usable, needs are looked up, paths are cleaned, and whatever has no place
in a plan is written down as passed over. What would make the plan another one (an id twice, a circle) is a problem.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from git_waves.core.coverage import Reading, Skipped
from git_waves.core.model import (
    Budget,
    Claim,
    Command,
    GroupDef,
    Intent,
    OnFailure,
    Origin,
    PathPattern,
    PatternKind,
    Plan,
    RepoPath,
    SchedulerName,
    Task,
    TaskId,
)
from git_waves.core.paths import PathProblem, folders_of, matches, parse_pattern
from git_waves.errors import PlanError, PlanProblem
from git_waves.formats.checks import TaskNeeds, check_names, check_needs, plan_error
from git_waves.formats.loosepaths import expand_braces, loose_path
from git_waves.formats.names import plan_name_from, shorten
from git_waves.formats.problems import Problems
from git_waves.formats.prose import MOST as MOST_MENTIONS
from git_waves.formats.records import title_of
from git_waves.formats.size import MOST_NEEDS, MOST_TASKS
from git_waves.formats.source import PlanText
from git_waves.formats.taskids import usable_ids

MOST_SKIPPED = 2_000
_MOST_FILES = 5_000
_DEEPEST = 64


@dataclass(slots=True)
class DraftTask:
    """A task as its format writes it. `needs` are raw ids with their lines, `files` paths as written with what is done
    to them, `mentions` paths that prose seems to touch; `prompt_line` is where the prompt's text begins, 0 unknown."""

    raw: str
    line: int
    title: str = ""
    prompt: str = ""
    prompt_line: int = 0
    group: str | None = None
    needs: dict[str, int] = field(default_factory=dict)
    files: list[tuple[str, Intent, int]] = field(default_factory=list)
    mentions: list[tuple[str, int]] = field(default_factory=list)
    verify: list[Command] = field(default_factory=list)
    attended: bool = False
    allow_empty: bool = False
    is_done: bool = False
    blocker: str | None = None
    budget: Budget = field(default_factory=Budget)
    estimate: float | None = None


@dataclass(slots=True)
class PlanDraft:
    """What a reader has found so far in the text it was given."""

    text: PlanText
    format: str
    tasks: list[DraftTask] = field(default_factory=list)
    groups: dict[str, GroupDef] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    problems: list[PlanProblem] = field(default_factory=Problems)
    _needs: int = 0

    def add(self, task: DraftTask) -> DraftTask:
        """Add a task with its needs and return it. Raises PlanError when there are too many of either."""
        self._needs += len(task.needs)
        for number, most, what in (
            (len(self.tasks) + 1, MOST_TASKS, "tasks"),
            (self._needs, MOST_NEEDS, "needs"),
        ):
            if number > most:
                problem = PlanProblem(task.line, f"the plan has more than {most} {what}", "split the plan")
                raise plan_error(self.text.source, [problem], measured=False)
        self.tasks.append(task)
        return task

    def skip(self, line: int, what: str, why: str, *, source: str | None = None) -> None:
        """Write down that something of the text is left out."""
        if len(self.skipped) < MOST_SKIPPED:
            self.skipped.append(
                Skipped(source=source or self.text.source, line=line, what=shorten(what.strip(), 60), why=why)
            )

    def refuse(self, line: int, message: str, hint: str = "") -> None:
        """Add a problem."""
        self.problems.append(PlanProblem(line, message, hint))

    def group(self, name: str, title: str, line: int) -> str:
        """The group of that name, made when it is new; returns its name."""
        return self.groups.setdefault(name, GroupDef(name=name, title=title_of(title), line=line)).name

    def nothing_here(self, hint: str) -> PlanError:
        """The error for a text that is of this format and holds no task."""
        return plan_error(
            self.text.source,
            self.problems or [PlanProblem(0, "the plan has no tasks", hint)],
            measured=False,
        )

    def finish(
        self,
        *,
        hint: str,
        name: str | None = None,
        scheduler: SchedulerName | None = None,
        on_failure: OnFailure | None = None,
        budget: Budget = Budget(),  # noqa: B008  # frozen
        needs_outside: str = "",
    ) -> Reading:
        """The finished plan; `hint` says what a task looks like in this format.

        `needs_outside` is the reason why a need that names no task of this plan is only passed over; without one it is
        a problem. Raises PlanError when anything is wrong, or when there is no task.
        """
        if not self.tasks:
            raise self.nothing_here(hint)
        ids = usable_ids(task.raw for task in self.tasks)
        known = {raw.casefold(): raw for raw in reversed(ids)} | {raw: raw for raw in ids}
        twice = self._refuse_repeated()
        first = {task.raw: task.line for task in reversed(self.tasks)}
        check_names(((ids[raw], line) for raw, line in first.items()), "task", self.problems)
        check_names(((group.name, group.line) for group in self.groups.values()), "group", self.problems)
        listed: list[TaskNeeds] = []
        for task in self.tasks:
            found: dict[str, int] = {}
            for raw, line in task.needs.items():
                on = known.get(raw) or known.get(raw.casefold())
                if on is not None:
                    if on != task.raw or on not in twice:  # said already
                        found.setdefault(ids[on], line)
                elif needs_outside:
                    self.skip(line, raw, needs_outside)
                else:
                    found.setdefault(raw, line)
            listed.append((TaskId(ids[task.raw]), tuple(found), tuple(found.values())))
        check_needs(listed, self.problems)
        claims = _Claims(self).of_all()
        if self.problems:
            raise plan_error(self.text.source, self.problems, measured=True)
        tasks = tuple(
            _task(task, task_id, tuple(map(TaskId, needs)), owned)
            for task, (task_id, needs, _), owned in zip(self.tasks, listed, claims, strict=True)
        )
        plan = Plan(
            name=name or plan_name_from(self.text.name_hint),
            source=self.text.source,
            format=self.format,
            scheduler=scheduler,
            on_failure=on_failure,
            groups=tuple(self.groups.values()),
            tasks=tasks,
            budget=budget,
        )
        changed = {TaskId(used): raw for raw, used in ids.items() if used != raw}
        return Reading(plan=plan, skipped=tuple(self.skipped), raw_ids=changed)

    def _refuse_repeated(self) -> set[str]:
        """Report ids that are there twice, as their author wrote them, and return those."""
        first: dict[str, int] = {}
        twice: set[str] = set()
        for task in self.tasks:
            if task.raw in first:
                twice.add(task.raw)
                message = f"task '{shorten(task.raw)}' is there twice, first on line {first[task.raw]}"
                self.refuse(task.line, message, "rename one of them")
            else:
                first[task.raw] = task.line
        return twice


def _task(draft: DraftTask, task_id: TaskId, needs: tuple[TaskId, ...], claims: tuple[Claim, ...]) -> Task:
    return Task(
        id=task_id,
        title=title_of(draft.title or draft.prompt),
        needs=needs,
        group=draft.group,
        claims=claims,
        prompt=draft.prompt if draft.prompt.strip() else None,
        prompt_line=draft.prompt_line,
        verify=tuple({str(command): command for command in reversed(draft.verify)}.values())[::-1],
        budget=draft.budget,
        attended=draft.attended,
        allow_empty=draft.allow_empty,
        estimate=draft.estimate,
        is_done=draft.is_done,
        blocker=None if draft.is_done else draft.blocker,
        line=draft.line,
    )


class _Claims:
    """Paths as written to claims, with what only the whole plan shows: which names are folders, where a bare name lies."""

    def __init__(self, draft: PlanDraft) -> None:
        self._draft = draft
        self._explicit = [self._declared(task) for task in draft.tasks]
        self._guessed = [self._mentioned(task) for task in draft.tasks]

    def of_all(self) -> list[tuple[Claim, ...]]:
        """The claims of every task, in the tasks' order: declared ones first, then those guessed."""
        folders, homes = self._folders(), self._homes()
        result = []
        for declared, guessed in zip(self._explicit, self._guessed, strict=True):
            claims: dict[PathPattern, Claim] = {}
            for claim in declared:
                pattern = _as_folder(claim.pattern, folders)
                before = claims.get(pattern)
                if before is None or before.intent is Intent.EDIT:
                    line = before.line if before else claim.line
                    claims[pattern] = Claim(pattern=pattern, intent=claim.intent, line=line)
            owned = [pattern for pattern in claims if pattern.kind is not PatternKind.FILE]
            for pattern, line in guessed:
                if pattern.text in folders:
                    continue
                home = homes.get(pattern.text)
                if home is not None:
                    pattern = PathPattern(kind=PatternKind.FILE, text=RepoPath(home))
                if pattern not in claims and not any(matches(wide, pattern.text) for wide in owned[:100]):
                    claims[pattern] = Claim(pattern=pattern, origin=Origin.INFERRED, line=line)
            result.append(tuple(claims.values()))
        return result

    def _declared(self, task: DraftTask) -> list[Claim]:
        claims = []
        for written, intent, line in task.files[:_MOST_FILES]:
            path = loose_path(written)
            if path is None:
                self._draft.skip(line, written, "it reads like prose, not like a path, so it is not claimed")
                continue
            for one in expand_braces(path):
                try:
                    claims.append(Claim(pattern=parse_pattern(one), intent=intent, line=line))
                except PathProblem as problem:
                    self._draft.skip(line, written, f"it is not claimed: {shorten(problem.message, 120)}")
        if len(task.files) > _MOST_FILES:
            self._draft.skip(task.line, task.raw, f"only the first {_MOST_FILES} of its files are claimed")
        return claims

    def _mentioned(self, task: DraftTask) -> list[tuple[PathPattern, int]]:
        patterns: dict[PathPattern, int] = {}
        for written, line in task.mentions[:MOST_MENTIONS]:
            try:
                pattern = parse_pattern(written)
            except PathProblem:
                continue  # a guess that cannot be a path was a wrong guess
            if pattern.kind is PatternKind.FILE:
                patterns.setdefault(pattern, line)
        return list(patterns.items())

    def _paths(self) -> Iterable[str]:
        for declared in self._explicit:
            yield from (claim.pattern.text for claim in declared)
        for guessed in self._guessed:
            yield from (pattern.text for pattern, _ in guessed)

    def _folders(self) -> frozenset[str]:
        """Names without a slash at their end that the plan itself shows to be folders: another path lies in there."""
        files = {
            claim.pattern.text
            for declared in self._explicit
            for claim in declared
            if claim.pattern.kind is PatternKind.FILE
        }
        files.update(pattern.text for guessed in self._guessed for pattern, _ in guessed)
        return frozenset(folder for path in self._paths() for folder in _above(path) if folder in files)

    def _homes(self) -> dict[str, str]:
        """For a bare file name the one path of the plan that ends in it."""
        found: dict[str, set[str]] = defaultdict(set)
        for path in self._paths():
            if "/" in path and "*" not in path:
                found[path.rpartition("/")[2]].add(path)
        return {name: next(iter(paths)) for name, paths in found.items() if len(paths) == 1}


def _above(path: str) -> Iterable[str]:
    return folders_of(path) if path.count("/") <= _DEEPEST else ()


def _as_folder(pattern: PathPattern, folders: frozenset[str]) -> PathPattern:
    if pattern.kind is PatternKind.FILE and pattern.text in folders:
        return PathPattern(kind=PatternKind.DIR, text=pattern.text)
    return pattern
