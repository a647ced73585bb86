"""GSD: a `PLAN.md` is one task, a phase folder a plan, several phases a longer one.

The waves that authors write stay groups, so that files which contradict them are told; needs are looked up in all
the files that were given, since GSD itself ignores those that leave their phase.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from git_waves.core.coverage import Reading
from git_waves.core.model import Intent
from git_waves.formats.draft import DraftTask, PlanDraft
from git_waves.formats.gsd.planfile import Written, read_one
from git_waves.formats.source import PlanText

HINT = "a task is a file such as '01-02-PLAN.md' with 'phase' and 'plan' at its top"
_OUTSIDE = "the need is no plan of this source, so nothing waits for it"
_PHASE = re.compile(r"phase[\s:#-]*([0-9]+(?:\.[0-9]+)*)\b.*", re.IGNORECASE)
_NUMBERS = re.compile(r"([0-9]+(?:\.[0-9]+)*)-([0-9]+[A-Za-z]?)\b")
_NUMBER = re.compile(r"[0-9]{1,4}[A-Za-z]?")
_SUFFIX = re.compile(r"(?:-PLAN)?(?:\.md)?$", re.IGNORECASE)
_MOST_WAVES = 100


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
    index = _Index(plans)
    for plan in plans:
        index.look_up(plan)
    if len(plans) > 1:
        _fill_in_waves(index, plans)
    waves = {(plan.order[0], plan.wave): plan for plan in reversed(plans) if plan.wave is not None}
    for key in sorted(waves):
        plan = waves[key]
        draft.group(_group(plan), f"phase {plan.phase_title}, wave {plan.wave}", plan.wave_line)
    for plan in plans:
        _add(draft, plan, index, is_done=plan.summary in finished or plan.is_done)
    return draft.finish(hint=HINT, needs_outside=_OUTSIDE)


def _add(draft: PlanDraft, plan: Written, index: _Index, *, is_done: bool) -> None:
    draft.add(
        DraftTask(
            raw=plan.raw,
            line=1,
            title=plan.title,
            prompt=plan.prompt,
            prompt_line=plan.prompt_line,
            group=_group(plan) if plan.wave is not None else None,
            needs=index.needs[plan.raw],
            files=[(path, Intent.EDIT, line) for path, line in plan.files],
            mentions=plan.mentions,
            verify=plan.verify,
            attended=plan.attended,
            is_done=is_done,
        )
    )


def _group(plan: Written) -> str:
    return f"{plan.phase}.{plan.wave}"


def _fill_in_waves(index: _Index, plans: Sequence[Written]) -> None:
    """A plan beside others that says no wave stands behind what it needs in its phase, as GSD works waves out itself."""
    for _ in range(_MOST_WAVES):
        waiting = [plan for plan in plans if plan.wave is None]
        if not waiting:
            return
        for plan in waiting:
            before = [other for other in index.needed(plan) if other.phase == plan.phase]
            if all(other.wave is not None for other in before):
                plan.wave = max((other.wave or 0 for other in before), default=0) + 1


class _Index:
    """The plans of a source by all the names that needs give them."""

    def __init__(self, plans: Sequence[Written]) -> None:
        self.needs: dict[str, dict[str, int]] = {}
        self._by_name: dict[str, Written] = {}
        self._by_phase: dict[str, list[Written]] = {}
        self._by_number: dict[tuple[str, str], list[Written]] = {}
        for plan in plans:
            self._by_name.setdefault(plan.raw.casefold(), plan)
            self._by_phase.setdefault(_bare(plan.phase), []).append(plan)
            self._by_number.setdefault((_bare(plan.phase), _bare(plan.number)), []).append(plan)

    def look_up(self, plan: Written) -> None:
        """Find what a plan needs; what is no plan of the source stays as it is written."""
        needs = self.needs.setdefault(plan.raw, {})
        for raw, line in plan.needs:
            found = [other.raw for other in self._meant(raw, plan) if other is not plan]
            needs.update((one, line) for one in found or [raw])

    def needed(self, plan: Written) -> list[Written]:
        """The plans of the source that a plan needs."""
        return [
            other for raw in self.needs[plan.raw] if (other := self._by_name.get(raw.casefold())) is not None
        ]

    def _meant(self, raw: str, plan: Written) -> Sequence[Written]:
        """The plans that a need means: a file's stem, its numbers, a number inside the phase, or a whole phase."""
        name = raw.strip().strip("`'\"")
        name = _SUFFIX.sub("", name.rpartition("/")[2])
        if (exact := self._by_name.get(name.casefold())) is not None:
            return (exact,)
        if phase := _PHASE.fullmatch(name):
            return self._by_phase.get(_bare(phase[1]), ())
        if numbers := _NUMBERS.match(name):
            wanted = _bare(numbers[1]), _bare(numbers[2])
        elif _NUMBER.fullmatch(name):
            wanted = _bare(plan.phase), _bare(name)
        else:
            return ()
        near = self._by_number.get(wanted, [])
        return [other for other in near if other.folder == plan.folder] or near[:1]


def _bare(number: str) -> str:
    """A number as it is compared: `01`, `1` and `001` are the same."""
    return (number.lstrip("0") or "0").casefold()
