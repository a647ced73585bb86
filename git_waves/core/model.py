"""The values every room speaks in: plan, task, claim, schedule, finding. Frozen, comparable, no behaviour beyond reading."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NewType

from git_waves.core.gatewords import Baseline, FlakyPolicy

DEFAULT_MAX_PARALLEL = 4
"""How many tasks run at once when the plan does not say (3 to 6 is advised)."""

DEFAULT_SETUP_TIMEOUT = 1800.0
"""Seconds that one set-up command may take when the plan does not say."""

TaskId = NewType("TaskId", str)
Oid = NewType("Oid", str)
RepoPath = NewType("RepoPath", str)
"""A path inside the repository: `/` between segments, no leading `./`; bytes that are not UTF-8 are kept as
surrogate escapes (`os.fsdecode`), so `os.fsencode` gives git's bytes back."""


class Intent(StrEnum):
    """What a task does to a path it claims. EDIT is a plain list entry: create or modify, the plan does not say."""

    CREATE = "create"
    MODIFY = "modify"
    DELETE = "delete"
    EDIT = "edit"


class Origin(StrEnum):
    """Where a claim or a need comes from. Inferred claims only ever add conflicts."""

    EXPLICIT = "explicit"
    INFERRED = "inferred"


class PatternKind(StrEnum):
    """FILE is one path, DIR everything below a folder, GLOB a pattern with `*`, `?` or `**`."""

    FILE = "file"
    DIR = "dir"
    GLOB = "glob"


class SchedulerName(StrEnum):
    """The three ways to compose the ladder (product 3.4)."""

    SEQUENTIAL = "sequential"
    DAG_PARALLEL = "dag-parallel"
    READY_SET = "ready-set"


class OnFailure(StrEnum):
    """What a failed task does to the others."""

    HALT = "halt"
    FAIL_DEPENDENTS = "fail-dependents"


class OnRed(StrEnum):
    """What a red gate does to the tasks that did not break it."""

    HALT = "halt"
    KEEP_GREEN = "keep-green"


class CommitPolicy(StrEnum):
    """Who commits: AUTO commits owned work the agent left behind, AGENT leaves committing to the agent."""

    AUTO = "auto"
    AGENT = "agent"


class Sandbox(StrEnum):
    """How a command is fenced in by the kernel, the weakest first."""

    NONE = "none"
    LANDLOCK = "landlock"
    BWRAP = "bwrap"


class Scope(StrEnum):
    """How far a resource reaches: one run, or every run of this user on this machine."""

    RUN = "run"
    MACHINE = "machine"


class Level(StrEnum):
    """How bad a finding is. A violation makes `git waves plan` exit 1 and `git waves run` refuse."""

    VIOLATION = "violation"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class PathPattern:
    """A claimed path. `text` has no trailing slash for DIR; `[` `]` `(` `)` are ordinary letters in every kind."""

    kind: PatternKind
    text: RepoPath

    def __str__(self) -> str:
        return self.text + "/" if self.kind is PatternKind.DIR else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One task's word that it will touch `pattern`; `line` is where the plan says so (1-based, 0 unknown)."""

    pattern: PathPattern
    intent: Intent = Intent.EDIT
    origin: Origin = Origin.EXPLICIT
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """Something to execute: `shell` is a text for `sh -c`, else `argv` is executed as it is. Exactly one is set."""

    shell: str | None = None
    argv: tuple[str, ...] = ()
    line: int = 0

    def __str__(self) -> str:
        return self.shell if self.shell is not None else " ".join(self.argv)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSpec:
    """Who does a task: the `name` of a preset or of an agent that the plan or the user defines, or a `command` of the plan's
    own that reads the prompt from `$WAVES_PROMPT_FILE`. Exactly one is set. `resume` is used instead of `command` when an
    interrupted attempt goes on in its own worktree, with its session's id in `$WAVES_SESSION`; `reads` is the preset whose
    output the command writes. `model` and `args` are given to a preset, `env` is the agent's beside the user's own."""

    name: str | None = None
    command: Command | None = None
    resume: Command | None = None
    reads: str = ""
    model: str = ""
    args: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentDefinition:
    """An agent that the plan gives a name."""

    name: str
    spec: AgentSpec
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxSpec:
    """The fence that a plan asks for, and what may be written besides (`writes`): absolute paths, or below the home folder (`~/`)."""

    kind: Sandbox
    writes: tuple[str, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Limits of one attempt of a task, or of a whole run, in seconds, tokens and US dollars; None is no limit."""

    wall_clock: float | None = None
    quiet: float | None = None
    tokens: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """Something that is not a file and cannot be shared freely; `capacity` tasks may hold it at once."""

    name: str
    capacity: int = 1
    scope: Scope = Scope.RUN
    kind: str = ""
    line: int = 0


class How(StrEnum):
    """How an ignored file of the user's checkout comes into a worktree: its content, a link to it, or its content with the
    task's variables filled in."""

    COPY = "copy"
    LINK = "link"
    TEMPLATE = "template"


@dataclass(frozen=True, slots=True, kw_only=True)
class Include:
    """Ignored files that every worktree is given. `pattern` is one line of a `.gitignore`; of a template with `to` it is the
    path of one file, which may be tracked, and `to` is where it goes."""

    how: How
    pattern: str
    to: RepoPath | None = None
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Background:
    """A writer outside the plan's tasks, and what to do about it: `quiesce` it around the run, or `gate` on it."""

    name: str
    writes: tuple[PathPattern, ...] = ()
    quiesce: Command | None = None
    resume: Command | None = None
    gate: str | None = None
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """What must turn a gate red: a `command`, or a `patch` (a file of the base, for `git apply`). Exactly one is set."""

    command: Command | None = None
    patch: RepoPath | None = None
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """A command that must pass on the candidate. `groups` empty means every barrier. `timeout` in seconds.

    A red gate is run again up to `retries` times; `flaky` says what some greens mean. `guards` are the paths whose change by
    a group must turn it red when it is taken back. `failures` is a regular expression for lines of its output that name one
    failure each. `is_review` is the plan's integration review: it reads what the barrier would publish, and runs after
    all others.
    """

    name: str
    command: Command
    groups: tuple[str, ...] = ()
    timeout: float | None = None
    is_claim: bool = False
    retries: int = 0
    flaky: FlakyPolicy = FlakyPolicy.HALT
    control: Control | None = None
    guards: tuple[PathPattern, ...] = ()
    baseline: Baseline = Baseline.REPORT
    failures: str | None = None
    is_review: bool = False
    line: int = 0


REVIEW = "review"
"""The name of the gate that is the integration review."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """An extra rung between verify and merge, in the task's worktree. `tasks` empty means every task. `timeout` in seconds."""

    name: str
    command: Command
    timeout: float | None = None
    tasks: tuple[TaskId, ...] = ()
    line: int = 0

    def is_for(self, task: TaskId) -> bool:
        """Whether that task has to pass it."""
        return not self.tasks or task in self.tasks


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupDef:
    """A group the author wrote down; their order is the order of the barriers."""

    name: str
    title: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One piece of work for one agent.

    `line` is where the task begins, `prompt_line` where the text of its prompt does (1-based, 0 unknown).
    `is_done` is work that the plan's own format marks as finished before any run (it satisfies needs and is not run);
    `blocker` is a reason, given by the plan, why the task cannot start. `attempts` and `fallback` None leave it to the plan.
    """

    id: TaskId
    title: str = ""
    needs: tuple[TaskId, ...] = ()
    group: str | None = None
    claims: tuple[Claim, ...] = ()
    resources: tuple[str, ...] = ()
    prompt: str | None = None
    run: Command | None = None
    agent: AgentSpec | None = None
    attempts: int | None = None
    fallback: tuple[AgentSpec, ...] | None = None
    verify: tuple[Command, ...] = ()
    budget: Budget = Budget()
    reads: tuple[PathPattern, ...] = ()
    handoff: tuple[RepoPath, ...] = ()
    attended: bool = False
    commit: CommitPolicy = CommitPolicy.AUTO
    allow_empty: bool = False
    sandbox: SandboxSpec | None = None
    estimate: float | None = None
    is_done: bool = False
    blocker: str | None = None
    line: int = 0
    prompt_line: int = 0

    @property
    def is_checkpoint(self) -> bool:
        """Whether a person only has to say that the run may go on: attended, and nothing to change."""
        return self.attended and not self.claims


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedPaths:
    """`expect.shared_paths`: overlaps the author means. Either the exact `patterns`, or only how many (`count`)."""

    patterns: tuple[PathPattern, ...] = ()
    count: int | None = None
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A whole plan, checked by its reader: ids unique, needs known and acyclic, groups, gates and resources known.

    With `sparse` (what every task reads, maybe nothing) a task's worktree holds only the folders that it owns or reads.
    """

    name: str
    source: str
    format: str = "native"
    base: str | None = None
    scheduler: SchedulerName | None = None
    max_parallel: int = DEFAULT_MAX_PARALLEL
    on_failure: OnFailure | None = None
    on_red: OnRed | None = None
    agent: AgentSpec | None = None
    attempts: int | None = None
    fallback: tuple[AgentSpec, ...] = ()
    agents: tuple[AgentDefinition, ...] = ()
    setup: tuple[Command, ...] = ()
    setup_timeout: float = DEFAULT_SETUP_TIMEOUT
    include: tuple[Include, ...] = ()
    sparse: tuple[PathPattern, ...] | None = None
    resources: tuple[Resource, ...] = ()
    background: tuple[Background, ...] = ()
    gates: tuple[Gate, ...] = ()
    stages: tuple[Stage, ...] = ()
    groups: tuple[GroupDef, ...] = ()
    tasks: tuple[Task, ...] = ()
    shared_paths: SharedPaths | None = None
    budget: Budget = Budget()
    require_review: bool = False
    sandbox: SandboxSpec | None = None

    def task(self, task_id: TaskId) -> Task:
        """The task of that id; KeyError when there is none."""
        for task in self.tasks:
            if task.id == task_id:
                return task
        raise KeyError(task_id)

    def agent_named(self, name: str) -> AgentSpec | None:
        """What the plan itself defines under that name."""
        return next((one.spec for one in self.agents if one.name == name), None)

    def stages_of(self, task_id: TaskId) -> tuple[Stage, ...]:
        """The extra rungs of one task, in the order it climbs them."""
        return tuple(stage for stage in self.stages if stage.is_for(task_id))


class NeedKind(StrEnum):
    """Why one task comes before another."""

    DECLARED = "declared"  # a `needs` entry
    FILE = "file"  # it modifies or deletes what the other creates


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """`task` starts only after `on` is integrated. `path` is the file of a FILE need."""

    task: TaskId
    on: TaskId
    kind: NeedKind
    path: RepoPath | None = None


class HoldKind(StrEnum):
    """What keeps a task out of an earlier group."""

    NEEDS = "needs"
    FILE = "file"
    RESOURCE = "resource"
    BARRIER = "barrier"  # an authored group puts it later
    CAP = "cap"  # more tasks than may run at once; waits for a free slot inside its group


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """`task` is held by `by` because of `what` (a path, a resource, a group's name; empty for needs and cap)."""

    task: TaskId
    kind: HoldKind
    by: TaskId | None = None
    what: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledGroup:
    """Tasks that end at one barrier. `rounds` are run one after the other; inside a round all may run together."""

    name: str
    rounds: tuple[tuple[TaskId, ...], ...]
    gates: tuple[str, ...] = ()
    holds: tuple[Hold, ...] = ()

    @property
    def tasks(self) -> tuple[TaskId, ...]:
        """Every task of the group, in merge order."""
        return tuple(task for one_round in self.rounds for task in one_round)


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """What runs beside what, and why not more. `needs` holds declared and derived needs of the tasks still to do."""

    scheduler: SchedulerName
    scheduler_reason: str
    max_parallel: int
    on_failure: OnFailure
    groups: tuple[ScheduledGroup, ...]
    needs: tuple[Need, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something the plan's reader should know. `code` is stable (`W101`); `evidence` are short lines, `hint` the way out."""

    code: str
    level: Level
    message: str
    line: int = 0
    tasks: tuple[TaskId, ...] = ()
    paths: tuple[RepoPath, ...] = ()
    evidence: tuple[str, ...] = ()
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What one task may touch, ready to match: exact `files`, `dirs` (with the trailing slash), `globs` as regular
    expressions that must match the whole path. The guard and the merge use these same rules, so they cannot disagree."""

    files: frozenset[RepoPath] = frozenset()
    dirs: tuple[str, ...] = ()
    globs: tuple[str, ...] = ()
