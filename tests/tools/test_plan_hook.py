"""The pre-commit framework installs git-waves from this repository and judges a plan with it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.plans import plan, task
from tests.support.repo import ROOT, RepoBuilder

PRE_COMMIT = Path(sys.executable).with_name("pre-commit")
pytestmark = [
    pytest.mark.tools,
    pytest.mark.skipif(not PRE_COMMIT.exists(), reason="pre-commit is not installed"),
    pytest.mark.skipif(not (ROOT / ".git").exists(), reason="pre-commit installs from a git repository"),
]


def test_the_hook_works_where_nothing_was_installed_before(repo: RepoBuilder, tmp_path: Path) -> None:
    environment = {**repo.environment, "PRE_COMMIT_HOME": str(tmp_path / "environments")}
    words = [str(PRE_COMMIT), "try-repo", str(ROOT), "git-waves-plan", "--all-files", "--verbose"]

    def judge(text: str) -> tuple[int, str]:
        repo.commit({".waves/plan.yaml": text})
        done = subprocess.run(
            words, cwd=repo.folder, env=environment, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout + done.stderr

    code, said = judge(plan(task("a"), task("b")))
    if "CalledProcessError" in said:
        pytest.skip("pip cannot fetch what git-waves needs")
    assert code == 0, said
    assert "plan 'p' (.waves/plan.yaml): 2 tasks in 1 group" in said
    code, said = judge(plan(task("a", files="[x]"), task("b", files="[x]")))
    assert code == 1
    assert "[W101]" in said
