"""`git waves plan` for people: what runs beside what and why not more, then everything wrong, then what to type next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from git_waves.core.analysis import Analysis
from git_waves.core.model import Hold, HoldKind, Plan, Schedule, ScheduledGroup, Stage, Task, TaskId
from git_waves.core.ownership import OwnershipManifest
from git_waves.views.findings_text import findings_lines, findings_summary
from git_waves.views.paint import PLAIN, Paint
from git_waves.views.safe import as_command, brief, clean, cut, quoted, shell_word
from git_waves.views.speedup_text import speedup_lines
from git_waves.views.wrapping import labelled, wrapped

_WIDEST_HOLD = 40  # columns; what is longer is counted or cut, `--json` has all of it


def plan_text(
    analysis: Analysis, *, spec: str | None = None, width: int | None = None, paint: Paint = PLAIN
) -> str:
    """The whole answer, ending with a newline. `spec` is how the plan was named; `width` None cuts nothing."""
    plan, findings = analysis.plan, analysis.findings
    first, *facts = _header(analysis, paint)
    lines = [first, *(line for fact in facts for line in wrapped(fact, "", width)), ""]
    lines += [*_table(plan, analysis.schedule, analysis.manifest, width, paint), ""]
    lines += findings_lines(findings, source=plan.source, width=width, paint=paint)
    lines.append(findings_summary(findings))
    if paint.advises("next"):
        lines += labelled("next: ", _next(analysis, spec), "hint", width, paint)
    return "\n".join(lines) + "\n"


def _header(analysis: Analysis, paint: Paint) -> Iterator[str]:
    plan, schedule, bounds = analysis.plan, analysis.schedule, analysis.bounds
    done = len(plan.tasks) - bounds.tasks
    finished = f", {done} done already" if done else ""
    yield paint("bold", f"plan {quoted(plan.name)}") + (
        f" ({clean(plan.source)}): {_some(bounds.tasks, 'task')} in {_some(bounds.groups, 'group')}{finished}"
    )
    yield f"scheduler: {schedule.scheduler}, because {clean(schedule.scheduler_reason)}"
    rounds = f"{_some(bounds.rounds, 'round')}, " if bounds.rounds != bounds.groups else ""
    yield (
        f"bounds: {rounds}longest chain of needs {bounds.longest_chain}, "
        f"widest round {bounds.widest_round}, up to {schedule.max_parallel} at once"
    )
    yield from speedup_lines(analysis.speedup, schedule)
    shared = _shared_gates(schedule)
    if shared:
        yield f"gates: {', '.join(map(clean, shared))}, after every group"
    if plan.stages:
        yield f"stages: {', '.join(_stage(stage) for stage in plan.stages)}, between verify and merge"
    attended = [task for task in plan.tasks if task.attended and not task.is_done]
    if attended:
        named = ", ".join(
            clean(task.id) + (" (a checkpoint)" if not analysis.manifest.claims(task.id).explicit else "")
            for task in attended
        )
        them = "it" if len(attended) == 1 else "them"
        yield f"attended: {named}; the run goes on around {them}, and halts for you when nothing else is left"


def _stage(stage: Stage) -> str:
    return clean(stage.name) + (f" (of {_some(len(stage.tasks), 'task')})" if stage.tasks else "")


def _shared_gates(schedule: Schedule) -> tuple[str, ...]:
    """The gates, when every group has the same; then they are told once."""
    gates = {group.gates for group in schedule.groups}
    return gates.pop() if len(gates) == 1 else ()


def _table(
    plan: Plan, schedule: Schedule, manifest: OwnershipManifest, width: int | None, paint: Paint
) -> Iterator[str]:
    tasks = {task.id: task for task in plan.tasks}
    rows = {
        task: (clean(task), str(len(manifest.claims(task).explicit or manifest.claims(task).inferred)), held)
        for group in schedule.groups
        for task, held in _held(group)
    }
    headings = ("TASK", "PATHS", "WAITS FOR")
    wide = [
        max([len(heading), *(len(row[n]) for row in rows.values())]) for n, heading in enumerate(headings)
    ]
    yield paint("dim", _line(headings, wide, "TITLE", width))
    shared = _shared_gates(schedule)
    for group in schedule.groups:
        yield paint("bold", _group_line(group, () if shared else group.gates))
        for number, one_round in enumerate(group.rounds, start=1):
            if len(group.rounds) > 1:
                yield paint("dim", f"  round {number}")
            for task in one_round:
                yield _line(rows[task], wide, _title(tasks[task]), width)


def _title(task: Task) -> str:
    attended = " (for a person)" if task.attended else ""
    return brief(task.title) + attended + (f" (blocked: {brief(task.blocker)})" if task.blocker else "")


def _group_line(group: ScheduledGroup, gates: tuple[str, ...]) -> str:
    tasks = f": {len(group.tasks)} tasks" if len(group.tasks) > 1 else ""
    after = f", then gate{'s' * (len(gates) > 1)} {', '.join(map(clean, gates))}" if gates else ""
    return f"group {clean(group.name)}{tasks}{after}"


def _line(row: tuple[str, str, str], wide: list[int], title: str, width: int | None) -> str:
    start = f"  {row[0]:<{wide[0]}}  {row[1]:>{wide[1]}}  {row[2]:<{wide[2]}}  "
    return (start + (title if width is None else cut(title, width - len(start)))).rstrip()


def _held(group: ScheduledGroup) -> Iterator[tuple[TaskId, str]]:
    holds: dict[TaskId, list[Hold]] = {}
    for hold in group.holds:
        holds.setdefault(hold.task, []).append(hold)
    for task in group.tasks:
        yield task, cut(hold_words(holds.get(task, [])), _WIDEST_HOLD)


def hold_words(holds: Sequence[Hold]) -> str:
    """Why a task is not earlier: `t1, t2`, `t1 (tests/Kbuild)`, `group core`, `a free slot`."""
    needs = [clean(hold.by) for hold in holds if hold.kind is HoldKind.NEEDS and hold.by]
    words = (
        [", ".join(needs[:3]) + (f" and {len(needs) - 3} more" if len(needs) > 3 else "")] if needs else []
    )
    for hold in holds:
        if hold.kind in (HoldKind.FILE, HoldKind.RESOURCE) and hold.by:
            words.append(f"{clean(hold.by)} ({clean(hold.what)})")
        elif hold.kind is HoldKind.BARRIER:
            words.append(f"group {clean(hold.what)}")
        elif hold.kind is HoldKind.CAP:
            words.append("a free slot")
    return ", ".join(words)


def _next(analysis: Analysis, spec: str | None) -> str:
    if not analysis.is_measured:
        return "say which files each task touches ('files:'); without any, nothing could be checked"
    if analysis.violations:
        return f"mend the plan; 'git waves explain {analysis.violations[0].code}' says more"
    named = f" {shell_word(spec)}" if spec is not None else ""
    if not analysis.bounds.tasks:
        return "nothing is left to do in this plan"
    if any(finding.code == "W603" for finding in analysis.findings):
        return "say who does the tasks; 'git waves explain W603' says more"
    if _has_no_agent(analysis.plan):
        command = as_command(f"git waves import{named} -o .waves/plan.yaml")
        return f"{command} makes it a plan of ours, which can name an agent"
    return f"{as_command(f'git waves run{named}')} starts it"


def _has_no_agent(plan: Plan) -> bool:
    return plan.agent is None and any(
        task.run is None and task.agent is None
        for task in plan.tasks
        if not task.is_done and not task.attended
    )


def _some(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
