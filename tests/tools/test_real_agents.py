"""Real agent programs do a task in a real run: started by their names, against a model that does what the prompt says."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.support.repo import ROOT, RepoBuilder
from tests.tools.installed import environment_for
from tests.tools.stub_model import stub_model

pytestmark = pytest.mark.tools

_MODEL = {"mini-swe-agent": ", model: openai/stub"}
_PROGRAM = {"mini-swe-agent": "mini"}


@pytest.fixture
def address() -> Iterator[str]:
    """A model server of the test's own."""
    with stub_model() as server:
        yield server


def variables(repo: RepoBuilder, agent: str, address: str) -> dict[str, str]:
    home = Path(repo.environment["HOME"])
    found = environment_for(_PROGRAM.get(agent, agent), home, address)
    path = f"{found['PATH'].partition(os.pathsep)[0]}{os.pathsep}{repo.environment['PATH']}"
    return {**found, "PATH": path}


def run(repo: RepoBuilder, agent: str, prompt: str, environment: Mapping[str, str], *, exit: int = 0) -> str:
    """A run of one task that owns `hello.txt`; everything it said."""
    write_plan(repo, agent, prompt)
    done = repo.run_waves("run", environment=environment)
    assert done.returncode == exit, done.stdout + done.stderr
    return done.stdout


def write_plan(repo: RepoBuilder, agent: str, prompt: str) -> None:
    repo.commit(
        {
            ".waves/plan.yaml": "version: 1\nname: p\n"
            f"agent: {{use: {agent}{_MODEL.get(agent, '')}}}\n"
            "tasks:\n- id: hello\n  files: {create: [hello.txt]}\n  prompt: |\n"
            + "".join(f"    {line}\n" for line in prompt.splitlines())
        }
    )


@pytest.mark.parametrize("agent", ["claude", "codex", "opencode", "mini-swe-agent"])
def test_a_real_agent_does_its_task_and_its_commit_is_integrated(
    repo: RepoBuilder, address: str, agent: str
) -> None:
    commands = "echo hello > hello.txt", "git add hello.txt && git commit -q -m 'by the agent'"
    steps = [f"[[stub:sh {command}]]" for command in commands]
    if agent == "mini-swe-agent":  # this is how it is told that it is through
        steps.append("[[stub:sh echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT]]")
    told = run(repo, agent, "\n".join(steps), variables(repo, agent, address))
    assert repo.git("show", "waves/p/integration:hello.txt") == "hello"
    assert "by the agent" in repo.git("log", "--format=%s", "waves/p/integration")
    assert agent == "mini-swe-agent" or "tokens" in told
    assert repo.git("status", "--porcelain") == ""


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_a_real_agent_that_did_nothing_is_not_done(repo: RepoBuilder, address: str, agent: str) -> None:
    prompt = "[[stub:final I cannot help with that.]]"
    told = run(repo, agent, prompt, variables(repo, agent, address), exit=1)
    assert "the agent ended well and changed nothing: I cannot help with that." in told


def test_a_real_agent_that_is_not_logged_in_says_so(repo: RepoBuilder, address: str) -> None:
    environment = variables(repo, "claude", address)
    told = run(repo, "claude", "[[stub:status 401]]", environment, exit=3)
    assert "its login" in told
    assert "hint: log in with 'claude auth login', then 'git waves retry hello'" in told


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_a_real_agent_that_was_ended_goes_on_in_its_session(
    repo: RepoBuilder, address: str, agent: str
) -> None:
    environment = variables(repo, agent, address)
    first = "[[stub:sh test -e hello.txt || { echo hello > hello.txt; sleep 300; }]]"
    write_plan(repo, agent, f"{first} [[stub:sh git add hello.txt && git commit -q -m 'by the agent']]")
    whole = {**repo.environment, **environment, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-m", "git_waves", "run"], cwd=repo.folder, env=whole, stdout=subprocess.DEVNULL
    ) as coordinator:
        begun = repo.folder.with_name("repo.waves") / "p/hello.1/hello.txt"
        while not begun.exists():
            assert coordinator.poll() is None, "it ended before its agent did anything"
            time.sleep(0.05)
        repo.waves("stop", "--now", environment=environment)
    told = repo.waves("run", environment=environment)
    assert "resumed: its agent goes on in its worktree, with its session" in told
    assert "by the agent" in repo.git("log", "--format=%s", "waves/p/integration")
