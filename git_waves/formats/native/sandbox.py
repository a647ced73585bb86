"""The fence that a plan or a task asks for: its shape as a pydantic model, which is also what editors are told of it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, Tag

from git_waves.formats.native.kinds import Path, Shape, Text, as_, either


class Sandbox(Shape):
    """The kernel's fence around a task's commands, with more that they may write."""

    use: Text = Field(
        description="Which fence; 'none' is none.",
        json_schema_extra={"enum": ["none", "landlock", "bwrap"]},
    )
    writes: list[Path] | None = Field(
        default=None, description="What may be written besides: /absolute/paths, or ~/below/home."
    )


SandboxChoice = Annotated[
    Annotated[Annotated[str, as_({"enum": ["none", "landlock", "bwrap"]})], Tag("<text>")]
    | Annotated[Sandbox, Tag("<map>")],
    either("landlock, bwrap or none, or a mapping of use and writes"),
]
