"""The JSON Schema that editors use: current, in the draft it claims, and as strict as the reader."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from git_waves.formats.native import SCHEMA_PATH, json_schema, schema_text, write_schema


def objects(node: Any) -> Iterator[dict[str, Any]]:
    """Every object of the schema."""
    if isinstance(node, dict):
        yield node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from objects(child)


def test_the_shipped_schema_is_the_one_the_code_would_write(tmp_path: Path) -> None:
    assert SCHEMA_PATH.read_text(encoding="utf-8") == schema_text(), "`make golden` writes it anew"
    write_schema(tmp_path / "schema.json")
    assert (tmp_path / "schema.json").read_text(encoding="utf-8") == schema_text()


def test_it_is_draft_2020_12_and_names_itself() -> None:
    schema = json_schema()
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["title"] == "git-waves plan"
    assert schema["required"] == ["version", "tasks"]
    assert json.loads(schema_text()) == schema


def test_every_key_is_described_and_no_other_is_allowed() -> None:
    with_keys = [one for one in objects(json_schema()) if one.get("type") == "object" and "properties" in one]
    assert len(with_keys) == 16
    for one in with_keys:
        assert one["additionalProperties"] is False
        assert all(key.get("description", "").endswith(".") for key in one["properties"].values())


def test_nothing_may_be_null() -> None:
    assert all(
        one.get("type") != "null" and one.get("default", 0) is not None for one in objects(json_schema())
    )


def test_an_editor_completes_the_words_that_are_known() -> None:
    keys = json_schema()["properties"]
    assert keys["scheduler"]["enum"] == ["sequential", "dag-parallel", "ready-set"]
    assert keys["on_failure"]["enum"] == ["halt", "fail-dependents"]
    assert keys["on_red"]["enum"] == ["halt", "keep-green"]
    assert keys["commit"]["enum"] == ["auto", "agent"]
    assert keys["version"]["const"] == 1
