"""What a person names as a source: one text, or a folder in which plans lie under the names their tools give them.

In a folder all GSD files are one plan, as are all work packages of spec-kitty; every other text is a plan by itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from git_waves.core.coverage import Reading
from git_waves.errors import PlanError, PlanProblem
from git_waves.formats import FORMATS, Format, format_of, read_text
from git_waves.formats.checks import plan_error
from git_waves.formats.collector import paused_collector
from git_waves.formats.gsd import read_gsd_files
from git_waves.formats.merging import combined_error
from git_waves.formats.problems import end_with_enough
from git_waves.formats.source import MAX_FOREIGN_BYTES, PlanSource, PlanText
from git_waves.formats.speckitty import read_spec_kitty_files

_KNOWN = re.compile(
    r"(?:.*-)?PLAN\.md|tasks\.md|tasks\.json|\.plan-fragments\.json|plan\.index\.json|run-plan\.yaml|issues\.jsonl|"
    r"beads\.jsonl|WP[0-9].*\.md",
)
_FOLLOWING = re.compile(r".*-SUMMARY\.md")
_OWN = re.compile(r".*\.(?:md|json|jsonl|ya?ml)", re.IGNORECASE)
_TOGETHER = ("gsd", "spec-kitty")


def is_worth_reading(path: str) -> bool:
    """Whether a file of a folder may hold a plan: by its name, or because it lies right in the folder."""
    name = path.rpartition("/")[2]
    return _KNOWN.fullmatch(name) is not None or ("/" not in path and _OWN.fullmatch(name) is not None)


def is_worth_noting(path: str) -> bool:
    """Whether it means something that a file is there, though it is not read."""
    return _FOLLOWING.fullmatch(path.rpartition("/")[2]) is not None


def read_source(source: PlanSource, *, known_agents: frozenset[str] | None) -> list[Reading]:
    """The plans of a source, in the order of their files. Raises PlanError with the problems of all of them."""
    if not source.is_folder:
        return [read_text(source.texts[0], known_agents=known_agents)]
    found = _recognised(source.texts)
    if not found:
        titles = ", ".join(one.title for one in FORMATS)
        problem = PlanProblem(0, "there is no plan in this folder", f"read today: {titles}")
        raise PlanError(source.source, (problem,), measured=False)
    together = {
        name: [(text, decoded) for one, text, decoded in found if one.name == name] for name in _TOGETHER
    }
    readers: list[Callable[[], Reading]] = [
        partial(_read_together, source, name, files) for name, files in together.items() if files
    ]
    readers += [
        partial(read_text, text, known_agents=known_agents)
        for one, text, _ in found
        if one.name not in _TOGETHER
    ]
    readings: list[Reading] = []
    errors: list[PlanError] = []
    for read in readers:
        try:
            readings.append(read())
        except PlanError as error:
            errors.append(error)
    if errors:
        raise combined_error(errors)
    return readings


def _recognised(texts: Sequence[PlanText]) -> list[tuple[Format, PlanText, str]]:
    """The texts that are plans. Any Markdown has checkboxes, so such a list has to be called `tasks.md`; what masterplan
    has merged already is not read beside its fragments."""
    found = []
    for text in texts:
        try:
            decoded = text.decode()
        except PlanError:
            if _KNOWN.fullmatch(text.name_hint.rpartition("/")[2]):
                raise
            continue
        one = format_of(decoded, text.name_hint)
        is_checklist = one is not None and one.name == "openspec" and not text.name_hint.endswith("tasks.md")
        if one is not None and not is_checklist:
            found.append((one, text, decoded))
    fragments = {_folder(text) for one, text, _ in found if one.name == "masterplan-fragments"}
    return [
        (one, text, decoded)
        for one, text, decoded in found
        if not (one.name == "masterplan" and _folder(text) in fragments)
    ]


def _folder(text: PlanText) -> str:
    return text.name_hint.rpartition("/")[0]


def _read_together(source: PlanSource, name: str, files: Sequence[tuple[PlanText, str]]) -> Reading:
    size = sum(len(text.data) for text, _ in files)
    if size > MAX_FOREIGN_BYTES:
        most = MAX_FOREIGN_BYTES // 1024 // 1024
        problem = PlanProblem(
            0, f"the plans have {size / 1024 / 1024:.1f} MiB, and at most {most} MiB are read"
        )
        raise plan_error(source.source, [problem], measured=False)
    # Named by the folder, as a file is that has this name in every folder.
    whole = PlanText(name_hint=f"{source.name_hint}/PLAN.md", source=source.source, data=b"")
    with paused_collector(), end_with_enough(source.source):
        if name == "gsd":
            return read_gsd_files(whole, files, finished=source.others)
        return read_spec_kitty_files(whole, files)


def as_fragments(source: PlanSource) -> PlanSource:
    """The source, whose tasks may need tasks of other sources."""
    return replace(source, texts=tuple(replace(text, is_fragment=True) for text in source.texts))
