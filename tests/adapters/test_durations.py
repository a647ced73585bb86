"""What tasks took in earlier runs: which attempts count, which run wins, and logs that cannot be believed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from git_waves.adapters.durations import past_durations


def write_run(common: Path, name: str, *events: dict[str, Any], plan: str = "p") -> Path:
    folder = common / "waves" / "runs" / name
    folder.mkdir(parents=True)
    lines = [{"event": "run_started", "plan": plan, "at": at(0)}, *events]
    log = folder / "events.jsonl"
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return log


def at(second: int) -> str:
    return f"2026-11-29T10:{second // 60:02d}:{second % 60:02d}.500Z"


def agent(task: str, second: int, attempt: int = 1) -> dict[str, Any]:
    return reached(task, second, "agent", attempt)


def reached(task: str, second: int, rung: str, attempt: int = 1) -> dict[str, Any]:
    return {"event": "rung_reached", "task": task, "attempt": attempt, "rung": rung, "at": at(second)}


def passed(task: str, second: int, attempt: int = 1) -> dict[str, Any]:
    return {"event": "task_passed", "task": task, "attempt": attempt, "at": at(second), "paths": []}


def failed(task: str, second: int, rung: str, attempt: int = 1) -> dict[str, Any]:
    return {"event": "task_failed", "task": task, "attempt": attempt, "rung": rung, "at": at(second)}


def test_an_agent_counts_from_its_rung_to_what_came_next(tmp_path: Path) -> None:
    write_run(
        tmp_path,
        "1",
        reached("a", 5, "environment"),
        agent("a", 10),
        agent("b", 12),
        reached("a", 40, "verify"),
        passed("a", 90),
        passed("b", 72),
    )
    assert past_durations(tmp_path, "p") == {"a": 30.0, "b": 60.0}


def test_what_was_interrupted_or_fell_before_its_end_does_not_count(tmp_path: Path) -> None:
    write_run(
        tmp_path,
        "1",
        agent("killed", 10),
        failed("killed", 20, "agent"),
        agent("unverified", 10),
        failed("unverified", 50, "verify"),
        agent("open", 10),
        failed("never", 30, "environment"),
        passed("adopted", 40),
    )
    assert past_durations(tmp_path, "p") == {"unverified": 40.0}


def test_a_resumed_attempt_began_once_and_a_new_one_counts_for_itself(tmp_path: Path) -> None:
    write_run(
        tmp_path,
        "1",
        agent("a", 10),
        agent("a", 30),
        passed("a", 60),
        agent("b", 10),
        agent("b", 20, attempt=2),
        passed("b", 25, attempt=2),
    )
    assert past_durations(tmp_path, "p") == {"a": 50.0, "b": 5.0}


def test_the_newest_of_the_last_runs_of_this_plan_wins(tmp_path: Path) -> None:
    write_run(tmp_path, "20261101-a", agent("a", 0), passed("a", 100), agent("old", 0), passed("old", 7))
    write_run(tmp_path, "20261102-b", agent("a", 0), passed("a", 50))
    write_run(tmp_path, "20261103-c", agent("a", 0), passed("a", 9), plan="other")
    assert past_durations(tmp_path, "p") == {"a": 50.0, "old": 7.0}
    for number in range(5):
        write_run(tmp_path, f"20261110-{number}", agent("new", 0), passed("new", number + 1))
    assert past_durations(tmp_path, "p") == {"new": 5.0}, "five runs are looked at"


def test_a_log_that_cannot_be_believed_is_passed_over(tmp_path: Path) -> None:
    log = write_run(tmp_path, "1", agent("a", 0), passed("a", 8), agent("b", 0))
    with log.open("a") as file:
        file.write('{"event": "task_passed", "task": "b", "at": "yesterday", "attempt": 1}\n')
        file.write('["task_passed"]\n{"event": "task_passed"}\n{"torn": "task_passed')
    (tmp_path / "waves/runs/2").mkdir()
    (tmp_path / "waves/runs/2/events.jsonl").write_text("no json\n")
    assert past_durations(tmp_path, "p") == {"a": 8.0}
    assert past_durations(tmp_path / "nowhere", "p") == {}
