"""A run without a world: next_actions decides, scripted outcomes answer, the fold keeps the state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from git_waves.core import decide, fold, writers
from git_waves.core.culprit import Mix, search, words
from git_waves.core.fold import RunState
from git_waves.core.gatewords import Purpose

_PROOFS = (Purpose.CONTROL, Purpose.MUTATION)
Outcome = str  # "pass", "fail", "park", "conflict", "attended"

_MOVES = decide.Merge | decide.Publish | decide.RunGates | decide.FindCulprit | decide.ResetCandidate


class _WantedError(Exception):
    """A search needs to know about this tree first."""

    def __init__(self, tree: str, is_green: bool) -> None:
        super().__init__(tree)
        self.tree = tree
        self.is_green = is_green


class Simulation:
    """`groups` are (name, rounds, gates); `needs` maps a task to its needs; `outcomes` says how attempts end,
    `held` who cannot start because somebody outside holds what it needs: asked each time. A gate is red on every tree that
    holds all of one of its `breaking` sets of tasks, and at barriers as often as `red` says. `rules` is what is asked of
    gates beside passing, `answers` what they say for other purposes:
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
        breaking: Mapping[str, Sequence[frozenset[str]]] | None = None,
        on_red: str = "halt",
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
        self._breaking = dict(breaking or {})
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
            on_red=on_red,
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
            assert sum(isinstance(action, _MOVES) for action in actions) <= 1
            for action in actions:
                self.actions.append(action)
                if isinstance(action, decide.Finish | decide.Halt | decide.Stop):
                    assert not self.flying, "nobody is left alone in the air"
                    assert actions == (action,), "an end comes alone"
                    if isinstance(action, decide.Halt):
                        self.event("run_halted", kind=action.kind, reason=action.reason, hint=action.hint)
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
                agent = self.state.tasks[task].agent
                self.event(
                    "task_leased",
                    task=task,
                    attempt=attempt,
                    branch="b",
                    base=base,
                    worktree="w",
                    agent=agent,
                )
                self.flying.append(task)
                self.most_at_once = max(self.most_at_once, len(self.flying))
                self.started_together.append(frozenset(self.flying))
            case decide.Climb(task):
                self.flying.append(task)
            case decide.Block(task, by, reason):
                self.event("task_blocked", task=task, by=by, reason=reason)
            case decide.TryAgain(task, agent):
                self.event("task_tried_again", task=task, attempt=self.state.tasks[task].attempt, agent=agent)
            case decide.Merge(task):
                self.merge(task)
            case decide.RunGates(group, gates, purpose):
                for gate in gates:
                    self.gate(group, gate, purpose)
            case decide.FindCulprit(group, gate):
                self.find_culprit(group, gate)
            case decide.ResetCandidate(group, task, reason, hint):
                self.reset(group, task, reason, hint)
            case decide.Publish(group):
                self.event("published", group=group, old=self.state.integration, new=self.state.candidate)
            case _:
                raise AssertionError(action)

    def land(self, task: str) -> None:
        """One attempt ends as scripted."""
        self.flying.remove(task)
        attempt = self.state.tasks[task].attempt
        outcome = self._outcomes.get(task, "pass")
        if outcome == "attended" and not self.state.tasks[task].handed_in:
            self.event("task_awaited", task=task, attempt=attempt, rung="", reason="", paths=[], hint="")
            return
        if outcome == "attended":
            outcome = "pass"
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
        tree = self.tree(self.content(commit))
        self.event("task_merged", task=task, attempt=attempt, tip="t", commit=commit, tree=tree)

    def gate(self, group: str, gate: str, purpose: Purpose = Purpose.BARRIER) -> None:
        answer = self._answers.get((gate, purpose), "proved" if purpose in _PROOFS else "green")
        if purpose is Purpose.BARRIER:
            left = self._red.get(gate, 0)
            self._red[gate] = left - 1
            is_green = left <= 0 and self.is_green(gate, self.content(self.state.candidate))
            answer = answer if is_green else "red"
        self.measured(group, gate, self.state.candidate_tree, answer, purpose)

    def measured(self, group: str, gate: str, tree: str, answer: str, purpose: Purpose) -> None:
        """A gate is run on a tree."""
        number = self.state.gate_rounds + 1
        self.event(
            "gates_started", purpose=purpose, group=group, round=number, commit="c", tree=tree, gates=[gate]
        )
        passed = answer in ("green", "blind")
        self.event(
            "gate_finished",
            purpose=purpose,
            group=group,
            gate=gate,
            tree=tree,
            passed=passed,
            verdict=answer if purpose in _PROOFS else None,
            code=0 if passed else 1,
            reason="" if passed else "it ended with exit code 1",
            seconds=0.1,
            log="l",
        )

    def content(self, commit: str) -> frozenset[str]:
        """The tasks whose work a commit of the candidate holds."""
        return frozenset(commit.split("+")[1:])

    def tree(self, content: frozenset[str]) -> str:
        """The tree that the work of these tasks makes, however it came together."""
        return "+".join(["t0", *sorted(content)])

    def is_green(self, gate: str, content: frozenset[str]) -> bool:
        """Whether the gate is green on what these tasks made."""
        return not any(tasks <= content for tasks in self._breaking.get(gate, ()))

    def find_culprit(self, group: str, gate: str) -> None:
        """One step of a search: a tree is measured, or the verdict is written."""
        chain = self.state.chain

        def ask(mix: Mix) -> bool:
            held = self.content(chain.states()[mix.upto][0])
            for number in mix.also:
                merge = chain.merges[number - 1]
                held |= self.content(merge.base) | {merge.task}
            tree = self.tree(held)
            if (gate, tree) not in self.state.gates:
                raise _WantedError(tree, self.is_green(gate, held))
            return self.state.gates[gate, tree].passed

        try:
            verdict = search(chain.starts(), chain.published, ask)
        except _WantedError as wanted:
            answer = "green" if wanted.is_green else "red"
            self.measured(group, gate, wanted.tree, answer, Purpose.CULPRIT)
            return
        self.event(
            "culprit_found",
            group=group,
            gate=gate,
            tree=self.state.candidate_tree,
            round=self.state.round_of[gate, self.state.candidate_tree],
            why=verdict.why,
            tasks=[chain.merges[number - 1].task for number in verdict.tasks],
            suspect=chain.merges[verdict.suspect - 1].task if verdict.suspect else "",
            tried=0,
            evidence=words(verdict, lambda number: chain.merges[number - 1].task, 0),
        )

    def reset(self, group: str, task: str, reason: str, hint: str) -> None:
        """The candidate goes back to before the task."""
        rest = self.state.chain.without(task)
        self.event(
            "candidate_reset",
            group=group,
            commit=rest.commit,
            tree=rest.tree,
            culprits=[task],
            again=rest.again,
            restart=rest.restart,
            reason=reason,
            hint=hint,
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
