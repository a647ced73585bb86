"""`git waves doctor` on real repositories and machines: what it sees, and that it starts nothing of the repository."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from git_waves.adapters.filesystem import file_system
from git_waves.adapters.machine import find_programs
from git_waves.adapters.sandbox import SandboxFact
from git_waves.core.model import Sandbox
from tests.cli.conftest import Waves
from tests.support.golden import check_golden
from tests.support.plans import plan, task
from tests.support.repo import RepoBuilder

PLAN = ".waves/plan.yaml"


def program(folder: Path, name: str, script: str) -> Path:
    """A program of that name."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def machine(repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is first in PATH, with a `man` that finds the page; nobody's agents are known."""
    folder = repo.folder.parent / "bin"
    program(folder, "man", 'test "$1" = -w && echo /usr/share/man/man1/git-waves.1')
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.setattr("git_waves.adapters.filesystem.file_system", lambda _: "ext4")
    monkeypatch.setattr("git_waves.doctoring.file_system", lambda _: "ext4")
    fences = (
        SandboxFact(kind=Sandbox.LANDLOCK, level="landlock, ABI 7", leaves="not refused: reading"),
        SandboxFact(kind=Sandbox.BWRAP, reason="cannot find the program 'bwrap'", hint="install bubblewrap"),
    )
    monkeypatch.setattr("git_waves.doctoring.sandbox_facts", lambda **_: fences)
    return folder


def levels(waves: Waves, *, exit: int = 0) -> dict[str, tuple[str, str, str]]:
    """Level, message and next of each check."""
    found = json.loads(waves("doctor", "--json", exit=exit).out)
    assert found["well"] == (exit == 0)
    return {one["name"]: (one["level"], one["message"], one["next"]) for one in found["checks"]}


def test_a_repository_that_is_ready(repo: RepoBuilder, waves: Waves, machine: Path, tmp_path: Path) -> None:
    program(machine, "claude", "echo '2.1.328 (Claude Code)'")
    repo.commit({PLAN: plan(task("t1"))})
    out = waves("doctor").out
    lines = [
        line for line in out.splitlines() if ("  git: " in line or "git-waves: " in line or "disk: " in line)
    ]
    stable = "\n".join(line for line in out.splitlines() if line not in lines) + "\n"
    assert [line.split()[0] for line in lines] == ["ok"] * 3
    check_golden("doctor/ready.txt", stable, replace={str(tmp_path): "<place>"})


def test_an_empty_repository_on_a_bare_machine(waves: Waves, machine: Path) -> None:
    (machine / "man").write_text("#!/bin/sh\nexit 16\n", encoding="utf-8")
    found = levels(waves, exit=1)
    assert found["base"] == (
        "problem",
        "the repository has no commit yet",
        "git commit --allow-empty -m start",
    )
    assert found["agents"][0] == "warning"
    assert found["manual"][2] == "git waves man --install"
    assert found["plan"][2] == "'git waves init' writes one to start from"


@pytest.mark.usefixtures("machine")
def test_outside_of_a_repository_only_the_machine_is_judged(waves: Waves, tmp_path: Path) -> None:
    out = waves("doctor", cwd=tmp_path).out
    assert f"note     repository: '{tmp_path}' is in none" in out
    assert "base:" not in out


@pytest.mark.usefixtures("machine")
def test_what_earlier_gits_left_is_found(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({"a.txt": "a"})
    repo.git("worktree", "add", "--quiet", "../other")
    (repo.folder / ".git/worktrees/other/commondir").write_text("")
    lock = repo.folder / ".git/index.lock"
    lock.touch()
    repo.git("config", "core.hooksPath", ".husky/_")
    found = levels(waves, exit=1)
    assert (
        found["worktrees"][1]
        == f"'{repo.folder}/.git/worktrees/other/commondir' is empty, which stops git in the whole repository"
    )
    assert found["locks"][0] == "problem"
    assert found["locks"][2] == f"rm '{lock}'"
    assert found["hooks"][1] == "core.hooksPath is '.husky/_', which is not there: your own hooks do not run"


@pytest.mark.usefixtures("machine")
def test_a_checkout_that_became_a_bare_repository(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({"a.txt": "a"})
    repo.git("config", "core.bare", "true")
    level, message, hint = levels(waves, exit=1)["repository"]
    assert level == "problem"
    assert message == f"core.bare is true in '{repo.folder}/.git/config', and there is a checkout"
    repo.git(*hint.replace("'", "").split()[1:])
    assert levels(waves)["repository"][0] == "ok"


@pytest.mark.usefixtures("machine")
def test_a_plan_that_cannot_be_read_is_a_problem(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({"a.txt": ""})
    repo.write({PLAN: "version: 1\nname: p\nfoo: 1\ntasks: [{id: a, run: x, bar: 1}]\n"})
    level, message, hint = levels(waves, exit=1)["plan"]
    assert (level, hint) == ("problem", "'git waves plan' shows it all")
    assert message.startswith("'.waves/plan.yaml:3': ")
    assert message.endswith("(and 1 more)")
    assert levels(waves, exit=1)["work tree"][0] == "ok", "a plan need not be committed"


def test_nothing_of_the_repository_is_executed(
    repo: RepoBuilder, waves: Waves, machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = f"echo \"$0\" >> '{tmp_path}/sprung'"
    tools = repo.folder / "node_modules/.bin"
    for name in ("claude", "codex", "man", "node"):
        program(tools, name, trap)
    (tools / "trap").write_text(f"#!/bin/sh\n{trap}\ncat\n", encoding="utf-8")
    (tools / "trap").chmod(0o755)
    program(machine, "aider", "exec node")  # an interpreter that PATH would lead into the repository
    repo.commit({PLAN: plan(task("t1")), ".gitattributes": "*.txt filter=trap\n", "a.txt": "a"})
    for hook in ("post-index-change", "reference-transaction", "post-checkout"):
        program(repo.folder / ".git/hooks", hook, trap)
    for setting in (
        "filter.trap.clean",
        "filter.trap.process",
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
    ):
        repo.git("config", setting, str(tools / "trap"))
    repo.write({"a.txt": "b"})
    (tmp_path / "sprung").unlink(missing_ok=True)
    monkeypatch.setenv("PATH", f"{tools}:node_modules/.bin:{os.environ['PATH']}")
    found = levels(waves)
    assert "lies in the repository" in found["agent claude"][1]
    assert found["agent aider"][1].startswith("says no version")
    assert "'a.txt'" in found["work tree"][1]
    assert not (tmp_path / "sprung").exists()


def test_a_program_that_hangs_is_left_after_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, "codex", "sleep 60 & sleep 60")
    monkeypatch.setattr("git_waves.adapters.machine._PATIENCE", 0.1)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    (found,) = find_programs(["codex", "no-such-program"], repositories=[])
    assert (found.name, found.version, found.is_inside) == ("codex", "", False)


def test_the_kind_of_a_file_system_is_the_kernels_word() -> None:
    if Path("/proc/self/mountinfo").exists():
        assert file_system(Path("/proc")) == "proc"
        assert file_system(Path("/")) != ""


@pytest.mark.usefixtures("machine")
def test_what_worktrees_will_lack_is_told_until_the_plan_says_it(repo: RepoBuilder, waves: Waves) -> None:
    files = {".gitignore": "node_modules/\n.env\n", "package-lock.json": "{}\n", PLAN: plan(task("t1"))}
    repo.commit(files)
    repo.write({"node_modules/a/index.js": "", ".env": "KEY=1\n"})
    found = json.loads(waves("doctor", "--json").out)["checks"]
    assert [(one["level"], one["next"]) for one in found if one["name"] == "environment"] == [
        ("note", "in the plan: setup: npm ci"),
        ("note", "in the plan: include: [/.env]"),
    ]
    repo.commit({PLAN: plan(task("t1"), head="setup: npm ci\n"), ".worktreeinclude": ".env\n"})
    assert "environment" not in levels(waves)
