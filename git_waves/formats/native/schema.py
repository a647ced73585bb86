"""The JSON Schema of the native format, generated from the models, so that editors complete and check a plan."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from git_waves.formats.native.shapes import PlanShape

SCHEMA_PATH = Path(__file__).parent.parent / "plan.schema.json"
"""Where the schema lies in the checkout and in the installed package."""


class _Generator(GenerateJsonSchema):
    """pydantic's own generator, without what is only true of the Python side: null, null defaults, invented titles."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002  # pydantic's signature
        return False


def json_schema() -> dict[str, Any]:
    """The schema (draft 2020-12) of a native plan."""
    schema = PlanShape.model_json_schema(schema_generator=_Generator)
    return {
        "$schema": GenerateJsonSchema.schema_dialect,
        "$id": "urn:git-waves:plan:1",
        **schema,
        "title": "git-waves plan",
    }


def schema_text() -> str:
    """The schema as it lies in the file."""
    return json.dumps(json_schema(), indent=2) + "\n"


def write_schema(path: Path = SCHEMA_PATH) -> None:
    """Write the schema's file anew (`make golden` does)."""
    path.write_text(schema_text(), encoding="utf-8")
