"""What a plan says at great length is quoted in brief."""

from __future__ import annotations

from git_waves.core.model import Finding, Level
from git_waves.views.findings_text import findings_lines
from git_waves.views.safe import brief


def test_of_a_very_long_sentence_the_beginning_and_the_end_are_shown() -> None:
    assert brief("short\n") == "short\\n"
    found = brief("program '" + "x" * 30_000_000 + "' does not exist")
    assert found.startswith("program 'xxx")
    assert found.endswith("x' does not exist")
    assert len(found) == 1_000


def test_a_finding_about_a_word_of_megabytes_is_a_few_lines() -> None:
    word = "x" * 3_000_000
    finding = Finding(
        code="W501",
        level=Level.VIOLATION,
        message=f"no '{word}'",
        line=1,
        evidence=(word,),
        hint=f"install {word}",
    )
    assert sum(map(len, findings_lines([finding], source="plan.yaml"))) < 4_000
