"""`git waves review`: a sheet in Markdown for a second reader, and the words about a verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from git_waves.core.analysis import Analysis
from git_waves.core.findings.facts import Facts
from git_waves.core.model import Finding, ScheduledGroup, TaskId
from git_waves.core.review import Recorded, Review, Word
from git_waves.core.sheet import Between, Meeting, Point, Proof, ProofKind, checklist, meetings, proofs
from git_waves.views.findings_text import findings_summary
from git_waves.views.markdown import code, codes, plain, table
from git_waves.views.plan_text import hold_words
from git_waves.views.safe import quoted, shell_word

_MOST_PAIRS = 6  # that are written out where many pairs meet at the same paths
_MOST_NAMES = 12
SHORT = 12  # letters of a content's id: enough to type, and to tell


def review_text(review: Review, *, spec: str | None = None) -> str:
    """The whole sheet, ending with a newline. `spec` is how the plan was named."""
    analysis = review.analysis
    facts = Facts(plan=analysis.plan, manifest=analysis.manifest, schedule=analysis.schedule)
    lines = [
        *_head(analysis, review.blob),
        *_checklist(checklist(analysis.findings)),
        *_meetings(meetings(facts)),
        *_tasks(analysis),
        *_schedule(analysis),
        *_proofs(proofs(analysis.plan, analysis.schedule), len(analysis.schedule.groups)),
        *_verdict(review, spec),
    ]
    return "\n".join(lines) + "\n"


def _head(analysis: Analysis, blob: str) -> Iterator[str]:
    plan, bounds, base = analysis.plan, analysis.bounds, analysis.repository
    yield f"# Review of plan {code(plan.name)}"
    yield ""
    yield f"- plan: {code(plan.source)}, content {code(blob)}"
    if base is not None:
        yield f"- base: {code(base.base_name)} at {code(base.base[:SHORT])}"
    yield (
        f"- {bounds.tasks} tasks to do in {bounds.groups} groups and {bounds.rounds} rounds; "
        f"needs alone would allow {bounds.longest_chain}"
    )
    yield f"- scheduler: {analysis.schedule.scheduler}, up to {analysis.schedule.max_parallel} at once"
    yield f"- findings: {findings_summary(analysis.findings)}"
    yield ""


def _checklist(points: Sequence[Point]) -> Iterator[str]:
    yield "## Checklist"
    yield ""
    yield "Answer every point from the plan and the repository. One that fails is a reason to say `revise`."
    yield ""
    for number, point in enumerate(points, start=1):
        yield f"{number}. [ ] **{point.title}.** {point.question}"
        for finding in point.findings:
            yield from _finding(finding)
    yield ""


def _finding(finding: Finding) -> Iterator[str]:
    where = f"line {finding.line}, " if finding.line else ""
    yield f"   - {where}{finding.level} {finding.code}: {plain(finding.message)}"
    yield from (f"     - {plain(line)}" for line in finding.evidence)


def _meetings(found: Sequence[Meeting]) -> Iterator[str]:
    yield "## Where file sets meet"
    yield ""
    if not found:
        yield "No two tasks claim the same path."
    else:
        rows = ((_pairs(one), codes(one.paths, _MOST_NAMES), _between(one)) for one in found)
        yield from table(("tasks", "both claim", "kept apart by"), rows)
    yield ""


def _pairs(meeting: Meeting) -> str:
    if meeting.pairs is None:
        return f"{len(meeting.tasks)} tasks: {codes(meeting.tasks, _MOST_NAMES)}"
    if len(meeting.pairs) <= _MOST_PAIRS:
        return "; ".join(f"{code(a)} and {code(b)}" for a, b in meeting.pairs)
    return f"{len(meeting.pairs)} pairs of {len(meeting.tasks)} tasks: {codes(meeting.tasks, _MOST_NAMES)}"


def _between(meeting: Meeting) -> str:
    return "needs or groups" if meeting.between is Between.NEEDS else "**only the schedule, in a queue**"


def _tasks(analysis: Analysis) -> Iterator[str]:
    yield "## What each task claims"
    yield ""
    needs: dict[TaskId, list[TaskId]] = {}
    for need in analysis.schedule.needs:
        needs.setdefault(need.task, []).append(need.on)
    for task in analysis.plan.tasks:
        claims = analysis.manifest.claims(task.id)
        title = f": {plain(task.title)}" if task.title else ""
        yield f"- {code(task.id)} (line {task.line}){title}" + (" (done)" if task.is_done else "")
        for name in ("create", "modify", "delete", "edit", "inferred"):
            patterns = getattr(claims, name)
            if patterns:
                yield f"  - {name} {codes(map(str, patterns))}"
        if needs.get(task.id):
            yield f"  - needs {codes(dict.fromkeys(needs[task.id]))}"
        if task.resources:
            yield f"  - holds {codes(task.resources)}"
    yield ""


def _schedule(analysis: Analysis) -> Iterator[str]:
    yield "## Schedule"
    yield ""
    for number, group in enumerate(analysis.schedule.groups, start=1):
        many = "s" if len(group.gates) > 1 else ""
        gates = f", then gate{many} {codes(group.gates)}" if group.gates else ", then no gate"
        yield f"{number}. group {code(group.name)}{gates}"
        for one_round in group.rounds:
            yield f"   - {'; '.join(_place(group, task) for task in one_round)}"
    yield ""


def _place(group: ScheduledGroup, task: TaskId) -> str:
    held = hold_words([hold for hold in group.holds if hold.task == task])
    return code(task) + (f" (waits for {plain(held)})" if held else "")


def _proofs(found: Sequence[Proof], groups: int) -> Iterator[str]:
    yield "## Validation lines"
    yield ""
    for one in found:
        what = _what(one, groups)
        where = f" (line {one.line})" if one.line else ""
        command = code(str(one.command)) if one.command is not None else "**nothing proves it by itself**"
        yield f"- {what}{where}: {command}"
    yield ""


def _what(one: Proof, groups: int) -> str:
    if one.kind is ProofKind.GATE:
        return f"gate {code(one.of)}{_at(one, groups)}"
    if one.kind is ProofKind.STAGE:
        return f"stage {code(one.of)} of {codes(one.tasks) if one.tasks else 'every task'}"
    return code(one.of)


def _at(gate: Proof, groups: int) -> str:
    if not gate.groups:
        return ", which never runs"
    return " at every barrier" if len(gate.groups) == groups else f" at the barrier of {codes(gate.groups)}"


def _verdict(review: Review, spec: str | None) -> Iterator[str]:
    standing, blob = review.standing, review.blob[:SHORT]
    yield "## Verdict"
    yield ""
    for verdict in review.verdicts:
        note = f": {plain(verdict.note)}" if verdict.note else ""
        yield f"- {plain(verdict.by)} said {verdict.word} at {verdict.at}{note}"
    yield from ("",) * bool(review.verdicts)
    state = (
        "is approved"
        if standing.is_approved
        else "is to be revised"
        if standing.objection
        else "has no verdict yet"
    )
    asks = (
        "The plan asks for an approval: without one, no run begins. "
        if review.analysis.plan.require_review
        else ""
    )
    yield f"This content {state}. {asks}To give a verdict on it:"
    yield ""
    named = f" {shell_word(spec)}" if spec is not None else ""
    yield "```sh"
    yield f"git waves review{named} --content {blob} --record approve --by NAME"
    yield f"git waves review{named} --content {blob} --record revise --by NAME --note 'what has to change'"
    yield "```"


def recorded_text(done: Recorded) -> str:
    """What a verdict has changed, and what to type next."""
    verdict, objection = done.verdict, done.standing.objection
    lines = [
        f"recorded: {quoted(verdict.by)} says {verdict.word} of plan {quoted(done.plan)}, content {done.blob[:SHORT]}"
    ]
    if objection is None:
        lines.append("next: 'git waves run' starts it; a changed plan needs a new review")
    elif verdict.word is Word.APPROVE:
        lines.append(f"not approved yet: {quoted(objection.by)} said revise and has not said otherwise")
    else:
        lines.append("next: change the plan, then 'git waves review' prints a new sheet")
    return "\n".join(lines) + "\n"
