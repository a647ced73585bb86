"""`git waves log` and `git waves show`: what a task printed, and everything about it."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from git_waves import logs
from git_waves.adapters.locks import coordinator_lock
from tests.cli.conftest import Waves
from tests.support import scenes
from tests.support.golden import check_golden
from tests.support.plans import plan, task
from tests.support.repo import RepoBuilder


@pytest.fixture
def scene(repo: RepoBuilder) -> scenes.Scene:
    """A run with logs: `t1` failed and was tried again, `t2` never started, a gate ran."""
    scene = scenes.Scene(repo.folder / ".git", plan="p")
    scene.begin({"1": [["t1"], ["t2"]]}, titles={"t1": "The first"}, needs={"t2": ["t1"]}, gates=("build",))
    scene.own(plan(task("t1"), task("t2", needs=["t1"])))
    scene.lease("t1")
    scene.reach("t1", "agent")
    scene.wait(seconds=90)
    scene.write_log("t1.1.log", b"first try\n")
    scene.fall("t1", "agent", "it ended with exit code 1")
    scene.retry("t1", grant=("x.txt",))
    scene.lease("t1", attempt=2)
    scene.reach("t1", "agent", attempt=2)
    scene.write_log("t1.2.log", b"\x1b[32msecond try\x1b[m\r\n\x1b]0;trick\x07done\n")
    scene.write_log("t1.2.verify-0.log", b"checked\n")
    return scene


@pytest.mark.usefixtures("scene")
def test_the_newest_attempt_is_shown_without_its_dress(waves: Waves) -> None:
    assert waves("log", "t1").out == "second try\ndone\n"
    assert waves("log", "t1", "--plan", "p", "--attempt", "2").out == "second try\ndone\n"


@pytest.mark.usefixtures("scene")
def test_earlier_attempts_and_other_rungs_have_their_logs(waves: Waves) -> None:
    assert waves("log", "t1", "--attempt", "1").out == "first try\n"
    assert waves("log", "t1", "--rung", "verify-0").out == "checked\n"


def test_a_gate_has_its_log(waves: Waves, scene: scenes.Scene) -> None:
    assert "gate 'build' has not run yet" in waves("log", "gate:build", exit=2).err
    scene.gate("1", "build")
    scene.write_log("gate.1.build.log", b"built\n")
    assert waves("log", "gate:build").out == "built\n"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ("t9",),
            "fatal: run '20261130-090000-aaaa' has no task 't9'\nhint: 'git waves status' lists them\n",
        ),
        (("t2",), "fatal: task 't2' has not started yet, it is pending\nhint: git waves show t2\n"),
        (("t1", "--attempt", "3"), "fatal: task 't1' has no attempt 3\nhint: its newest is 2\n"),
        (
            ("t1", "--rung", "setup"),
            "fatal: attempt 2 of task 't1' has no log for 'setup'\nhint: there are logs for agent, verify-0\n",
        ),
        (
            ("gate:nope",),
            "fatal: run '20261130-090000-aaaa' has no gate 'nope'\nhint: the gates are 'build'\n",
        ),
    ],
)
@pytest.mark.usefixtures("scene")
def test_a_log_that_is_not_there_says_which_are(waves: Waves, words: tuple[str, ...], says: str) -> None:
    assert waves("log", *words, exit=2).err == says


def test_following_shows_what_is_added_until_the_attempt_is_over(waves: Waves, scene: scenes.Scene) -> None:
    def work() -> None:
        time.sleep(0.4)
        with (scene.run_dir.path / "logs/t1.2.log").open("ab") as log:
            log.write(b"one thing more\n")
        scene.fall("t1", "agent", "it ended", attempt=2)

    worker = threading.Thread(target=work)
    worker.start()
    assert waves("log", "t1", "-f").out == "second try\ndone\none thing more\n"
    worker.join()


def test_following_waits_for_a_log_that_is_about_to_come(waves: Waves, scene: scenes.Scene) -> None:
    (scene.run_dir.path / "logs/t1.2.log").unlink()
    assert "has no log for 'agent'" in waves("log", "t1", exit=2).err

    def work() -> None:
        time.sleep(0.3)
        scene.write_log("t1.2.log", b"at last\n")
        scene.fall("t1", "agent", "it ended", attempt=2)

    worker = threading.Thread(target=work)
    worker.start()
    assert waves("log", "t1", "-f").out == "at last\n"
    worker.join()


def test_following_a_gate_ends_with_the_gate(repo: RepoBuilder, waves: Waves, scene: scenes.Scene) -> None:
    scene.gate("1", "build")
    scene.write_log("gate.1.build.log", b"built\n")
    with coordinator_lock(repo.folder / ".git", "p"):
        assert waves("log", "gate:build", "-f").out == "built\n"


def test_a_large_log_comes_through_whole(tmp_path: Path) -> None:
    path = tmp_path / "big.log"
    path.write_bytes(b"line\n" * 100_000)
    assert b"".join(logs.follow(path, lambda: True)) == path.read_bytes()


# ---------------------------------------------------------------------- show


def test_everything_about_a_task(
    repo: RepoBuilder, waves: Waves, scene: scenes.Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = repo.commit({"a.txt": "one\n"})
    tip = repo.commit({"a.txt": "two\n", "t1.txt": "x\n"})
    repo.git("update-ref", "refs/heads/waves/p/t1/2", tip)
    log = scene.run_dir.events
    log.write_bytes(log.read_bytes().replace(scenes.COMMIT.encode(), base.encode()))
    scene.wait(seconds=12)
    monkeypatch.setattr(time, "time", scene.now.timestamp)
    check_golden("show/task.txt", waves("show", "t1").out, replace={tip[:10]: "<tip>", base[:10]: "<base>"})


def test_a_fall_is_told_once_and_its_hint_is_not_what_was_just_typed(
    waves: Waves, scene: scenes.Scene
) -> None:
    scene.park("t1", "agent", "the second fall", attempt=2, hint="git waves show t1")
    out = waves("show", "t1").out
    assert out.count("the second fall") == 1
    assert "attempt 1 failed at agent" in out
    assert "git waves show t1" not in out


@pytest.mark.usefixtures("scene")
def test_a_task_that_never_started(waves: Waves) -> None:
    check_golden("show/pending.txt", waves("show", "t2").out)


def test_a_task_whose_branch_is_gone_is_shown_all_the_same(waves: Waves, scene: scenes.Scene) -> None:
    scene.fall("t1", "ownership", "it changes what is not its own", attempt=2, paths=("\x1b[2J",))
    text = waves("show", "t1").out
    assert "branch    waves/p/t1/2 (gone)" in text
    assert "paths     \\x1b[2J" in text
    assert "next: 'git waves log t1', then 'git waves retry t1'" in text


@pytest.mark.usefixtures("scene")
def test_a_task_that_there_is_not(waves: Waves) -> None:
    assert "has no task 'nope'" in waves("show", "nope", exit=2).err


def test_the_prompt_of_a_task_as_its_agent_got_it(waves: Waves, scene: scenes.Scene) -> None:
    scene.run_dir.prompt("t1", 2).write_text("# Task t1\n\x1b[2Jwork\n")
    assert waves("show", "t1", "--prompt").out == "# Task t1\n\\x1b[2Jwork\n"


def test_the_prompt_of_a_task_that_waits_is_what_it_would_get(waves: Waves, scene: scenes.Scene) -> None:
    scene.pin(plan(task("t1"), task("t2", needs=["t1"])))
    text = waves("show", "t2", "--prompt").out
    assert text.startswith("# Task t2\n")
    assert "- create `t2.txt`\n" in text
    assert "- `t1.txt`: task t1\n" in text


def test_the_prompt_before_any_run_is_read_from_the_plan(repo: RepoBuilder, waves: Waves) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1"))})
    assert "- create `t1.txt`\n" in waves("show", "t1", "--prompt").out
    assert "plan 'p' has no task 't9'" in waves("show", "t9", "--prompt", exit=2).err


def test_a_middle_that_was_not_kept_is_told_and_not_shown(waves: Waves, scene: scenes.Scene) -> None:
    """A log that outgrew its limit: head, hole, tail. The hole reads as NUL bytes, millions of them."""
    scene.lease("t1")
    scene.reach("t1", "agent")
    path = scene.run_dir.log("t1", 1)
    with path.open("wb") as file:
        file.write(b"h" * 4095 + b"\n")
        file.seek(20 << 20)
        file.write(b"tail\n")
    lost = (20 << 20) - 4096
    assert (
        waves("log", "t1").out
        == "h" * 4095 + f"\n\n(git-waves: {lost} bytes of output were not kept)\ntail\n"
    )
