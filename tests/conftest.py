"""Fixtures for every suite: sealed from the developer's home, configuration, identity and clock."""

from __future__ import annotations

import compileall
import os
from pathlib import Path

import pytest

from tests.support.properties import forget_our_constants, register_profiles
from tests.support.repo import ROOT, RepoBuilder, sealed_environment

register_profiles()
forget_our_constants()


def pytest_configure(config: pytest.Config) -> None:
    """Compile the program once: its processes here write no bytecode, and to compile is half of a short one's work."""
    if not hasattr(config, "workerinput"):  # the one process that starts the others
        compileall.compile_dir(ROOT / "git_waves", quiet=2)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A sealed environment with an empty HOME below `tmp_path`."""
    home = tmp_path / "home"
    home.mkdir()
    return sealed_environment(home)


@pytest.fixture
def repo(tmp_path: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> RepoBuilder:
    """An empty repository on branch `main`; this process's own environment is sealed the same way."""
    for key in list(os.environ):
        if key.startswith("GIT_"):
            monkeypatch.delenv(key)
    for key, value in environment.items():
        monkeypatch.setenv(key, value)
    return RepoBuilder(tmp_path / "repo", environment)
