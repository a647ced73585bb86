"""The one setting a run may add to the shared configuration: safe for every kind of repository, taken back exactly."""

from __future__ import annotations

from pathlib import Path

import pytest

from git_waves.adapters.git import Git
from git_waves.adapters.worktree_config import (
    NothingToTakeBack,
    StillInUse,
    TakenBack,
    disable_worktree_config,
    enable_worktree_config,
)
from git_waves.errors import SurroundingsError
from tests.support.repo import RepoBuilder


def configuration(common: Path) -> dict[str, bytes]:
    """Every configuration file of the repository."""
    return {str(path): path.read_bytes() for path in sorted(common.rglob("config*")) if path.is_file()}


def switch_on(common: Path) -> bool:
    return enable_worktree_config(Git(common), common)


def switch_off(common: Path) -> TakenBack | NothingToTakeBack | StillInUse:
    return disable_worktree_config(Git(common), common)


def test_it_is_turned_on_once_and_taken_back_byte_for_byte(repo: RepoBuilder) -> None:
    common = repo.folder / ".git"
    with (common / "config").open("a") as file:
        file.write('; a comment\n[Alias]   x =  "y" ; kept as it is\n')
    before = configuration(common)
    assert switch_on(common)
    assert repo.git("config", "extensions.worktreeConfig") == "true"
    assert not switch_on(common)
    assert switch_off(common) == TakenBack(is_exact=True)
    assert configuration(common) == before
    assert switch_off(common) == NothingToTakeBack()


def test_a_repository_that_has_it_on_already_is_left_alone(repo: RepoBuilder) -> None:
    repo.git("config", "extensions.worktreeConfig", "yes")
    before = configuration(repo.folder / ".git")
    assert not switch_on(repo.folder / ".git")
    assert switch_off(repo.folder / ".git") == NothingToTakeBack()
    assert configuration(repo.folder / ".git") == before


def test_a_bare_repository_stays_bare_and_its_worktrees_work(repo: RepoBuilder, tmp_path: Path) -> None:
    repo.commit({"a": "1"})
    bare = tmp_path / "bare.git"
    repo.git("clone", "--quiet", "--bare", str(repo.folder), str(bare))
    before = configuration(bare)
    assert switch_on(bare)
    repo.git("worktree", "add", "--quiet", str(tmp_path / "linked"), cwd=bare)
    assert repo.git("rev-parse", "--is-bare-repository", cwd=bare) == "true"
    assert repo.git("rev-parse", "--is-bare-repository", cwd=tmp_path / "linked") == "false"
    assert repo.git("status", "--porcelain", cwd=tmp_path / "linked") == ""
    repo.git("worktree", "remove", str(tmp_path / "linked"), cwd=bare)
    assert switch_off(bare) == TakenBack(is_exact=True)
    assert configuration(bare) == before


def test_a_repository_with_its_work_tree_elsewhere_keeps_it_to_itself(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    repo.commit({"a": "1"})
    common = tmp_path / "elsewhere.git"
    (repo.folder / ".git").rename(common)
    (repo.folder / ".git").write_text(f"gitdir: {common}\n")
    repo.git("config", "core.worktree", "../repo")
    before = configuration(common)
    assert switch_on(common)
    assert repo.git("rev-parse", "--show-toplevel") == str(repo.folder)
    assert repo.git("status", "--porcelain") == ""
    repo.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    assert repo.git("rev-parse", "--show-toplevel", cwd=tmp_path / "linked") == str(tmp_path / "linked")
    repo.git("worktree", "remove", str(tmp_path / "linked"))
    assert switch_off(common) == TakenBack(is_exact=True)
    assert configuration(common) == before


def test_what_others_changed_meanwhile_stays(repo: RepoBuilder, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    repo.git("init", "--quiet", "--bare", str(bare))
    assert switch_on(bare)
    repo.git("config", "user.name", "Somebody", cwd=bare)
    assert switch_off(bare) == TakenBack(is_exact=False)
    assert sorted(repo.git("config", "--list", "--local", cwd=bare).splitlines()) == [
        "core.bare=true",
        "core.filemode=true",
        "core.repositoryformatversion=0",
        "user.name=Somebody",
    ]
    assert not (bare / "config.worktree").exists()


def test_settings_that_need_it_keep_it_on(repo: RepoBuilder, tmp_path: Path) -> None:
    repo.commit({"a": "1"})
    common = repo.folder / ".git"
    switch_on(common)
    repo.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    repo.git("config", "--worktree", "user.name", "here", cwd=tmp_path / "linked")
    repo.git("config", "--worktree", "user.name", "there")
    before = configuration(common)
    linked = common / "worktrees/linked/config.worktree"
    assert switch_off(common) == StillInUse(files=(common / "config.worktree", linked))
    assert configuration(common) == before
    repo.git("worktree", "remove", str(tmp_path / "linked"))
    repo.git("config", "--worktree", "--unset", "user.name")
    assert switch_off(common) == TakenBack(is_exact=True)


def test_dormant_settings_are_not_brought_to_life(repo: RepoBuilder) -> None:
    common = repo.folder / ".git"
    (common / "config.worktree").write_text("[core]\n\tbare = true\n")
    before = configuration(common)
    with pytest.raises(SurroundingsError, match="holds settings that are not in use, and would be"):
        switch_on(common)
    assert configuration(common) == before


def test_a_locked_configuration_is_not_touched(repo: RepoBuilder) -> None:
    common = repo.folder / ".git"
    (common / "config.lock").touch()
    before = (common / "config").read_bytes()
    with pytest.raises(SurroundingsError, match=r"config' is locked by '.*config\.lock'"):
        switch_on(common)
    assert (common / "config").read_bytes() == before
    (common / "config.lock").unlink()
    assert switch_on(common), "what the failed attempt left is ours and no hindrance"
    assert switch_off(common) == TakenBack(is_exact=True)
    assert not (common / "config.worktree").exists()


def test_a_migration_that_was_killed_before_the_swap_is_taken_back_too(repo: RepoBuilder) -> None:
    common = repo.folder / ".git"
    before = configuration(common)
    (common / "config.lock").touch()
    with pytest.raises(SurroundingsError):
        switch_on(common)
    (common / "config.lock").unlink()
    assert switch_off(common) == TakenBack(is_exact=True)
    assert configuration(common) == before


def test_the_mode_of_the_configuration_and_a_link_to_it_are_kept(repo: RepoBuilder, tmp_path: Path) -> None:
    common = repo.folder / ".git"
    real = tmp_path / "real-config"
    (common / "config").rename(real)
    (common / "config").symlink_to(real)
    real.chmod(0o600)
    assert switch_on(common)
    assert (common / "config").is_symlink()
    assert real.stat().st_mode & 0o777 == 0o600
