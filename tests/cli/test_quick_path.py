"""`status`, `--version` and the short help load next to nothing, and give the answers of the whole program."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from git_waves import __version__
from git_waves.adapters import glance
from git_waves.adapters.locks import coordinator_lock
from git_waves.errors import SurroundingsError
from tests.cli.conftest import Waves
from tests.support import scenes
from tests.support.repo import ROOT, RepoBuilder

# Each of these costs as much as starting Python, or much more (docs/decisions, quick path).
_HEAVY = """
typer click rich pydantic pydantic_core pygit2 yaml asyncio filelock dataclasses typing re enum pathlib subprocess json
datetime argparse shutil tempfile logging collections functools inspect socket
"""
HEAVY = frozenset(_HEAVY.split())
PROBE = """
import sys
before = set(sys.modules)
from git_waves.entry import main
code = main(sys.argv[1:])
print("\\0" + " ".join(sorted({name.split(".")[0] for name in set(sys.modules) - before})))
sys.exit(code)
"""


def loaded(repo: RepoBuilder, *words: str) -> frozenset[str]:
    """The top-level modules that answering `git waves …` loads in a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *words],
        cwd=repo.folder,
        env={**repo.environment, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    return frozenset(done.stdout.rpartition("\0")[2].split())


@pytest.mark.parametrize(
    "words",
    [
        ("status",),
        ("status", "--porcelain"),
        ("status", "--porcelain", "-z", "--plan", "demo"),
        ("-C", ".", "status", "--plan=demo"),
        ("--version",),
        ("version",),
        ("-h",),
        (),
    ],
)
def test_quick_answers_load_nothing_heavy(repo: RepoBuilder, words: tuple[str, ...]) -> None:
    scenes.morning(repo.folder / ".git")
    assert loaded(repo, *words) & HEAVY == frozenset()


def test_json_loads_only_what_json_needs(repo: RepoBuilder) -> None:
    scenes.morning(repo.folder / ".git")
    heavy = loaded(repo, "status", "--json") & HEAVY
    assert heavy <= {"json", "re", "enum", "collections", "functools"}


def test_the_probe_sees_what_the_whole_program_loads(repo: RepoBuilder) -> None:
    assert {"typer", "dataclasses", "pathlib"} <= loaded(repo, "explain")


def test_the_version(waves: Waves) -> None:
    for words in (("--version",), ("version",), ("-v",)):
        assert waves(*words).out == f"git-waves {__version__}\n"


# ---------------------------------------------------------------------- finding the repository


def shown(waves: Waves, cwd: Path, *words: str) -> str:
    """The plan and run that `status --porcelain` finds from a folder."""
    lines = waves(*words, "status", "--porcelain", cwd=cwd).out.splitlines()
    return " ".join(line for line in lines if line.startswith(("plan ", "run ")))


def test_status_is_the_same_from_everywhere_in_the_repository(
    repo: RepoBuilder, waves: Waves, tmp_path: Path
) -> None:
    repo.commit({"a/b/c.txt": "x"})
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    scenes.morning(repo.folder / ".git")
    wanted = "plan demo run 20261130-090000-aaaa"
    for folder in (repo.folder, repo.folder / "a/b", tmp_path / "linked", tmp_path / "linked/a"):
        assert shown(waves, folder) == wanted
    assert shown(waves, tmp_path, "-C", "repo", "-C", "a") == wanted


def test_the_quick_look_finds_what_git_finds(
    repo: RepoBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit({"a/b/c.txt": "x"})
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    repo.git("init", "-q", "--separate-git-dir", str(tmp_path / "apart.git"), str(tmp_path / "apart"))
    repo.git("init", "-q", str(repo.folder / "a/nested"))
    for folder in (
        repo.folder,
        repo.folder / "a/b",
        repo.folder / "a/nested",
        tmp_path / "linked/a/b",
        tmp_path / "apart",
    ):
        found = glance.find_common_dir(str(folder))
        by_git = repo.git("rev-parse", "--path-format=absolute", "--git-common-dir", cwd=folder)
        assert found is not None
        assert Path(found).resolve() == Path(by_git).resolve(), folder
    monkeypatch.setenv("GIT_DIR", "../repo/.git")
    assert Path(glance.find_common_dir(str(tmp_path / "linked")) or "").resolve() == repo.folder / ".git"
    monkeypatch.setenv("GIT_COMMON_DIR", str(repo.folder / ".git"))
    assert glance.find_common_dir("/") == str(repo.folder / ".git")


def test_the_quick_look_stops_at_a_ceiling_and_leaves_bare_repositories_to_git(
    repo: RepoBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repo.folder / "below").mkdir()
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(repo.folder))
    assert glance.find_common_dir(str(repo.folder / "below")) is None
    repo.git("init", "-q", "--bare", str(tmp_path / "bare.git"))
    assert glance.find_common_dir(str(tmp_path / "bare.git")) is None


# ---------------------------------------------------------------------- finding the run


def test_nothing_has_run(waves: Waves) -> None:
    assert waves("status").out == (
        "nothing has run here yet\nnext: 'git waves plan' to see the plan, then 'git waves run'\n"
    )
    assert json.loads(waves("status", "--json").out) == {"version": 1, "run": None}
    assert waves("status", "--porcelain").out == "git-waves status v1\n"
    assert waves("status", "--plan", "demo", exit=2).err == (
        "fatal: plan 'demo' has no run here\nhint: 'git waves status' shows the newest run\n"
    )


def test_the_newest_run_is_shown_and_a_plan_can_be_named(repo: RepoBuilder, waves: Waves) -> None:
    common = repo.folder / ".git"
    for plan, run in (("old", "20261128-1"), ("demo", "20261129-1"), ("demo", "20261130-1")):
        scenes.Scene(common, plan=plan, run=run).begin({"1": [["t1"]]})
    (common / "waves/runs/20261201-half").mkdir()
    assert shown(waves, repo.folder) == "plan demo run 20261130-1"
    assert "run 20261128-1:" in waves("status", "--plan", "old").out


def test_a_torn_last_line_is_passed_over(repo: RepoBuilder, waves: Waves) -> None:
    scene = scenes.morning(repo.folder / ".git")
    before = waves("status", "--porcelain").out
    with scene.run_dir.events.open("ab") as log:
        log.write(b'{"n":99,"at":"2026-11-30T09:')
    assert waves("status", "--porcelain").out == before


@pytest.mark.parametrize(
    "line",
    [
        b"no json\n",
        b"[]\n",
        b"{}\n",
        b'{"n":9,"at":"2026","event":"unheard_of"}\n',
        b'{"n":9,"at":"x","event":"task_passed","task":"nobody"}\n',
        b"\n",
    ],
)
def test_a_damaged_line_is_named_and_nothing_is_made_up(repo: RepoBuilder, waves: Waves, line: bytes) -> None:
    scene = scenes.Scene(repo.folder / ".git")
    scene.begin({"1": [["t1"]]})
    with scene.run_dir.events.open("ab") as log:
        log.write(line)
    err = waves("status", exit=4).err
    assert f"the event log is damaged at '{scene.run_dir.events}:2'" in err
    assert "hint: " in err


def test_a_log_of_a_newer_version_is_not_guessed_at(repo: RepoBuilder, waves: Waves) -> None:
    scene = scenes.Scene(repo.folder / ".git")
    scene.begin({"1": [["t1"]]})
    log = scene.run_dir.events
    log.write_bytes(log.read_bytes().replace(b'"v":1', b'"v":2'))
    assert "was written by a newer git-waves" in waves("status", exit=4).err


def test_where_pythons_scanner_is_missing_the_public_module_reads_the_same(
    repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenes.morning(repo.folder / ".git")
    quick = glance.newest_run(str(repo.folder / ".git"))
    monkeypatch.setitem(sys.modules, "_json", None)
    public = glance.newest_run(str(repo.folder / ".git"))
    assert quick is not None
    assert public is not None
    assert {task.id: task.status for task in quick.state.tasks.values()} == {
        task.id: task.status for task in public.state.tasks.values()
    }


def test_a_coordinator_is_seen_by_its_lock_alone(repo: RepoBuilder, waves: Waves) -> None:
    common = repo.folder / ".git"
    scenes.morning(common)
    assert "is interrupted" in waves("status").out
    with coordinator_lock(common, "demo"):
        assert "is running" in waves("status").out
    assert "is interrupted" in waves("status").out, "a lock file without a holder means nothing"


def test_looking_writes_nothing(repo: RepoBuilder, waves: Waves) -> None:
    scenes.morning(repo.folder / ".git")
    before = {path: path.stat().st_mtime_ns for path in repo.folder.rglob("*")}
    waves("status")
    waves("status", "--json")
    assert {path: path.stat().st_mtime_ns for path in repo.folder.rglob("*")} == before


def test_glance_refuses_a_run_it_cannot_believe(repo: RepoBuilder) -> None:
    scene = scenes.Scene(repo.folder / ".git")
    scene.begin({"1": [["t1"]]})
    scene.run_dir.events.write_bytes(b"{}\n")
    with pytest.raises(SurroundingsError, match="damaged"):
        glance.newest_run(str(repo.folder / ".git"))
