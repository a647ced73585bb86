"""A reading on a few lines, so that a whole plan can be looked at and compared."""

from __future__ import annotations

from collections.abc import Mapping

from git_waves.core.coverage import Reading
from git_waves.core.model import Claim, Intent, Origin, Task
from git_waves.formats import read_text
from git_waves.formats.source import PlanSource
from git_waves.formats.sources import read_source
from tests.formats.shown import AGENTS, plan_text

_LETTERS = {Intent.CREATE: "+", Intent.MODIFY: "~", Intent.DELETE: "-", Intent.EDIT: ""}


def reading(content: str | bytes, *, path: str = "plan.md") -> Reading:
    """Read a text of any format."""
    return read_text(plan_text(content, path=path), known_agents=AGENTS)


def folder(
    files: Mapping[str, str | bytes], *, name: str = "plans", others: tuple[str, ...] = ()
) -> list[Reading]:
    """Read texts as the files of one folder."""
    texts = tuple(plan_text(content, path=f"{name}/{path}") for path, content in files.items())
    noted = frozenset(f"{name}/{path}" for path in others)
    source = PlanSource(source=name, name_hint=name, texts=texts, is_folder=True, others=noted)
    return read_source(source, known_agents=AGENTS)


def told(one: Reading) -> str:
    """The plan, a line for each task and for what it claims and runs, then what was passed over."""
    plan = one.plan
    head = [f"plan {plan.name} ({plan.format})"]
    if plan.scheduler:
        head.append(f"scheduler {plan.scheduler}")
    if plan.on_failure:
        head.append(f"on_failure {plan.on_failure}")
    if plan.budget.wall_clock:
        head.append(f"budget {plan.budget.wall_clock:.0f}s")
    lines = [*head, *(f"group {group.name}:{group.line} {group.title}" for group in plan.groups)]
    for task in plan.tasks:
        lines += task_lines(task, one)
    for skipped in one.skipped:
        place = f"{skipped.source}:{skipped.line}" if skipped.source != plan.source else str(skipped.line)
        lines.append(f"passed over {place}: {skipped.what} | {skipped.why}")
    return "\n".join(lines) + "\n"


def task_lines(task: Task, one: Reading) -> list[str]:
    """One task."""
    flags = [
        word
        for word, is_set in (
            ("done", task.is_done),
            ("attended", task.attended),
            ("may be empty", task.allow_empty),
        )
        if is_set
    ]
    if task.blocker:
        flags.append(f"blocked: {task.blocker}")
    if task.id in one.raw_ids:
        flags.append(f"called {one.raw_ids[task.id]}")
    if task.estimate:
        flags.append(f"{task.estimate:.0f}s")
    if task.budget.tokens or task.budget.wall_clock:
        flags.append(f"{task.budget.wall_clock:.0f}s {task.budget.tokens} tokens")
    lines = [
        f"task {task.id}:{task.line}"
        + (f" in {task.group}" if task.group else "")
        + (f" needs {' '.join(task.needs)}" if task.needs else "")
        + (f" [{', '.join(flags)}]" if flags else "")
        + f" {task.title}"
    ]
    if task.claims:
        lines.append("    " + " ".join(map(claim_text, task.claims)))
    return lines + [f"    $ {command}" for command in task.verify]


def claim_text(claim: Claim) -> str:
    """`+new.py`, `~old.py`, `-gone.py`, `any.py`, and `?guessed.py`."""
    mark = "?" if claim.origin is Origin.INFERRED else _LETTERS[claim.intent]
    return f"{mark}{claim.pattern}"


def claims(one: Reading, task: str) -> str:
    """What one task claims."""
    (found,) = (each for each in one.plan.tasks if each.id == task)
    return " ".join(map(claim_text, found.claims))


def needs(one: Reading) -> dict[str, str]:
    """What each task needs."""
    return {str(task.id): " ".join(task.needs) for task in one.plan.tasks}
