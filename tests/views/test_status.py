"""`git waves status` in all its forms, from one hand-made night."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

from git_waves.adapters.eventlog import read_events
from git_waves.core.fold import RunState, fold
from git_waves.views.age import seconds_of
from git_waves.views.paint import Paint
from git_waves.views.standing import next_step, standing
from git_waves.views.status_json import status_json
from git_waves.views.status_porcelain import status_porcelain
from git_waves.views.status_text import status_text
from git_waves.views.waiting import waits
from git_waves.views.watch_text import watch_text
from git_waves.views.wrapping import wrapped
from tests.support import scenes
from tests.support.golden import check_golden


def state_of(scene: scenes.Scene) -> RunState:
    """The scene's log, read and folded as the program does."""
    return fold(read_events(scene.run_dir.events)[0])


def now(scene: scenes.Scene) -> float:
    """The scene's clock."""
    return scene.now.timestamp()


@pytest.fixture
def night(tmp_path: Path) -> scenes.Scene:
    """The run in the middle of the night."""
    return scenes.morning(tmp_path)


def halt(scene: scenes.Scene) -> None:
    """The coordinator gives up because of the parked task."""
    scene.halt("parked", "task 't4' parked at ownership", hint="git waves show t4")


def test_a_run_at_work(night: scenes.Scene) -> None:
    check_golden("status/running.txt", status_text(state_of(night), is_running=True, now=now(night)))


def test_a_narrow_terminal_cuts_titles_and_nothing_else(night: scenes.Scene) -> None:
    text = status_text(state_of(night), is_running=True, now=now(night), width=80)
    check_golden("status/running-80.txt", text)
    assert max(map(len, text.splitlines())) <= 80


def test_a_run_whose_coordinator_died(night: scenes.Scene) -> None:
    check_golden("status/interrupted.txt", status_text(state_of(night), is_running=False, now=now(night)))


def test_a_task_that_waits_for_what_another_run_holds(night: scenes.Scene) -> None:
    night.interrupt("t3", "stopped on request")
    night.hold(
        "t3", "database", "waits for 'database', held by task 'x' of run 20261130-1-b in '/o\x1b[2Jther'"
    )
    check_golden("status/held.txt", status_text(state_of(night), is_running=True, now=now(night), width=100))
    night.lease("t3", attempt=2)
    assert "waits for 'database'" not in status_text(state_of(night), is_running=True, now=now(night))


def spendthrift(night: scenes.Scene) -> scenes.Scene:
    """The same night, told what it costs, after its coordinator was killed and another one came."""
    night.spend("t1", 1_234_567, 3.4)
    night.spend("t2", 820)
    night.spend("t3", 64_900, 0.0042)
    night.take_up("t3", "adopted")
    night.warn("attempt 1 of task 't3' has used more than 80% of its limit of 80000 tokens")
    return night


def test_what_agents_told_has_columns_and_what_was_taken_up_says_so(night: scenes.Scene) -> None:
    state = state_of(spendthrift(night))
    state.budget.update(tokens=2_000_000, cost=10.0, quiet=None)
    check_golden("status/spent.txt", status_text(state, is_running=True, now=now(night)))
    text = status_text(state, is_running=True, now=now(night), width=100)
    assert max(map(len, text.splitlines())) <= 100
    records = status_porcelain(state, is_running=True, nul=False).splitlines()
    assert [record for record in records if record.startswith(("spent", "taken-up"))] == [
        "spent\tt1\t1234567\t3.400000",
        "spent\tt2\t820\t0.000000",
        "spent\tt3\t64900\t0.004200",
        "taken-up\tt3\tadopted",
    ]
    told = status_json(state, is_running=True)
    assert told["spent"] == {"tokens": 1_300_287, "cost": 3.4042}
    assert told["budget"] == {"tokens": 2_000_000, "cost": 10.0, "quiet": None}
    assert [(one["taken_up"], one["attempts"]) for one in told["tasks"][1:3]] == [
        ("", [{"attempt": 1, "tokens": 820, "cost": None}]),
        ("adopted", [{"attempt": 1, "tokens": 64900, "cost": 0.0042}]),
    ]


def test_tokens_without_money_are_one_column(night: scenes.Scene) -> None:
    night.spend("t1", 999)
    text = status_text(state_of(night), is_running=True, now=now(night))
    assert "TRY  TOKENS  AT" in text
    assert "used: 999 tokens\n" in text


@pytest.mark.parametrize(
    ("how", "word"), [("finished", "running (agent finished)"), ("resumed", "running (resumed)")]
)
def test_each_class_of_a_restart_has_its_word(
    night: scenes.Scene, how: Literal["finished", "resumed"], word: str
) -> None:
    night.take_up("t3", how, session="s-1")
    assert word in status_text(state_of(night), is_running=True, now=now(night))
    night.interrupt("t3", "stopped", session="s-1")
    assert "pending (to resume)" in status_text(state_of(night), is_running=True, now=now(night))


def test_a_run_that_halted_at_its_limit_says_how_to_go_on(tmp_path: Path) -> None:
    scene = scenes.Scene(tmp_path)
    scene.begin({"1": [["t1"]]}, source="plans/night.yaml")
    reason = "the run's limit is reached: 5 tokens used, and the limit is 5 tokens (task 't1': 5 tokens)"
    scene.halt("budget", reason, hint="git waves run --budget tokens=MORE")
    words = next_step(state_of(scene), is_running=False)
    assert words == "'git waves run plans/night.yaml --budget tokens=MORE' goes on with another limit"


def test_writers_that_are_stopped_for_the_run_and_after_it(night: scenes.Scene) -> None:
    night.quiesce("sync", resume="systemctl --user start sync")
    night.quiesce("cron", resume="")
    state = state_of(night)
    check_golden("status/quiesced.txt", status_text(state, is_running=True, now=now(night)).split("\n\n")[-1])
    check_golden("status/owed.txt", status_text(state, is_running=False, now=now(night)).split("\n\n")[-1])
    for name in ("sync", "cron"):
        night.restore(name)
    assert "stopped" not in status_text(state_of(night), is_running=False, now=now(night))


def test_a_halted_run(night: scenes.Scene) -> None:
    halt(night)
    check_golden("status/halted.txt", status_text(state_of(night), is_running=False, now=now(night)))


def test_gates_that_were_red_before_flaky_or_tolerated_are_noted(tmp_path: Path) -> None:
    scene = scenes.proving(tmp_path)
    check_golden(
        "status/gates.txt", status_text(state_of(scene), is_running=False, now=now(scene), width=100)
    )


def test_json_tells_what_gates_proved(tmp_path: Path) -> None:
    state = status_json(state_of(scenes.proving(tmp_path)), is_running=False)
    told = {
        key: [(one["gate"], one["verdict"], one["passed"]) for one in state[key]]
        for key in ("baseline", "proofs", "gates")
    }
    assert told == {
        "baseline": [("build", None, True), ("lint", None, False), ("tests", None, True)],
        "proofs": [
            ("tests", "proved", False),
            ("lint", "inapplicable", False),
            ("build", "blind", True),
        ],
        "gates": [("build", None, True), ("lint", None, True), ("tests", None, False)],
    }


def test_a_run_that_was_answered_is_ready_to_go_on(night: scenes.Scene) -> None:
    halt(night)
    night.retry("t4", grant=("tests/kunit/Kbuild",))
    state = state_of(night)
    assert standing(state, is_running=False) == "stopped"
    assert next_step(state, is_running=False) == "'git waves run' goes on"


def test_a_red_gate_leads_to_its_log(tmp_path: Path) -> None:
    scene = scenes.Scene(tmp_path)
    scene.begin({"core": [["t1"]]}, gates=("build", "tests"))
    scene.climb("t1")
    scene.merge("t1")
    scene.gate("core", "build")
    scene.gate("core", "tests", reason="it ended with exit code 1")
    scene.halt("gate", "gate 'tests' is red", hint="git waves log gate:tests")
    check_golden("status/red-gate.txt", status_text(state_of(scene), is_running=False, now=now(scene)))


def test_a_halt_that_is_no_tasks_comes_before_tasks_that_failed_besides(tmp_path: Path) -> None:
    scene = scenes.Scene(tmp_path)
    scene.begin({"1": [["t1", "t2"]]})
    scene.climb("t1")
    scene.lease("t2")
    scene.fall("t2", "agent", "the agent ended with exit code 9")
    scene.move_refs("'refs/waves/integration/demo' was moved by somebody else")
    hint = "'git waves run --restore' puts it back, 'git waves run --accept' goes on from there"
    scene.halt("refs", "'refs/waves/integration/demo' was moved by somebody else", hint=hint)
    text = status_text(state_of(scene), is_running=False, now=now(scene))
    (step,) = (line for line in " ".join(text.split()).split("next: ")[1:])
    assert step.startswith(hint), "the task can only be tried again when that is settled"


def test_a_finished_run_with_work_left_out(tmp_path: Path) -> None:
    scene = scenes.Scene(tmp_path)
    scene.begin({"1": [["t1"], ["t2"]]}, needs={"t2": ["t1"]})
    scene.climb("t1")
    scene.merge("t1")
    scene.publish("1")
    scene.skip("t2", "somebody else does it")
    scene.finish()
    scene.wait(days=2)
    check_golden("status/finished.txt", status_text(state_of(scene), is_running=False, now=now(scene)))


def test_the_time_of_a_task_is_that_of_its_attempt_however_long_it_waits_to_be_merged(tmp_path: Path) -> None:
    scene = scenes.Scene(tmp_path)
    scene.begin({"1": [["t1", "t2"]]})
    scene.climb("t1")
    ended = state_of(scene).tasks["t1"].ended
    scene.wait(hours=3)
    scene.climb("t2")
    scene.merge("t1", "t2")
    scene.publish("1")
    assert state_of(scene).tasks["t1"].status == "integrated"
    assert state_of(scene).tasks["t1"].ended == ended


def test_titles_and_reasons_are_inert(tmp_path: Path) -> None:
    scene = scenes.Scene(tmp_path)
    scene.begin({"1": [["t1"]]}, titles={"t1": "\x1b[2Jhidden \u202e title"})
    scene.lease("t1")
    scene.park("t1", "agent", "a\x1b]0;b\x07c", paths=("x\udcff\n",), hint="git waves show 't1\x1b'")
    text = status_text(state_of(scene), is_running=False, now=now(scene))
    assert text.replace("\n", "").isprintable()
    check_golden("status/hostile.txt", text)


def test_colour_changes_no_letter(night: scenes.Scene) -> None:
    from rich.text import Text

    state = state_of(night)
    plain = status_text(state, is_running=True, now=now(night), width=80)
    painted = status_text(state, is_running=True, now=now(night), width=80, paint=Paint(True))
    assert painted != plain
    assert Text.from_ansi(painted).plain.rstrip("\n") == plain.rstrip("\n")


def test_porcelain_is_stable(night: scenes.Scene) -> None:
    check_golden("status/porcelain.txt", status_porcelain(state_of(night), is_running=True, nul=False))


def test_porcelain_with_nul_keeps_texts_as_they_are(tmp_path: Path) -> None:
    scene = scenes.Scene(tmp_path)
    scene.begin({"1": [["t1"]]})
    scene.lease("t1")
    scene.park("t1", "agent", "two\nlines and a\ttab")
    records = status_porcelain(state_of(scene), is_running=False, nul=True).split("\0")
    assert records[0] == "git-waves status v1"
    assert records[-1] == ""
    assert records[-2].split("\t", 8)[8] == "two\nlines and a\ttab", (
        "the reason is last, so it may hold anything"
    )


def test_without_a_run_porcelain_and_json_say_so() -> None:
    assert status_porcelain(None, is_running=False, nul=False) == "git-waves status v1\n"
    assert status_json(None, is_running=False) == {"version": 1, "run": None}


def test_json_is_stable(night: scenes.Scene) -> None:
    halt(night)
    text = json.dumps(status_json(state_of(night), is_running=False), indent=2) + "\n"
    check_golden("status/status.json", text, replace={str(night.run_dir.path): "<run>"})


@pytest.mark.parametrize(
    ("settle", "is_running", "word"),
    [
        (lambda _: None, True, "running"),
        (lambda _: None, False, "interrupted"),
        (lambda scene: scene.stop(), True, "stopping"),
        (lambda scene: scene.leave(), False, "stopped"),
        (halt, False, "halted"),
        (lambda scene: scene.halt("gate", "red"), False, "halted"),
        (lambda scene: scene.finish(), False, "finished"),
    ],
)
def test_a_run_stands_in_one_word(
    night: scenes.Scene, settle: Callable[[scenes.Scene], None], is_running: bool, word: str
) -> None:
    settle(night)
    assert standing(state_of(night), is_running=is_running) == word


def test_the_next_command_names_a_plan_that_is_not_in_the_usual_place(tmp_path: Path) -> None:
    scene = scenes.Scene(tmp_path)
    scene.begin({"1": [["t1"]]}, source="plans/my plan.yaml")
    assert next_step(state_of(scene), is_running=False) == "git waves run 'plans/my plan.yaml' goes on"


def test_a_pending_task_says_what_it_waits_for(tmp_path: Path) -> None:
    scene = scenes.Scene(tmp_path)
    needs = {"many": [f"task-{n}" for n in range(9)], "t2": ["task-0"]}
    first = [f"task-{n}" for n in range(9)]
    held = [
        {"task": "t3", "kind": "file", "by": "task-1", "what": "Kbuild"},
        {"task": "t3", "kind": "cap", "by": "", "what": ""},
    ]
    scene.begin({"1": [first], "2": [["many", "t2", "t3", "t4"]]}, needs=needs, holds={"2": held})
    assert waits(state_of(scene)) == {
        "many": "after task-0 and 8 more",
        "t2": "after task-0",
        "t3": "after task-1 (Kbuild)",
        "t4": "after group 1",
    }


def test_ready_set_knows_no_barrier_to_wait_for(tmp_path: Path) -> None:
    scene = scenes.Scene(tmp_path)
    scene.begin({"1": [["t1"]], "2": [["t2"]]}, scheduler="ready-set")
    assert waits(state_of(scene)) == {}


# ---------------------------------------------------------------------- --watch


def frame(scene: scenes.Scene, *, width: int = 80, height: int) -> list[str]:
    """The lines of a frame."""
    text = watch_text(
        state_of(scene), is_running=True, now=now(scene), width=width, height=height, paint=Paint(False)
    )
    return text.split("\n")


def test_a_frame_with_room_shows_everything(night: scenes.Scene) -> None:
    check_golden("status/watch.txt", "\n".join(frame(night, height=40)) + "\n")


def test_a_small_frame_drops_what_is_through_then_what_waits_and_says_so(night: scenes.Scene) -> None:
    check_golden("status/watch-small.txt", "\n".join(frame(night, height=14)) + "\n")


@pytest.mark.parametrize("height", range(11, 30))
def test_a_frame_fits_its_screen(night: scenes.Scene, height: int) -> None:
    lines = frame(night, height=height)
    assert len(lines) <= height
    assert max(map(len, lines)) <= 80


# ---------------------------------------------------------------------- wrapping


def test_long_words_stay_whole_and_nothing_is_lost() -> None:
    text = "it changes 'a/very/long/path/that/does/not/fit' which belongs to another"
    lines = wrapped(text, "  ", 20)
    assert " ".join(line.strip() for line in lines) == text
    assert "  'a/very/long/path/that/does/not/fit'" in lines
    assert wrapped(text, "  ", None) == ["  " + text]


def test_the_scene_has_a_clock(night: scenes.Scene) -> None:
    assert seconds_of(state_of(night).last) <= now(night)
