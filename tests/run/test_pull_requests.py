"""Pull requests at the end of a run, against stand-ins for gh and glab that record what they are told."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.support.golden import check_golden
from tests.support.plans import plan, task
from tests.support.repo import RepoBuilder

STAND_IN = """#!{python}
import json, os, pathlib, sys
log = pathlib.Path({log!r})
known = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
words = sys.argv[1:]
body = next((word.split("=", 1)[1] for word in words if word.startswith("--body-file=")), None)
entry = {{"words": words, "body": pathlib.Path(body).read_text() if body else None,
         "prompts": os.environ.get("GH_PROMPT_DISABLED"), "folder": os.getcwd()}}
log.write_text("".join(json.dumps(one) + "\\n" for one in [*known, entry]))
if os.environ.get("FORGE_FAILS"):
    sys.exit("not logged in")
create = [one for one in known if one["words"][1] == "create"]
if words[1] == "create" and any(set(one["words"]) & {{w for w in words if w.startswith(("--head=", "--source"))}} for one in create):
    sys.exit("a pull request already exists:\\nhttps://forge.example/pull/7")
print("Creating draft")
print("https://forge.example/pull/7")
"""


class Forge:
    """A stand-in program on PATH, and what it was told."""

    def __init__(self, repo: RepoBuilder, folder: Path, program: str) -> None:
        self.log = folder / "forge.log"
        bin_folder = folder / "bin"
        bin_folder.mkdir()
        script = bin_folder / program
        script.write_text(STAND_IN.format(python=sys.executable, log=str(self.log)))
        script.chmod(0o755)
        repo.environment["PATH"] = f"{bin_folder}:{repo.environment['PATH']}"

    def calls(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]


@pytest.fixture
def remote(repo: RepoBuilder, tmp_path: Path) -> Path:
    folder = tmp_path / "remote.git"
    repo.git("init", "--quiet", "--bare", str(folder))
    repo.git("remote", "add", "origin", str(folder))
    return folder


def two_tasks(repo: RepoBuilder) -> None:
    text = plan(
        task("t1", extra="title: 'First | <script>alert(1)</script>'"),
        task("t2", needs=("t1",)),
        head="gates:\n  there: test -s t1.txt\n",
    )
    repo.commit({".waves/plan.yaml": text})


def test_one_draft_pull_request_is_opened_at_the_end_and_brought_up_to_date_by_the_next(
    repo: RepoBuilder, remote: Path, tmp_path: Path
) -> None:
    two_tasks(repo)
    forge = Forge(repo, tmp_path, "gh")
    repo.git("config", "waves.pullRequest", "one")
    assert "opened https://forge.example/pull/7 for branch 'waves/p/integration'" in repo.waves("run")
    tip = repo.git("rev-parse", "refs/waves/integration/p")
    assert repo.git("rev-parse", "refs/heads/waves/p/integration", cwd=remote) == tip
    (call,) = forge.calls()
    words = call["words"]
    assert isinstance(words, list)
    assert words[:3] == ["pr", "create", "--draft"]
    assert {"--head=waves/p/integration", "--base=main", "--title=p: 2 tasks"} <= set(words)
    assert call["prompts"] == "1"
    assert call["folder"] == str(repo.folder)
    body = str(call["body"])
    assert "First \\| \\<script>" in body or "First \\\\| \\<script>" in body
    assert body.endswith(f"Waves-Integration: {tip}\n")
    again = repo.waves("pull-request", "--ready")
    assert "updated https://forge.example/pull/7" in again
    assert [str(one["words"][1]) for one in forge.calls()] == ["create", "create", "edit"]  # type: ignore[index]
    assert "--draft" not in forge.calls()[1]["words"]  # type: ignore[operator]


def test_one_for_each_task_pushes_each_tasks_own_branch(
    repo: RepoBuilder, remote: Path, tmp_path: Path
) -> None:
    two_tasks(repo)
    forge = Forge(repo, tmp_path, "gh")
    repo.waves("run")
    assert not forge.log.exists(), "nobody asked"
    output = repo.waves("pull-request", "--per-task")
    assert output.count("opened https://forge.example/pull/7") == 2
    heads = [word for call in forge.calls() for word in call["words"] if str(word).startswith("--head=")]  # type: ignore[attr-defined]
    assert heads == ["--head=waves/p/t1/1", "--head=waves/p/t2/1"]
    assert repo.git("ls-tree", "--name-only", "refs/heads/waves/p/t2/1", cwd=remote).split()[-2:] == [
        "t1.txt",
        "t2.txt",
    ]


@pytest.mark.usefixtures("remote")
def test_gitlab_gets_its_own_program_and_words(repo: RepoBuilder, tmp_path: Path) -> None:
    two_tasks(repo)
    forge = Forge(repo, tmp_path, "glab")
    repo.waves("run", "--pull-request")
    (call,) = forge.calls()
    words = [str(word) for word in call["words"]]  # type: ignore[attr-defined]
    assert words[:4] == ["mr", "create", "--yes", "--draft"]
    assert "--source-branch=waves/p/integration" in words
    assert any(word.startswith("--description=2 of 2 tasks of plan `p`") for word in words)


def test_without_a_program_the_body_and_the_commands_are_left_and_nothing_is_pushed(
    repo: RepoBuilder, remote: Path
) -> None:
    two_tasks(repo)
    repo.waves("run")
    output = repo.waves("pull-request")
    run_dir = next((repo.folder / ".git/waves/runs").glob("2*"))
    tip = repo.git("rev-parse", "refs/waves/integration/p")
    shown = output.replace(str(run_dir), "RUN").replace(tip, "TIP")
    check_golden("run/pull-request-by-hand.txt", shown)
    assert (run_dir / "pull-request.md").is_file()
    assert repo.git("for-each-ref", cwd=remote) == ""


@pytest.mark.usefixtures("remote")
def test_a_forge_that_refuses_is_told_and_the_run_is_finished_all_the_same(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    two_tasks(repo)
    Forge(repo, tmp_path, "gh")
    repo.environment["FORGE_FAILS"] = "1"
    done = repo.run_waves("run", "--pull-request")
    assert done.returncode == 4
    assert "it said: not logged in" in done.stdout
    assert "hint: mend that ('gh auth status'), then 'git waves pull-request'" in done.stdout
    assert "is finished" in repo.waves("status")


def test_a_remote_that_cannot_be_reached_is_told_in_gits_words(repo: RepoBuilder, tmp_path: Path) -> None:
    two_tasks(repo)
    Forge(repo, tmp_path, "gh")
    repo.git("remote", "add", "origin", str(tmp_path / "nowhere.git"))
    repo.waves("run")
    done = repo.run_waves("pull-request")
    assert done.returncode == 4
    assert "fatal: git could not push to 'origin'" in done.stderr


def test_it_is_pushed_as_from_the_top_of_the_users_checkout(
    repo: RepoBuilder, remote: Path, tmp_path: Path
) -> None:
    two_tasks(repo)
    Forge(repo, tmp_path, "gh")
    repo.git("remote", "set-url", "origin", os.path.relpath(remote, repo.folder))
    hook = repo.folder / ".git/hooks/pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\npwd > '{tmp_path}/pushed-from'\n")
    hook.chmod(0o755)
    told = repo.waves("run", "--pull-request")
    assert "opened https://forge.example/pull/7" in told
    assert repo.git("rev-parse", "refs/heads/waves/p/integration", cwd=remote)
    assert (tmp_path / "pushed-from").read_text().strip() == str(repo.folder)


def test_nothing_integrated_is_nothing_to_propose(repo: RepoBuilder) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1", run="exit 1"))})
    assert repo.run_waves("run").returncode == 1
    done = repo.run_waves("pull-request")
    assert (done.returncode, done.stderr.splitlines()[0]) == (
        2,
        "fatal: nothing of plan 'p' is integrated yet",
    )
