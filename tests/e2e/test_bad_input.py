"""Bad surroundings and bad plans: one clear error, the right exit code, the way out, and nothing changed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.digest import digest_of_users_things
from tests.support.plans import plan, task
from tests.support.repo import ROOT, RepoBuilder

GOOD = plan(task("t1"))


def assert_refused(repo: RepoBuilder, *arguments: str, exit: int, says: str, cwd: Path | None = None) -> str:
    """The command fails with that exit code and words, a hint, no traceback, and changes nothing of the user's."""
    before = digest_of_users_things(repo)
    refs = repo.git("for-each-ref")
    done = repo.run_waves(*arguments, cwd=cwd)
    assert done.returncode == exit, done.stdout + done.stderr
    assert says in done.stderr, done.stderr
    assert "hint: " in done.stderr, done.stderr
    assert "Traceback" not in done.stderr
    assert digest_of_users_things(repo) == before
    assert repo.git("for-each-ref") == refs
    assert not (repo.folder / ".git/waves/runs").exists(), "no run was begun"
    return done.stderr


@pytest.mark.parametrize("command", ["plan", "run"])
@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "there is no such plan"),
        (b"", "empty"),
        (b"  \n\n", "only white space"),
        (b"tasks:\n  - id: \xff\xfe\n", "UTF-8"),
        (b"tasks: [\n", "plan.yaml:"),
        (b"version: 1\ntasks: []\n", "no task"),
        (b"version: 1\nx: &a [1]\ny: *a\ntasks:\n  - id: t\n", "alias"),
        (b"<<<<<<< ours\nversion: 1\n=======\nversion: 2\n>>>>>>> theirs\n", "merge"),
    ],
    ids=["missing", "empty", "blank", "not-utf8", "yaml-syntax", "no-tasks", "alias", "conflict-markers"],
)
def test_a_plan_that_cannot_be_read_is_refused_by_plan_and_run(
    repo: RepoBuilder, command: str, content: bytes | None, says: str
) -> None:
    repo.commit({"a": "1"} if content is None else {".waves/plan.yaml": content})
    done = repo.run_waves(command)
    assert done.returncode == (1 if says == "alias" else 2), done.stdout + done.stderr
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert not (repo.folder / ".git/waves/runs").exists()


def test_an_alias_bomb_and_a_huge_plan_are_refused_quickly(repo: RepoBuilder) -> None:
    bomb = "version: 1\na: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{','.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(12)
    )
    repo.commit({"bomb.yaml": bomb + "tasks: *m\n"})
    (repo.folder / "huge.yaml").write_bytes(b"# filler\n" * (100 * 2**20 // 9))
    assert "alias" in repo.run_waves("plan", "bomb.yaml").stderr
    done = repo.run_waves("plan", "huge.yaml")
    assert done.returncode == 2
    assert "large" in done.stderr or "MiB" in done.stderr
    (repo.folder / "huge.yaml").unlink()


@pytest.mark.skipif(os.getuid() == 0, reason="root reads everything")
def test_an_unreadable_plan_is_exit_2(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": GOOD})
    (repo.folder / ".waves/plan.yaml").chmod(0)
    assert repo.run_waves("plan").returncode == 2


def test_a_folder_in_place_of_the_plan_is_exit_2(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml/x": "1"})
    done = repo.run_waves("plan")
    assert done.returncode == 2
    assert "irectory" in done.stderr


def test_no_repository(repo: RepoBuilder, tmp_path: Path) -> None:
    repo.commit({"a": "1"})
    (tmp_path / "outside").mkdir()
    assert_refused(repo, "run", exit=4, says="not a git repository", cwd=tmp_path / "outside")


def test_a_bare_repository(repo: RepoBuilder, tmp_path: Path) -> None:
    repo.commit({".waves/plan.yaml": GOOD})
    repo.git("clone", "-q", "--bare", str(repo.folder), str(tmp_path / "bare.git"))
    assert_refused(repo, "run", exit=4, says="is a bare repository", cwd=tmp_path / "bare.git")


def test_no_commit_yet(repo: RepoBuilder) -> None:
    repo.write({".waves/plan.yaml": GOOD})
    assert_refused(repo, "run", exit=4, says="no commit yet")


def test_a_detached_head_without_a_base(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": GOOD})
    repo.git("checkout", "-q", "--detach")
    assert_refused(repo, "run", exit=2, says="HEAD is detached")
    repo.waves("run", "--base", "main")


def test_a_base_that_does_not_exist(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1"), head="base: nowhere")})
    assert_refused(repo, "run", exit=2, says="the base 'nowhere' does not exist")
    assert_refused(repo, "run", "--base", "--upload-pack=x", exit=2, says="does not exist")


@pytest.mark.parametrize(
    ("branch", "says"),
    [
        ("waves", "'refs/heads/waves' exists"),
        ("waves/p", "'refs/heads/waves/p' exists"),
        ("waves/p/t1", "'waves/p/t1' exists and belongs to no run"),
        ("waves/p/t1/1", "'waves/p/t1/1' exists and belongs to no run"),
        ("waves/p/integration", "'waves/p/integration' exists and belongs to no run"),
    ],
)
def test_branch_names_that_are_taken(repo: RepoBuilder, branch: str, says: str) -> None:
    repo.commit({".waves/plan.yaml": GOOD})
    repo.git("branch", branch)
    assert_refused(repo, "run", exit=4, says=says)


def test_a_tag_that_goes_before_the_integration_branch(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": GOOD})
    repo.git("tag", "waves/p/integration")
    assert_refused(repo, "run", exit=4, says="the tag 'waves/p/integration' exists")
    repo.git("tag", "mine", "refs/tags/waves/p/integration")
    repo.git("tag", "-d", "waves/p/integration")
    repo.waves("run")


@pytest.mark.parametrize("kind", ["file", "link that leads nowhere"])
def test_something_else_where_worktrees_are_to_be_made(repo: RepoBuilder, kind: str) -> None:
    repo.commit({".waves/plan.yaml": GOOD})
    place = repo.folder.parent / "repo.waves"
    if kind == "file":
        place.write_text("mine")
    else:
        place.symlink_to("nowhere")
    assert_refused(repo, "run", exit=4, says="in the way of the worktrees")
    assert place.is_symlink() if kind != "file" else place.read_text() == "mine"


def test_a_worktree_folder_that_is_not_ours_is_never_removed(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": GOOD})
    precious = repo.folder.parent / "repo.waves/p/t1.1/precious"
    precious.parent.mkdir(parents=True)
    precious.write_text("mine")
    assert_refused(repo, "run", exit=4, says="already exists and is not ours")
    assert precious.read_text() == "mine"


def test_an_unknown_agent_and_a_missing_program(repo: RepoBuilder) -> None:
    repo.commit(
        {
            ".waves/plan.yaml": "version: 1\nname: p\nagent: nobody\ntasks:\n- id: t1\n  files: [a]\n  prompt: x\n"
        }
    )
    done = repo.run_waves("run")
    assert done.returncode == 1
    assert "unknown agent 'nobody'" in done.stderr
    assert ".waves/plan.yaml:3" in done.stderr
    repo.commit({".waves/plan.yaml": plan(task("t1", run="no-such-program-here --x"))})
    assert "no-such-program-here" in repo.waves("plan", exit=1)
    assert_refused(repo, "run", exit=1, says="no-such-program-here")


def test_a_task_with_nothing_to_run(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": "version: 1\nname: p\ntasks:\n- id: t1\n  files: [a]\n  prompt: x\n"})
    assert_refused(repo, "run", exit=2, says="nothing says how to do 't1'")


def test_a_plan_with_violations_is_not_run(repo: RepoBuilder) -> None:
    text = plan(task("t1", files="[same.txt]"), task("t2", files="[same.txt]"))
    repo.commit({".waves/plan.yaml": text})
    assert_refused(repo, "run", exit=1, says="same.txt")


def test_no_identity(repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.commit({".waves/plan.yaml": GOOD})
    for key in [key for key in repo.environment if key.startswith(("GIT_AUTHOR", "GIT_COMMITTER"))]:
        monkeypatch.delenv(key)
        del repo.environment[key]
    repo.git("config", "user.useConfigOnly", "true")
    assert_refused(repo, "run", exit=4, says="git does not know who commits")


def fake_git(folder: Path, version: str) -> None:
    """A `git` in front of the real one that says it is of another version."""
    folder.mkdir()
    program = folder / "git"
    program.write_text(
        f'#!/bin/sh\n[ "$1" = version ] && echo "git version {version}" && exit 0\nexec /usr/bin/git "$@"\n'
    )
    program.chmod(0o755)


def test_git_too_old(repo: RepoBuilder, tmp_path: Path) -> None:
    repo.commit({".waves/plan.yaml": GOOD})
    fake_git(tmp_path / "bin", "2.37.1")
    repo.environment["PATH"] = f"{tmp_path / 'bin'}:{repo.environment['PATH']}"
    assert_refused(repo, "run", exit=4, says="git 2.37.1 is too old")


def test_a_dirty_checkout_is_allowed_and_untouched(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": GOOD, "a": "1\n"})
    repo.write({"a": "dirty\n", "untracked": "x\n"})
    repo.git("add", "untracked")
    before = digest_of_users_things(repo)
    repo.waves("run")
    assert digest_of_users_things(repo) == before
    assert repo.git("show", "refs/waves/integration/p:a") == "1"


def test_a_log_that_cannot_be_written_stops_the_run_and_the_next_one_goes_on(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1"), task("t2", needs=("t1",)))})
    limited = (
        "import resource, runpy, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2200, resource.RLIM_INFINITY))\n"
        "sys.argv = ['git-waves', 'run']\n"
        "runpy.run_module('git_waves', run_name='__main__')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", limited],
        cwd=repo.folder,
        env={**repo.environment, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (3, 4), done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    repo.waves("run")
    assert repo.git("show", "refs/waves/integration/p:t2.txt") == "t2"
