"""What must hold in a plan of any format: names usable and unique, needs known and free of cycles, paths inside the
repository. Each check adds to one list of problems and goes on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from git_waves.core.graph import find_cycle
from git_waves.core.model import Claim, Intent, Origin, PathPattern, PatternKind, RepoPath, TaskId
from git_waves.core.paths import PathProblem, parse_pattern
from git_waves.errors import PlanError, PlanProblem
from git_waves.formats.names import did_you_mean, name_complaint, shorten

Placed = tuple[str, int]
"""A text and the line it stands on."""

TaskNeeds = tuple[TaskId, Sequence[str], Sequence[int]]
"""A task, what it needs as written, and the lines of that."""

_MOST_CYCLES = 10
_MOST_SUGGESTIONS = (
    50  # looking for near names costs the square of their number; more slips need no more advice
)
_LONGEST_NAMED_CYCLE = 12


def plan_error(source: str, problems: Iterable[PlanProblem], *, measured: bool) -> PlanError:
    """The error that reports `problems`, each once, in the order of their lines."""
    unique = dict.fromkeys(problems)
    return PlanError(source, tuple(sorted(unique, key=lambda problem: problem.line)), measured=measured)


def check_names(names: Iterable[Placed], what: str, problems: list[PlanProblem]) -> None:
    """The names of tasks, groups, gates, ... (`what`) are usable and no two are the same, also after case folding."""
    first: dict[str, Placed] = {}
    for name, line in names:
        complaint = name_complaint(name, what)
        if complaint is not None:
            problems.append(PlanProblem(line, *complaint))
        folded = name.casefold()
        before = first.get(folded)
        if before is None:
            first[folded] = name, line
        elif before[0] == name:
            message = f"{what} '{shorten(name)}' is there twice, first on line {before[1]}"
            problems.append(PlanProblem(line, message, "rename one of them"))
        else:
            message = f"{what} '{shorten(name)}' differs from '{shorten(before[0])}' on line {before[1]} only in case"
            problems.append(PlanProblem(line, message, "some file systems take them for one: rename one"))


def check_once(texts: Sequence[str], lines: Sequence[int], what: str, problems: list[PlanProblem]) -> None:
    """No entry stands twice in one list; `lines` are the lines of `texts`, `what` the list: `'needs' of task 'api'`."""
    if len(texts) < 2 or len(set(texts)) == len(texts):
        return
    seen: set[str] = set()
    for text, line in zip(texts, lines, strict=True):
        if text in seen:
            problems.append(PlanProblem(line, f"{what} names '{shorten(text)}' twice", "keep one of the two"))
        seen.add(text)


def check_needs(
    needs: Iterable[TaskNeeds], problems: list[PlanProblem], *, is_fragment: bool = False
) -> None:
    """Every need names another task of the plan, once, and no chain of needs comes back to where it began.

    A fragment may also need what other fragments hold.
    """
    needs = tuple(needs)
    edges: dict[TaskId, dict[TaskId, int]] = {task: {} for task, _, _ in needs}
    behind: set[TaskId] = set()
    is_in_order = True  # each task after those it needs, as most plans have it; then there is no circle
    for task, texts, lines in needs:
        if not texts:
            behind.add(task)
            continue
        check_once(texts, lines, f"'needs' of task '{shorten(task)}'", problems)
        for text, line in zip(texts, lines, strict=True):
            on = TaskId(text)
            if on == task:
                problems.append(PlanProblem(line, f"task '{shorten(task)}' needs itself", "remove the entry"))
            elif on in edges:
                edges[task].setdefault(on, line)
                is_in_order = is_in_order and on in behind
            elif not is_fragment:
                message = f"task '{shorten(task)}' needs '{shorten(text)}', which is no task of this plan"
                problems.append(PlanProblem(line, message, _near_task(text, tuple(edges), len(problems))))
        behind.add(task)
    if not is_in_order:
        _check_cycles(edges, problems)


def _near_task(name: str, known: tuple[TaskId, ...], so_far: int) -> str:
    if so_far >= _MOST_SUGGESTIONS:
        return ""
    folded = name.casefold()
    same = next((task for task in known if task.casefold() == folded), None)
    return f"did you mean '{shorten(same)}'?" if same else did_you_mean(name, known, label="tasks")


def _check_cycles(edges: dict[TaskId, dict[TaskId, int]], problems: list[PlanProblem]) -> None:
    """Name each cycle once, from its first task in the plan; each is cut after it was named, to find the next."""
    for _ in range(_MOST_CYCLES):
        cycle = find_cycle(edges, edges)
        if cycle is None:
            return
        line = edges[cycle[0]][cycle[1]]
        for task, on in zip(cycle, (*cycle[1:], cycle[0]), strict=True):
            del edges[task][on]
        shown = " needs ".join(f"'{shorten(task)}'" for task in cycle[:_LONGEST_NAMED_CYCLE])
        more = len(cycle) - _LONGEST_NAMED_CYCLE
        through = f" needs ... ({more} more)" if more > 0 else ""
        message = f"needs go in a circle: {shown}{through} needs '{shorten(cycle[0])}'"
        problems.append(PlanProblem(line, message, "remove one of these needs"))


def read_path(text: str, line: int, what: str, problems: list[PlanProblem]) -> PathPattern | None:
    """The pattern of one path of a plan, None when it is refused; `what` says whose: `task 'api'`."""
    try:
        return parse_pattern(text)
    except PathProblem as problem:
        problems.append(_path_problem(problem, line, what))
        return None


def _path_problem(problem: PathProblem, line: int, what: str) -> PlanProblem:
    return PlanProblem(line, f"{problem.message} ({what})", problem.hint)


def read_claims(
    texts: Sequence[str],
    lines: Sequence[int],
    intent: Intent,
    what: str,
    problems: list[PlanProblem],
    origin: Origin = Origin.EXPLICIT,
) -> tuple[Claim, ...]:
    """The claims of a list of paths, in its order; refused paths are left out."""
    claims = []
    for text, line in zip(texts, lines, strict=True):
        try:
            claims.append(Claim(pattern=parse_pattern(text), intent=intent, origin=origin, line=line))
        except PathProblem as problem:
            problems.append(_path_problem(problem, line, what))
    return tuple(claims)


def read_files(
    texts: Sequence[str], lines: Sequence[int], what: str, problems: list[PlanProblem]
) -> tuple[RepoPath, ...]:
    """Paths that must each be one file; others are refused."""
    files = []
    for text, line in zip(texts, lines, strict=True):
        pattern = read_path(text, line, what, problems)
        if pattern is None:
            continue
        if pattern.kind is PatternKind.FILE:
            files.append(pattern.text)
        else:
            kind = "a folder" if pattern.kind is PatternKind.DIR else "a glob"
            message = f"'{shorten(text)}' is {kind}, not a file ({what})"
            problems.append(PlanProblem(line, message, "name the files one by one"))
    return tuple(files)
