"""The plan that `git waves init` writes: a plan, and its remarks are YAML too."""

from __future__ import annotations

from typing import Any

import pytest

from git_waves.core.proposals import propose_gates, propose_setup
from git_waves.formats.template import starting_plan
from git_waves.formats.yamlevents import load_yaml
from tests.formats.shown import read


def test_the_starting_plan_is_read_back_clean() -> None:
    plan = read(starting_plan(base="main", name="plan"), path=".waves/plan.yaml")
    assert (plan.name, plan.base) == ("plan", "main")
    assert [task.id for task in plan.tasks] == ["first", "second"]
    assert all(task.claims and task.run and task.verify for task in plan.tasks)


@pytest.mark.parametrize(
    "base", ["feature/x", "v1.2", "01", "null", "~x", "HEAD~2", "é", "a#b", "release-1.0", "'x'"]
)
def test_any_branch_can_be_the_base(base: str) -> None:
    assert read(starting_plan(base=base, name="plan")).base == base


GATES = propose_gates({"Makefile": "test: x\n\ttrue\n", "Cargo.toml": "", "go.mod": ""})
SETUP = propose_setup({"uv.lock": "", "yarn.lock": ""})


@pytest.mark.parametrize(
    "found", [{}, {"agents": ("codex", "aider"), "gates": GATES, "setup": SETUP}], ids=["nothing", "much"]
)
def test_every_example_in_its_remarks_can_be_taken_into_use(found: dict[str, Any]) -> None:
    lines = []
    for line in starting_plan(base="main", name="plan", **found).splitlines():
        indent, mark, rest = line.partition("# ")
        key, colon, _ = rest.partition(":")
        is_example = (
            not indent.strip()
            and mark
            and ((colon and key.replace("-", "_").isidentifier()) or rest.startswith(("  - ", "  ")))
        )
        lines.append(indent + rest if is_example else line)
    loaded = load_yaml("\n".join(lines) + "\n")
    assert loaded.problems == []
    assert isinstance(loaded.root, dict)
    assert {"scheduler", "on_failure", "agent", "setup", "resources", "groups"} <= loaded.root.keys()
    assert {"needs", "group", "prompt", "budget"} <= loaded.root["tasks"][0].keys()
    if found:
        assert loaded.root["agent"] == "codex"
        assert list(loaded.root["setup"]) == ["yarn install --immutable", "uv sync --frozen"]
        gates = {
            name: command for name, command in loaded.root["gates"].items() if name != "no-conflict-markers"
        }
        assert gates == {"tests": "make test", "tests-cargo": "cargo test", "tests-go": "go test ./..."}
