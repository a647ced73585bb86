"""`stop`, `retry` and `skip` from another terminal, and `owned` and `request` from inside a task's worktree."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from git_waves.adapters import inbox
from git_waves.adapters.lease import LeaseFile
from git_waves.adapters.locks import coordinator_lock
from git_waves.adapters.rundir import write_durably
from git_waves.control import load, read_manifest
from git_waves.core.fold import RunState
from git_waves.core.model import Oid, RepoPath, Rules, TaskId
from tests.cli.conftest import Waves
from tests.support import scenes
from tests.support.plans import plan, task
from tests.support.repo import RepoBuilder

PLAN = plan(
    task("t1", files="{create: [src/t1.c]}"),
    task("t2", files="{create: [src/t2.c, docs/]}", needs=["t1"]),
    task("t3", files="{create: [src/t3.c]}"),
)


@pytest.fixture
def scene(repo: RepoBuilder) -> scenes.Scene:
    """A run with a failed, a pending and a merged task; nobody runs it."""
    scene = scenes.Scene(repo.folder / ".git", plan="p")
    scene.begin({"1": [["t1", "t3"]], "2": [["t2"]]}, needs={"t2": ["t1"]})
    scene.own(PLAN)
    scene.climb("t3")
    scene.merge("t3")
    scene.lease("t1")
    scene.fall("t1", "verify", "it ended with exit code 1")
    return scene


def messages(scene: scenes.Scene) -> list[dict[str, str]]:
    """What waits in the run's inbox."""
    return [message for _, message in inbox.waiting(scene.run_dir)]


def state(scene: scenes.Scene) -> RunState:
    """How the run stands now."""
    return load(scene.run_dir)[0]


# ---------------------------------------------------------------------- stop


def test_stop_reaches_the_coordinator(repo: RepoBuilder, waves: Waves, scene: scenes.Scene) -> None:
    with coordinator_lock(repo.folder / ".git", "p"):
        assert waves("stop").out == (
            "the coordinator of plan 'p' starts nothing new and leaves when what is in flight has ended\n"
            "next: 'git waves status --watch' to look on\n"
        )
        assert "ends its agents and leaves" in waves("stop", "--now", "--plan", "p").out
    assert [(message["kind"], message["now"]) for message in messages(scene)] == [
        ("stop", "no"),
        ("stop", "yes"),
    ]


def test_stop_without_a_coordinator_leaves_no_trap_for_the_next_run(
    waves: Waves, scene: scenes.Scene
) -> None:
    assert waves("stop", exit=2).err == (
        "fatal: plan 'p' is not being run\nhint: 'git waves status' says how it stands\n"
    )
    assert messages(scene) == []


def test_stop_where_nothing_ever_ran(waves: Waves) -> None:
    assert waves("stop", exit=2).err == "fatal: nothing has run here yet\nhint: git waves run\n"
    assert "plan 'q' has no run here" in waves("stop", "--plan", "q", exit=2).err


# ---------------------------------------------------------------------- retry and skip


def test_retry_without_a_coordinator_is_done_at_once(waves: Waves, scene: scenes.Scene) -> None:
    assert waves("retry", "t1", "--grant", "notes.txt", "--grant", "src/t3.c").out == (
        "task 't1' gets another attempt, and may change 'notes.txt', 'src/t3.c' too; it starts with the next run\n"
        "next: 'git waves run' goes on\n"
    )
    assert state(scene).tasks["t1"].status == "pending"
    assert state(scene).tasks["t1"].granted == ["notes.txt", "src/t3.c"]


def test_retry_with_a_coordinator_is_a_message(repo: RepoBuilder, waves: Waves, scene: scenes.Scene) -> None:
    with coordinator_lock(repo.folder / ".git", "p"):
        assert "the coordinator starts it" in waves("retry", "t1").out
    assert messages(scene) == [{"kind": "retry", "task": "t1", "grant": "[]", "budget": "{}"}]
    assert state(scene).tasks["t1"].status == "failed"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("retry", "t9"), "has no task 't9'"),
        (("retry", "T1"), "there is 't1'"),
        (("retry", "t3"), "task 't3' is merged, and its barrier is not over"),
        (("retry", "t2"), "task 't2' is pending"),
        (("retry", "t1", "--grant", "src/t2.c"), "'src/t2.c' belongs to task 't2', which is not through yet"),
        (("retry", "t1", "--grant", "../x"), "'../x' is outside of the repository"),
        (("retry", "t1", "--grant", "src/"), "'src/' is no single file"),
        (("retry", "t1", "--grant", "src/*.c"), "'src/*.c' is no single file"),
        (("retry", "t1", "--grant", ".git/config"), ".git"),
        (("skip", "t3", "--reason", "x"), "task 't3' is merged, and its barrier is not over"),
        (("skip", "t1", "--reason", " "), "a skip needs a reason"),
    ],
)
def test_what_makes_no_sense_is_refused_and_changes_nothing(
    waves: Waves, scene: scenes.Scene, words: tuple[str, ...], says: str
) -> None:
    before = scene.run_dir.events.read_bytes()
    err = waves(*words, exit=2).err
    assert says in err
    assert "hint: " in err
    assert scene.run_dir.events.read_bytes() == before
    assert messages(scene) == []


@pytest.mark.usefixtures("scene")
def test_a_granted_path_counts_from_the_current_folder(repo: RepoBuilder, waves: Waves) -> None:
    (repo.folder / "src").mkdir()
    assert "'src/new.c'" in waves("retry", "t1", "--grant", "new.c", cwd=repo.folder / "src").out


def test_skip_says_what_follows(waves: Waves, scene: scenes.Scene) -> None:
    assert waves("skip", "t1", "--reason", "done by hand").out == (
        "task 't1' is skipped; what needs it is blocked\nnext: 'git waves run' goes on\n"
    )
    assert state(scene).tasks["t1"].status == "skipped"
    assert state(scene).tasks["t1"].reason == "done by hand"


@pytest.fixture
def red(repo: RepoBuilder) -> scenes.Scene:
    """A run that halted at its red gate, with tasks merged in two rounds."""
    scene = scenes.Scene(repo.folder / ".git", plan="p")
    scene.begin({"1": [["t1", "t3"], ["t2"]]}, needs={"t2": ["t1"]})
    scene.own(PLAN)
    for name, base, commit in (("t1", scenes.COMMIT, "1"), ("t3", scenes.COMMIT, "2"), ("t2", "2" * 40, "3")):
        scene.climb(name, base=base)
        scene.merge(name, commit=commit * 40)
    scene.halt("gate", "gate 'tests' is red")
    return scene


def test_a_merged_task_is_retried_once_the_run_rests_and_the_answer_tells_what_becomes_of_the_rest(
    waves: Waves, red: scenes.Scene
) -> None:
    assert waves("retry", "t1").out == (
        "task 't1' gets another attempt; it starts with the next run\n"
        "its work is taken out of what is merged; to be merged again: 't3'; to start over: 't2'\n"
        "next: 'git waves run' goes on\n"
    )
    now = state(red)
    assert {task.id: task.status for task in now.tasks.values()} == {
        "t1": "pending",
        "t3": "passed",
        "t2": "pending",
    }
    assert now.candidate == scenes.COMMIT
    assert now.chain.left_behind == ["3" * 40]


def test_a_merged_task_is_skipped_once_the_run_rests(waves: Waves, red: scenes.Scene) -> None:
    assert waves("skip", "t3", "--reason", "it breaks the build").out == (
        "task 't3' is skipped; what needs it is blocked\n"
        "its work is taken out of what is merged; to start over: 't2'\n"
        "next: 'git waves run' goes on\n"
    )
    now = state(red)
    assert (now.tasks["t3"].status, now.tasks["t3"].reason) == ("skipped", "it breaks the build")
    assert (now.tasks["t1"].status, now.candidate) == ("merged", "1" * 40)


def test_no_agent_takes_a_merged_task_out(repo: RepoBuilder, waves: Waves, red: scenes.Scene) -> None:
    inbox.post(red.run_dir, {"kind": "skip", "task": "t3", "reason": "by an agent"})
    waves("skip", "t1", "--reason", "by a person")
    assert state(red).tasks["t3"].status == "passed", "a message in the inbox takes nothing out"
    assert "task 't3' cannot be skipped any more, it is merged" in state(red).warnings
    with coordinator_lock(repo.folder / ".git", "p"):
        assert "t1" in waves("retry", "t1").out
    assert state(red).tasks["t1"].status == "skipped"


# ---------------------------------------------------------------------- inside a task's worktree


@pytest.fixture
def inside(repo: RepoBuilder, scene: scenes.Scene, tmp_path: Path) -> Path:
    """The worktree of task `t1`, attempt 1, which was granted `notes.txt`."""
    repo.commit({"src/t1.c": ""})
    folder = tmp_path / "t1.1"
    repo.git("worktree", "add", "-q", "--detach", str(folder))
    rules = read_manifest(scene.run_dir).rules(TaskId("t1"))
    leased = LeaseFile(
        run=scene.run_dir.run,
        plan="p",
        task=TaskId("t1"),
        attempt=1,
        branch="refs/heads/waves/p/t1/1",
        base=Oid(scenes.COMMIT),
        integration="refs/waves/integration/p",
        rules=Rules(files=rules.files | {RepoPath("notes.txt")}, dirs=rules.dirs, globs=rules.globs),
        manifest=scene.run_dir.manifest,
    )
    write_durably(repo.folder / ".git/worktrees/t1.1/waves-lease.json", leased.to_bytes())
    return folder


def test_owned_lists_claims_and_grants(waves: Waves, inside: Path) -> None:
    assert waves("owned", cwd=inside).out == "src/t1.c\nnotes.txt\n"
    assert waves("owned", "-z", cwd=inside / "src").out == "src/t1.c\0notes.txt\0"


def test_a_request_names_the_owner_and_tells_the_agent_to_stop(
    waves: Waves, inside: Path, scene: scenes.Scene
) -> None:
    assert waves("request", "t2.c", "--reason", "its type", cwd=inside / "src").out == (
        "'src/t2.c' belongs to task 't2'; your request is noted\n"
        "stop now and do not change it: task 't1' is parked until a person has decided\n"
    )
    assert waves("request", "docs/a.md", "--reason", "x", cwd=inside).out.startswith(
        "'docs/a.md' belongs to task 't2'"
    )
    assert waves("request", "new.c", "--reason", "x", cwd=inside).out.startswith("'new.c' belongs to no task")
    assert [(message["path"], message["owner"], message["attempt"]) for message in messages(scene)] == [
        ("src/t2.c", "t2", "1"),
        ("docs/a.md", "t2", "1"),
        ("new.c", "", "1"),
    ]


def test_what_is_owned_need_not_be_asked_for(waves: Waves, inside: Path, scene: scenes.Scene) -> None:
    assert (
        waves("request", "src/t1.c", "--reason", "x", cwd=inside).out
        == "'src/t1.c' is yours already: change it\n"
    )
    assert waves("request", "notes.txt", "--reason", "x", cwd=inside).out.endswith(
        "is yours already: change it\n"
    )
    assert messages(scene) == []


@pytest.mark.parametrize("words", [("owned",), ("request", "x", "--reason", "y")])
@pytest.mark.usefixtures("scene")
def test_outside_of_a_task_worktree_is_exit_1(
    repo: RepoBuilder, waves: Waves, words: tuple[str, ...]
) -> None:
    assert waves(*words, exit=1).err == (
        f"fatal: '{repo.folder}' is not a task's worktree\nhint: 'git waves show TASK' lists what a task owns\n"
    )


def test_a_lease_that_points_elsewhere_is_not_followed(
    repo: RepoBuilder, waves: Waves, inside: Path, tmp_path: Path
) -> None:
    path = repo.folder / ".git/worktrees/t1.1/waves-lease.json"
    lease = json.loads(path.read_bytes())
    (tmp_path / "inbox").mkdir()
    lease["run"] = f"../../../../{tmp_path.name}"
    path.write_text(json.dumps(lease))
    assert "is gone" in waves("request", "x", "--reason", "y", cwd=inside, exit=1).err
    assert list((tmp_path / "inbox").iterdir()) == []
