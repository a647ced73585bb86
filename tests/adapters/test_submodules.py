"""A filled submodule goes with its worktree only when nothing in it would be lost."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from git_waves.adapters.git import Git
from git_waves.adapters.submodules import is_expendable
from tests.support.repo import RepoBuilder


@pytest.mark.long
@pytest.mark.parametrize(
    ("doing", "is_lost"),
    [
        ("true", False),
        ("echo x > ignored.log", False),
        ("git checkout -q --detach; git status", False),
        ("echo x > new.txt", True),
        ("echo x >> lib.txt", True),
        ("rm lib.txt", True),
        ("git commit -q --allow-empty -m x", True),
        ("git commit -q --allow-empty -m x; git branch -f kept; git checkout -q @{u}", True),
        ("echo x >> lib.txt; git stash -q", True),
        ("rm .git; git init -q", True),
    ],
)
def test_what_is_nowhere_else_keeps_it(
    repo: RepoBuilder, tmp_path: Path, environment: dict[str, str], doing: str, is_lost: bool
) -> None:
    library = RepoBuilder(tmp_path / "library", environment)
    library.commit({"lib.txt": "lib\n", ".gitignore": "*.log\n"})
    local = ("-c", "protocol.file.allow=always")
    repo.git(*local, "submodule", "--quiet", "add", "-b", "main", str(library.folder), "lib")
    repo.git("commit", "-qm", "lib")
    folder = tmp_path / "worktree"
    repo.git("worktree", "add", "-q", "--detach", str(folder))
    repo.git(*local, "submodule", "--quiet", "update", "--init", cwd=folder)
    subprocess.run(["sh", "-c", doing], cwd=folder / "lib", env=environment, check=False, capture_output=True)
    assert is_expendable(Git(repo.folder / ".git"), folder / "lib", scratch=tmp_path) is not is_lost
    assert not list(tmp_path.glob("submodule-*"))


def test_the_users_own_submodule_never_goes(
    repo: RepoBuilder, tmp_path: Path, environment: dict[str, str]
) -> None:
    library = RepoBuilder(tmp_path / "library", environment)
    library.commit({"lib.txt": "lib\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.folder), "lib")
    assert not is_expendable(Git(repo.folder / ".git"), repo.folder / "lib", scratch=tmp_path)
