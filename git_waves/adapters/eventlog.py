"""The append-only event log of one run: JSON lines, each synced before anything acts on it.

pydantic guards this border: what is written and what a coordinator reads back is checked field by field. Readers that
only show (`status`) parse the same lines with `json` alone.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, TypeAdapter, ValidationError

from git_waves.adapters.durable import sync, sync_path
from git_waves.core.culprit import Why
from git_waves.core.gatewords import Baseline, Purpose, Verdict
from git_waves.core.model import Sandbox
from git_waves.errors import SurroundingsError

VERSION = 1


def _raw_text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("not a text")
    return value


# Text that may hold surrogate escapes, which pydantic's own `str` refuses: paths are bytes in git.
Raw = Annotated[str, PlainValidator(_raw_text)]


class LogDamagedError(SurroundingsError):
    """A line of the log, other than a torn last one, cannot be believed; nothing was written."""

    def __init__(self, path: Path, line: int, why: str) -> None:
        super().__init__(
            f"the event log is damaged at '{path}:{line}': {why}",
            hint="keep that file for a look; 'git waves run --new' starts over, merged work stays in its refs",
        )


class _Event(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _TaskEvent(_Event):
    task: str
    attempt: int


class Coordinator(_Event):
    """Who writes the log: shown to people; liveness is the lock, never the pid."""

    pid: int
    host: str
    started: str
    version: str


class TaskRecord(_Event):
    """A task as the run pinned it: how many `attempts` each of its `agents` may make by itself, and whether what could not
    be finished may start over (core.trying)."""

    id: str
    title: Raw
    group: str
    needs: list[str]
    status: Literal["pending", "done", "parked"]
    reason: Raw = ""
    sandbox: Sandbox = Sandbox.NONE
    attempts: int = 1
    agents: list[Raw] = []
    repeatable: bool = False


class GroupRecord(_Event):
    """A group as the run pinned it."""

    name: str
    rounds: list[list[str]]
    gates: list[str]
    holds: list[dict[str, str]]


Limits = dict[str, float | None]
"""Limits by the names of `core.model.Budget`; None lifts one that was set before."""


class GateRecord(_Event):
    """What the plan asks of a gate beside passing, as the run pinned it. `control` and `guards` say whether it has any."""

    name: str
    baseline: Baseline
    control: bool
    guards: bool
    claim: bool


class RunStarted(_Event):
    """The run begins: plan and schedule as pinned, and the limits of the whole run. `v` is the version of the log's
    format, `sandbox` the fence around gates."""

    event: Literal["run_started"] = "run_started"
    v: int = VERSION
    run: str
    plan: str
    source: Raw
    plan_blob: str
    manifest_blob: str = ""
    previous: str  # the integration ref's value before this run; empty when there was none
    base: str
    base_tree: str
    base_name: Raw
    scheduler: str
    on_failure: str
    on_red: str = "halt"
    max_parallel: int
    groups: list[GroupRecord]
    gates: list[GateRecord] = []
    tasks: list[TaskRecord]
    coordinator: Coordinator
    budget: Limits = {}
    sandbox: Sandbox = Sandbox.NONE


class RunResumed(_Event):
    """Another coordinator took over, or the same person ran again; `budget` are limits of the run that are new."""

    event: Literal["run_resumed"] = "run_resumed"
    coordinator: Coordinator
    max_parallel: int
    budget: Limits = {}


class StopRequested(_Event):
    """No new task is to start; `now` also ends the agents. With a `reason` (a limit of the run) it ends in a halt."""

    event: Literal["stop_requested"] = "stop_requested"
    now: bool
    by: str
    reason: str = ""


class RunStopped(_Event):
    """The coordinator left on request; running it again goes on."""

    event: Literal["run_stopped"] = "run_stopped"


class RunHalted(_Event):
    """A person must decide."""

    event: Literal["run_halted"] = "run_halted"
    kind: Literal["failed", "parked", "conflict", "gate", "stuck", "refs", "budget", "background", "attended"]
    reason: Raw
    hint: Raw


class RunFinished(_Event):
    """Every task is settled and every barrier was passed."""

    event: Literal["run_finished"] = "run_finished"
    integration: str


class Warned(_Event):
    """Something people should read in the morning."""

    event: Literal["warned"] = "warned"
    message: Raw


class BackgroundQuiesced(_Event):
    """A background writer is about to be stopped: written before its command runs, so that it is owed its `resume`
    command (for people; empty when there is none) whatever happens then."""

    event: Literal["background_quiesced"] = "background_quiesced"
    name: str
    resume: Raw = ""


class BackgroundRestored(_Event):
    """The writer goes on: written after its `resume` command ended well; an empty `command`: the plan has none."""

    event: Literal["background_restored"] = "background_restored"
    name: str
    command: Raw = ""


class RefsMoved(_Event):
    """The integration ref is not where we left it; the run halts once nothing is in flight."""

    event: Literal["refs_moved"] = "refs_moved"
    message: Raw


class IntegrationAccepted(_Event):
    """A person says that the run goes on from where somebody else moved the integration ref."""

    event: Literal["integration_accepted"] = "integration_accepted"
    old: str
    new: str
    tree: str


class TaskLeased(_TaskEvent):
    """The attempt gets a branch and a worktree; written before either exists. `fence` is the level of the
    kernel's fence around its commands, in words; empty without one."""

    event: Literal["task_leased"] = "task_leased"
    branch: str
    base: str
    worktree: Raw
    fence: str = ""
    agent: int = 0  # which of the task's agents


class RungReached(_TaskEvent):
    """The attempt begins this rung of the ladder, one that may take time."""

    event: Literal["rung_reached"] = "rung_reached"
    rung: str


class TaskPassed(_TaskEvent):
    """Every rung passed. `paths` are what the attempt changed, base to tip; `handed_on` is the tree of the files that it
    hands on, or empty."""

    event: Literal["task_passed"] = "task_passed"
    tip: str
    paths: list[Raw]
    handed_on: str = ""


class TaskFailed(_TaskEvent):
    """A rung failed through the task's own doing; `final` when trying again makes no sense."""

    event: Literal["task_failed"] = "task_failed"
    rung: str
    reason: Raw
    paths: list[Raw]
    hint: Raw
    final: bool = False


class TaskTriedAgain(_TaskEvent):
    """The run makes another attempt by itself, with that one of the task's agents."""

    event: Literal["task_tried_again"] = "task_tried_again"
    agent: int


class AgentLimited(_TaskEvent):
    """The agent could not go on: it is left alone by every task `until` then (ISO 8601 UTC; empty: until a person runs
    again). With a `session` the attempt goes on in its worktree, else it starts over."""

    event: Literal["agent_limited"] = "agent_limited"
    agent: Raw
    until: str
    reason: Raw
    session: str = ""


class TaskParked(_TaskEvent):
    """A person must decide about this task."""

    event: Literal["task_parked"] = "task_parked"
    rung: str
    reason: Raw
    paths: list[Raw]
    hint: Raw


class TaskAwaited(_TaskEvent):
    """The worktree of an attended task waits for a person; with a `rung`, because what was handed in did not hold there."""

    event: Literal["task_awaited"] = "task_awaited"
    rung: str = ""
    reason: Raw = ""
    paths: list[Raw] = []
    hint: Raw = ""


class TaskHandedIn(_TaskEvent):
    """A person says that the attended task is done: the attempt climbs on."""

    event: Literal["task_handed_in"] = "task_handed_in"
    by: Raw


class TaskInterrupted(_TaskEvent):
    """The attempt ended through nobody's fault. The next one starts over, unless `session` is set: then this one goes on
    in its worktree."""

    event: Literal["task_interrupted"] = "task_interrupted"
    reason: Raw
    session: str = ""


class TaskTakenUp(_TaskEvent):
    """An attempt that an earlier coordinator began: its agent still runs (adopted), has ended (finished), or is started
    again in the same worktree, with its session (resumed); the last is written before it starts."""

    event: Literal["task_taken_up"] = "task_taken_up"
    how: Literal["adopted", "finished", "resumed"]
    session: str = ""


class SpendingNoted(_TaskEvent):
    """What an attempt has used so far, by its own account: running totals, `cost` in US dollars; 0 is not told."""

    event: Literal["spending_noted"] = "spending_noted"
    tokens: int
    cost: float
    source: str


class TaskHeld(_Event):
    """The task waits for a machine-wide resource that somebody else holds; an empty reason: it does not any more.
    Written once for each change of the reason."""

    event: Literal["task_held"] = "task_held"
    task: str
    resource: str
    reason: Raw


class TaskBlocked(_Event):
    """A need of the task will not come."""

    event: Literal["task_blocked"] = "task_blocked"
    task: str
    by: str
    reason: Raw


class TaskRetried(_Event):
    """A person wants another attempt; `grant` are paths the task may touch from now on besides its own, `budget` limits
    that are new."""

    event: Literal["task_retried"] = "task_retried"
    task: str
    grant: list[Raw] = []
    budget: Limits = {}


class TaskSkipped(_Event):
    """A person wants the run to go on without the task."""

    event: Literal["task_skipped"] = "task_skipped"
    task: str
    reason: Raw


class TaskMerged(_TaskEvent):
    """The candidate moved to `commit`, which holds the task's tip."""

    event: Literal["task_merged"] = "task_merged"
    tip: str
    commit: str
    tree: str


class WorktreeRemoved(_TaskEvent):
    """The attempt's worktree is gone; `archive` is the ref that keeps what was not merged, or empty."""

    event: Literal["worktree_removed"] = "worktree_removed"
    archive: str


class RequestMade(_TaskEvent):
    """The agent asked for a path it does not own; `owner` is empty when nobody does."""

    event: Literal["request_made"] = "request_made"
    path: Raw
    reason: Raw
    owner: str


class ConflictForeseen(_TaskEvent):
    """Merging the task after `other` (empty: what is merged already) would conflict in `paths`, as things stand; none: no
    longer."""

    event: Literal["conflict_foreseen"] = "conflict_foreseen"
    other: str
    paths: list[Raw]


class GatesStarted(_Event):
    """Gates begin on a commit: the candidate, or for another `purpose` the base of the run or a merge before the candidate.
    `group` is empty before the first group. `trying` says in words what a search for a culprit tries."""

    event: Literal["gates_started"] = "gates_started"
    purpose: Purpose = Purpose.BARRIER
    group: str
    round: int
    commit: str
    tree: str
    gates: list[str]
    trying: Raw = ""


class GateFinished(_Event):
    """One gate ended on one tree. `code` is None when it was killed; `reason` is empty when it passed and there is nothing
    to add.

    It was run `runs` times and was green `greens` times; some of each is flaky. `failures` are the names that it gave to
    what failed; `tolerated` are the same when they are all known from before the run and it passed for that.

    Of a control or a mutation `tree` is the one before it was made wrong, `verdict` what that says about the gate, and
    `paths` what was taken back. `reused` is the earlier run whose result this is.
    """

    event: Literal["gate_finished"] = "gate_finished"
    purpose: Purpose = Purpose.BARRIER
    group: str
    gate: str
    tree: str
    passed: bool
    code: int | None
    reason: Raw
    seconds: float
    log: Raw
    runs: int = 1
    greens: int = 0
    failures: list[Raw] = []
    tolerated: list[Raw] = []
    verdict: Verdict | None = None
    paths: list[Raw] = []
    reused: str = ""


class CulpritFound(_Event):
    """Who turned the gate red on the candidate's tree, as far as it was found: `tasks` is one task, a pair, or nobody;
    `suspect` the task with whose merge green turned to red, or empty. `round` is the gate round that was red, `tried` how
    many other trees the search asked about."""

    event: Literal["culprit_found"] = "culprit_found"
    group: str
    gate: str
    tree: str
    round: int
    why: Why
    tasks: list[str]
    suspect: str
    tried: int
    evidence: Raw


class CandidateReset(_Event):
    """The candidate goes back to `commit`; written before its ref moves. `culprits` are taken out and parked, `again` are to
    be merged once more, `restart` start over because they were cut from work that is taken out."""

    event: Literal["candidate_reset"] = "candidate_reset"
    group: str
    commit: str
    tree: str
    culprits: list[str]
    again: list[str]
    restart: list[str]
    reason: Raw
    hint: Raw


class Published(_Event):
    """The integration ref moved from `old` to `new`, behind green gates."""

    event: Literal["published"] = "published"
    group: str
    old: str
    new: str


AnyEvent = (
    RunStarted
    | RunResumed
    | StopRequested
    | RunStopped
    | RunHalted
    | RunFinished
    | Warned
    | BackgroundQuiesced
    | BackgroundRestored
    | RefsMoved
    | IntegrationAccepted
    | TaskLeased
    | RungReached
    | TaskPassed
    | TaskFailed
    | TaskParked
    | TaskTriedAgain
    | AgentLimited
    | TaskAwaited
    | TaskHandedIn
    | TaskInterrupted
    | TaskHeld
    | TaskTakenUp
    | SpendingNoted
    | TaskBlocked
    | TaskRetried
    | TaskSkipped
    | TaskMerged
    | WorktreeRemoved
    | RequestMade
    | ConflictForeseen
    | GatesStarted
    | GateFinished
    | CulpritFound
    | CandidateReset
    | Published
)
_ADAPTER: TypeAdapter[AnyEvent] = TypeAdapter(Annotated[AnyEvent, Field(discriminator="event")])


def read_events(path: Path) -> tuple[tuple[dict[str, Any], ...], int]:
    """Every event as plain data, and how many bytes of the file they take.

    A torn last line is left out. Anything else that is wrong raises LogDamagedError.
    """
    data = path.read_bytes()
    end = data.rfind(b"\n") + 1
    events: list[dict[str, Any]] = []
    for number, line in enumerate(data[:end].splitlines(), start=1):
        try:
            event = json.loads(line)
            sequence, at = event.pop("n"), event.pop("at")
            if number == 1 and event.get("v", VERSION) > VERSION:
                raise LogDamagedError(path, 1, f"written by a newer git-waves (format {event['v']})")
            _ADAPTER.validate_python(event)
        except (ValueError, KeyError, TypeError, AttributeError, ValidationError) as error:
            why = "not an event" if isinstance(error, ValidationError) else f"{error}" or "not an event"
            raise LogDamagedError(path, number, why) from error
        if sequence != number:
            raise LogDamagedError(path, number, f"event {number} expected, {sequence} found")
        events.append({"n": sequence, "at": at, **event})
    return tuple(events), end


class EventLog:
    """The writer of one log; there is one per run, whoever holds the plan's lock.

    The log itself is locked as well: people delete lock files that they think are stale. Raises SurroundingsError when
    somebody else writes it, or has written since it was read.
    """

    def __init__(self, path: Path, *, events: int, size: int) -> None:
        self.path = path
        self._next = events + 1
        self._file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_newer = b"\n" in os.pread(self._file, os.fstat(self._file).st_size, size)
        except BlockingIOError:
            is_newer = True
        if is_newer:
            os.close(self._file)
            raise SurroundingsError(
                f"'{path}' is being written by somebody else",
                hint="'git waves status --watch' shows it, 'git waves stop' ends it",
            )
        self._size = size
        if os.fstat(self._file).st_size != size:
            os.ftruncate(self._file, size)  # a torn last line of a coordinator that died
            sync(self._file)

    @classmethod
    def create(cls, path: Path) -> EventLog:
        """A new, empty log whose folder entry is durable."""
        log = cls(path, events=0, size=0)
        sync_path(path.parent)
        return log

    def append(self, event: AnyEvent) -> Mapping[str, Any]:
        """Write one event and sync it; returns it as it stands in the log.

        Raises SurroundingsError when the disk does not take it (full, read-only), and nothing half written stays; and
        when somebody else has written, whose lines are cut off.
        """
        stamped: dict[str, Any] = {"n": self._next, "at": _now(), **event.model_dump()}
        line = json.dumps(stamped, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
        if os.fstat(self._file).st_size != self._size:
            os.ftruncate(self._file, min(self._size, os.fstat(self._file).st_size))
            raise SurroundingsError(
                f"somebody else wrote to the event log '{self.path}'",
                hint="that was cut off; find out who it was, then 'git waves run' goes on",
            )
        try:
            written = os.write(self._file, line)
            if written != len(line):
                raise OSError(28, "No space left on device")
            sync(self._file)
        except OSError as error:
            os.ftruncate(self._file, self._size)
            raise SurroundingsError(
                f"cannot write the event log '{self.path}': {error.strerror}",
                hint="make room on that file system, then 'git waves run' goes on",
            ) from error
        self._next += 1
        self._size += len(line)
        return stamped

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._file)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def known_events() -> Iterable[str]:
    """The name of every event, for the tests that hold fold and log together."""
    return sorted(model.model_fields["event"].default for model in AnyEvent.__args__)
