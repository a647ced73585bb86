"""What a repository's own files say about how it is tested and set up: proposals for a first plan, each with its reason.

Only files at the top are read, and only what they declare: a script that is named, a table that is there. Nothing is proposed
that has to be guessed.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

READ = ("Makefile", "package.json", "pyproject.toml", "Cargo.toml", "go.mod", "tox.ini")
"""Files whose content counts."""
SEEN = (
    "pnpm-lock.yaml",
    "yarn.lock",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "bun.lock",
    "uv.lock",
    "poetry.lock",
)
"""Files of which it counts that they are there."""

_TARGET = re.compile(r"^(test|tests|check|lint)[ \t]*:(?!=)", re.MULTILINE)
_NO_TEST = "no test specified"  # what `npm init` writes, and it fails on purpose
_SCRIPTS = {"test": "tests", "lint": "lint", "typecheck": "types", "type-check": "types", "build": "build"}
_MAKE = {"test": "tests", "tests": "tests", "check": "check", "lint": "lint"}
_INSTALLS = {
    "package-lock.json": "npm ci",
    "npm-shrinkwrap.json": "npm ci",
    "pnpm-lock.yaml": "pnpm install --frozen-lockfile",
    "yarn.lock": "yarn install --immutable",
    "bun.lock": "bun install --frozen-lockfile",
    "uv.lock": "uv sync --frozen",
    "poetry.lock": "poetry install",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A command that a plan could have: a gate's `name` (empty for set-up), the `command`, and the `reason` for it."""

    name: str = ""
    command: str
    reason: str


def propose_gates(files: Mapping[str, str]) -> tuple[Proposal, ...]:
    """Gates for a repository with these files (of READ and SEEN: name to text), under names that differ."""
    found: dict[str, Proposal] = {}
    for one in (*_of_make(files), *_of_node(files), *_of_python(files), *_of_others(files)):
        name = one.name
        if name in found:
            name = f"{name}-{one.command.split(' ')[0]}"
        found.setdefault(name, Proposal(name=name, command=one.command, reason=one.reason))
    return tuple(found.values())


def propose_setup(files: Mapping[str, str]) -> tuple[Proposal, ...]:
    """Commands that make a fresh worktree of a repository with these files ready for work."""
    commands = {_INSTALLS[name]: name for name in SEEN if name in files}
    return tuple(Proposal(command=command, reason=f"there is a {name}") for command, name in commands.items())


def _of_make(files: Mapping[str, str]) -> Iterator[Proposal]:
    for target in dict.fromkeys(_TARGET.findall(files.get("Makefile", ""))):
        yield Proposal(
            name=_MAKE[target], command=f"make {target}", reason=f"the Makefile has a target '{target}'"
        )


def _of_node(files: Mapping[str, str]) -> Iterator[Proposal]:
    try:
        package: Any = json.loads(files.get("package.json", "{}"))
    except ValueError:
        return
    scripts = package.get("scripts") if isinstance(package, dict) else None
    if not isinstance(scripts, dict):
        return
    runner = next((tool for tool, lock in _RUNNERS.items() if lock in files), "npm")
    for script, name in _SCRIPTS.items():
        text = scripts.get(script)
        if isinstance(text, str) and text.strip() and _NO_TEST not in text:
            command = f"{runner} test" if script == "test" and runner != "bun" else f"{runner} run {script}"
            yield Proposal(name=name, command=command, reason=f"package.json has a script '{script}'")


_RUNNERS = {"pnpm": "pnpm-lock.yaml", "yarn": "yarn.lock", "bun": "bun.lock"}


def _of_python(files: Mapping[str, str]) -> Iterator[Proposal]:
    if "tox.ini" in files:
        yield Proposal(name="tests", command="tox", reason="there is a tox.ini")
    try:
        tools: Any = tomllib.loads(files.get("pyproject.toml", "")).get("tool", {})
    except tomllib.TOMLDecodeError:
        return
    if not isinstance(tools, dict):
        return
    for tool, name, command in (
        ("pytest", "tests", "python -m pytest -q"),
        ("ruff", "lint", "ruff check ."),
        ("mypy", "types", "mypy"),
    ):
        if tool in tools:
            yield Proposal(name=name, command=command, reason=f"pyproject.toml has a table 'tool.{tool}'")


def _of_others(files: Mapping[str, str]) -> Iterator[Proposal]:
    if "Cargo.toml" in files:
        yield Proposal(name="tests", command="cargo test", reason="there is a Cargo.toml")
    if "go.mod" in files:
        yield Proposal(name="tests", command="go test ./...", reason="there is a go.mod")
