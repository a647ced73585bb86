"""The shape of the native format as pydantic models: which keys there are and what may stand under each.

Every scalar is text here, as the author wrote it; what a text means (a duration, an id, a path) is `meaning`'s business.
The JSON Schema that editors use is generated from these models, so their descriptions are written for a plan's author.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, Tag

from git_waves.formats.names import PLAN_NAME
from git_waves.formats.native.agent_shapes import AgentChoice, AgentDefinitionChoice
from git_waves.formats.native.gate_shapes import Gate as Gate
from git_waves.formats.native.gate_shapes import GateChoice, ReviewChoice, StageChoice
from git_waves.formats.native.gate_shapes import Patch as Patch
from git_waves.formats.native.gate_shapes import Review as Review
from git_waves.formats.native.gate_shapes import Stage as Stage
from git_waves.formats.native.kinds import (
    Attempts,
    Cost,
    Count,
    Duration,
    Flag,
    HowMany,
    Id,
    OneCommand,
    Path,
    SeveralCommands,
    Shape,
    Text,
    Tokens,
    as_,
    either,
)
from git_waves.formats.native.sandbox import SandboxChoice


class Files(Shape):
    """Claimed paths by what the task does to them."""

    create: list[Path] | None = Field(default=None, description="Paths the task makes.")
    modify: list[Path] | None = Field(default=None, description="Paths that exist and that the task changes.")
    delete: list[Path] | None = Field(default=None, description="Paths the task removes.")
    edit: list[Path] | None = Field(
        default=None, description="Paths the task creates or changes; what a plain list says."
    )
    inferred: list[Path] | None = Field(
        default=None,
        description="Paths that are only guessed, from prose: they add conflicts and never excuse one.",
    )


FileClaims = Annotated[
    Annotated[list[Path], Tag("<list>")] | Annotated[Files, Tag("<map>")],
    either("a list of paths, or a mapping of create, modify, delete, edit and inferred"),
]


class Budget(Shape):
    """Limits; what is not named has none."""

    wall_clock: Duration | None = Field(default=None, description="Longest time: 90, 90s, 15m, 1.5h.")
    quiet: Duration | None = Field(default=None, description="Longest time without output or a file change.")
    tokens: Tokens | None = Field(default=None, description="Most tokens: 200000, 200k, 1.5M.")
    cost: Cost | None = Field(default=None, description="Most money, in US dollars: 2.50.")


class Task(Shape):
    """One piece of work for one agent."""

    id: Id = Field(description="Unique name of the task, also after case folding; part of branch names.")
    title: Text | None = Field(default=None, description="One line for people.")
    needs: list[Id] | None = Field(
        default=None, description="Tasks that must be integrated before this one starts."
    )
    group: Id | None = Field(default=None, description="One of the plan's groups.")
    files: FileClaims | None = Field(
        default=None, description="Every path the task touches: files, folders ('dir/') and globs."
    )
    resources: list[Id] | None = Field(default=None, description="Resources the task holds while it runs.")
    prompt: Text | None = Field(default=None, description="What the agent is told. Not together with run.")
    run: OneCommand | None = Field(
        default=None, description="A command that does the task instead of an agent."
    )
    agent: AgentChoice | None = Field(
        default=None, description="Who does this task, instead of the plan's agent."
    )
    attempts: Attempts | None = Field(
        default=None,
        description="How often the run tries it by itself with each agent, instead of the plan's.",
    )
    fallback: list[AgentChoice] | None = Field(
        default=None, description="Agents that try when the one before them did not get through."
    )
    verify: SeveralCommands | None = Field(
        default=None,
        description="Must pass in the worktree before the task is merged: one command or a list of them.",
    )
    budget: Budget | None = Field(default=None, description="Limits of this task.")
    reads: list[Path] | None = Field(
        default=None, description="Folders and files it reads and does not own, where the plan is sparse."
    )
    handoff: list[Path] | None = Field(
        default=None, description="Files copied to the dependents' worktrees, never merged."
    )
    attended: Flag | None = Field(
        default=None, description="A person does this task; without files it is a checkpoint."
    )
    commit: Text | None = Field(
        default=None,
        description="Who commits what the agent leaves behind.",
        json_schema_extra={"enum": ["auto", "agent"]},
    )
    allow_empty: Flag | None = Field(default=None, description="Changing nothing counts as done.")
    sandbox: SandboxChoice | None = Field(
        default=None, description="The kernel's fence around this task, instead of the plan's."
    )
    estimate: Duration | None = Field(default=None, description="How long it will take, for planning only.")


class Resource(Shape):
    """Something that is not a file and cannot be shared freely."""

    capacity: Count | None = Field(default=None, description="How many tasks may hold it at once (1).")
    scope: Text | None = Field(
        default=None,
        description="How far it reaches: this run, or every run on this machine.",
        json_schema_extra={"enum": ["run", "machine"]},
    )
    kind: Text | None = Field(default=None, description="What it is: database, port, api, ...")


class SetUp(Shape):
    """What is run in every new worktree, and how long it may take."""

    run: SeveralCommands = Field(description="One command or a list of them.")
    timeout: Duration | None = Field(default=None, description="Longest time each of them may take (30m).")


class Include(Shape):
    """Ignored files of your checkout that every worktree is given: exactly one of copy, link and template."""

    copy_: Text | None = Field(
        default=None, alias="copy", description="A line of a .gitignore: these are copied."
    )
    link: Text | None = Field(
        default=None,
        description="A line of a .gitignore: these are linked; of a folder, each thing that lies in it.",
    )
    template: Text | None = Field(
        default=None,
        description="A line of a .gitignore: copied with ${WAVES_PORT} and its like filled in. With 'to', one file.",
    )
    to: Path | None = Field(
        default=None, description="Where a template's text goes; its source may be tracked."
    )


class Group(Shape):
    """A group of tasks that ends at one barrier."""

    name: Id = Field(description="Its name, used by tasks and gates.")
    title: Text | None = Field(default=None, description="One line for people.")


class Background(Shape):
    """A writer that is no task: cron, a watcher, a migration on start-up."""

    name: Id = Field(description="Its name.")
    writes: list[Path] | None = Field(default=None, description="Paths it writes.")
    quiesce: OneCommand | None = Field(default=None, description="Stops it before the run.")
    resume: OneCommand | None = Field(default=None, description="Starts it again after the run.")
    gate: Id | None = Field(
        default=None, description="The gate that notices its writes, when it is not stopped."
    )


class Expect(Shape):
    """What the author knows and means."""

    shared_paths: Annotated[
        Annotated[HowMany, Tag("<text>")] | Annotated[list[Path], Tag("<list>")],
        either("a list of paths, or how many there are"),
    ] = Field(description="Paths that several tasks share on purpose, or only how many.")


SetUpChoice = Annotated[
    Annotated[Text, Tag("<text>")]
    | Annotated[list[OneCommand], Tag("<list>")]
    | Annotated[SetUp, Tag("<map>")],
    either("a text for the shell, a list of commands, or a mapping with 'run'"),
]
_IncludeChoice = Annotated[
    Annotated[Text, Tag("<text>")] | Annotated[Include, Tag("<map>")],
    either("a pattern, or a mapping of copy, link or template to one"),
]
SparseChoice = Annotated[
    Annotated[Flag, Tag("<text>")] | Annotated[list[Path], Tag("<list>")],
    either("true, or a list of paths that every task reads"),
]
_Resources = Annotated[
    Annotated[list[Id], Tag("<list>")] | Annotated[dict[str, Resource], Tag("<map>")],
    either("a list of names, or a mapping of name to capacity, scope and kind"),
]
_GroupChoice = Annotated[
    Annotated[Id, Tag("<text>")] | Annotated[Group, Tag("<map>")],
    either("a name, or a mapping of name and title"),
]


class PlanShape(Shape):
    """A plan of git-waves: tasks for agents that work at once in one repository."""

    version: Annotated[str, as_({"const": 1})] = Field(description="Version of this format: 1.")
    name: Annotated[str, as_({"type": "string", "pattern": f"^{PLAN_NAME}$"})] | None = Field(
        default=None, description="A slug; part of branch names. Taken from the file's name when absent."
    )
    base: Text | None = Field(default=None, description="Branch or revision the work starts from (HEAD).")
    scheduler: Text | None = Field(
        default=None,
        description="How the tasks are run; chosen from the plan when absent.",
        json_schema_extra={"enum": ["sequential", "dag-parallel", "ready-set"]},
    )
    max_parallel: Count | None = Field(default=None, description="Most tasks at once (4; 3 to 6 is advised).")
    on_failure: Text | None = Field(
        default=None,
        description="What a failed task does to the others.",
        json_schema_extra={"enum": ["halt", "fail-dependents"]},
    )
    on_red: Text | None = Field(
        default=None,
        description="What a red gate does to the tasks that did not break it (halt).",
        json_schema_extra={"enum": ["halt", "keep-green"]},
    )
    agent: AgentChoice | None = Field(
        default=None, description="Who does tasks that name no agent of their own."
    )
    attempts: Attempts | None = Field(
        default=None,
        description="How often the run tries a task by itself with each agent (1 to 9; 1); not for tasks that may do more "
        "than change their files, unless they say so themselves.",
    )
    fallback: list[AgentChoice] | None = Field(
        default=None,
        description="Agents that try a task when the one before them did not get through; not for tasks that may do more "
        "than change their files, unless they say so themselves.",
    )
    agents: dict[str, AgentDefinitionChoice] | None = Field(
        default=None, description="Agents by name: a command, or a known agent with options of its own."
    )
    commit: Text | None = Field(
        default=None,
        description="The default of the tasks' 'commit'.",
        json_schema_extra={"enum": ["auto", "agent"]},
    )
    setup: SetUpChoice | None = Field(
        default=None,
        description="Run in every new worktree: one command or a list of them, or a mapping with 'run'.",
    )
    include: list[_IncludeChoice] | None = Field(
        default=None, description="Ignored files that every worktree is given; beside '.worktreeinclude'."
    )
    sparse: SparseChoice | None = Field(
        default=None,
        description="Worktrees hold only what their task owns or reads: true, or a list of paths that every task reads.",
    )
    resources: _Resources | None = Field(
        default=None, description="What is not a file and cannot be shared freely."
    )
    background: list[Background] | None = Field(default=None, description="Writers that are no tasks.")
    gates: dict[str, GateChoice] | None = Field(
        default=None, description="Must pass on the candidate at each barrier."
    )
    review: ReviewChoice | None = Field(
        default=None, description="Reads what a barrier would publish, after the gates."
    )
    stages: dict[str, StageChoice] | None = Field(
        default=None, description="Extra rungs of every task between verify and merge, in this order."
    )
    groups: list[_GroupChoice] | None = Field(
        default=None, description="Groups in the order of their barriers."
    )
    tasks: list[Task] = Field(description="The work.", json_schema_extra={"minItems": 1})
    expect: Expect | None = Field(
        default=None, description="What the author means to happen, to be held against."
    )
    budget: Budget | None = Field(default=None, description="Limits of the whole run.")
    require_review: Flag | None = Field(
        default=None, description="A run begins only when a review approves exactly this content."
    )
    sandbox: SandboxChoice | None = Field(
        default=None,
        description="The kernel's fence: what runs in a worktree may write there and nowhere else (none).",
    )
