"""Real agent programs do a task in a real run: started by their names, against a model that does what the prompt says."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from git_waves.adapters import sandbox
from git_waves.core.model import Sandbox
from tests.support.repo import ROOT, RepoBuilder
from tests.tools.installed import FOLDER, environment_for
from tests.tools.stub_model import stub_model

pytestmark = pytest.mark.tools

# Codex has a tool for edits with models that it knows, Gemini CLI chooses one by asking another; the server is all of them.
_MODEL = {
    "aider": ", model: openai/stub",
    "codex": ", model: gpt-5.5",
    "gemini": ", model: gemini-2.5-pro",
    "mini-swe-agent": ", model: openai/stub",
}
_PROGRAM = {"mini-swe-agent": "mini"}


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Not below the temporary folder: Codex has no sandbox there, and Gemini CLI trusts no settings that lie there."""
    if not FOLDER.is_dir():
        pytest.skip(f"there is no '{FOLDER}': make test-tools makes it")
    place = Path(tempfile.mkdtemp(prefix="test-", dir=FOLDER))
    yield place
    shutil.rmtree(place, ignore_errors=True)


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


def write_plan(
    repo: RepoBuilder, agent: str, prompt: str, *, more: str = "", head: str = "", options: str = ""
) -> None:
    """A plan of the task, and of `more` tasks; `head` says more of the plan, `options` of the agent."""
    repo.commit(
        {
            ".waves/plan.yaml": f"version: 1\nname: p\n{head}"
            f"agent: {{use: {agent}{_MODEL.get(agent, '')}{options}}}\n"
            f"tasks:\n{more}- id: hello\n  files: {{create: [hello.txt]}}\n  prompt: |\n"
            + "".join(f"    {line}\n" for line in prompt.splitlines())
        }
    )


def whole_task(agent: str, first: str = "true") -> str:
    """A prompt that has the task done; `first` is a command that the agent gives its shell before."""
    if agent == "aider":  # it has no shell, and commits by itself
        return "[[stub:write hello.txt hello]]"
    commands = f"{first}; echo hello > hello.txt", "git add hello.txt && git commit -q -m 'by the agent'"
    steps = [f"[[stub:sh {command}]]" for command in commands]
    if agent == "mini-swe-agent":  # this is how it is told that it is through
        steps.append("[[stub:sh echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT]]")
    return "\n".join(steps)


@pytest.mark.parametrize("agent", ["claude", "codex", "gemini", "opencode", "aider", "mini-swe-agent"])
def test_a_real_agent_does_its_task_and_its_commit_is_integrated(
    repo: RepoBuilder, address: str, agent: str
) -> None:
    told = run(repo, agent, whole_task(agent), variables(repo, agent, address))
    assert repo.git("show", "waves/p/integration:hello.txt") == "hello"
    said = "hello.txt" if agent == "aider" else "by the agent"
    assert said in repo.git("log", "--format=%s", "waves/p/integration")
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


@pytest.mark.parametrize("agent", ["claude", "codex", "gemini", "opencode"])
def test_a_real_agent_is_refused_an_edit_of_a_foreign_path_at_once_and_told_whose_it_is(
    repo: RepoBuilder, address: str, agent: str
) -> None:
    if agent == "gemini" and (open_to_others := _writable_by_others(repo.folder)):
        pytest.skip(f"Gemini CLI takes no settings below '{open_to_others}', which others may write")
    other = "- {id: other, files: {create: [foreign.txt]}, run: echo theirs > foreign.txt}\n"
    prompt = (
        "[[stub:write foreign.txt mine]]\n[[stub:write hello.txt hello]]\n"
        "[[stub:sh test ! -e foreign.txt && git add . && git commit -q -m 'by the agent']]"
    )
    environment = variables(repo, agent, address)
    write_plan(repo, agent, prompt, more=other)
    repo.waves("run", environment=environment)
    log = repo.waves("log", "hello")
    assert "'foreign.txt' belongs to task 'other', not to task 'hello'" in log
    assert "git waves request foreign.txt" in log
    assert repo.git("show", "waves/p/integration:foreign.txt") == "theirs"
    assert repo.git("show", "waves/p/integration:hello.txt") == "hello"


def _writable_by_others(place: Path) -> Path | None:
    return next((folder for folder in place.parents if folder.stat().st_mode & 0o022), None)


def _behind(kind: str, agent: str) -> object:
    fact = sandbox.fact_of(Sandbox(kind))
    why = f"no {kind} here: {fact.reason}"
    return pytest.param(
        kind, agent, id=f"{agent}-{kind}", marks=pytest.mark.skipif(not fact.is_available, reason=why)
    )


@pytest.mark.parametrize(
    ("kind", "agent"),
    [
        *(
            _behind("landlock", one)
            for one in ("claude", "codex", "gemini", "opencode", "aider", "mini-swe-agent")
        ),
        *(
            _behind("bwrap", one)
            for one in ("claude", "codex", "gemini", "opencode", "aider", "mini-swe-agent")
        ),
    ],
)
def test_a_real_agent_does_its_task_behind_the_fence_and_writes_nothing_outside_of_it(
    repo: RepoBuilder, address: str, kind: str, agent: str
) -> None:
    environment = variables(repo, agent, address)
    outside = [repo.folder / "evil", repo.folder.parent / "evil", Path(repo.environment["HOME"]) / "evil"]
    tries = "; ".join(f"echo x > '{path}' || echo kept out" for path in outside)
    # aider runs no command of its model's, but one of its user's after each edit
    options = f", args: {json.dumps(['--auto-test', '--test-cmd', tries])}" if agent == "aider" else ""
    write_plan(repo, agent, whole_task(agent, tries), head=f"sandbox: {kind}\n", options=options)
    done = repo.run_waves("run", environment=environment)
    assert done.returncode == 0, done.stdout + repo.waves("log", "hello")
    assert repo.git("show", "waves/p/integration:hello.txt") == "hello"
    assert [path for path in outside if path.exists()] == []
    assert repo.waves("log", "hello").count("kept out") >= len(outside)
