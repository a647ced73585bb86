"""Agents that write where git-waves keeps its own things, below `.git/waves`: nothing hangs, nothing breaks, nothing counts."""

from __future__ import annotations

import json
import os

import pytest

from git_waves import control
from git_waves.adapters import inbox
from git_waves.adapters.eventlog import AnyEvent
from tests.support import scenes
from tests.support.plans import plan, task
from tests.support.repo import RepoBuilder

INTEGRATION = "refs/waves/integration/p"
PLAN = plan(task("t1"), task("t2", files="{create: [t2.txt, docs/]}"), task("t3"))


@pytest.fixture
def scene(repo: RepoBuilder) -> scenes.Scene:
    """A run in which t1 has failed, t2 is at work and t3 waits."""
    scene = scenes.Scene(repo.folder / ".git", plan="p")
    scene.begin({"1": [["t1", "t2", "t3"]]})
    scene.own(PLAN)
    scene.lease("t1")
    scene.fall("t1", "verify", "it ended with exit code 1")
    scene.lease("t2")
    scene.reach("t2", "agent")
    return scene


def taken(scene: scenes.Scene) -> list[AnyEvent]:
    """The events that become of what waits in the inbox."""
    found: list[AnyEvent] = []
    control.take_in(scene.run_dir, control.load(scene.run_dir)[0], found.append)
    return found


# ---------------------------------------------------------------------- the inbox


@pytest.mark.parametrize(
    "message",
    [
        {"kind": "retry", "task": "t1", "grant": "{"},
        {"kind": "retry", "task": "t1", "grant": "[1]"},
        {"kind": "retry", "task": "t1", "grant": '{"a": 1}'},
        {"kind": "retry", "task": "t1", "grant": '["../outside"]'},
        {"kind": "retry", "task": "t1", "grant": '["src/"]'},
        {"kind": "retry", "task": "t1", "grant": "[" * 50_000},
        {"kind": "skip", "task": "nobody", "reason": "x"},
        {"kind": "request", "task": "t2", "attempt": "1", "path": ""},
        {"kind": "request", "task": "t2", "attempt": "1", "path": "/etc/passwd"},
        {"kind": "request", "task": "t2", "attempt": "1", "path": ".git/config"},
        {"kind": "request", "task": "t2", "attempt": "1", "path": "a\nb"},
        {"kind": "request", "task": "t2", "attempt": "7", "path": "a"},
        {"kind": "nothing"},
        {},
    ],
    ids=lambda message: " ".join(message.values())[:40],
)
def test_a_message_that_makes_no_sense_is_dropped(scene: scenes.Scene, message: dict[str, str]) -> None:
    inbox.post(scene.run_dir, message)
    assert taken(scene) == []
    assert inbox.waiting(scene.run_dir) == ()


@pytest.mark.parametrize("kind", ["pipe", "folder", "deep", "endless", "huge", "list", "bytes", "dangling"])
def test_a_file_that_is_no_message_is_passed_over(scene: scenes.Scene, kind: str) -> None:
    path = scene.run_dir.inbox / "0.json"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        (path / "inside").mkdir(parents=True)
    elif kind in ("endless", "dangling"):
        path.symlink_to("/dev/zero" if kind == "endless" else "nowhere")
    else:
        contents = {"deep": b"[" * 60_000, "huge": b'{"kind":"stop"}' + b" " * 70_000, "list": b"[]"}
        path.write_bytes(contents.get(kind, b"\xff\x00"))
    inbox.post(scene.run_dir, {"kind": "skip", "task": "t3", "reason": "not needed"})
    assert [event.event for event in taken(scene)] == ["task_skipped"]
    assert [message for _, message in inbox.waiting(scene.run_dir)] == []


def test_a_flood_of_messages_is_taken_in_portions(scene: scenes.Scene) -> None:
    for number in range(500):
        (scene.run_dir.inbox / f"{number:03}.json").write_text('{"kind": "nothing"}')
    assert taken(scene) == []
    assert len(list(scene.run_dir.inbox.iterdir())) == 400


def test_an_agent_that_asks_for_everything_is_heard_so_far_and_no_further(scene: scenes.Scene) -> None:
    for number in range(80):
        message = {"kind": "request", "task": "t2", "attempt": "1", "path": f"f{number}", "owner": "\ud800"}
        inbox.post(scene.run_dir, message)
    state, _ = control.load(scene.run_dir)
    control.take_in(scene.run_dir, state, lambda event: state.apply({"n": 0, "at": "", **event.model_dump()}))
    requests = state.tasks["t2"].requests
    assert (len(requests), requests[0]["owner"]) == (50, "")


def test_a_granted_path_is_checked_again_when_it_is_taken_in(scene: scenes.Scene) -> None:
    inbox.post(scene.run_dir, {"kind": "retry", "task": "t1", "grant": json.dumps(["docs/a.md"])})
    (event,) = taken(scene)
    assert event.event == "warned"
    assert "'docs/a.md' belongs to task 't2'" in event.message


@pytest.mark.parametrize(("kind", "word"), [("skip", "skipped"), ("retry", "tried again")])
def test_what_comes_too_late_is_told(scene: scenes.Scene, kind: str, word: str) -> None:
    inbox.post(scene.run_dir, {"kind": kind, "task": "t2", "reason": "x"})
    (event,) = taken(scene)
    assert event.event == "warned"
    assert event.message == f"task 't2' cannot be {word} any more, it is running"


def test_an_inbox_that_was_removed_is_made_again(scene: scenes.Scene) -> None:
    scene.run_dir.inbox.rmdir()
    assert taken(scene) == []
    inbox.post(scene.run_dir, {"kind": "skip", "task": "t3", "reason": "x"})
    assert [event.event for event in taken(scene)] == ["task_skipped"]


def test_an_agent_cannot_decide_about_its_own_run(repo: RepoBuilder) -> None:
    decisions = "git waves retry t1; git waves skip t1 --reason x; git waves stop --now; echo t2 > t2.txt"
    text = plan(task("t1", run="exit 1"), task("t2", run=f"sleep 0.5; {decisions}"))
    repo.commit({".waves/plan.yaml": text})
    assert repo.run_waves("run", "--on-failure", "fail-dependents").returncode == 1
    assert repo.waves("log", "t2").count("not for its agents") == 3
    assert repo.git("show", f"{INTEGRATION}:t2.txt") == "t2"


def test_a_path_that_is_asked_for_is_quoted_where_people_are_to_type_it(repo: RepoBuilder) -> None:
    ask = "git waves request 'a; touch x' --reason y"
    repo.commit({".waves/plan.yaml": plan(task("t1", run=ask))})
    assert repo.run_waves("run").returncode == 3
    assert "--grant 'a; touch x'" in repo.waves("status")
