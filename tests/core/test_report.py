"""The report's numbers, from event logs written by hand: time, overlap, declarations, logs, and what is never shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from git_waves.adapters import eventlog
from git_waves.core.report.model import Report, Span, TaskReport
from git_waves.core.report.overlap import length
from git_waves.core.speedup import LimitKind
from tests.support.reports import report_of
from tests.support.scenes import COMMIT, Scene

PLAN = """\
version: 1
name: demo
max_parallel: 2
gates: {tests: make test}
tasks:
  - {id: t1, run: x, files: {create: [a.c], modify: [docs/]}}
  - {id: t2, run: x, files: {create: [b.c, tests/b.c]}}
  - {id: t3, run: x, needs: [t1], files: {create: ["src/*.c"]}}
"""


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    """A run of three tasks that has just begun."""
    scene = Scene(tmp_path)
    scene.begin({"1": [["t1", "t2"]], "2": [["t3"]]}, needs={"t3": ["t1"]}, gates=("tests",))
    return scene


def passes(scene: Scene, task: str, *paths: str, attempt: int = 1) -> None:
    """The attempt holds on every rung."""
    scene.add(eventlog.TaskPassed(task=task, attempt=attempt, tip=COMMIT, paths=list(paths)))


def task_of(report: Report, name: str) -> TaskReport:
    """The task of that id."""
    (found,) = (task for task in report.tasks if task.id == name)
    return found


def at(report: Report, moment: float) -> float:
    """Seconds since the run began."""
    return round(moment - report.span.begin, 3)


def seconds(report: Report, span: Span) -> tuple[float, float]:
    """A span in seconds since the run began."""
    return at(report, span.begin), at(report, span.end)


# ---------------------------------------------------------------------- time


def test_an_attempt_is_told_rung_by_rung(scene: Scene) -> None:
    scene.climb("t1", paths=("a.c",))
    scene.wait(seconds=5)
    scene.merge("t1")
    scene.gate("1", "tests", seconds=30)
    scene.publish("1")
    report = report_of(scene, PLAN)
    (attempt,) = task_of(report, "t1").attempts
    assert seconds(report, attempt.span) == (0, 193)
    assert [(rung.name, seconds(report, rung.span)) for rung in attempt.rungs] == [
        ("environment", (0, 1)),
        ("agent", (1, 181)),
        ("verify", (181, 193)),
    ]
    assert task_of(report, "t1").merged_at == pytest.approx(report.span.begin + 198)
    assert [(barrier.group, at(report, barrier.at)) for barrier in report.barriers] == [("1", 228)]
    ((run,),) = (gate.runs for gate in report.gates)
    assert seconds(report, run.span) == (198, 228)


def test_a_rest_between_two_coordinators_is_not_work(scene: Scene) -> None:
    scene.lease("t1")
    scene.wait(seconds=60)
    scene.fall("t1", "agent", "it ended with exit code 1")
    scene.halt("failed", "task 't1' failed")
    scene.wait(hours=8)
    scene.retry("t1")
    scene.resume()
    scene.climb("t1", attempt=2, paths=("a.c",))
    scene.leave()
    report = report_of(scene, PLAN)
    assert [(one.ended, one.span.seconds) for one in report.sessions] == [("halted", 60), ("stopped", 193)]
    assert (report.overlap.wall, report.overlap.rest) == (60 + 193, 8 * 3600)


def test_what_a_dead_coordinator_left_is_told_by_what_became_of_it(scene: Scene) -> None:
    for task in ("t1", "t2"):
        scene.lease(task)
        scene.reach(task, "agent")
    scene.wait(seconds=100)
    scene.warn("the last word of the first coordinator")
    scene.wait(hours=1)
    scene.resume()
    scene.add(eventlog.TaskTakenUp(task="t1", attempt=1, how="adopted"))
    scene.add(eventlog.TaskTakenUp(task="t2", attempt=1, how="finished"))
    scene.wait(seconds=50)
    passes(scene, "t1", "a.c")
    passes(scene, "t2", "b.c")
    scene.leave()
    report = report_of(scene, PLAN)
    first, second = report.sessions
    assert (first.ended, first.span.seconds) == ("died", 100)
    assert second.found == (("adopted", ("t1",)), ("finished", ("t2",)))
    (adopted,) = task_of(report, "t1").attempts
    assert adopted.span.seconds == 100 + 3600 + 50, "it worked on while nobody looked"
    assert [one.span.seconds for one in task_of(report, "t2").attempts] == [100, 50], (
        "nobody knows when it ended"
    )
    assert task_of(report, "t2").tries == 1


def test_an_interrupted_attempt_ends_with_its_coordinator(scene: Scene) -> None:
    scene.lease("t1")
    scene.reach("t1", "agent")
    scene.wait(seconds=30)
    scene.warn("still here")
    scene.wait(hours=2)
    scene.resume()
    scene.interrupt("t1", "the agent's supervisor died before it did anything")
    scene.climb("t1", attempt=2, paths=("a.c",))
    scene.leave()
    report = report_of(scene, PLAN)
    assert [(one.ended, one.span.seconds) for one in task_of(report, "t1").attempts] == [
        ("interrupted", 30),
        ("passed", 193),
    ]
    assert report.sessions[1].found == (("started over", ("t1",)),)
    assert report.overlap.wall == 30 + 193


def test_a_run_at_work_goes_on_until_now(scene: Scene) -> None:
    scene.lease("t1")
    scene.wait(minutes=3)
    report = report_of(scene, PLAN, is_running=True)
    assert report.overlap.busy == report.overlap.wall == 180
    assert report.sessions[-1].ended == ""


def test_a_clock_that_was_put_back_turns_no_time_round(scene: Scene) -> None:
    scene.lease("t1")
    scene.wait(minutes=5)
    scene.reach("t1", "agent")
    scene.wait(hours=-1)
    passes(scene, "t1", "a.c")
    report = report_of(scene, PLAN)
    (attempt,) = task_of(report, "t1").attempts
    assert attempt.span.seconds == 300
    assert all(rung.span.seconds >= 0 for rung in attempt.rungs)


def test_an_attempt_that_stumbles_at_its_merge_is_parked_and_passed(scene: Scene) -> None:
    scene.climb("t1", paths=("a.c",))
    scene.park("t1", "merge", "it conflicts with 't2'", paths=("a.c",))
    (attempt,) = task_of(report_of(scene, PLAN), "t1").attempts
    assert (attempt.ended, attempt.rung, attempt.changed) == ("parked", "merge", ("a.c",))


def test_work_that_is_taken_out_again_is_merged_no_more(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.begin({"1": [["t1", "t2", "t3"]]}, gates=("tests",))
    for task in ("t1", "t2", "t3"):
        scene.climb(task, paths=(f"{task}.c",))
    scene.merge("t1", "t2", "t3")
    scene.gate("1", "tests", reason="it ended with exit code 1")
    scene.find_culprit("1", "tests", "t1", evidence="'t1' broke it alone")
    scene.take_out("t1", again=("t2",), restart=("t3",))
    scene.wait(seconds=5)
    scene.merge("t2")
    report = report_of(scene)
    assert [(one.gate, one.tasks, one.evidence) for one in report.culprits] == [
        ("tests", ("t1",), "'t1' broke it alone")
    ]
    assert [(one.culprits, one.again, one.restart) for one in report.resets] == [(("t1",), ("t2",), ("t3",))]
    merged = {task.id: task.merged_at for task in report.tasks if task.merged_at is not None}
    assert {task: at(report, moment) for task, moment in merged.items()} == {"t2": 3 * 193 + 42 + 5}


def test_an_archive_that_is_gone_is_still_told(scene: Scene) -> None:
    scene.lease("t1")
    scene.fall("t1", "agent", "it ended with exit code 1")
    start = f"refs/waves/archive/{scene.run_dir.run}"
    scene.remove("t1", archive=f"{start}/t1/1")
    kept = report_of(
        scene, archives=(f"{start}/t2/1.head", f"{start}/previous-integration", "refs/heads/x")
    ).kept
    assert [(one.name, one.is_there) for one in kept] == [
        ("previous-integration", True),
        ("t2.1.head", True),
        ("t1.1", False),
    ], "and what is none of ours is not"


# ---------------------------------------------------------------------- overlap


def test_overlap_is_measured_and_compared_with_the_ideal(scene: Scene) -> None:
    scene.lease("t1")
    scene.wait(seconds=20)
    scene.lease("t2")
    scene.wait(seconds=40)
    passes(scene, "t1", "a.c")
    scene.wait(seconds=40)
    passes(scene, "t2", "b.c")
    scene.merge("t1", "t2")
    scene.gate("1", "tests", seconds=30)
    scene.publish("1")
    scene.lease("t3")
    scene.wait(seconds=50)
    passes(scene, "t3", "src/c.c")
    scene.finish()
    overlap = report_of(scene, PLAN).overlap
    assert (overlap.busy, overlap.wall, overlap.peak) == (60 + 80 + 50, 180, 2)
    assert (overlap.idle, overlap.gates) == (30, 30)
    assert overlap.average == pytest.approx(190 / 180)
    assert [count for _at, count in overlap.steps] == [1, 2, 1, 0, 1, 0]
    assert overlap.ideal is not None
    # Rounds: t1 beside t2 takes 80 s, then t3 50 s. Needs alone: t1 and t3 one after the other, 110 s.
    assert overlap.ideal.total_work / overlap.ideal.factor == pytest.approx(130)
    assert overlap.ideal.total_work / overlap.ideal.best == pytest.approx(110)
    assert overlap.ideal.limit.kind is LimitKind.NEEDS


def test_what_could_have_been_is_not_made_up(scene: Scene) -> None:
    overlap = report_of(scene).overlap
    assert overlap.ideal is None
    assert overlap.unknown == "git does not have the plan of this run any more"
    assert report_of(scene, PLAN).overlap.unknown == "no attempt has taken any time"


@pytest.mark.parametrize(
    ("spans", "total"),
    [([], 0.0), ([(0, 5), (3, 7)], 7.0), ([(5, 6), (0, 1)], 2.0), ([(0, 10), (2, 3), (10, 11)], 11.0)],
)
def test_time_that_overlaps_counts_once(spans: list[tuple[float, float]], total: float) -> None:
    assert length([Span(begin=begin, end=end) for begin, end in spans]) == total


# ---------------------------------------------------------------------- declarations


def test_claims_that_nobody_touched_are_told(scene: Scene) -> None:
    scene.climb("t1", paths=("a.c",))
    scene.climb("t2", paths=("b.c", "tests/b.c"))
    scene.climb("t3", paths=("src/deep.c",))
    found = report_of(scene, PLAN).declarations
    assert [(one.task, one.paths) for one in found.untouched] == [("t1", ("docs/",))]
    assert found.checked == 3


def test_foreign_paths_are_told_with_their_owners_and_what_became_of_them(scene: Scene) -> None:
    scene.lease("t1")
    scene.fall("t1", "commit", "it left changes to paths it does not own", paths=("b.c", "x", "y", "a.c"))
    scene.halt("failed", "task 't1' failed")
    scene.retry("t1", grant=("b.c",))
    found = report_of(scene, PLAN).declarations
    assert [(one.paths, one.owners, one.is_granted) for one in found.foreign] == [
        (("b.c",), ("t2",), True),
        (("x", "y"), (), False),
    ], "what is its own is none"


def test_without_the_manifest_nothing_is_said_about_files(scene: Scene) -> None:
    scene.climb("t1", paths=("a.c",))
    found = report_of(scene).declarations
    assert (found.checked, found.unknown) == (0, "git does not have the plan of this run any more")


def test_a_request_knows_whether_it_was_granted(scene: Scene) -> None:
    scene.lease("t1")
    scene.ask("t1", "b.c", owner="t2", reason="a name is wrong there")
    scene.ask("t1", "x", owner="", reason="and there")
    scene.park("t1", "agent", "it asks for 'b.c'", paths=("b.c", "x"))
    scene.retry("t1", grant=("b.c",))
    report = report_of(scene, PLAN)
    assert [(one.path, one.owner, one.is_granted) for one in report.requests] == [
        ("b.c", "t2", True),
        ("x", "", False),
    ]
    assert [grant.paths for grant in report.grants] == [("b.c",)]


# ---------------------------------------------------------------------- logs


def test_a_red_gate_and_a_fallen_task_show_how_their_logs_end(scene: Scene) -> None:
    scene.climb("t1", paths=("a.c",))
    scene.merge("t1")
    scene.gate("1", "tests", reason="it ended with exit code 1")
    scene.write_log("gate.1.tests.log", b"".join(b"line %d\n" % number for number in range(100)) + b"\n\n")
    scene.lease("t2")
    scene.reach("t2", "verify")
    scene.fall("t2", "verify", "verify command 'x' ended with exit code 2")
    scene.write_log("t2.1.log", b"the agent\n")
    scene.write_log("t2.1.verify-0.log", b"first\n")
    scene.write_log("t2.1.verify-10.log", b"\x1b[31mlast\x1b[0m\rone\n")
    report = report_of(scene, PLAN)
    ((run,),) = (gate.runs for gate in report.gates)
    assert run.excerpt is not None
    assert run.excerpt.lines == tuple(f"line {number}" for number in range(70, 100))
    assert (run.excerpt.is_cut, run.excerpt.command) == (True, "git waves log gate:tests")
    excerpt = task_of(report, "t2").excerpt
    assert excerpt is not None
    assert (excerpt.lines, excerpt.command) == (("last", "one"), "git waves log t2 --rung verify-10")
    assert task_of(report, "t1").excerpt is None, "nobody asks about what went well"


def test_who_broke_a_gate_shows_how_its_log_ends_and_a_stage_shows_its_own(scene: Scene) -> None:
    scene.climb("t1", paths=("a.c",))
    scene.merge("t1")
    scene.gate("1", "tests", reason="it ended with exit code 1")
    scene.write_log("gate.1.tests.log", b"t1 is wrong\n")
    scene.write_log("t1.1.log", b"the agent\n")
    scene.find_culprit("1", "tests", "t1")
    scene.take_out("t1")
    scene.lease("t2")
    scene.reach("t2", "risk")
    scene.fall("t2", "risk", "stage 'risk' ended with exit code 2")
    scene.write_log("t2.1.log", b"the agent\n")
    scene.write_log("t2.1.risk.log", b"too risky\n")
    report = report_of(scene, PLAN)
    broke, fell = (task_of(report, name).excerpt for name in ("t1", "t2"))
    assert broke is not None and fell is not None
    assert (broke.lines, broke.command) == (("t1 is wrong",), "git waves log gate:tests --attempt 1")
    assert (fell.lines, fell.command) == (("too risky",), "git waves log t2 --rung risk")


def test_long_lines_and_long_texts_are_cut(scene: Scene) -> None:
    scene.lease("t1")
    scene.fall("t1", "agent", "x" * 5000)
    scene.write_log("t1.1.log", b"y" * 5000)
    task = task_of(report_of(scene, PLAN), "t1")
    assert task.attempts[0].reason.endswith("x... (1000 letters more)")
    assert task.excerpt is not None
    assert len(task.excerpt.lines[0]) == 403


# ---------------------------------------------------------------------- secrets


def test_a_secret_reaches_the_report_on_no_road(tmp_path: Path) -> None:
    secret = "sk" + "-proj-abcdefghijklmnop0123456789"
    scene = Scene(tmp_path)
    scene.begin({"1": [["t1", "t2"]]}, titles={"t1": f"use {secret}"}, source=f"plans/{secret}.yaml")
    scene.lease("t1")
    scene.ask("t1", f"keys/{secret}", owner="", reason=f"holds {secret}")
    scene.park("t1", "agent", f"it asks for {secret}", paths=(f"keys/{secret}",), hint=f"say {secret}")
    scene.write_log("t1.1.log", f"export KEY={secret}\n".encode())
    scene.retry("t1", grant=(f"keys/{secret}",))
    scene.skip("t2", f"because of {secret}")
    scene.gate("1", "tests", reason=f"{secret} is no key")
    scene.write_log("gate.1.tests.log", f"a {secret[:9]}\x1b[m{secret[9:]}".encode())
    scene.warn(f"{secret} was seen")
    scene.move_refs(f"moved by {secret}")
    scene.halt("gate", f"red: {secret}", hint=f"git waves log {secret}")
    plan = f"version: 1\nname: demo\ngates: {{tests: 'curl {secret}'}}\ntasks:\n"
    plan += (
        f"  - {{id: t1, run: x, files: {{create: ['{secret}.c']}}}}\n  - {{id: t2, run: x, files: [b.c]}}\n"
    )
    report = report_of(scene, plan)
    assert "[redacted]" in repr(report)
    assert not [text for text in _texts(report) if secret in text]


def _texts(value: Any) -> list[str]:
    """Every text that hangs on a value."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for pair in value.items() for part in pair for text in _texts(part)]
    if isinstance(value, (list, tuple, frozenset)):
        return [text for entry in value for text in _texts(entry)]
    names = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    names += list(getattr(value, "__dict__", ()))
    return [text for name in names for text in _texts(getattr(value, name))]
