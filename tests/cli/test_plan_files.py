"""`git waves init` writes a plan that works, and `plan --stamp` changes one line of one."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cli.conftest import Waves
from tests.support.plans import phase3, plan, task
from tests.support.repo import RepoBuilder

PLAN = ".waves/plan.yaml"


def test_the_first_two_commands_of_a_new_user_work(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({"README": "hello\n"})
    assert (
        waves("init").out
        == "wrote '.waves/plan.yaml'\n  base: 'main'\nnext: edit it, then 'git waves plan'\n"
    )
    assert "2 tasks in 1 group" in waves("plan").out
    waves("run", "-q")
    assert repo.git("show", "waves/repo/integration:notes/first.txt") == "first"


def test_init_never_writes_over_a_plan(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: "mine\n"})
    err = waves("init", exit=2).err
    assert err.endswith("plan.yaml' already exists\nhint: 'git waves plan' shows what is in it\n")
    assert (repo.folder / PLAN).read_text() == "mine\n"


def test_init_writes_where_it_is_told(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({"src/x": ""})
    text = waves("init", "plans/my plan.yaml", cwd=repo.folder / "src").out
    assert text == (
        "wrote 'plans/my plan.yaml'\n  base: 'main'\nnext: edit it, then git waves plan 'plans/my plan.yaml'\n"
    )
    assert (repo.folder / "src/plans/my plan.yaml").is_file()
    repo.git("config", "waves.plan", "elsewhere.yaml")
    waves("init")
    assert (repo.folder / "elsewhere.yaml").is_file()


def test_init_asks_nothing_that_it_can_find_out(
    repo: RepoBuilder, waves: Waves, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = repo.commit(
        {
            "package.json": '{"scripts": {"test": "node --test"}}',
            "package-lock.json": "{}",
            "Makefile": "lint:\n\ttrue\n",
        }
    )
    repo.git("checkout", "-q", "--detach", base)
    monkeypatch.setattr("git_waves.agents.KNOWN", frozenset({"claude", "codex"}))
    monkeypatch.setattr("git_waves.plan_files.shutil.which", lambda name: name if name == "codex" else None)
    assert waves("init").out == (
        "wrote '.waves/plan.yaml'\n"
        "  base: 'main'\n"
        "  installed: codex; name one as 'agent:'\n"
        "  gate, if you want it: 'make lint', because the Makefile has a target 'lint'\n"
        "  gate, if you want it: 'npm test', because package.json has a script 'test'\n"
        "next: edit it, then 'git waves plan'\n"
    )
    text = (repo.folder / PLAN).read_text(encoding="utf-8")
    assert "# agent: codex   # it is installed here\n" in text
    assert "  # tests: npm test   # package.json has a script 'test'\n" in text
    assert "#   - npm ci   # there is a package-lock.json\n" in text


def test_init_where_nothing_can_be_written(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({"file": ""})
    assert "cannot write 'file/plan.yaml'" in waves("init", "file/plan.yaml", exit=2).err


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("version: 1\nname: p\n", "version: 1\nscheduler: dag-parallel\nname: p\n"),
        (
            "# why\nversion: 1   # the format\nname: p\n",
            "# why\nversion: 1   # the format\nscheduler: dag-parallel\nname: p\n",
        ),
        ("version: 1\r\nname: p\r\n", "version: 1\r\nscheduler: dag-parallel\r\nname: p\r\n"),
        (
            "version: 1\nname: p\nscheduler: sequential  # slow\n",
            "version: 1\nname: p\nscheduler: sequential  # slow\n",
        ),
    ],
    ids=["plain", "comments", "CRLF", "the author's word stays"],
)
def test_stamping_adds_one_line(repo: RepoBuilder, waves: Waves, before: str, after: str) -> None:
    tasks = phase3().partition("tasks:")[2]
    end = "\r\n" if "\r" in before else "\n"
    body = ("tasks:" + tasks).replace("\n", end)
    repo.commit({PLAN: before + body})
    waves("plan", "--stamp")
    assert (repo.folder / PLAN).read_bytes().decode() == after + body
    waves("plan", "--stamp")
    assert (repo.folder / PLAN).read_bytes().decode() == after + body, "stamping twice changes nothing"


def test_a_stamped_plan_keeps_its_mode(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({PLAN: phase3()})
    (repo.folder / PLAN).chmod(0o640)
    waves("plan", "--stamp")
    assert (repo.folder / PLAN).stat().st_mode & 0o777 == 0o640


def test_what_cannot_be_stamped_is_refused_and_left_as_it_was(repo: RepoBuilder, waves: Waves) -> None:
    flow = '{"version": 1, "name": "p", "tasks": [{"id": "a", "files": ["x"], "run": "true"}]}\n'
    repo.commit({"flow.yaml": flow, PLAN: phase3()})
    assert "cannot find the place for the scheduler" in waves("plan", "flow.yaml", "--stamp", exit=2).err
    assert (repo.folder / "flow.yaml").read_text() == flow
    assert "is no file of the work tree" in waves("plan", f"HEAD:{PLAN}", "--stamp", exit=2).err
    assert "is no file of the work tree" in waves("plan", "-", "--stamp", stdin=phase3().encode(), exit=2).err


def test_a_key_inside_a_prompt_is_no_place_for_the_scheduler(repo: RepoBuilder, waves: Waves) -> None:
    text = plan(task("a", extra="prompt: |\n  scheduler: nonsense\n  version: 7"), task("b"))
    text = text.replace("    run: |\n      echo a > a.txt\n", "    run: echo a > a.txt\n")
    repo.commit({PLAN: text.replace("    run: echo a > a.txt\n", "") + "agent: {run: cat}\n"})
    waves("plan", "--stamp")
    stamped = (repo.folder / PLAN).read_text()
    assert stamped.startswith("version: 1\nscheduler: dag-parallel\n")
    assert "scheduler: nonsense" in stamped


def test_watching_needs_a_terminal(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({"a": ""})
    assert waves("status", "--watch", exit=2).err == (
        "fatal: --watch draws on a terminal, and standard output is none\nhint: git waves status\n"
    )
    assert "--watch draws for people" in waves("status", "--watch", "--json", exit=2).err


def test_the_module_and_the_script_are_the_same_program(repo: RepoBuilder) -> None:
    for argv in ([sys.executable, "-m", "git_waves"], ["git-waves"], ["git", "waves"]):
        done = subprocess.run(
            [*argv, "--version"], cwd=repo.folder, capture_output=True, text=True, check=True
        )
        assert done.stdout.startswith("git-waves ")
