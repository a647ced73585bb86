"""Events in, state of a run out: the only reading of the event log, shared by the loop and by `status`.

`status` is typed constantly, so this module, `states`, `gatefold` and `chain` import nothing else at run time: `dataclasses` or
`typing` alone would double the start of the interpreter (docs/performance.md). Hence plain classes with slots, and events as
plain mappings, the way they stand in the log.
"""

from __future__ import annotations

from git_waves.core.chain import Chain, Merge
from git_waves.core.gatefold import BARRIER, BASELINE, CONTROL, CULPRIT, MUTATION
from git_waves.core.gatefold import Culprit as Culprit
from git_waves.core.gatefold import GateResult as GateResult
from git_waves.core.gatefold import GateRule as GateRule
from git_waves.core.states import Event as Event
from git_waves.core.states import GroupState as GroupState
from git_waves.core.states import Limited as Limited
from git_waves.core.states import TaskState as TaskState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

# Where a task stands. One word per idea; these are the words people read in `status`.
PENDING = "pending"  # not started, or to be started again
LEASED = "leased"  # has a branch and a worktree; its agent is not known to have started
RUNNING = "running"  # its agent, or a later rung, runs
PASSED = "passed"  # every rung passed; waits for its merge
MERGED = "merged"  # in the candidate
INTEGRATED = "integrated"  # in the integration ref, behind green gates
DONE = "done"  # the plan itself says it was done before
AWAITING = "awaiting"  # its worktree waits for a person, who does it; `open`, then `done`
FAILED = "failed"  # a rung failed; `retry` or `skip`
PARKED = "parked"  # a person must decide
BLOCKED = "blocked"  # a need failed, was parked or was skipped
SKIPPED = "skipped"  # a person said so

SETTLED = frozenset({MERGED, INTEGRATED, DONE, SKIPPED, BLOCKED})
"""Nothing more will happen to these by themselves, and they do not stand in the way of a barrier."""
IN_TREE = frozenset({MERGED, INTEGRATED, DONE})
STUCK = frozenset({FAILED, PARKED})
LIVE = frozenset({LEASED, RUNNING})
# Of an earlier attempt nothing else counts any more: a late result is no result of the one that runs.
_OF_ANY_ATTEMPT = frozenset({"task_leased", "worktree_removed", "spending_noted"})


class RunState:
    """The whole run as its event log tells it."""

    def __init__(self) -> None:
        self.events = 0
        self.run = ""
        self.plan = ""
        self.source = ""
        self.plan_blob = self.manifest_blob = ""
        self.base = ""
        self.base_name = ""
        self.previous = ""  # the integration ref before this run
        self.scheduler = ""
        self.on_failure = ""
        self.on_red = ""
        self.max_parallel = 0
        self.groups: list[GroupState] = []
        self.tasks: dict[str, TaskState] = {}
        self.candidate = ""
        self.candidate_tree = ""
        self.chain = Chain()  # the merges that the candidate is made of
        self.integration = ""
        self.accepted_from = ""  # where the candidate was before a person accepted another integration
        self.gate_rules: dict[str, GateRule] = {}
        self.gates: dict[tuple[str, str], GateResult] = {}  # (gate, tree) -> last result
        self.baseline: dict[str, GateResult] = {}  # gate -> how it was before the run
        self.proofs: dict[tuple[str, str, str], GateResult] = {}  # (gate, purpose, group) -> last verdict
        self.was_green: set[str] = set()  # gates that have passed on some tree that was merged
        self.gate_logs: dict[str, str] = {}  # gate -> log of its last result; none while it runs again
        self.gate_rounds = 0
        self.round_of: dict[tuple[str, str], int] = {}  # (gate, tree) -> when it was run there last
        self.culprits: dict[tuple[str, str], Culprit] = {}  # (gate, tree) -> who made it red there
        self.sandbox = "none"  # the fence around gates
        self.limited: dict[str, Limited] = {}  # agents that are left alone for a time
        self.budget: dict[str, float | None] = {}  # limits of the whole run, by the names of model.Budget
        self.stopping = False
        self.stopping_now = False
        self.stop_reason = ""  # the limit of the run that stops it; empty when a person does
        self.refs_moved = ""  # who moved the integration ref, in words
        self.halted = ""  # why the run halted; empty while it goes on
        self.halt_kind = ""
        self.halt_hint = ""
        self.finished = False
        self.coordinator: dict[str, Any] = {}
        self.quiesced: dict[str, str] = {}  # background writers that are owed their `resume` command
        self.warnings: list[str] = []
        self.started = ""
        self.last = ""  # wall time of the last event

    def apply(self, event: Event) -> None:
        """Take in one event. Unknown events are an error of the log's version, met before this by its reader."""
        self.events += 1
        self.last = event["at"]
        handler = getattr(self, "_" + event["event"])
        task_id = event.get("task")
        if task_id is None:
            handler(event)
            return
        task = self.tasks[task_id]
        if event.get("attempt", task.attempt) == task.attempt or event["event"] in _OF_ANY_ATTEMPT:
            handler(task, event)

    # ------------------------------------------------------------------ the run

    def _run_started(self, event: Event) -> None:
        self.run = event["run"]
        self.plan = event["plan"]
        self.source = event["source"]
        self.plan_blob = event["plan_blob"]
        self.manifest_blob = event.get("manifest_blob", "")
        self.base = self.candidate = self.integration = event["base"]
        self.candidate_tree = event["base_tree"]
        self.chain = Chain(event["base"], event["base_tree"])
        self.base_name = event["base_name"]
        self.previous = event["previous"]
        self.scheduler = event["scheduler"]
        self.on_failure = event["on_failure"]
        self.on_red = event.get("on_red", "halt")
        self.max_parallel = event["max_parallel"]
        self.coordinator = event["coordinator"]
        self.budget = dict(event.get("budget", {}))
        self.sandbox = event.get("sandbox", "none")
        self.started = event["at"]
        self.groups = [
            GroupState(group["name"], group["rounds"], group["gates"], group["holds"])
            for group in event["groups"]
        ]
        self.gate_rules = {record["name"]: GateRule(record) for record in event.get("gates", ())}
        for task in event["tasks"]:
            state = TaskState(task["id"], task["title"], task["group"], task["needs"], task["status"])
            state.reason = task["reason"]
            state.sandbox = task.get("sandbox", "none")
            state.attempts = task.get("attempts", 1)
            state.agents = task.get("agents", [])
            state.is_repeatable = task.get("repeatable", False)
            state.since = event["at"]
            self.tasks[state.id] = state

    def _run_resumed(self, event: Event) -> None:
        self.coordinator = event["coordinator"]
        self.max_parallel = event["max_parallel"]
        self.budget.update(event.get("budget", {}))
        self.stopping = self.stopping_now = False
        self.stop_reason = self.refs_moved = ""
        self.limited = {name: one for name, one in self.limited.items() if one.until}
        if self.halt_kind not in ("", "stopped"):
            # A person has looked; what was red may be green now. What was green on this tree stays proved.
            self.gates = {key: result for key, result in self.gates.items() if result.passed}
            self.culprits = {}
        self.proofs = {
            key: proof for key, proof in self.proofs.items() if proof.verdict in ("proved", "inapplicable")
        }
        self.baseline = {
            gate: result for gate, result in self.baseline.items() if not self.halts_before(result)
        }
        self._clear_halt()

    def _stop_requested(self, event: Event) -> None:
        self.stopping = True
        self.stopping_now = self.stopping_now or event["now"]
        self.stop_reason = self.stop_reason or event.get("reason", "")

    def _refs_moved(self, event: Event) -> None:
        self.refs_moved = event["message"]

    def _integration_accepted(self, event: Event) -> None:
        self.accepted_from = self.candidate
        self.integration = self.candidate = event["new"]
        self.candidate_tree = event["tree"]
        self.chain = Chain(event["new"], event["tree"])
        self.refs_moved = ""

    def _run_halted(self, event: Event) -> None:
        self.halted = event["reason"]
        self.halt_kind = event["kind"]
        self.halt_hint = event["hint"]

    def _run_stopped(self, _event: Event) -> None:
        self.stopping = self.stopping_now = False
        self.halted = "stopped"
        self.halt_kind = "stopped"
        self.halt_hint = "git waves run"

    def _run_finished(self, _event: Event) -> None:
        self.finished = True
        self._clear_halt()

    def _background_quiesced(self, event: Event) -> None:
        self.quiesced[event["name"]] = event["resume"]

    def _background_restored(self, event: Event) -> None:
        self.quiesced.pop(event["name"], None)

    def _warned(self, event: Event) -> None:
        self.warnings.append(event["message"])

    def _clear_halt(self) -> None:
        self.halted = self.halt_kind = self.halt_hint = ""

    # ------------------------------------------------------------------ tasks

    def _set(self, task: TaskState, status: str, at: str) -> None:
        task.status = status
        task.since = at
        task.held = task.held_at = ""
        # What passed was over then: the wait for the others of its round, and for gates, is none of its time.
        was_over = status in IN_TREE and task.ended
        if not was_over and (status in SETTLED or status in STUCK or status in (PASSED, AWAITING)):
            task.ended = at
        if status not in LIVE and status != PASSED:
            task.foreseen = {}

    def _task_leased(self, task: TaskState, event: Event) -> None:
        task.attempt = event["attempt"]
        if event.get("agent", 0) != task.agent:
            task.agent, task.tried = event["agent"], 0
        task.is_final = False
        task.branch = event["branch"]
        task.base = event["base"]
        task.worktree = event["worktree"]
        task.fence = event.get("fence", "")
        task.tip = task.commit = task.rung = task.reason = task.hint = task.ended = ""
        task.taken_up = task.session = task.handed_on = ""
        task.resumes = task.handed_in = 0
        task.is_resumable = False
        task.paths = []
        task.requests = []
        task.foreseen = {}
        task.started = event["at"]
        self._set(task, LEASED, event["at"])

    def _rung_reached(self, task: TaskState, event: Event) -> None:
        task.rung = event["rung"]
        if task.status != RUNNING:
            self._set(task, RUNNING, event["at"])

    def _task_passed(self, task: TaskState, event: Event) -> None:
        task.tip = event["tip"]
        task.paths = event["paths"]
        task.handed_on = event.get("handed_on", "")
        self._has_worked(task)
        self._set(task, PASSED, event["at"])

    def _has_worked(self, task: TaskState) -> None:
        """Its agent was not limited, whatever came of it."""
        if task.agents:
            self.limited.pop(task.agents[task.agent], None)

    def _stopped_at(self, task: TaskState, event: Event, status: str) -> None:
        task.rung = event["rung"]
        task.reason = event["reason"]
        task.paths = event["paths"]
        task.hint = event["hint"]
        self._set(task, status, event["at"])

    def _task_failed(self, task: TaskState, event: Event) -> None:
        self._stopped_at(task, event, FAILED)
        self._has_worked(task)
        task.tried += 1
        task.is_final = event.get("final", False)
        task.earlier.append(f"attempt {event['attempt']} failed at {event['rung']}: {event['reason']}")

    def _task_tried_again(self, task: TaskState, event: Event) -> None:
        if event["agent"] != task.agent:
            task.agent, task.tried = event["agent"], 0
        task.is_resumable = False
        task.hint = ""
        self._set(task, PENDING, event["at"])

    def _agent_limited(self, task: TaskState, event: Event) -> None:
        before = self.limited.get(event["agent"])
        count = before.count + 1 if before is not None else 1
        self.limited[event["agent"]] = Limited(event["until"], count, event["reason"])
        task.reason = event["reason"]
        task.session = event["session"]
        task.is_resumable = bool(task.session)
        self._set(task, PENDING, event["at"])

    def _task_parked(self, task: TaskState, event: Event) -> None:
        self._stopped_at(task, event, PARKED)

    def _task_awaited(self, task: TaskState, event: Event) -> None:
        """It is a person's turn: for the first time in this attempt, or again because a rung did not hold."""
        self._stopped_at(task, event, AWAITING)

    def _task_handed_in(self, task: TaskState, event: Event) -> None:
        task.handed_in += 1
        task.rung = task.reason = task.hint = task.ended = ""
        task.paths = []
        self._set(task, RUNNING, event["at"])

    def _task_interrupted(self, task: TaskState, event: Event) -> None:
        """The attempt ended through nobody's fault (stopped, machine gone) and is to be made again, or to go on."""
        task.reason = event["reason"]
        task.session = event.get("session", "")
        task.is_resumable = bool(task.session)
        self._set(task, PENDING, event["at"])

    def _task_held(self, task: TaskState, event: Event) -> None:
        task.held = event["reason"]
        task.held_at = event["resource"]

    def _task_taken_up(self, task: TaskState, event: Event) -> None:
        task.taken_up = event["how"]
        if event["how"] != "resumed":
            return
        task.session = event["session"]
        task.resumes += 1
        task.is_resumable = False
        task.reason = task.ended = ""
        self._set(task, RUNNING, event["at"])

    def _spending_noted(self, task: TaskState, event: Event) -> None:
        tokens, cost = task.spent.get(event["attempt"], (0, 0.0))
        task.spent[event["attempt"]] = (max(tokens, event["tokens"]), max(cost, event["cost"]))

    def _task_blocked(self, task: TaskState, event: Event) -> None:
        task.reason = event["reason"]
        self._set(task, BLOCKED, event["at"])

    def _task_retried(self, task: TaskState, event: Event) -> None:
        task.reason = task.hint = ""
        task.paths = []
        task.granted += [path for path in event["grant"] if path not in task.granted]
        task.budget.update(event.get("budget", {}))
        task.is_resumable = False
        task.agent = task.tried = 0
        self.finished = False
        self._set(task, PENDING, event["at"])
        for other in self.tasks.values():  # who was blocked by it may hope again
            if other.status == BLOCKED:
                other.reason = ""
                self._set(other, PENDING, event["at"])

    def _task_skipped(self, task: TaskState, event: Event) -> None:
        task.reason = event["reason"]
        self._set(task, SKIPPED, event["at"])

    def _task_merged(self, task: TaskState, event: Event) -> None:
        task.commit = self.candidate = event["commit"]
        self.candidate_tree = event["tree"]
        self.chain.add(
            Merge(task.id, base=task.base, tip=event["tip"], commit=event["commit"], tree=event["tree"])
        )
        self._set(task, MERGED, event["at"])

    def _worktree_removed(self, task: TaskState, event: Event) -> None:
        if event["attempt"] == task.attempt:
            task.worktree = ""
        if event["archive"]:
            task.kept.append(event["archive"])

    def _request_made(self, task: TaskState, event: Event) -> None:
        task.requests.append({"path": event["path"], "reason": event["reason"], "owner": event["owner"]})

    def _conflict_foreseen(self, task: TaskState, event: Event) -> None:
        if event["attempt"] != task.attempt:
            return
        if event["paths"]:
            task.foreseen[event["other"]] = event["paths"]
        else:
            task.foreseen.pop(event["other"], None)

    # ------------------------------------------------------------------ barriers

    def _gates_started(self, event: Event) -> None:
        self.gate_rounds = max(self.gate_rounds, event["round"])
        if event.get("purpose", BARRIER) in (BARRIER, CULPRIT):
            self.round_of.update({(gate, event["tree"]): event["round"] for gate in event["gates"]})
        if event.get("purpose", BARRIER) != CULPRIT:  # whose log people mean is that of the gate that was red
            for gate in event["gates"]:
                self.gate_logs.pop(gate, None)

    def _gate_finished(self, event: Event) -> None:
        result = GateResult(event)
        if result.purpose != CULPRIT:
            self.gate_logs[result.gate] = result.log
        if result.purpose == BASELINE:
            self.baseline[result.gate] = result
        elif result.purpose in (CONTROL, MUTATION):
            group = result.group if result.purpose == MUTATION else ""  # once in a run, wherever
            self.proofs[result.gate, result.purpose, group] = result
        else:  # a result is a fact about a tree, whatever it was asked for
            self.gates[result.gate, result.tree] = result
            if result.passed:
                self.was_green.add(result.gate)

    def _culprit_found(self, event: Event) -> None:
        self.culprits[event["gate"], event["tree"]] = Culprit(event)

    def _candidate_reset(self, event: Event) -> None:
        self.chain.cut(self.candidate, {*event["culprits"], *event["again"], *event["restart"]})
        self.candidate, self.candidate_tree = event["commit"], event["tree"]
        for task in map(self.tasks.__getitem__, event["culprits"]):
            task.rung, task.reason, task.hint, task.commit = "gate", event["reason"], event["hint"], ""
            self._set(task, PARKED, event["at"])
        for task in map(self.tasks.__getitem__, event["again"]):
            task.commit = ""
            self._set(task, PASSED, event["at"])
        for task in map(self.tasks.__getitem__, event["restart"]):
            task.commit = task.tip = ""
            task.is_resumable = False
            task.reason = f"it was cut from the work of '{event['culprits'][0]}', which was taken out"
            self._set(task, PENDING, event["at"])

    def _published(self, event: Event) -> None:
        self.integration = event["new"]
        self.chain.publish()
        for task in self.tasks.values():
            if task.status == MERGED:
                task.status = INTEGRATED
                task.since = event["at"]

    # ------------------------------------------------------------------ questions

    def status_of(self, task_id: str) -> str:
        """The status of one task."""
        return self.tasks[task_id].status

    def spent(self) -> tuple[int, float]:
        """What all tasks have used together: tokens and US dollars."""
        totals = [task.total() for task in self.tasks.values() if task.spent]
        return sum(tokens for tokens, _ in totals), sum((cost for _, cost in totals), 0.0)

    def is_red_all_along(self, gate: str) -> bool:
        """Whether the gate was red before the run and has never passed since: then no task broke it. One whose known
        failures are tolerated is red for others."""
        before = self.baseline.get(gate)
        if before is None or before.passed or gate in self.was_green:
            return False
        return gate not in self.gate_rules or self.gate_rules[gate].baseline != "tolerate"

    def halts_before(self, result: GateResult) -> bool:
        """Whether a gate's result before the run is one that the plan does not begin with."""
        rule = self.gate_rules.get(result.gate)
        if rule is None or result.passed:
            return False
        return rule.baseline == "require" or (rule.baseline == "tolerate" and not result.failures)

    def count(self, *statuses: str) -> int:
        """How many tasks stand there."""
        return sum(1 for task in self.tasks.values() if task.status in statuses)


def fold(events: Iterable[Event]) -> RunState:
    """The state after all `events`, oldest first."""
    state = RunState()
    for event in events:
        state.apply(event)
    return state
