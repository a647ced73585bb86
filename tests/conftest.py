"""Fixtures for every suite: sealed from the developer's home, configuration, identity and clock."""

from __future__ import annotations

import compileall
import os
import shutil
import tempfile
import time
from pathlib import Path

import pytest

from tests.support.processes import processes_in
from tests.support.properties import forget_our_constants, register_profiles
from tests.support.repo import ROOT, RepoBuilder, sealed_environment

register_profiles()
forget_our_constants()


def pytest_configure(config: pytest.Config) -> None:
    """Compile the program once: its processes here write no bytecode, and to compile is half of a short one's work."""
    if not hasattr(config, "workerinput"):  # the one process that starts the others
        compileall.compile_dir(ROOT / "git_waves", quiet=2)
        work_in_memory()


def work_in_memory() -> None:
    """Let temporary folders lie in memory where there is room: runs sync every step, and disks differ a hundredfold in that."""
    memory = Path("/dev/shm")  # a folder of random name is made there by tempfile and by pytest
    if "TMPDIR" not in os.environ and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 4 << 30:
        os.environ["TMPDIR"] = str(memory)
        tempfile.tempdir = None  # so that it is asked for again


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a session that leaves a process behind: what a test starts has ended when the last of them has."""
    if hasattr(session.config, "workerinput"):
        return
    place = session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]  # pytest has no public name for it
    patience = time.monotonic() + 5  # ended is not yet gone
    while left := processes_in(place):
        if time.monotonic() > patience:
            said = "\n  ".join(["processes that tests left behind:", *left])
            pytest.exit(said, returncode=pytest.ExitCode.TESTS_FAILED)
        time.sleep(0.1)


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
