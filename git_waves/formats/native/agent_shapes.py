"""The shape of agents in a native plan, as pydantic models; see `shapes` for what holds for all of them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, Tag

from git_waves.formats.native.kinds import OneCommand, Shape, Text, either


class Agent(Shape):
    """An agent of the plan's own: a command, or a known agent with options of its own."""

    run: OneCommand | None = Field(
        default=None, description="The command that does a task; it reads the prompt from $WAVES_PROMPT_FILE."
    )
    resume: OneCommand | None = Field(
        default=None,
        description="Goes on with a task that was interrupted, in its worktree; $WAVES_SESSION is its session.",
    )
    reads: Text | None = Field(default=None, description="The preset whose output the command writes.")
    use: Text | None = Field(
        default=None, description="A known agent, such as claude or codex, instead of run."
    )
    model: Text | None = Field(default=None, description="The model, as that agent calls it.")
    args: list[Text] | None = Field(default=None, description="Further arguments for that agent.")
    env: dict[str, Text] | None = Field(default=None, description="Variables for the agent's environment.")


AgentChoice = Annotated[
    Annotated[Text, Tag("<text>")] | Annotated[Agent, Tag("<map>")],
    either("an agent's name, or a mapping with 'run' or 'use'"),
]
AgentDefinitionChoice = Annotated[
    Annotated[Text, Tag("<text>")] | Annotated[list[Text], Tag("<list>")] | Annotated[Agent, Tag("<map>")],
    either("a command, or a mapping with 'run' or 'use'"),
]
