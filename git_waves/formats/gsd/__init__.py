"""GSD: a `PLAN.md` is one task, a phase folder a plan, several phases a longer one.

The waves that authors write stay groups, so that files which contradict them are told; needs are looked up in all
the files that were given, since GSD itself ignores those that leave their phase.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from git_waves.core.coverage import Reading
from git_waves.core.model import Intent
from git_waves.formats.draft import DraftTask, PlanDraft
from git_waves.formats.gsd.planfile import Written, read_one
from git_waves.formats.source import PlanText

HINT = "a task is a file such as '01-02-PLAN.md' with 'phase' and 'plan' at its top"
_OUTSIDE = "the need is no plan of this source, so nothing waits for it"
_PHASE = re.compile(r"phase[\s:#-]*([0-9]+(?:\.[0-9]+)*)\b.*", re.IGNORECASE)
_NUMBERS = re.compile(r"([0-9]+(?:\.[0-9]+)*)-([0-9]+[A-Za-z]?)\b")


def read_gsd(text: PlanText, decoded: str) -> Reading:
    """The plan of one `PLAN.md`: a single task. Raises PlanError."""
    return read_gsd_files(text, [(text, decoded)], finished=frozenset())


def read_gsd_files(
    whole: PlanText, files: Sequence[tuple[PlanText, str]], *, finished: frozenset[str]
) -> Reading:
    """The plan of several files; `whole` names them together, `finished` are the paths of their `SUMMARY.md` files.

    Raises PlanError. Lines of problems and of tasks are lines of the file that they stand in.
    """
    draft = PlanDraft(text=whole, format="gsd")
    plans = sorted((read_one(draft, text, decoded) for text, decoded in files), key=lambda plan: plan.order)
    waves = {(plan.order[0], plan.wave): plan for plan in reversed(plans) if plan.wave is not None}
    for key in sorted(waves):
        plan = waves[key]
        draft.group(_group(plan), f"phase {plan.phase_title}, wave {plan.wave}", plan.wave_line)
    for plan in plans:
        _add(draft, plan, plans, is_done=plan.summary in finished or plan.is_done)
    return draft.finish(hint=HINT, needs_outside=_OUTSIDE)


def _add(draft: PlanDraft, plan: Written, plans: Sequence[Written], *, is_done: bool) -> None:
    needs: dict[str, int] = {}
    for raw, line in plan.needs:
        found = [other.raw for other in _meant(raw, plan, plans) if other is not plan]
        if found:
            needs.update((one, line) for one in found)
        else:
            needs[raw] = line
    draft.add(
        DraftTask(
            raw=plan.raw,
            line=1,
            title=plan.title,
            prompt=plan.prompt,
            prompt_line=plan.prompt_line,
            group=_group(plan) if plan.wave is not None else None,
            needs=needs,
            files=[(path, Intent.EDIT, line) for path, line in plan.files],
            mentions=plan.mentions,
            verify=plan.verify,
            attended=plan.attended,
            is_done=is_done,
        )
    )


def _group(plan: Written) -> str:
    return f"{plan.phase}.{plan.wave}"


def _meant(raw: str, plan: Written, plans: Sequence[Written]) -> Iterable[Written]:
    """The plans that a need means: a file's stem, its numbers, a number inside the phase, or a whole phase."""
    name = raw.strip().strip("`'\"")
    name = re.sub(r"(?:-PLAN)?(?:\.md)?$", "", name.rpartition("/")[2], flags=re.IGNORECASE)
    exact = [other for other in plans if other.raw.casefold() == name.casefold()]
    if exact:
        return exact
    if phase := _PHASE.fullmatch(name):
        return [other for other in plans if _same(other.phase, phase[1])]
    if numbers := _NUMBERS.match(name):
        wanted = numbers[1], numbers[2]
    elif re.fullmatch(r"[0-9]{1,4}[A-Za-z]?", name):
        wanted = plan.phase, name
    else:
        return []
    near = [other for other in plans if _same(other.phase, wanted[0]) and _same(other.number, wanted[1])]
    return (
        near[:1]
        if all(other.folder == near[0].folder for other in near)
        else [other for other in near if other.folder == plan.folder]
    )


def _same(one: str, other: str) -> bool:
    return (one.lstrip("0") or "0").casefold() == (other.lstrip("0") or "0").casefold()
