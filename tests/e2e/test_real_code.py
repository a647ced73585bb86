"""Real code and real tools: an installed library is reformatted by parallel tasks, its own tests are the gate.

The library is toolz (BSD-3-Clause), taken from this environment's site-packages: its wheel ships its tests.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import toolz  # type: ignore[import-untyped]  # it ships no types

from tests.support.digest import digest_of_users_things
from tests.support.repo import RepoBuilder

PLAN = """\
version: 1
name: tidy
max_parallel: 4
gates:
  tests: {run: [python, -m, pytest, -q, -p, "no:cacheprovider", toolz/tests], timeout: 2m}
  lint:
    run: ruff check --isolated --select W291,W293,I001 toolz/itertoolz.py toolz/functoolz.py toolz/dicttoolz.py toolz/tests
    groups: [check]
groups: [format, check]
tasks:
  - id: itertoolz
    title: format the iterator tools
    group: format
    files: {modify: [toolz/itertoolz.py]}
    run: ruff format --isolated --config "format.quote-style='single'" toolz/itertoolz.py
    verify: python -m compileall -q toolz/itertoolz.py
  - id: functoolz
    title: format the function tools
    group: format
    files: {modify: [toolz/functoolz.py, toolz/_signatures.py]}
    run: [ruff, format, --isolated, toolz/functoolz.py, toolz/_signatures.py]
  - id: dicttoolz
    title: modernise the dict tools with a codemod
    group: format
    files: {modify: [toolz/dicttoolz.py]}
    run: |
      ruff check --isolated --fix --exit-zero --select UP,SIM,RET,C4 --target-version py311 toolz/dicttoolz.py
      ruff format --isolated --line-length 60 toolz/dicttoolz.py
      git add toolz/dicttoolz.py
      git commit -q -m "dicttoolz: modernise"
  - id: tests
    title: format every test
    group: format
    files: {modify: ["toolz/tests/"]}
    run: ruff format --isolated --line-length 70 toolz/tests
  - id: imports
    title: sort imports everywhere, after the formatting
    group: check
    needs: [itertoolz, functoolz, dicttoolz, tests]
    files: {modify: ["toolz/**/*.py"]}
    run: ruff check --isolated --fix --exit-zero --select I001,W291,W293 toolz
"""


def library(repo: RepoBuilder) -> str:
    """Commit the installed library, its tests, and the plan."""
    source = Path(toolz.__file__).parent
    for package in (source, source.parent / "tlz"):
        shutil.copytree(package, repo.folder / package.name, ignore=shutil.ignore_patterns("__pycache__"))
    assert (repo.folder / "toolz/tests/test_itertoolz.py").is_file(), "the wheel ships its tests"
    return repo.commit({".waves/plan.yaml": PLAN, ".gitignore": "__pycache__/\n*.pyc\n"})


@pytest.mark.long  # five runs of the library's tests
def test_formatters_run_side_by_side_and_the_librarys_own_tests_stay_green(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    base = library(repo)
    before = digest_of_users_things(repo)
    repo.waves("plan")
    repo.waves("run", "--max", "4")
    assert digest_of_users_things(repo) == before
    integration = "refs/waves/integration/tidy"
    changed = repo.git("diff", "--name-only", base, integration).splitlines()
    assert {"toolz/itertoolz.py", "toolz/functoolz.py", "toolz/dicttoolz.py"} <= set(changed)
    assert any(path.startswith("toolz/tests/") for path in changed)
    assert not any(path.endswith(".pyc") for path in changed)
    merges = repo.git("log", "--first-parent", "--format=%s", f"{base}..{integration}").splitlines()
    assert [line.split("'")[1] for line in reversed(merges)] == [
        "itertoolz",
        "functoolz",
        "dicttoolz",
        "tests",
        "imports",
    ]
    # its tests, run by us on what was integrated
    checkout = tmp_path / "integrated"
    repo.git("worktree", "add", "-q", "--detach", str(checkout), integration)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "toolz/tests"],
        cwd=checkout,
        env={**repo.environment, "PYTHONPATH": str(checkout)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert " passed" in done.stdout
