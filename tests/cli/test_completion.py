"""Completion, by the function and in the shells that are here."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from git_waves.cli.completion import FOLDER, SHELLS
from git_waves.core.completing import candidates
from git_waves.core.fold import RunState, fold
from tests.cli.conftest import Waves
from tests.support.plans import plan, task
from tests.support.repo import RepoBuilder
from tests.support.scenes import Scene

GIT_COMPLETION = Path("/usr/share/bash-completion/completions/git")


@pytest.fixture
def state(tmp_path: Path) -> RunState:
    from git_waves.adapters.eventlog import read_events

    scene = Scene(tmp_path)
    scene.begin({"core": [["t1", "t2"]], "wiring": [["menu"]]}, gates=("tests",))
    return fold(read_events(scene.run_dir.events)[0])


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("st", ["status", "stop"]),
        ("hooks ", ["uninstall"]),
        ("help sh", ["show"]),
        ("man ru", ["run"]),
        ("man --i", ["--install"]),
        ("completion z", ["zsh"]),
        ("show t", ["t1", "t2"]),
        ("log g", ["gate:tests"]),
        ("retry m", ["menu"]),
        ("run --on", ["--on-failure", "--only"]),
        ("run --only t", ["t1", "t2"]),
        ("run --until-group ", ["core", "wiring"]),
        ("run --scheduler=d", ["--scheduler=dag-parallel"]),
        ("plan --max ", []),
        ("plan docs/", []),
        ("no-such-command x", []),
        ("status --plan ", ["demo"]),
    ],
)
def test_what_may_follow(state: RunState, typed: str, found: list[str]) -> None:
    assert candidates(typed.split(" "), state) == found


def test_without_a_run_there_are_still_commands_and_options() -> None:
    assert "run" in candidates([""], None)
    assert candidates(["show", ""], None) == []


def test_each_shell_has_a_script_and_another_one_has_not(waves: Waves) -> None:
    assert all(
        (FOLDER / f"git-waves.{shell}").read_text() == waves("completion", shell).out for shell in SHELLS
    )
    assert "there is one for bash, zsh, fish" in waves("completion", "tcsh", exit=2).err


@pytest.mark.skipif(not GIT_COMPLETION.is_file(), reason="git's own completion for bash is not here")
def test_bash_completes_a_task_behind_git_and_behind_the_program_itself(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": plan(task("a-long-name"))})
    repo.waves("run")
    for line, function in (
        ("git waves show a-l", "__git_wrap__git_main"),
        ("git-waves show a-l", "_git_waves_alone"),
    ):
        words = line.split(" ")
        asked = (
            f'. {GIT_COMPLETION}; eval "$(git-waves completion bash)"; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1};'
            f"COMP_LINE='{line}'; COMP_POINT={len(line)}; {function}; printf '<%s>' \"${{COMPREPLY[@]}}\""
        )
        done = subprocess.run(
            ["bash", "-c", asked],
            cwd=repo.folder,
            env=repo.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout == "<a-long-name >", done.stderr


@pytest.mark.parametrize("shell", SHELLS)
def test_the_scripts_are_well_formed(shell: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not here")
    subprocess.run([program, "-n", str(FOLDER / f"git-waves.{shell}")], check=True)


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not here")
def test_fish_completes_a_task_and_offers_files_only_where_nothing_better_is_known(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": plan(task("a-long-name")), "a-file": ""})
    repo.waves("run")
    script = str(FOLDER / "git-waves.fish")
    for line, found in (
        ("git waves show a-", "a-long-name"),
        ("git-waves show a-", "a-long-name"),
        ("git-waves plan a-", "a-file"),
    ):
        done = subprocess.run(
            ["fish", "--no-config", "-c", f"source {script}; complete -C '{line}'"],
            cwd=repo.folder,
            env=repo.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout.split() == [found], done.stderr
