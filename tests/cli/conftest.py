"""`waves(...)`: a command typed in the repository, run in this process, with what it printed and its exit code."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from git_waves.entry import main
from tests.support.repo import RepoBuilder


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """How a command ended."""

    code: int
    out: str
    err: str


Waves = Callable[..., Typed]


@pytest.fixture
def waves(repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Waves:
    """Type `git waves …` in the repository (or in `cwd`); `exit` is asserted."""

    def type_it(*words: str, exit: int = 0, cwd: Path | None = None, stdin: bytes = b"") -> Typed:
        monkeypatch.chdir(cwd or repo.folder)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capfd.readouterr()
        code = main(words)
        printed = capfd.readouterr()
        assert code == exit, f"git waves {' '.join(words)}: {code}\n{printed.out}{printed.err}"
        return Typed(code=code, out=printed.out, err=printed.err)

    return type_it
