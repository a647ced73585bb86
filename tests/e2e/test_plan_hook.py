"""`.pre-commit-hooks.yaml`: what the pre-commit framework makes of it when somebody commits a plan."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.support.plans import plan, task
from tests.support.repo import ROOT, RepoBuilder

MANIFEST = ROOT / ".pre-commit-hooks.yaml"
PRE_COMMIT = Path(sys.executable).with_name("pre-commit")
needs_pre_commit = pytest.mark.skipif(not PRE_COMMIT.exists(), reason="pre-commit is not installed")


@pytest.mark.long
@needs_pre_commit
def test_the_manifest_is_one() -> None:
    done = subprocess.run(
        [PRE_COMMIT, "validate-manifest", MANIFEST], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.long
@needs_pre_commit
def test_a_plan_is_judged_when_it_is_committed_and_at_no_other_time(repo: RepoBuilder) -> None:
    # As an installation of the manifest would run it, only that the program is the one that is here.
    (hook,) = yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))
    local = {"repos": [{"repo": "local", "hooks": [{**hook, "language": "system"}]}]}
    repo.commit({".pre-commit-config.yaml": yaml.safe_dump(local)})
    subprocess.run(
        [PRE_COMMIT, "install"], cwd=repo.folder, env=repo.environment, check=True, capture_output=True
    )

    def commit(files: dict[str, str]) -> tuple[int, str]:
        repo.write(files)
        repo.git("add", "--all")
        done = subprocess.run(
            ["git", "commit", "-qm", "x"],
            cwd=repo.folder,
            env=repo.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    code, said = commit({".waves/plan.yaml": plan(task("a", files="[x]"), task("b", files="[x]"))})
    assert code == 1
    assert "git waves plan" in said
    assert "[W101]" in said
    assert commit({".waves/plan.yaml": plan(task("a"), task("b"))})[0] == 0
    code, said = commit({"other.txt": ""})
    assert code == 0
    assert "(no files to check)Skipped" in said
