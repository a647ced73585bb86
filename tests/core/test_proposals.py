"""What a repository's own files propose for a plan."""

from __future__ import annotations

import pytest

from git_waves.core.proposals import propose_gates, propose_setup


@pytest.mark.parametrize(
    ("files", "gates"),
    [
        ({}, {}),
        ({"Makefile": "all: x\ntest: x\n\ttrue\nlint:\n"}, {"tests": "make test", "lint": "make lint"}),
        ({"Makefile": "test := 1\nTESTS=2\nrun-test: x\n"}, {}),
        ({"package.json": '{"scripts": {"test": "jest", "typecheck": "tsc"}}'}, {"tests": "npm test", "types": "npm run typecheck"}),
        ({"package.json": '{"scripts": {"test": "jest"}}', "pnpm-lock.yaml": ""}, {"tests": "pnpm test"}),
        ({"package.json": '{"scripts": {"test": "x"}}', "bun.lock": ""}, {"tests": "bun run test"}),
        ({"package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'}, {}),
        ({"package.json": "{"}, {}),
        ({"package.json": "[]"}, {}),
        ({"package.json": '{"scripts": [1]}'}, {}),
        ({"pyproject.toml": "[tool.pytest.ini_options]\n[tool.ruff]\n[tool.mypy]\n"}, {"tests": "python -m pytest -q", "lint": "ruff check .", "types": "mypy"}),
        ({"pyproject.toml": "tool = 3\n"}, {}),
        ({"pyproject.toml": "[["}, {}),
        ({"Cargo.toml": "", "go.mod": ""}, {"tests": "cargo test", "tests-go": "go test ./..."}),
        ({"Makefile": "test:\n", "tox.ini": ""}, {"tests": "make test", "tests-tox": "tox"}),
    ],
)  # fmt: skip
def test_gates(files: dict[str, str], gates: dict[str, str]) -> None:
    found = propose_gates(files)
    assert {one.name: one.command for one in found} == gates
    assert all(one.reason for one in found)


def test_setup() -> None:
    found = propose_setup(
        {"package.json": "", "package-lock.json": "", "npm-shrinkwrap.json": "", "uv.lock": ""}
    )
    assert [one.command for one in found] == ["npm ci", "uv sync --frozen"]
