"""A run without a world: next_actions decides, scripted outcomes answer, the fold keeps the state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from git_waves.core import decide, fold, writers
from git_waves.core.fold import RunState
from git_waves.core.gatewords import Purpose

_PROOFS = (Purpose.CONTROL, Purpose.MUTATION)
Outcome = str  # "pass", "fail", "park", "conflict"


class Simulation:
    """`groups` are (name, rounds, gates); `needs` maps a task to its needs; `outcomes` says how attempts end,
    `held` who cannot start because somebody outside holds what it needs: asked each time. `red` is how often a gate is red
    at barriers, `rules` what is asked of gates beside passing, `answers` what they say for other purposes:
    `{("tests", "baseline"): "red", ("tests", "control"): "blind"}`."""

    def __init__(
        self,
        groups: Sequence[tuple[str, Sequence[Sequence[str]], Sequence[str]]],
        *,
        needs: Mapping[str, Sequence[str]] | None = None,
        scheduler: str = "dag-parallel",
        on_failure: str = "halt",
        max_parallel: int = 4,
        outcomes: Mapping[str, Outcome] | None = None,
        red: Mapping[str, int] | None = None,
        rules: Mapping[str, Mapping[str, object]] | None = None,
        answers: Mapping[tuple[str, str], str] | None = None,
        conflicts: Mapping[str, frozenset[str]] | None = None,
        resources: Mapping[str, tuple[tuple[str, int], ...]] | None = None,
        until: str | None = None,
        held: Callable[[], frozenset[str]] = frozenset,
        pick: Callable[[list[str]], str] = lambda flying: flying[0],
    ) -> None:
        self.events: list[dict[str, Any]] = []
        self.actions: list[writers.Action] = []
        self.flying: list[str] = []
        self.most_at_once = 0
        self.started_together: list[frozenset[str]] = []
        self._outcomes = dict(outcomes or {})
        self._red = dict(red or {})
        self._answers = dict(answers or {})
        self._pick = pick
        self._held = held
        self._is_held = False
        self.resources = dict(resources or {})
        self._options: dict[str, Any] = {"conflicts": conflicts, "resources": resources, "until": until}
        self.state = RunState()
        group_of = {task: name for name, rounds, _ in groups for one_round in rounds for task in one_round}
        self.event(
            "run_started",
            run="r1",
            plan="p",
            source="plan.yaml",
            plan_blob="b",
            previous="",
            base="c0",
            base_tree="t0",
            base_name="main",
            scheduler=scheduler,
            on_failure=on_failure,
            max_parallel=max_parallel,
            coordinator={},
            gates=[
                {
                    "name": name,
                    "baseline": "report",
                    "control": False,
                    "guards": False,
                    "claim": False,
                    **rule,
                }
                for name, rule in (rules or {}).items()
            ],
            groups=[
                {"name": name, "rounds": [list(r) for r in rounds], "gates": list(gates), "holds": []}
                for name, rounds, gates in groups
            ],
            tasks=[
                {
                    "id": task,
                    "title": "",
                    "group": group,
                    "needs": list((needs or {}).get(task, ())),
                    "status": "pending",
                    "reason": "",
                }
                for task, group in group_of.items()
            ],
        )

    def event(self, name: str, /, **fields: Any) -> None:
        """Append one event and fold it."""
        event = {
            "n": len(self.events) + 1,
            "at": f"2026-01-01T00:00:{len(self.events):02d}Z",
            "event": name,
            **fields,
        }
        self.events.append(event)
        self.state.apply(event)

    def next(self) -> tuple[writers.Action, ...]:
        """What is to be done now."""
        return self.decided()

    def decided(self) -> tuple[decide.Action, ...]:
        """What the decider says now."""
        held = self._held()
        self._is_held = bool(held)
        return decide.next_actions(self.state, in_flight=frozenset(self.flying), held=held, **self._options)

    def run(self) -> writers.Action:
        """Run to the end; returns the last action: Finish, Halt or Stop."""
        for _ in range(10_000):
            actions = self.next()
            assert (
                sum(isinstance(action, decide.Merge | decide.Publish | decide.RunGates) for action in actions)
                <= 1
            )
            for action in actions:
                self.actions.append(action)
                if isinstance(action, decide.Finish | decide.Halt | decide.Stop):
                    assert not self.flying, "nobody is left alone in the air"
                    assert actions == (action,), "an end comes alone"
                    return action
                self.carry_out(action)
            if not actions and not self.flying:
                assert self._is_held, "nothing to do and nothing in flight"
            elif not actions:
                self.land(self._pick(self.flying))
        raise AssertionError("the simulation does not end")

    def carry_out(self, action: writers.Action) -> None:
        match action:
            case decide.Start(task, attempt, base):
                self.event("task_leased", task=task, attempt=attempt, branch="b", base=base, worktree="w")
                self.flying.append(task)
                self.most_at_once = max(self.most_at_once, len(self.flying))
                self.started_together.append(frozenset(self.flying))
            case decide.Climb(task):
                self.flying.append(task)
            case decide.Block(task, by, reason):
                self.event("task_blocked", task=task, by=by, reason=reason)
            case decide.Merge(task):
                self.merge(task)
            case decide.RunGates(group, gates, purpose):
                for gate in gates:
                    self.gate(group, gate, purpose)
            case decide.Publish(group):
                self.event("published", group=group, old=self.state.integration, new=self.state.candidate)
            case _:
                raise AssertionError(action)

    def land(self, task: str) -> None:
        """One attempt ends as scripted."""
        self.flying.remove(task)
        attempt = self.state.tasks[task].attempt
        outcome = self._outcomes.get(task, "pass")
        if outcome in ("pass", "conflict"):
            self.event("task_passed", task=task, attempt=attempt, tip=f"tip-{task}", paths=[])
        else:
            name = "task_failed" if outcome == "fail" else "task_parked"
            self.event(
                name, task=task, attempt=attempt, rung="agent", reason="as scripted", paths=[], hint="h"
            )

    def merge(self, task: str) -> None:
        attempt = self.state.tasks[task].attempt
        if self._outcomes.get(task) == "conflict":
            self.event(
                "task_parked",
                task=task,
                attempt=attempt,
                rung="merge",
                reason="it conflicts",
                paths=["x"],
                hint="h",
            )
            return
        commit = f"{self.state.candidate}+{task}"
        self.event("task_merged", task=task, attempt=attempt, tip="t", commit=commit, tree="T" + commit)

    def gate(self, group: str, gate: str, purpose: Purpose = Purpose.BARRIER) -> None:
        answer = self._answers.get((gate, purpose), "proved" if purpose in _PROOFS else "green")
        if purpose is Purpose.BARRIER:
            left = self._red.get(gate, 0)
            self._red[gate] = left - 1
            answer = "red" if left > 0 else answer
        passed = answer in ("green", "blind")
        self.event(
            "gate_finished",
            purpose=purpose,
            group=group,
            gate=gate,
            tree=self.state.candidate_tree,
            passed=passed,
            verdict=answer if purpose in _PROOFS else None,
            code=0 if passed else 1,
            reason="" if passed else "it ended with exit code 1",
            seconds=0.1,
            log="l",
        )

    def order(self, kind: type) -> list[str]:
        """The tasks of all actions of one kind, in order."""
        return [getattr(action, "task", "") for action in self.actions if isinstance(action, kind)]

    def statuses(self) -> dict[str, str]:
        """Where every task stands."""
        return {task.id: task.status for task in self.state.tasks.values()}


PHASE3 = (
    ("1", (("t1",),), ("tests",)),
    ("2", (("t2", "t3"),), ("tests",)),
    ("3", (("t4",),), ("tests",)),
    ("4", (("t5", "t6"),), ("tests",)),
    ("5", (("t7",),), ("tests",)),
)
PHASE3_NEEDS = {
    "t2": ("t1",),
    "t3": ("t1",),
    "t4": ("t2", "t3"),
    "t5": ("t4",),
    "t6": ("t4",),
    "t7": ("t5", "t6"),
}

__all__ = ["PHASE3", "PHASE3_NEEDS", "Simulation", "fold"]
