"""Tools that hook into git, the real ones, in whole runs: lefthook's hooks on agents' commits, Git LFS in every worktree."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.digest import digest_of_users_things
from tests.support.plans import plan, task
from tests.support.repo import RepoBuilder
from tests.tools.programs import from_npm, git_lfs, with_program

pytestmark = pytest.mark.tools
INTEGRATION = "refs/waves/integration/p"


def test_lefthook_runs_in_a_task_worktree_in_front_of_our_check(repo: RepoBuilder, tmp_path: Path) -> None:
    program = from_npm("lefthook@2.2.1", "lefthook")
    with_program(repo.environment, program)
    note = tmp_path / "note"
    hooks = f"pre-commit:\n  commands:\n    note:\n      run: echo {{staged_files}} >> {note}\n"
    agent = (
        "echo t1 > t1.txt; echo x > foreign.txt; git add .; git commit -qm both && exit 8;"
        " git rm -qf --cached foreign.txt; rm foreign.txt; git commit -qm mine || exit 7"
    )
    repo.commit({"lefthook.yml": hooks, ".waves/plan.yaml": plan(task("t1", run=agent))})
    repo.git("config", "user.name", "A U Thor")
    done = subprocess.run(
        [program, "install"],
        cwd=repo.folder,
        env=repo.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    before = digest_of_users_things(repo)
    repo.waves("run")
    assert digest_of_users_things(repo) == before
    assert note.read_text().splitlines() == ["foreign.txt t1.txt", "t1.txt"]
    assert repo.git("show", f"{INTEGRATION}:t1.txt") == "t1"


def test_git_lfs_files_are_whole_in_worktrees_and_pointers_in_commits(repo: RepoBuilder) -> None:
    with_program(repo.environment, git_lfs())
    repo.git("lfs", "install", "--local")
    text = plan(
        task(
            "a",
            run="test $(wc -c < a.bin) = 50000 && head -c 60000 /dev/zero > a.bin && git commit -qam a",
            files="[a.bin]",
        ),
        task("b", run="head -c 70000 /dev/zero > b.bin", files="[b.bin]"),
        task("c", needs=["a", "b"], run="cat a.bin b.bin | wc -c > c.txt", extra="verify: test -s c.txt"),
        head="gates:\n  whole: test $(wc -c < a.bin) = 60000 || test $(wc -c < a.bin) = 50000\n",
    )
    repo.commit(
        {
            ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n",
            "a.bin": b"\1" * 50_000,
            ".waves/plan.yaml": text,
        }
    )
    assert repo.git("show", "HEAD:a.bin").startswith("version https://git-lfs")
    hooks = sorted(path.name for path in (repo.folder / ".git/hooks").iterdir())
    before = digest_of_users_things(repo)
    repo.waves("run")
    assert digest_of_users_things(repo) == before
    assert repo.git("show", f"{INTEGRATION}:c.txt").strip() == "130000"
    for name, size in (("a.bin", 60_000), ("b.bin", 70_000)):
        assert f"size {size}" in repo.git("show", f"{INTEGRATION}:{name}")
    assert sorted(path.name for path in (repo.folder / ".git/hooks").iterdir()) == hooks
    assert not (repo.folder.parent / "repo.waves").exists()
    repo.git("merge", "-q", "waves/p/integration")
    assert (repo.folder / "b.bin").stat().st_size == 70_000
