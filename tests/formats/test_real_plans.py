"""Plans of other tools as their authors wrote them: the whole reading of each against a file beside this suite's data."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from git_waves.core.coverage import Reading
from tests.formats.readings import folder, reading, told
from tests.formats.shown import DATA, same_as_file

PLANS = {
    "spec-kit/007-case-insensitive-names/tasks.md": "specs/007-case-insensitive-names/tasks.md",
    "kiro/task-management-mcp-server/tasks.md": ".kiro/specs/task-management-mcp-server/tasks.md",
    "kiro/animal-category-field/tasks.md": ".kiro/specs/animal-category-field/tasks.md",
    "kiro/graph.md": ".kiro/specs/ticket-shop/tasks.md",
    "openspec/add-built-in-module-catalog-security/tasks.md": "openspec/changes/add-built-in-module-catalog-security/tasks.md",
    "ito/001-25_tracking-file-support/tasks.md": ".ito/changes/001-25_tracking-file-support/tasks.md",
    "superpowers/2026-04-03-email-verify.md": "docs/superpowers/plans/2026-04-03-email-verify.md",
    "loopdeck/run-plan.yaml": ".loopdeck/run-plan.yaml",
    "masterplan/goal-tracking/.plan-fragments.json": "docs/masterplan/goal-tracking/.plan-fragments.json",
    "task-master/tasks.json": ".taskmaster/tasks/tasks.json",
    "beads/issues.jsonl": ".beads/issues.jsonl",
    "swarm/weather-plan.md": "weather-plan.md",
}


@pytest.mark.parametrize("here", PLANS)
def test_a_plan_as_its_author_wrote_it(here: str) -> None:
    same_as_file(told(reading((DATA / here).read_bytes(), path=PLANS[here])), _expected(here))


@pytest.mark.parametrize(("name", "path"), [("gsd", "gsd/01-foundation"), ("spec-kitty", "spec-kitty")])
def test_a_folder_of_files_is_one_plan(name: str, path: str) -> None:
    files = {
        file.name: file.read_bytes()
        for file in sorted((DATA / path).glob("*.md"))
        if file.name != "ORIGIN.md"
    }
    (one,) = folder(files, name=f"some/{Path(path).name}")
    assert one.plan.format == name
    same_as_file(told(one), DATA / name / "expected.txt")


def _expected(here: str) -> Path:
    path = DATA / here
    return (
        path.with_name("expected.txt")
        if path.name in ("tasks.md",)
        else path.with_name(f"{path.name}.expected.txt")
    )


def _all() -> Iterator[Reading]:
    for here, there in PLANS.items():
        yield reading((DATA / here).read_bytes(), path=there)


def test_nothing_of_a_plan_is_lost_from_its_prompts() -> None:
    for one in _all():
        for task in one.plan.tasks:
            assert task.prompt and task.prompt.strip(), f"{one.plan.source}: {task.id}"
            assert task.line > 0
