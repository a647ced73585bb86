"""The planner's guide: one text in two places, and its examples are what it says they are, by `git waves plan` itself."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from git_waves.adapters import guides
from git_waves.core.findings.catalog import CATALOG
from tests.cli.conftest import Waves
from tests.support.repo import ROOT, RepoBuilder

_EXAMPLE = re.compile(r"^(Good|Bad, (W\d{3})):\n\n```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CHAPTER = re.compile(r"^## (.+)$", re.MULTILINE)
TEXT = guides.guide("planner") or ""


def examples() -> list[tuple[str, str | None, str]]:
    """Chapter, the code it is to get (None for a good one), and the plan."""
    found = []
    for example in _EXAMPLE.finditer(TEXT):
        chapter = _CHAPTER.findall(TEXT[: example.start()])[-1]
        found.append((chapter, example[2], example[3]))
    return found


def test_the_guide_in_the_documents_is_the_one_that_is_shipped() -> None:
    assert (ROOT / "docs" / "guide-planner.md").read_text(encoding="utf-8") == TEXT


def test_every_chapter_but_the_last_has_a_good_plan_and_then_a_bad_one() -> None:
    told = [(chapter, code is None) for chapter, code, _plan in examples()]
    chapters = _CHAPTER.findall(TEXT)[:-1]
    assert told == [(chapter, is_good) for chapter in chapters for is_good in (True, False)]
    assert TEXT.count("```yaml") == len(told)
    assert len(chapters) >= 6


@pytest.mark.parametrize(
    ("chapter", "code", "plan"),
    examples(),
    ids=[f"{chapter}-{code or 'good'}" for chapter, code, _ in examples()],
)
def test_the_examples_are_what_the_guide_says(
    chapter: str, code: str | None, plan: str, repo: RepoBuilder, waves: Waves
) -> None:
    """Good is without any finding at all; bad has the one that the chapter is about."""
    repo.commit({"agent": "#!/bin/sh\n", "plan.yaml": plan})
    (repo.folder / "agent").chmod(0o755)
    repo.git("commit", "-qam", "It can be started")
    is_refused = code is not None and "violation" in repo.run_waves("plan", "plan.yaml").stdout
    found = json.loads(waves("plan", "plan.yaml", "--json", exit=1 if is_refused else 0).out)["findings"]
    codes = {finding["code"] for finding in found}
    if code is None:
        assert codes == set(), f"{chapter}: {[finding['message'] for finding in found]}"
    else:
        assert code in codes and code in CATALOG, f"{chapter}: {codes}"


def test_a_guide_is_printed_as_it_is_and_topics_are_listed(waves: Waves) -> None:
    assert waves("guide", "planner").out == TEXT
    assert waves("guide").out == "planner\n"
    assert (
        waves("guide", "cooking", exit=2).err
        == "fatal: there is no guide 'cooking'\nhint: the guides are: planner\n"
    )


def test_a_guide_needs_no_repository(waves: Waves, tmp_path: Path) -> None:
    assert waves("guide", cwd=tmp_path).out == "planner\n"
