"""P7: a plan that came from elsewhere runs only after somebody has allowed exactly its content."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.golden import check_golden
from tests.support.plans import plan, task
from tests.support.repo import ROOT, RepoBuilder

pytestmark = pytest.mark.long  # whole runs, a few seconds each

PLAN = ".waves/plan.yaml"
TEXT = plan(
    task("t1", run="echo t1 > t1.txt\n: hidden"),
    task("t2", extra="verify: test -s t2.txt"),
    head="gates:\n  there: test -s t1.txt\nsetup: echo set up\n",
)


@pytest.fixture
def clone(repo: RepoBuilder, tmp_path: Path) -> RepoBuilder:
    """Somebody's clone of a repository whose plan was committed by a person of the very same name and address."""
    repo.commit({PLAN: TEXT})
    folder = tmp_path / "clone"
    repo.git("clone", "--quiet", str(repo.folder), str(folder))
    cloned = RepoBuilder.__new__(RepoBuilder)
    cloned.folder, cloned.environment = folder, dict(repo.environment)
    return cloned


def test_a_plan_of_a_clone_is_read_and_not_run_until_its_content_is_allowed(clone: RepoBuilder) -> None:
    clone.waves("plan")
    done = clone.run_waves("run")
    assert done.returncode == 3
    assert "came with commit" in done.stderr
    assert "running it would execute 5 commands of it" in done.stderr
    assert not (clone.folder / ".git/waves/runs").exists()
    assert clone.git("for-each-ref", "refs/waves", "refs/heads/waves") == ""
    clone.waves("run", "--dry-run")
    shown = clone.waves("trust", exit=1)
    blob = clone.git("rev-parse", f"HEAD:{PLAN}")
    commit = clone.git("rev-parse", "HEAD")
    check_golden("run/trust.txt", shown.replace(blob[:12], "CONTENT").replace(commit[:12], "COMMIT"))
    assert clone.run_waves("trust", "--content", "0" * 40).returncode == 2
    clone.waves("trust", "--content", blob[:12])
    clone.waves("run")
    clone.waves("trust", "--revoke")
    assert clone.run_waves("run", "--new").returncode == 3


def test_another_content_is_asked_about_again_and_an_edit_of_ones_own_is_not(
    repo: RepoBuilder, clone: RepoBuilder
) -> None:
    clone.waves("trust", "--content", clone.git("rev-parse", f"HEAD:{PLAN}"))
    clone.write({PLAN: TEXT.replace("hidden", "seen")})
    clone.waves("run", "--until-group", "1")
    clone.git("checkout", "--quiet", PLAN)
    repo.commit({PLAN: TEXT.replace("hidden", "worse")})
    clone.git("pull", "--quiet")
    assert clone.run_waves("run", "--new").returncode == 3, "what was pulled is another content"
    clone.write({PLAN: TEXT.replace("hidden", "mine")})
    assert clone.run_waves("run", "--new").returncode == 3, "an edit of what nobody allowed is not one's own"
    clone.git("commit", "--quiet", "-am", "mine")
    clone.waves("run", "--new")


def test_ones_own_plan_is_never_asked_about(repo: RepoBuilder) -> None:
    repo.write({PLAN: TEXT})
    repo.commit({"README": "x\n"})
    repo.waves("run")
    repo.git("branch", "--quiet", "other")
    repo.waves("run", "--new", f"other:{PLAN}")
    assert repo.run_waves("run", "--new", "-", stdin=TEXT).returncode == 0


def test_a_plan_outside_of_the_repository_is_one_from_elsewhere(repo: RepoBuilder, tmp_path: Path) -> None:
    repo.commit({"README": "x\n"})
    (tmp_path / "p.yaml").write_text(TEXT)
    done = repo.run_waves("run", str(tmp_path / "p.yaml"))
    assert (done.returncode, "lies outside the repository" in done.stderr) == (3, True)


def answer(repo: RepoBuilder, words: str) -> tuple[int, str]:
    """Run at a terminal and answer the question with `words`; the exit code and what was shown."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "git_waves", "run"],
        cwd=repo.folder,
        env={**repo.environment, "PYTHONPATH": str(ROOT)},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    shown = b""
    is_answered = False
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if select.select([ours], [], [], 0.2)[0]:
            try:
                shown += os.read(ours, 1 << 16)
            except OSError:  # the other end is closed
                break
        if b"[y/N]" in shown and not is_answered:
            os.write(ours, words.encode() + b"\n")
            is_answered = True
    os.close(ours)
    return process.wait(timeout=30), shown.decode()


@pytest.mark.parametrize(("words", "code"), [("y", 0), ("", 3), ("nonsense", 3)])
def test_at_a_terminal_the_question_is_asked_once(clone: RepoBuilder, words: str, code: int) -> None:
    ended, shown = answer(clone, words)
    assert ended == code, shown
    assert "run exactly this content here, now and later? [y/N]" in shown
    assert "gate 'there': test -s t1.txt" in shown
    assert clone.run_waves("run").returncode == code
