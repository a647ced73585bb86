"""What `git waves run` prints: a line for what matters, last words with the next command."""

from __future__ import annotations

from pathlib import Path

from git_waves.adapters import eventlog
from git_waves.core.fold import RunState
from git_waves.views.run_lines import end_summary, line_for, told_events
from git_waves.views.status_text import status_text
from tests.support import scenes
from tests.support.golden import check_golden


def told(scene: scenes.Scene, *, is_verbose: bool = False) -> tuple[str, RunState]:
    """The scene's log as a run would have printed it, and the state at its end."""
    state = RunState()
    lines = []
    for event in eventlog.read_events(scene.run_dir.events)[0]:
        state.apply(event)
        lines.append(line_for(event, state, is_verbose=is_verbose))
    return "".join(f"{line}\n" for line in lines if line is not None), state


def test_every_event_of_the_log_is_known() -> None:
    assert told_events() == frozenset(eventlog.known_events())


def test_a_night_and_its_halt(tmp_path: Path) -> None:
    scene = scenes.morning(tmp_path)
    scene.halt("parked", "task 't4' parked at ownership", hint="git waves show t4")
    text, state = told(scene)
    check_golden("run/night.txt", text + "\n" + end_summary(state))


def test_verbose_tells_the_rungs_too(tmp_path: Path) -> None:
    scene = scenes.morning(tmp_path)
    check_golden("run/night-verbose.txt", told(scene, is_verbose=True)[0])


def test_a_person_who_does_a_task_and_what_the_run_tries_by_itself(tmp_path: Path) -> None:
    scene = scenes.Scene(tmp_path)
    scene.begin({"1": [["logo", "a"]]}, titles={"logo": "Draw the logo"}, scheduler="ready-set")
    scene.lease("logo")
    scene.wait_for_person("logo")
    scene.lease("a")
    scene.fall("a", "verify", "verify command 'make' ended with exit code 2")
    scene.try_again("a")
    scene.lease("a", attempt=2)
    scene.limit("a", "2026-11-30T14:05:00.000Z", "the agent speaks of a rate limit", attempt=2, session="s-1")
    scene.wait(hours=6)
    scene.take_up("a", "resumed", attempt=2, session="s-1")
    scene.limit("a", "", "the agent speaks of its login", attempt=2)
    scene.hand_in("logo")
    scene.wait_for_person("logo", rung="verify", reason="verify command 'grep ink' ended with exit code 1")
    scene.halt("attended", "task 'logo' waits for a person", hint="git waves open logo")
    text, state = told(scene)
    now = scene.now.timestamp()
    shown = status_text(state, is_running=False, now=now)
    check_golden("run/attended.txt", text + "\n" + end_summary(state) + "\n" + shown)


def test_everything_a_person_can_do_to_a_run(tmp_path: Path) -> None:
    scene = scenes.morning(tmp_path)
    scene.ask("t3", "src/reader.c", owner="t2", reason="its type is needed")
    scene.ask("t3", "src/new.c", owner="", reason="to keep it apart")
    scene.warn("branch 'waves/demo/integration' is checked out and is left alone")
    scene.stop()
    scene.spend("t3", 64_900, 0.31)
    scene.interrupt("t3", "stopped on request", session="s-1")
    scene.take_up("t3", "resumed", session="s-1")
    scene.interrupt("t3", "stopped on request")
    scene.hold("t3", "database", "waits for 'database', held by task 'x' of run r1 in '/other'")
    scene.hold("t3", "", "")
    scene.quiesce("sync", resume="start sync")
    scene.quiesce("cron")
    scene.restore("cron")
    scene.restore("sync", command="start sync")
    scene.quiesce("watcher", resume="./watch &")
    scene.leave()
    scene.wait(hours=7)
    scene.resume()
    scene.retry("t4", grant=("tests/kunit/Kbuild",), budget={"tokens": 400_000, "wall_clock": None})
    scene.skip("t5", "not needed any more")
    scene.block("t7", by="t5")
    scene.merge("t2")
    scene.gate("2", "tests", reason="it ended with exit code 1")
    scene.remove("t2", archive="refs/waves/archive/x/t2/1")
    scene.move_refs("'refs/waves/integration/demo' was moved by somebody else")
    scene.accept()
    scene.halt("gate", "gate 'tests' is red at the barrier of group '2'", hint="git waves log gate:tests")
    text, state = told(scene, is_verbose=True)
    check_golden("run/everything.txt", text + "\n" + end_summary(state))


def test_everything_that_gates_can_say(tmp_path: Path) -> None:
    text, state = told(scenes.proving(tmp_path))
    check_golden("run/gates.txt", text + "\n" + end_summary(state))


def test_the_end_of_a_run_that_left_something_out(tmp_path: Path) -> None:
    scene = scenes.Scene(tmp_path)
    scene.begin({"1": [["t1", "t2", "t3"]]}, needs={"t3": ["t2"]})
    scene.climb("t1")
    scene.merge("t1")
    scene.skip("t2", "somebody else does it")
    scene.block("t3", by="t2")
    scene.publish("1")
    scene.finish()
    check_golden("run/finished.txt", end_summary(told(scene)[1]))


def test_many_paths_are_counted(tmp_path: Path) -> None:
    scene = scenes.Scene(tmp_path)
    scene.begin({"1": [["t1"]]})
    scene.lease("t1")
    scene.fall("t1", "ownership", "it changes foreign paths", paths=tuple(f"f{n}" for n in range(14)))
    assert "    and 4 more\n" in end_summary(told(scene)[1])


def test_what_agents_say_is_inert(tmp_path: Path) -> None:
    scene = scenes.Scene(tmp_path)
    scene.begin({"1": [["t1"]]}, titles={"t1": "\x1b[31mred"})
    scene.lease("t1")
    scene.ask("t1", "a\nb", owner="", reason="\u202etxt.exe")
    scene.fall("t1", "agent", "\x1b]0;x\x07", paths=("\udcff",))
    text, state = told(scene)
    assert (text + end_summary(state)).replace("\n", "").isprintable()
