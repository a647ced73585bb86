"""loopdeck's `run-plan.yaml`: the record of a run, with phases that name a line of a PRD and answers pinned before.

There are no files, no commands and no prompt in it; what is to be done is written in the PRD that a phase names.
"""

from __future__ import annotations

import re

from git_waves.core.coverage import Reading
from git_waves.core.model import Budget, OnFailure
from git_waves.errors import PlanProblem
from git_waves.formats.checks import plan_error
from git_waves.formats.draft import DraftTask, PlanDraft
from git_waves.formats.frontmatter import lenient_yaml, maps_under, text_under, texts_under
from git_waves.formats.marks import MarkedMap, line_of, map_under
from git_waves.formats.names import plan_name_complaint, shorten
from git_waves.formats.source import PlanText
from git_waves.formats.taskids import slug

HINT = "'phases' is a list of mappings with an 'execution_id'"

_DONE = frozenset({"completed", "done"})
_OPEN = frozenset({"queued", "running", "failed", "interrupted", "killed", "pending", ""})
_NUMBER = re.compile(r"[0-9]{1,12}").fullmatch


def read_loopdeck(text: PlanText, decoded: str) -> Reading:
    """The plan of a `run-plan.yaml`. Raises PlanError."""
    tree, problems = lenient_yaml(decoded)
    if tree is None:
        found = problems or [PlanProblem(1, "this is no YAML mapping", HINT)]
        raise plan_error(text.source, found, measured=False)
    draft = PlanDraft(text=text, format="loopdeck")
    for problem in problems:
        draft.skip(problem.line, "", problem.message)
    budgets = map_under(tree, "budgets")
    each = Budget(
        wall_clock=_number(budgets, "per_phase_wall_clock_secs"),
        tokens=_count(budgets, "per_phase_token_cap"),
    )
    for phase in maps_under(tree, "phases"):
        _add(draft, phase, each)
    policy = text_under(tree, "stall_policy")
    return draft.finish(
        hint=HINT,
        name=_name(draft),
        on_failure={"continue_independent": OnFailure.FAIL_DEPENDENTS, "halt": OnFailure.HALT}.get(policy),
        budget=Budget(wall_clock=_number(budgets, "total_run_wall_clock_secs")),
    )


def _add(draft: PlanDraft, phase: MarkedMap, each: Budget) -> None:
    raw = text_under(phase, "execution_id")
    if not raw:
        draft.refuse(phase.line, "a phase has no 'execution_id'")
        return
    project, _, loop = raw.rpartition("/")
    needs = dict(texts_under(phase, "depends_on"))
    if "depends_on" not in phase and draft.tasks:
        needs = {draft.tasks[-1].raw: phase.line}  # loopdeck's own default
    status = text_under(phase, "status").lower()
    answers = [
        f"Question: {question}\nAnswer: {text_under(one, 'answer') or '(none)'}"
        for one in maps_under(phase, "interview")
        if (question := text_under(one, "question"))
    ]
    words = loop.replace("-", " ")
    task = DraftTask(
        raw=raw,
        line=line_of(phase, "execution_id"),
        title=words,
        prompt="\n\n".join(
            [f"Do what the PRD '{project or 'of the project'}' asks for under: {words}", *answers]
        ),
        needs=needs,
        is_done=status in _DONE,
        budget=each,
    )
    if status == "parked":
        task.blocker = shorten(text_under(phase, "park_payload") or "parked", 200)
    elif status not in _DONE | _OPEN:
        draft.skip(
            line_of(phase, "status"), f"status {status}", "this status is not known; the phase counts as open"
        )
    draft.add(task)


def _name(draft: PlanDraft) -> str | None:
    """The PRD that all phases belong to, when it is one."""
    projects = {task.raw.rpartition("/")[0] for task in draft.tasks}
    name = slug(projects.pop()) if len(projects) == 1 else ""
    return name if name and plan_name_complaint(name) is None else None


def _number(keys: MarkedMap, key: str) -> float | None:
    found = _NUMBER(text_under(keys, key))
    return float(found.group()) if found and int(found.group()) else None


def _count(keys: MarkedMap, key: str) -> int | None:
    found = _NUMBER(text_under(keys, key))
    return int(found.group()) or None if found else None
