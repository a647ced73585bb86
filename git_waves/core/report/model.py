"""What a person wants to know in the morning, as one value: everything the Markdown and the page say is read from it.

Times are seconds since 1970. Texts of others are redacted (core/secrets) and not yet inert: views see to that.
"""

from __future__ import annotations

from dataclasses import dataclass

from git_waves.core.fold import RunState
from git_waves.core.speedup import SpeedUp


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A stretch of time; `end` is never before `begin`."""

    begin: float
    end: float

    @property
    def seconds(self) -> float:
        """How long it is."""
        return self.end - self.begin


@dataclass(frozen=True, slots=True, kw_only=True)
class Rung:
    """One rung of an attempt that took time."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One try of a task, or a part of one: what a later coordinator took up, with a rest before it, is told in two.

    `ended` is a status of a task, or `interrupted`, or `taken up` (a part that a later one goes on with), or empty while it
    goes on; `changed` is what a passed attempt changed, `paths` what a fallen one stumbled over; `archive` is the ref that
    keeps it. `taken_up` is how a later coordinator found it: `adopted`, `finished` or `resumed`.
    """

    number: int
    span: Span
    rungs: tuple[Rung, ...]
    ended: str = ""
    rung: str = ""
    reason: str = ""
    changed: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    archive: str = ""
    taken_up: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """The end of a log: whole lines without dress, how many stand before them, and the command that shows all of it."""

    lines: tuple[str, ...]
    is_cut: bool
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskReport:
    """One task: the rung it stands or fell at, its attempts, when its work was merged (None when it is not), what its log
    ended with, and the tokens and US dollars of all its attempts by their own account."""

    id: str
    title: str
    group: str
    needs: tuple[str, ...]
    status: str
    rung: str
    attempts: tuple[Attempt, ...]
    merged_at: float | None = None
    excerpt: Excerpt | None = None
    tokens: int = 0
    cost: float = 0.0

    @property
    def tries(self) -> int:
        """How many attempts it had."""
        return len({attempt.number for attempt in self.attempts})

    @property
    def seconds(self) -> float:
        """How long its attempts took together."""
        return sum(attempt.span.seconds for attempt in self.attempts)

    @property
    def passed(self) -> Attempt | None:
        """The newest attempt that held on every rung, whatever became of it at its merge."""
        held = (one for one in reversed(self.attempts) if one.ended == "passed" or one.changed)
        return next(held, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRun:
    """One gate on one tree, for a `purpose` (core.gatewords.Purpose).

    Some of `greens` of `runs` is flaky. `failures` and `tolerated` are names its output gave; of a control or a mutation
    `verdict` is what it says about the gate, and `paths` what was taken back; `reused` is the run it comes from.
    """

    gate: str
    group: str
    purpose: str
    span: Span
    tree: str
    passed: bool
    reason: str
    log: str
    runs: int = 1
    greens: int = 0
    failures: tuple[str, ...] = ()
    tolerated: tuple[str, ...] = ()
    verdict: str = ""
    paths: tuple[str, ...] = ()
    reused: str = ""
    excerpt: Excerpt | None = None

    @property
    def is_flaky(self) -> bool:
        """Whether it was red and green on the same tree."""
        return 0 < self.greens < self.runs


@dataclass(frozen=True, slots=True, kw_only=True)
class GateReport:
    """One gate of the plan with every run of it; `command` is empty when the pinned plan could not be read.

    `asks` are what the plan wants to know of it beside its colour at barriers (`baseline`, `control`, `mutation`);
    `is_red_all_along` is whether it was red before the run and never green since.
    """

    name: str
    command: str
    groups: tuple[str, ...]
    is_claim: bool
    runs: tuple[GateRun, ...]
    asks: tuple[str, ...] = ()
    is_red_all_along: bool = False

    def of(self, *purposes: str) -> tuple[GateRun, ...]:
        """Its runs for one of these purposes."""
        return tuple(run for run in self.runs if run.purpose in purposes)

    @property
    def last(self) -> GateRun | None:
        """Its newest run at a barrier."""
        return next(reversed(self.of("barrier")), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Culprit:
    """Who turned a gate red on a tree: one task, a pair, or nobody, with the `evidence` in words; `suspect` is the task with
    whose merge it turned red, or empty."""

    gate: str
    group: str
    tree: str
    at: float
    tasks: tuple[str, ...]
    suspect: str
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reset:
    """Work that was merged and taken out again: whose, who was merged `again` after it, who had to `restart` and why."""

    at: float
    culprits: tuple[str, ...]
    again: tuple[str, ...]
    restart: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Barrier:
    """A barrier that was passed: the integration ref moved to `commit`."""

    group: str
    at: float
    commit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What one coordinator did of the run. `ended` is how: `finished`, `halted`, `stopped`, `died`, or empty: it runs.

    `found` are the tasks that an earlier one had left at work, by what became of them: `adopted`, `finished`, `resumed`,
    `started over`.
    """

    span: Span
    process: str
    ended: str
    reason: str
    found: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """How much really ran at once, in seconds of attempts. `wall` is the time that somebody worked on the run, rests left
    out; `idle` is the part of it in which no attempt ran. `steps` are the moments at which the number at once changed.

    `ideal` compares with what these very tasks would have taken without any waiting; None when it cannot be worked out,
    and `unknown` says why.
    """

    busy: float
    wall: float
    rest: float
    idle: float
    gates: float
    peak: int
    steps: tuple[tuple[float, int], ...]
    ideal: SpeedUp | None
    unknown: str = ""

    @property
    def average(self) -> float:
        """How many ran at once, over the whole of the time; also how much sooner it was done than one by one."""
        return self.busy / self.wall if self.wall else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Untouched:
    """What a task claimed and did not change."""

    task: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreign:
    """Paths that an attempt changed and did not own; `owners` are the tasks that own them."""

    task: str
    attempt: int
    paths: tuple[str, ...]
    owners: tuple[str, ...]
    is_granted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A path that an agent asked for; `owner` is empty for nobody's."""

    task: str
    attempt: int
    at: float
    path: str
    reason: str
    owner: str
    is_granted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """Paths that a person let a task change besides its own."""

    task: str
    at: float
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Declarations:
    """Where the plan and the work disagree. `unknown` says why it could not be looked at; `checked` tasks were."""

    untouched: tuple[Untouched, ...]
    foreign: tuple[Foreign, ...]
    checked: int
    unknown: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """A task waited for a place that all runs of the machine share."""

    task: str
    resource: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreseen:
    """A conflict that was seen coming between a task and another (empty: with what is merged); `is_gone` is whether it
    went away again."""

    task: str
    other: str
    at: float
    paths: tuple[str, ...]
    is_gone: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Work that lies in an archive ref; `task` is empty for a place of the integration ref, `name` is short for what it is
    (`t1.2`), `is_there` whether the ref is."""

    task: str
    name: str
    ref: str
    is_there: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What the integration ref has that the base has not."""

    commits: int
    files: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The whole of it. `state` is the fold of the same events; `now` is when the report was made."""

    state: RunState
    is_running: bool
    now: float
    span: Span
    tasks: tuple[TaskReport, ...]
    gates: tuple[GateReport, ...]
    barriers: tuple[Barrier, ...]
    culprits: tuple[Culprit, ...]
    resets: tuple[Reset, ...]
    sessions: tuple[Session, ...]
    overlap: Overlap
    declarations: Declarations
    requests: tuple[Request, ...]
    grants: tuple[Grant, ...]
    waits: tuple[Wait, ...]
    foreseen: tuple[Foreseen, ...]
    kept: tuple[Kept, ...]
    change: Change | None
