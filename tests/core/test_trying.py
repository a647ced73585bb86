"""What the run tries by itself: how often, with whom, when not, and how long an agent that is limited is left alone."""

from __future__ import annotations

import pytest

from git_waves.core import decide, fold, trying
from git_waves.core.model import Plan, TaskId
from git_waves.core.moments import seconds_of
from git_waves.formats import PlanText, read_plan
from tests.core.simulate import Simulation

AGENTS = frozenset({"claude", "codex"})


def a_plan(task: str, head: str = "attempts: 3\nfallback: [codex]") -> Plan:
    """A plan with one task, `t`, of these keys."""
    text = f"version: 1\nname: p\nagent: claude\n{head}\ntasks:\n  - {{id: t, files: [a.c], {task}}}\n"
    return read_plan(PlanText(name_hint="p", source="p.yaml", data=text.encode()), known_agents=AGENTS)


def tries(task: str, head: str = "attempts: 3\nfallback: [codex]") -> trying.Tries:
    """What the run may try with that task."""
    plan = a_plan(task, head)
    return trying.tries_of(plan, plan.task(TaskId("t")))


def shown(found: trying.Tries) -> tuple[int, list[str], bool]:
    return found.attempts, [trying.label_of(agent) for agent in found.agents], found.is_repeatable


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        ("prompt: x", (3, ["claude", "codex"], True)),
        ("prompt: x, attempts: 1", (1, ["claude", "codex"], True)),
        ("prompt: x, fallback: []", (3, ["claude"], True)),
        ("prompt: x, agent: codex, fallback: [claude, {run: other -p}]", (3, ["codex", "claude", "other -p"], True)),
        ("prompt: x, attended: true, attempts: 4", (1, [], False)),
    ],
)  # fmt: skip
def test_a_task_that_changes_files_is_tried_as_the_plan_says(
    task: str, expected: tuple[int, list[str], bool]
) -> None:
    assert shown(tries(task)) == expected


@pytest.mark.parametrize(
    ("task", "why"), [("run: make deploy", "it runs a command of its own"), ("prompt: x, resources: [db]", "it holds 'db'")]
)  # fmt: skip
def test_what_may_have_had_effects_is_repeated_only_where_the_task_says_so(task: str, why: str) -> None:
    head = "attempts: 3\nfallback: [codex]\nresources: [db]"
    found = tries(task, head)
    assert (found.attempts, len(found.agents) < 2, found.is_repeatable, found.ignored) == (
        1,
        True,
        False,
        why,
    )
    said = tries(f"{task}, attempts: 2", head)
    assert (said.attempts, said.is_repeatable, said.ignored) == (2, True, "")


def test_without_a_word_there_is_one_attempt_and_nothing_is_ignored() -> None:
    assert tries("run: make", "on_failure: halt") == trying.Tries(attempts=1, agents=(), is_repeatable=False)


# ---------------------------------------------------------------------- deciding


def scene(outcomes: list[str], *, attempts: int = 1, agents: tuple[str, ...] = ("claude",)) -> Simulation:
    """One task whose attempts end like this, one after the other."""
    run = Simulation((("1", (("t",),), ()),), outcomes={"t": outcomes[0]})
    task = run.state.tasks["t"]
    task.attempts, task.agents, task.is_repeatable = attempts, list(agents), True
    left = iter(outcomes[1:])
    land = run.land

    def next_one(task: str) -> None:
        land(task)
        run._outcomes[task] = next(left, "pass")

    run.land = next_one  # type: ignore[method-assign]
    return run


def test_a_failed_attempt_is_followed_by_another_and_a_success_ends_it() -> None:
    run = scene(["fail", "fail", "pass"], attempts=3)
    assert isinstance(run.run(), decide.Finish)
    assert run.order(decide.TryAgain) == ["t", "t"]
    assert run.state.tasks["t"].attempt == 3
    assert run.state.tasks["t"].earlier == [f"attempt {n} failed at agent: as scripted" for n in (1, 2)]


def test_when_all_are_used_up_the_run_halts_and_a_person_gives_all_of_them_again() -> None:
    run = scene(["fail"] * 4 + ["pass"], attempts=2)
    halt = run.run()
    assert isinstance(halt, decide.Halt) and halt.kind == "failed"
    assert run.state.tasks["t"].attempt == 2
    run.event("task_retried", task="t", grant=[])
    assert isinstance(run.run(), decide.Halt)
    assert run.state.tasks["t"].attempt == 4


def test_the_next_agent_tries_when_the_one_before_has_used_up_its_attempts() -> None:
    run = scene(["fail", "fail", "fail", "pass"], attempts=2, agents=("claude", "codex"))
    assert isinstance(run.run(), decide.Finish)
    agents = [action.agent for action in run.actions if isinstance(action, decide.TryAgain)]
    assert agents == [0, 1, 1]


def test_who_is_parked_or_failed_for_good_is_not_tried_again() -> None:
    assert isinstance(scene(["park"], attempts=3).run(), decide.Halt)
    run = scene(["pass"], attempts=3)
    run.event("task_leased", task="t", attempt=1, branch="b", base="c0", worktree="w")
    run.event("task_failed", task="t", attempt=1, rung="agent", reason="r", paths=[], hint="", final=True)
    assert trying.next_agent(run.state.tasks["t"]) is None


# ---------------------------------------------------------------------- limits


def limited(run: Simulation, agent: str, until: str, session: str = "") -> None:
    """An attempt ends because its agent is limited."""
    task = run.state.tasks["t"]
    run.event("task_leased", task="t", attempt=task.attempt + 1, branch="b", base="c0", worktree="w")
    run.event(
        "agent_limited", task="t", attempt=task.attempt, agent=agent, until=until, reason="r", session=session
    )


UNTIL = "2026-01-01T01:00:00.000Z"


def test_an_agent_that_is_limited_is_left_alone_for_that_time_and_no_attempt_is_burned() -> None:
    run = scene(["pass"])
    limited(run, "claude", UNTIL, session="s")
    task = run.state.tasks["t"]
    assert (task.status, task.tried, task.is_resumable) == (fold.PENDING, 0, True)
    now = seconds_of(UNTIL)
    assert trying.waiting(run.state, now - 1) == {"t"}
    assert trying.waiting(run.state, now) == frozenset()
    held = decide.next_actions(run.state, in_flight=frozenset(), held=trying.waiting(run.state, now - 1))
    assert held == (), "the run waits, and does not halt"
    assert decide.next_actions(run.state, in_flight=frozenset()) == (decide.Resume("t"),)


def test_a_task_with_another_agent_does_not_wait() -> None:
    run = scene(["pass"], agents=("claude", "codex"))
    limited(run, "claude", UNTIL)
    assert trying.pick(run.state, run.state.tasks["t"], 0) == 1
    limited(run, "codex", "2026-01-01T00:30:00.000Z")
    assert trying.pick(run.state, run.state.tasks["t"], 0) is None
    assert trying.pick(run.state, run.state.tasks["t"], seconds_of(UNTIL) - 60) == 1


def test_who_waits_for_a_login_waits_for_a_person_and_the_next_run_asks_again() -> None:
    run = scene(["pass"], agents=("claude", "codex"))
    limited(run, "claude", "")
    assert trying.pick(run.state, run.state.tasks["t"], 9e9) == 1
    run.event("run_resumed", coordinator={}, max_parallel=4)
    assert trying.pick(run.state, run.state.tasks["t"], 0) == 0


def test_each_limit_in_a_row_lasts_longer_and_work_that_is_done_ends_the_row() -> None:
    assert [trying.wait_for(count, None) for count in (1, 2, 3, 6, 99)] == [60, 120, 240, 1800, 1800]
    assert trying.wait_for(1, 7200) == 7200
    assert trying.wait_for(6, 5) == 1800
    run = scene(["pass"])
    limited(run, "claude", UNTIL)
    limited(run, "claude", UNTIL)
    assert run.state.limited["claude"].count == 2
    assert isinstance(run.run(), decide.Finish)
    assert run.state.limited == {}
