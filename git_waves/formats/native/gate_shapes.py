"""The shape of what proves work: gates, the integration review, stages. See `shapes`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, Tag

from git_waves.formats.native.kinds import Duration, Flag, Id, OneCommand, Path, Retries, Shape, Text, either


class Patch(Shape):
    """A change that must turn a gate red."""

    patch: Path = Field(description="A patch file of the base, applied with 'git apply'.")


ControlChoice = Annotated[
    Annotated[Text, Tag("<text>")] | Annotated[list[Text], Tag("<list>")] | Annotated[Patch, Tag("<map>")],
    either("a command, or a mapping with 'patch'"),
]


class Gate(Shape):
    """A command that must pass on the merged candidate."""

    run: OneCommand = Field(description="The command.")
    groups: list[Id] | None = Field(default=None, description="Only at these barriers; else at every one.")
    timeout: Duration | None = Field(default=None, description="Longest time it may take.")
    claim: Flag | None = Field(
        default=None, description="The gate that carries the plan: if it falls, all stops."
    )
    retries: Retries | None = Field(
        default=None, description="How often it is run again when it is red (0 to 9; 0)."
    )
    flaky: Text | None = Field(
        default=None,
        description="What it means when it was red and green on the same tree.",
        json_schema_extra={"enum": ["halt", "accept"]},
    )
    control: ControlChoice | None = Field(
        default=None,
        description="Positive control: breaks the base in a worktree of its own; the gate must then be red.",
    )
    guards: list[Path] | None = Field(
        default=None,
        description="What it guards: when a group's change to these paths is taken back, it must be red.",
    )
    baseline: Text | None = Field(
        default=None,
        description="What it means when it is red before the run.",
        json_schema_extra={"enum": ["report", "require", "tolerate", "skip"]},
    )
    failures: Text | None = Field(
        default=None,
        description="Regular expression for the lines of its output that name one failure each; its first "
        "group, if any, is the name.",
    )


class Review(Shape):
    """The integration review: it reads what a barrier would publish."""

    run: OneCommand = Field(
        description="The command; the diff is its standard input, and lies in $WAVES_DIFF_FILE."
    )
    timeout: Duration | None = Field(default=None, description="Longest time it may take.")


class Stage(Shape):
    """An extra rung between verify and merge."""

    run: OneCommand = Field(
        description="The command, in the task's worktree; $WAVES_DIFF_FILE holds what the task changed."
    )
    timeout: Duration | None = Field(default=None, description="Longest time it may take.")
    tasks: list[Id] | None = Field(default=None, description="Only for these tasks; else for every one.")


GateChoice = Annotated[
    Annotated[Text, Tag("<text>")] | Annotated[list[Text], Tag("<list>")] | Annotated[Gate, Tag("<map>")],
    either("a command, or a mapping with 'run'"),
]


ReviewChoice = Annotated[
    Annotated[Text, Tag("<text>")] | Annotated[list[Text], Tag("<list>")] | Annotated[Review, Tag("<map>")],
    either("a command, or a mapping with 'run'"),
]


StageChoice = Annotated[
    Annotated[Text, Tag("<text>")] | Annotated[list[Text], Tag("<list>")] | Annotated[Stage, Tag("<map>")],
    either("a command, or a mapping with 'run'"),
]
