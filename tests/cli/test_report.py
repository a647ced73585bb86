"""`git waves report`: which run is told, where it is written, and what of a run's folder is believed."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
from pathlib import Path

import pytest

from git_waves.adapters.rundir import RunDir, latest_run
from tests.cli.conftest import Waves
from tests.support import scenes
from tests.support.plans import plan, task
from tests.support.repo import RepoBuilder, sealed_environment
from tests.support.scenes import Scene

RED = "tests:\n    run: |\n      echo 'password=hunter2hunter2'\n      printf '\\033[31mred\\033[0m\\n'\n      exit 3\n"


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a real run that halted at a red gate, made once: reading it changes nothing."""
    folder = tmp_path_factory.mktemp("ran")
    (folder / "home").mkdir()
    repo = RepoBuilder(folder / "repo", sealed_environment(folder / "home"))
    claims = "{create: [t1.txt], modify: [docs/]}"
    repo.commit({".waves/plan.yaml": plan(task("t1", files=claims), task("t2"), head=f"gates:\n  {RED}")})
    repo.waves("run", "-q", exit=3)
    return repo.folder


@pytest.fixture
def halted(repo: RepoBuilder, ran: Path) -> RunDir:
    """The folder of that run, in a repository of the test's own."""
    shutil.copytree(ran, repo.folder, dirs_exist_ok=True)
    run_dir = latest_run(repo.folder / ".git")
    assert run_dir is not None
    return run_dir


@pytest.fixture
def shared(repo: RepoBuilder) -> Scene:
    """A run that never happened, in a repository without a commit."""
    return scenes.morning(repo.folder / ".git")


@pytest.mark.usefixtures("halted")
def test_a_real_run_is_told_from_what_it_pinned(waves: Waves) -> None:
    text = waves("report").out
    assert "# git-waves report: plan `p`" in text
    assert "**Halted: a gate is red.** 0 of 2 tasks are integrated; 2 merged." in text
    assert "- `t1` claimed and never touched `docs/`" in text
    assert "Without any waiting, these attempts take" in text
    assert "    password=[redacted]\n    red\n" in text, "the gate's log, without its secret and its colour"
    assert "hunter2hunter2" not in text


@pytest.mark.usefixtures("halted")
def test_the_page_and_the_markdown_go_where_they_are_told_to(
    waves: Waves, repo: RepoBuilder, tmp_path: Path
) -> None:
    assert waves("report", "--html", "out/r.html").out == "wrote 'out/r.html'\n"
    page = repo.folder / "out" / "r.html"
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>\n<!-- git-waves report -->\n")
    assert stat.S_IMODE(page.stat().st_mode) == 0o600, "a secret may have been overlooked"
    both = waves("report", "--html", str(tmp_path / "r.html"), "-o", str(tmp_path / "r.md")).out
    assert both == f"wrote '{tmp_path}/r.html'\nwrote '{tmp_path}/r.md'\n"
    assert (tmp_path / "r.md").read_text(encoding="utf-8") == waves("report").out


@pytest.mark.usefixtures("halted")
def test_a_report_is_written_over_a_report_and_over_nothing_else(waves: Waves, repo: RepoBuilder) -> None:
    for option in ("--html", "--output"):
        waves("report", option, "r.txt")
    repo.write({"mine.c": "int main;\n"})
    typed = waves("report", "--html", "mine.c", exit=2)
    assert (
        typed.err == "fatal: 'mine.c' is there already, and is no report of ours\nhint: name another file\n"
    )
    assert (repo.folder / "mine.c").read_text() == "int main;\n"
    assert "is a directory" in waves("report", "--html", ".git", exit=2).err
    assert "cannot write 'r.txt/x'" in waves("report", "-o", "r.txt/x", exit=2).err


@pytest.mark.usefixtures("shared")
def test_a_run_is_meant_by_its_plan_or_by_its_name(waves: Waves, repo: RepoBuilder) -> None:
    later = Scene(repo.folder / ".git", plan="other", run="20261201-090000-bbbb")
    later.begin({"1": [["t1"]]})
    assert "plan `other`" in waves("report").out
    for words in (("demo",), ("--plan", "demo"), ("--run", "20261130-090000-aaaa")):
        assert "plan `demo`" in waves("report", *words).out, words
    assert "plan 'nope' has no run here" in waves("report", "nope", exit=2).err
    typed = waves("report", "--run", "nope", exit=2)
    assert typed.err == (
        "fatal: there is no run 'nope' here\n"
        "hint: the newest are '20261201-090000-bbbb', '20261130-090000-aaaa'\n"
    )


def test_without_a_run_the_next_command_is_named(waves: Waves) -> None:
    assert waves("report", exit=2).err == "fatal: nothing has run here yet\nhint: git waves run\n"
    assert waves("report", "--run", "x", exit=2).err.endswith("hint: git waves run\n")


def test_what_somebody_wrote_into_the_runs_folder_is_not_believed(halted: RunDir, waves: Waves) -> None:
    before = waves("report").out
    halted.manifest.write_text(json.dumps({"version": 1, "plan": "p", "tasks": {}}))
    halted.plan.write_text("version: 1\nname: p\ntasks: []\n")
    assert waves("report").out == before


def test_no_log_leads_out_of_the_runs_folder(halted: RunDir, waves: Waves, tmp_path: Path) -> None:
    (tmp_path / "diary.log").write_text("dear diary\n")
    for log in (halted.path / "logs").glob("gate.*.tests.log"):
        log.unlink()
        log.symlink_to(tmp_path / "diary.log")
    assert "dear diary" not in waves("report").out
    events = re.sub(r'"log":"[^"]*"', f'"log":"{tmp_path}/diary.log"', halted.events.read_text())
    halted.events.write_text(events)
    assert "dear diary" not in waves("report").out


def test_a_log_that_is_no_file_keeps_nobody_waiting(halted: RunDir, waves: Waves) -> None:
    for log in (halted.path / "logs").glob("gate.*.tests.log"):
        log.unlink()
        os.mkfifo(log)
    assert "The end of its log" not in waves("report").out


@pytest.mark.usefixtures("shared")
def test_what_git_has_lost_is_said(waves: Waves) -> None:
    text = waves("report").out
    assert "git does not have the plan and the manifest of this run any more" in text
    assert "What could have been cannot be said" in text


def test_kept_work_is_told_from_the_refs_that_there_are(
    halted: RunDir, waves: Waves, repo: RepoBuilder
) -> None:
    ref = f"refs/waves/archive/{halted.run}/t2/1"
    repo.git("update-ref", ref, "HEAD")
    text = waves("report").out
    assert f"- `t2.1`: `git waves restore {ref}`" in text
    waves("restore", ref)
