"""What an import took over and what it lost, for the person who decides whether the result can be run."""

from __future__ import annotations

from collections.abc import Sequence

from git_waves.core.coverage import Coverage, ImportReport, Reading, Skipped
from git_waves.core.model import Origin
from git_waves.views.safe import as_command, clean, quoted, shell_word

_MOST = 20


def coverage_text(report: ImportReport) -> str:
    """The report, ending with a newline: a part for each source, then the plan that came of all."""
    lines: list[str] = []
    for one in report.coverages:
        lines += [*_source(one), ""]
    lines += _whole(report)
    return "\n".join(lines) + "\n"


def loss_note(reading: Reading, spec: str | None) -> str:
    """A note and a hint for who looks at a plan of another tool whose reading lost or guessed something; else empty."""
    plan = reading.plan
    guessed = sum(
        bool(task.claims) and all(claim.origin is Origin.INFERRED for claim in task.claims)
        for task in plan.tasks
    )
    if plan.format == "native" or not (reading.skipped or guessed):
        return ""
    lost = []
    if reading.skipped:
        count = len(reading.skipped)
        lost.append(f"{_count(count, 'place')} {'was' if count == 1 else 'were'} passed over")
    if guessed:
        lost.append(f"files are only guessed in {guessed} of {_count(len(plan.tasks), 'task')}")
    typed = as_command(f"git waves import {shell_word(spec or plan.source)}")
    return f"note: this is a plan of format '{plan.format}': {', '.join(lost)}\nhint: {typed} tells it all\n"


def _source(one: Coverage) -> list[str]:
    groups = f" in {_count(one.groups, 'group')}" if one.groups else ""
    lines = [f"{clean(one.source)}: {one.format}, {_count(one.tasks, 'task')}{groups}"]
    states = [
        f"{number} {word}"
        for number, word in ((one.done, "done"), (one.blocked, "blocked"), (one.attended, "attended"))
        if number
    ]
    if states:
        lines.append(f"  state            {', '.join(states)}")
    guessed = f", {_share(one.guessed, one.tasks)} only guessed from prose" if one.guessed else ""
    lines += [
        f"  files declared   {_share(one.declared, one.tasks)}{guessed}",
        f"  verify           {_share(one.proved, one.tasks)}",
        f"  needs            {one.needs}",
    ]
    return lines + _paths(one.conflicts) + _skipped(one.skipped, one.source)


def _paths(conflicts: Sequence[str]) -> list[str]:
    if not conflicts:
        return ["  conflicts        none"]
    lines = [f"  conflicts        {_count(len(conflicts), 'path')} that tasks share and nothing orders:"]
    return lines + _cut([f"    {quoted(path)}" for path in conflicts])


def _skipped(skipped: Sequence[Skipped], source: str) -> list[str]:
    if not skipped:
        return ["  passed over      nothing"]
    lines = []
    for one in skipped:
        place = (f"{clean(one.source)}:" if one.source != source else "") + (
            f"{one.line}: " if one.line else " "
        )
        lines.append(f"    {place.lstrip()}{quoted(one.what)}: {clean(one.why)}")
    return [f"  passed over      {_count(len(skipped), 'place')}:", *_cut(lines)]


def _whole(report: ImportReport) -> list[str]:
    left = f", {_count(report.left_out, 'done task')} left out" if report.left_out else ""
    lines = [f"plan {quoted(report.name)}: {_count(report.tasks, 'task')}{left}"]
    if len(report.coverages) > 1:
        lines += _paths(report.conflicts)
    if report.renamed:
        lines.append(f"  ids changed      {len(report.renamed)}:")
        lines += _cut([f"    {quoted(raw)} is {quoted(task)}" for task, raw in report.renamed])
    if report.blocked:
        lines.append(f"  blocked          {len(report.blocked)}, and to be run all the same:")
        lines += _cut([f"    {quoted(task)}: {clean(why)}" for task, why in report.blocked])
    lines += [f"  note: {clean(one.source)}: {clean(one.what)}: {clean(one.why)}" for one in report.notes]
    return lines


def _cut(lines: list[str]) -> list[str]:
    more = len(lines) - _MOST
    return lines if more <= 1 else [*lines[:_MOST], f"    and {more} more (--json has them all)"]


def _share(part: int, whole: int) -> str:
    percent = f" ({100 * part // whole} %)" if whole else ""
    return f"{part} of {_count(whole, 'task')}{percent}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
