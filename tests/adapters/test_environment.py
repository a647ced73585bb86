"""What a supervised command inherits, and what git then does in it."""

from __future__ import annotations

import subprocess

import pytest

from git_waves.adapters.process import environment
from tests.support.repo import RepoBuilder


def test_variables_that_point_git_elsewhere_and_those_of_a_run_around_us_are_gone(
    repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = subprocess.run(
        ["git", "rev-parse", "--local-env-vars"], capture_output=True, text=True, check=True
    )
    pointing = set(names.stdout.split()) - {"GIT_CONFIG_COUNT"}
    for name in pointing | {"WAVES_TASK", "WAVES_COOKIE"}:
        monkeypatch.setenv(name, "elsewhere")
    made = environment({"WAVES_PLAN": "p"})
    assert not pointing & set(made)
    assert {name: value for name, value in made.items() if name.startswith("WAVES_")} == {"WAVES_PLAN": "p"}
    assert made["HOME"] == repo.environment["HOME"]


def test_the_users_identity_stays(repo: RepoBuilder) -> None:
    made = environment({})
    for name in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_DATE"):
        assert made[name] == repo.environment[name]


def git_settings(repo: RepoBuilder, made: dict[str, str]) -> list[str]:
    done = subprocess.run(
        ["git", "config", "--show-scope", "--list"],
        cwd=repo.folder,
        env=made,
        capture_output=True,
        text=True,
        check=True,
    )
    return [line.partition("\t")[2] for line in done.stdout.splitlines() if line.startswith("command")]


def test_git_reads_our_settings_behind_the_users_own(
    repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert git_settings(repo, environment({})) == ["core.fsync=committed", "gc.auto=0"]
    monkeypatch.setenv("GIT_CONFIG_COUNT", "2")
    for index, (key, value) in enumerate({"safe.directory": "*", "gc.auto": "1"}.items()):
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{index}", key)
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{index}", value)
    made = environment({}, settings={"core.hooksPath": "/hooks"})
    assert git_settings(repo, made) == [
        "safe.directory=*",
        "gc.auto=1",
        "core.fsync=committed",
        "gc.auto=0",
        "core.hookspath=/hooks",
    ]


@pytest.mark.parametrize("count", ["", "x", "-1", "3", "99999999999"])
def test_settings_that_are_not_whole_are_left_out(
    repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch, count: str
) -> None:
    monkeypatch.setenv("GIT_CONFIG_COUNT", count)
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "safe.directory")
    assert git_settings(repo, environment({})) == ["core.fsync=committed", "gc.auto=0"]


def test_git_never_waits_for_a_person(repo: RepoBuilder) -> None:
    repo.commit({"a": "1"})
    repo.git("config", "core.editor", "sleep 600")
    repo.git("config", "sequence.editor", "sleep 600")
    commit = subprocess.run(
        ["git", "commit", "--amend"], cwd=repo.folder, env=environment({}), timeout=20, check=False
    )
    assert commit.returncode == 0
    fill = subprocess.run(
        ["git", "credential", "fill"],
        input="protocol=https\nhost=example.invalid\n\n",
        cwd=repo.folder,
        env=environment({}),
        timeout=20,
        text=True,
        capture_output=True,
        check=False,
    )
    assert "password=\n" in fill.stdout, "answered at once, with nothing"
