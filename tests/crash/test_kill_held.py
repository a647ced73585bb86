"""`kill -9` at events of a run that holds things outside itself: a machine-wide resource, a writer that was stopped, files
that are handed on. Run again, everything is given back, and the tree is the same (P4)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from git_waves.adapters import machine_locks
from git_waves.adapters.machine_locks import Held, Holder
from git_waves.core.model import Resource, Scope
from tests.crash.test_kill import drive, events_of, make_scene
from tests.support.plans import plan, task
from tests.support.processes import processes_of
from tests.support.repo import RepoBuilder

INTEGRATION = "refs/waves/integration/p"


def a_plan(folder: Path) -> str:
    """Two holders of one database, of which the second reads what the first hands on, beside a writer that must be stopped
    while any of them works, and a task that fails at its first attempt."""
    writer = folder / "writer"
    alone = f"mkdir '{folder}/in-use' || exit 7; rmdir '{folder}/in-use'"
    works = f"test \"$(cat '{writer}')\" = stopped || exit 8"
    return plan(
        task(
            "a",
            run=f"{works}; {alone}; mkdir notes; echo from-a > notes/a.md; echo a > a.txt",
            extra="resources: [database]\nhandoff: [notes/a.md]",
        ),
        task("b", run=f"{works}; {alone}; echo b > b.txt", extra="resources: [database]"),
        task(
            "c",
            needs=["a"],
            run=f"{works}; {alone}; cp notes/a.md c.txt; rm notes/a.md",
            extra=f'resources: [database]\nverify: "{alone.replace(chr(34), "")}"',
        ),
        head=(
            "resources:\n  database: {scope: machine}\n"
            f"background:\n  - name: sync\n    quiesce: echo stopped > '{writer}'\n    resume: echo going > '{writer}'\n"
            "gates:\n  there: test -s a.txt || test -s b.txt\n"
        ),
    )


def scene(folder: Path) -> RepoBuilder:
    """The repository of the plan, and the writer going."""
    repo = make_scene(folder, a_plan(folder))
    (folder / "writer").write_text("going\n")
    return repo


def work(repo: RepoBuilder) -> str:
    """The integrated tree without the plan, which names folders of its scene."""
    listed = repo.git("ls-tree", "-r", INTEGRATION).splitlines()
    return "\n".join(line for line in listed if not line.endswith(".waves/plan.yaml"))


def assert_given_back(repo: RepoBuilder, tree: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The invariants after the last run."""
    folder = repo.folder.parent
    assert work(repo) == tree
    assert (folder / "writer").read_text() == "going\n", "the writer goes on"
    assert not (folder / "in-use").exists()
    monkeypatch.setenv("XDG_STATE_HOME", repo.environment["XDG_STATE_HOME"])
    database = Resource(name="database", scope=Scope.MACHINE)
    place = machine_locks.take([database], Holder(run="r", repository="/", task="t"))
    assert isinstance(place, Held), place
    place.release()
    assert processes_of(repo) == []
    assert not (folder / "repo.waves").exists()
    assert repo.git("status", "--porcelain") == ""
    owed: set[str] = set()
    for event in events_of(repo):
        if event["event"] == "background_quiesced":
            owed.add(str(event["name"]))
        elif event["event"] == "background_restored":
            owed.discard(str(event["name"]))
        elif event["event"] in ("run_finished", "run_halted", "run_stopped"):
            assert not owed, f"{event['event']} leaves {owed} stopped"
    archived = repo.git("for-each-ref", "--format=%(refname)", "refs/waves/archive").splitlines()
    assert not [name for name in archived if repo.git("ls-tree", "-r", name, "notes")], "it is kept anyway"


def done(run: subprocess.CompletedProcess[str]) -> subprocess.CompletedProcess[str]:
    assert run.returncode == 0, run.stdout + run.stderr
    return run


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, int]:
    """The tree of a run that nobody disturbed, and how many events it has."""
    repo = scene(tmp_path_factory.mktemp("undisturbed"))
    told = done(drive(repo, "none", 0))
    tree = work(repo)
    assert repo.git("show", f"{INTEGRATION}:c.txt") == "from-a"
    return tree, int(told.stdout.splitlines()[-1].split()[1])


def crash(folder: Path, undisturbed: tuple[str, int], point: str, number: int) -> None:
    tree, _events = undisturbed
    repo = scene(folder)
    first = drive(repo, point, number)
    assert first.returncode in (0, -9), first.stdout + first.stderr
    if first.returncode == -9 and number % 2 and events_of(repo):  # by another road as often as not
        repo.run_waves("stop")
    done(drive(repo, "none", 0))
    with pytest.MonkeyPatch.context() as monkeypatch:
        assert_given_back(repo, tree, monkeypatch)


@pytest.mark.long
@pytest.mark.parametrize(("point", "share"), [("after", 3), ("before", 5), ("after", 8)])
def test_what_a_killed_run_held_is_given_back(
    tmp_path: Path, undisturbed: tuple[str, int], point: str, share: int
) -> None:
    crash(tmp_path, undisturbed, point, undisturbed[1] * share // 10)
