"""The words for a command that did not end well."""

from __future__ import annotations

import pytest

from git_waves.adapters.jobs import JobResult, Reason
from git_waves.ladder.jobs import how_it_ended


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (1, "ended with exit code 1"),
        (126, "ended with exit code 126 (found but not executable; is its mode committed?)"),
        (127, "ended with exit code 127 (a command was not found; is it committed?)"),
    ],
)
def test_what_a_shell_means_by_its_exit_codes_is_told(code: int, words: str) -> None:
    assert how_it_ended(JobResult(reason=Reason.EXITED, code=code)) == words
