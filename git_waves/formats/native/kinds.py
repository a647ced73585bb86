"""What the models of the native format are put together from: texts by what they mean, commands, and the base of all models."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Discriminator, Tag, WithJsonSchema

from git_waves.formats.names import TASK_ID
from git_waves.formats.values import COST, DURATION, TOKENS

MEMBERS = ("<text>", "<list>", "<map>")
"""How pydantic names the members of our unions in the path of a misfit; no key of a plan."""


def _tag(node: object) -> str:
    return "<list>" if isinstance(node, list) else "<map>" if isinstance(node, dict) else "<text>"


def either(expected: str) -> Discriminator:
    """Choose a union's member by the kind of value, and say `expected` when none fits."""
    return Discriminator(_tag, custom_error_type="kind", custom_error_message=expected)


def as_(schema: dict[str, Any]) -> WithJsonSchema:
    return WithJsonSchema(schema)


# Unquoted, `01` and `1e3` are numbers to an editor and ids to us: the schema must accept both.
Id = Annotated[str, as_({"type": ["string", "number"], "pattern": f"^{TASK_ID}$"})]
Flag = Annotated[str, as_({"type": "boolean"})]
Retries = Annotated[str, as_({"type": "integer", "minimum": 0, "maximum": 9})]
Count = Annotated[str, as_({"type": "integer", "minimum": 1})]
Attempts = Annotated[str, as_({"type": "integer", "minimum": 1, "maximum": 9})]
HowMany = Annotated[str, as_({"type": "integer", "minimum": 0})]
Duration = Annotated[
    str,
    as_({"type": ["number", "string"], "exclusiveMinimum": 0, "pattern": f"^{DURATION}$"}),
]
Tokens = Annotated[str, as_({"type": ["number", "string"], "exclusiveMinimum": 0, "pattern": f"^{TOKENS}$"})]
Cost = Annotated[str, as_({"type": ["number", "string"], "exclusiveMinimum": 0, "pattern": f"^{COST}$"})]
Path = Annotated[str, as_({"type": "string", "minLength": 1})]
Text = str

OneCommand = Annotated[
    Annotated[Text, Tag("<text>")] | Annotated[list[Text], Tag("<list>")],
    either("a command: a text for the shell, or a list that is executed as it is"),
]
SeveralCommands = Annotated[
    Annotated[Text, Tag("<text>")] | Annotated[list[OneCommand], Tag("<list>")],
    either("a text for the shell, or a list of commands"),
]


class Shape(BaseModel):
    """What all models share: no key that is not known."""

    model_config = ConfigDict(extra="forbid")
