"""The report as Markdown: the outcome first, then what waits for a person, then everything else."""

from __future__ import annotations

from collections.abc import Iterator

from git_waves.core import fold
from git_waves.core.report.model import Excerpt, GateRun, Report, TaskReport
from git_waves.views import age
from git_waves.views.markdown import code, codes, plain, table
from git_waves.views.report import words
from git_waves.views.report.clock import Clock
from git_waves.views.report.decisions import decisions
from git_waves.views.report.text_timeline import LEGEND, text_timeline
from git_waves.views.safe import clean_lines, shell_word

_MOST_PATHS = 12


def report_markdown(report: Report, clock: Clock) -> str:
    """The whole of it, ending with a newline. Readable in a terminal as it is."""
    parts = (
        _head(report, clock),
        _decisions(report),
        _tasks(report),
        _timeline(report, clock),
        _overlap(report),
        _gates(report, clock),
        _declarations(report),
        _requests(report, clock),
        _foreseen(report, clock),
        _resets(report, clock),
        _sessions(report, clock),
        _warnings(report),
        _kept(report),
    )
    sections = (list(part) for part in parts)
    return "\n\n".join("\n".join(section) for section in sections if section) + "\n"


# ---------------------------------------------------------------------- the outcome


def _head(report: Report, clock: Clock) -> Iterator[str]:
    state = report.state
    yield f"# git-waves report: plan {code(state.plan)}"
    yield ""
    yield f"**{words.headline(report)}** {' '.join(map(plain, words.summary(report)))}"
    yield ""
    yield "Next: " + "".join(
        code(text) if is_command else plain(text) for text, is_command in words.next_words(report)
    )
    yield ""
    begin, end = report.span.begin, report.span.end
    rest = f", {age.words(report.overlap.rest)} at rest" if report.overlap.rest >= 1 else ""
    yield (
        f"- run {code(state.run)}: {state.scheduler}, up to {state.max_parallel} at once, "
        f"from {code(state.base_name)} ({code(state.base[: words.SHORT])})"
    )
    yield (
        f"- began {clock.moment(begin)}, last word {clock.moment(end)}, {clock.zone(begin)}: "
        f"{age.words(report.overlap.wall)} at work{rest}"
    )
    fences = sorted({task.fence for task in state.tasks.values() if task.fence})
    if fences:
        yield f"- the kernel's fence around tasks: {plain('; '.join(fences))}"
    yield f"- integration: branch {code(words.branch(report))} at {code(state.integration[: words.SHORT])}"


def _decisions(report: Report) -> Iterator[str]:
    found = list(decisions(report))
    if not found:
        return
    yield "## What waits for you"
    for one in found:
        what = f"{code(one.task)} {plain(one.happened)}" if one.task else plain(one.happened)
        yield ""
        yield f"### {what}" + (f": {plain(one.title)}" if one.title else "")
        yield ""
        yield plain(one.reason)
        yield from (f"- {code(path)}" for path in one.paths[:_MOST_PATHS])
        if len(one.paths) > _MOST_PATHS:
            yield f"- and {len(one.paths) - _MOST_PATHS} more"
        if one.folder:
            yield ""
            yield f"Its work lies in {code(one.folder)}, on branch {code(one.branch)}."
        if one.hint:
            yield ""
            yield f"Hint: {code(one.hint) if one.hint.startswith('git ') else plain(one.hint)}"
        yield ""
        yield from (f"- {code(step.command)}: {step.purpose}" for step in one.steps)
        yield from _excerpt(one.excerpt)


def _excerpt(excerpt: Excerpt | None) -> Iterator[str]:
    """Indented, so that no fence in it can end it."""
    if excerpt is None:
        return
    yield ""
    yield f"The end of its log ({code(excerpt.command)} has all of it):"
    yield ""
    yield from (f"    {clean_lines(line)}".rstrip() for line in excerpt.lines)


# ---------------------------------------------------------------------- tasks


def _tasks(report: Report) -> Iterator[str]:
    yield "## Tasks"
    yield ""
    used = ("used",) if words.has_spending(report) else ()
    yield from table(
        ("task", "state", "tries", "time", *used, "files", "needs", "title"),
        (_row(task, has_spending=bool(used)) for task in report.tasks),
    )
    left = [task for task in report.tasks if task.status in (fold.BLOCKED, fold.SKIPPED)]
    if left:
        yield ""
        yield from (
            f"- {code(task.id)} {task.status}: {plain(report.state.tasks[task.id].reason)}" for task in left
        )


def _row(task: TaskReport, *, has_spending: bool) -> tuple[str, ...]:
    return (
        code(task.id),
        task.status,
        str(task.tries or ""),
        words.took(task),
        *([words.spent(task)] if has_spending else []),
        str(len(task.passed.changed)) if task.passed is not None else "",
        codes(task.needs, 4),
        plain(task.title),
    )


def _timeline(report: Report, clock: Clock) -> Iterator[str]:
    if not any(task.attempts for task in report.tasks):
        return
    yield "## Timeline"
    yield ""
    yield from (f"    {line}" for line in text_timeline(report, clock))
    yield ""
    yield f"{LEGEND}. Times are {clock.zone(report.span.begin)}; rests are drawn short."


def _overlap(report: Report) -> Iterator[str]:
    yield "## How much ran at once"
    yield ""
    yield from (f"- {plain(line)}" for line in words.overlap_lines(report))


# ---------------------------------------------------------------------- gates


def _gates(report: Report, clock: Clock) -> Iterator[str]:
    yield "## Gates"
    yield ""
    if not report.gates:
        yield "The plan has no gates: nothing has proved that the merged work holds together."
        return
    for gate in report.gates:
        first, *more = gate.command.rstrip().split("\n")
        rest = f" and {len(more)} more line{'s' * (len(more) != 1)}" if more else ""
        about = f": {code(first)}{rest}" if first else ""
        claim = ", the plan's claim" if gate.is_claim else ""
        yield f"- **{plain(gate.name)}** {words.gate_word(gate, report.state)}{claim}{about}"
        yield from (f"  - {plain(fact)}" for fact in words.gate_facts(gate, report.state))
        yield from (_gate_run(run, clock) for run in gate.runs)
        for culprit in report.culprits:
            if culprit.gate == gate.name:
                yield f"  - {clock.moment(culprit.at)}, who broke it: {plain(culprit.evidence)}"


def _gate_run(run: GateRun, clock: Clock) -> str:
    names = codes(run.tolerated or run.failures, _MOST_PATHS)
    taken = f"; taken back: {codes(run.paths, _MOST_PATHS)}" if run.paths else ""
    note = "".join(f": {part}" for part in (plain(words.run_note(run)), names) if part)
    return (
        f"  - {plain(words.run_place(run))}, {clock.moment(run.span.end)}: {words.run_word(run)} after "
        f"{words.fine(run.span.seconds)} on tree {code(run.tree[: words.SHORT])}{note}{taken}"
    )


# ---------------------------------------------------------------------- plan and work


def _declarations(report: Report) -> Iterator[str]:
    found = report.declarations
    yield "## Where plan and work disagree"
    yield ""
    if found.unknown:
        yield f"This could not be looked at: {plain(found.unknown)}."
        return
    for one in found.untouched:
        yield f"- {code(one.task)} claimed and never touched {codes(one.paths, _MOST_PATHS)}"
    for foreign in found.foreign:
        whose = f"of {codes(foreign.owners)}" if foreign.owners else "of nobody"
        later = "; granted later" if foreign.is_granted else ""
        yield (
            f"- {code(foreign.task)} touched {codes(foreign.paths, _MOST_PATHS)} {whose} and was refused, "
            f"attempt {foreign.attempt}{later}"
        )
    if not found.untouched and not found.foreign:
        yield f"Nowhere: {found.checked} of {len(report.tasks)} tasks came far enough to be looked at."


def _requests(report: Report, clock: Clock) -> Iterator[str]:
    if not report.requests and not report.grants:
        return
    yield "## Requests and grants"
    yield ""
    for one in report.requests:
        whose = f"belongs to {code(one.owner)}" if one.owner else "belongs to nobody"
        answer = "granted" if one.is_granted else "not granted"
        yield (
            f"- {clock.moment(one.at)}: {code(one.task)} asked for {code(one.path)}, which {whose} "
            f"({answer}): {plain(one.reason)}"
        )
    for grant in report.grants:
        yield f"- {clock.moment(grant.at)}: {code(grant.task)} was granted {codes(grant.paths)}"


# ---------------------------------------------------------------------- the way it went


def _foreseen(report: Report, clock: Clock) -> Iterator[str]:
    if not report.foreseen:
        return
    yield "## Conflicts that were seen coming"
    yield ""
    for one in report.foreseen:
        other = code(one.other) if one.other else "what is merged"
        gone = "; gone again" if one.is_gone else ""
        yield f"- {clock.moment(one.at)}: {code(one.task)} with {other} in {codes(one.paths, _MOST_PATHS)}{gone}"


def _resets(report: Report, clock: Clock) -> Iterator[str]:
    if report.resets:
        yield "## Taken out again"
        yield ""
        yield from (f"- {clock.moment(one.at)}: {plain(words.reset_words(one))}" for one in report.resets)


def _sessions(report: Report, clock: Clock) -> Iterator[str]:
    if len(report.sessions) < 2:
        return
    yield "## Coordinators"
    yield ""
    for one in report.sessions:
        how = one.ended or "at work"
        why = f": {plain(one.reason)}" if one.reason else ""
        found = f"; {plain(words.found_words(one))}" if one.found else ""
        yield (
            f"- {clock.moment(one.span.begin)} to {clock.moment(one.span.end)}, {plain(one.process)}: "
            f"{how}{why}{found}"
        )


def _warnings(report: Report) -> Iterator[str]:
    if report.state.warnings:
        yield "## Warnings"
        yield ""
        yield from (f"- {plain(warning)}" for warning in report.state.warnings)


def _kept(report: Report) -> Iterator[str]:
    if not report.kept:
        return
    yield "## Work that is kept"
    yield ""
    yield "Archived before it was merged. To have it back on a branch of its own:"
    yield ""
    for one in report.kept:
        command = code(f"git waves restore {shell_word(one.ref)}") if one.is_there else "the ref is gone"
        yield f"- {code(one.name)}: {command}"
