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


def test_a_grant_is_never_taken_from_where_agents_can_write(scene: scenes.Scene) -> None:
    inbox.post(scene.run_dir, {"kind": "retry", "task": "t1", "grant": json.dumps(["docs/a.md"])})
    (event,) = taken(scene)
    assert event.event == "warned"
    assert "paths are granted only while the run rests" in event.message


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


@pytest.mark.long
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


# ---------------------------------------------------------------------- jobs, seals and notes

WAVES = 'w=$(echo "$(git rev-parse --git-common-dir)"/waves/runs/*)'
PLANTED = (
    '{"reason": "exited", "code": 0, "signal": null, "leftover": 0, "survivors": [], "dropped": 0,'
    ' "seconds": 1.0, "started": 1.0, "ended": 1.0, "message": "", "boot": "BOOT"}'
)
TAMPERING = {
    "its hooks": "rm -r $w/hooks/t1.1",
    "its job": "rm -r $w/jobs/t1.1.agent",
    "a file among the jobs": "touch $w/jobs/zzz; kill -9 $PPID",
    "the index": "echo x > $w/index/t1.1; kill -9 $PPID",
    "HEAD": 'rm "$(git rev-parse --git-dir)/HEAD"',
    "a folder as HEAD": 'cd "$(git rev-parse --git-dir)"; rm HEAD; mkdir HEAD',
    "git's folder of the worktree": 'rm -r "$(git rev-parse --git-dir)"',
    "its way to the repository": ': > "$(git rev-parse --git-dir)/commondir"',
    "the worktree": 'rm -r "$WAVES_WORKTREE"',
    "a link for the worktree": 'mv "$WAVES_WORKTREE" ../aside; ln -s ../aside "$WAVES_WORKTREE"',
}


@pytest.mark.long
@pytest.mark.parametrize("what", TAMPERING)
def test_tampering_ends_the_task_and_not_the_run(repo: RepoBuilder, what: str) -> None:
    text = plan(
        task("t1", run=f"{WAVES}\necho t1 > t1.txt\n{TAMPERING[what]}\nexit 0"),
        task("t2", run="sleep 1; echo t2 > t2.txt"),
        head="on_failure: fail-dependents\nmax_parallel: 2",
    )
    repo.commit({".waves/plan.yaml": text})
    done = repo.run_waves("run")
    assert done.returncode in (1, 3), done.stdout + done.stderr
    assert repo.git("show", f"{INTEGRATION}:t2.txt") == "t2"
    assert repo.git("rev-parse", "--verify", "--quiet", f"{INTEGRATION}:t1.txt", exit=None) == ""
    assert "parked" in repo.waves("status")


@pytest.mark.long
@pytest.mark.parametrize("what", ["$w/hooks/*.seal.json", "$w/index", "$w/inbox", "$w/prompts"])
def test_what_a_living_coordinator_needs_not_can_go(repo: RepoBuilder, what: str) -> None:
    repo.commit({".waves/plan.yaml": plan(task("t1", run=f"{WAVES}\nrm -r {what}\necho t1 > t1.txt"))})
    repo.waves("run")
    assert repo.git("show", f"{INTEGRATION}:t1.txt") == "t1"


def plant(job: str) -> str:
    """Words of a shell that leave the result of a job that never ran."""
    boot = "s/BOOT/$(cat /proc/sys/kernel/random/boot_id)/"
    copied = f"mkdir $w/jobs/{job}; cp $w/jobs/t1.1.agent/spec.json $w/jobs/{job}"
    return f"{copied}; echo '{PLANTED}' | sed \"{boot}\" > $w/jobs/{job}/exit.json"


def test_the_result_of_a_gate_cannot_be_planted(repo: RepoBuilder) -> None:
    script = "\n".join([WAVES, plant("gate.1.door"), plant("gate:1.door"), "echo t1 > t1.txt"])
    base = repo.commit(
        {".waves/plan.yaml": plan(task("t1", run=script), head="gates:\n  door: test -e nowhere\n")}
    )
    assert repo.run_waves("run").returncode == 3
    assert repo.git("rev-parse", INTEGRATION) == base


def test_the_result_of_a_verify_command_cannot_be_planted(repo: RepoBuilder) -> None:
    script = "\n".join([WAVES, plant("t1.1.verify-0"), "echo t1 > t1.txt"])
    base = repo.commit({".waves/plan.yaml": plan(task("t1", run=script, extra="verify: test -e nowhere"))})
    assert repo.run_waves("run").returncode == 1
    assert repo.git("rev-parse", INTEGRATION) == base


def test_an_attempt_that_was_planted_for_a_later_task_is_passed_over(repo: RepoBuilder) -> None:
    script = "\n".join([WAVES, plant("t2.1.agent"), plant("t2.2.verify-0"), "echo t1 > t1.txt"])
    repo.commit({".waves/plan.yaml": plan(task("t1", run=script), task("t2", needs=("t1",)))})
    repo.waves("run")
    assert repo.git("show", f"{INTEGRATION}:t2.txt") == "t2"
    assert repo.git("for-each-ref", "--format=%(refname)", "refs/heads/waves/p/t2/").endswith("/3")


@pytest.mark.long
@pytest.mark.parametrize("where", ["run", "verify"])
def test_a_command_that_kills_its_supervisor_is_not_started_for_ever(repo: RepoBuilder, where: str) -> None:
    kill = "kill -9 $PPID; sleep 9"
    text = plan(task("t1", run=kill)) if where == "run" else plan(task("t1", extra=f"verify: {kill}"))
    repo.commit({".waves/plan.yaml": text})
    done = repo.run_waves("run")
    assert done.returncode in (1, 3)
    assert "must not kill its parent" in done.stdout


@pytest.mark.parametrize("where", ["run", "verify", "gate"])
def test_a_command_that_stops_its_supervisor_is_not_started_for_ever(repo: RepoBuilder, where: str) -> None:
    kill = "kill $PPID; sleep 9; test -e nowhere"
    text = {
        "run": plan(task("t1", run=kill)),
        "verify": plan(task("t1", extra=f"verify: {kill}")),
        "gate": plan(task("t1"), head=f"gates:\n  door: {kill}\n"),
    }[where]
    repo.commit({".waves/plan.yaml": text})
    done = repo.run_waves("run")
    assert done.returncode == 3, done.stdout + done.stderr
    assert ("gate door: red" if where == "gate" else "it was interrupted 3 times in a row") in done.stdout


# ---------------------------------------------------------------------- what steers git for everybody


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ("git config core.bare true", "config"),
        ("echo '*.txt filter=x' > $c/info/attributes", "info/attributes"),
        ("echo 'touch /tmp/x' > $c/hooks/pre-commit", "hooks/pre-commit"),
        ("mkfifo $c/hooks/post-commit", "hooks/post-commit"),
    ],
)
def test_what_steers_git_for_everybody_is_told_when_it_changes(
    repo: RepoBuilder, change: str, name: str
) -> None:
    run = f"c=$(git rev-parse --git-common-dir); {change}; echo t1 > t1.txt"
    repo.commit({".waves/plan.yaml": plan(task("t1", run=run), task("t2", needs=("t1",)))})
    words = repo.waves("run")
    path = repo.folder / ".git" / name
    assert words.count(f"'{path}' was changed while 't1' ran") == 1
    assert repo.git("show", f"{INTEGRATION}:t2.txt") == "t2"
