"""How a task's work is started: what to execute, with which prompt. Presets of agent programs are files in this room."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from git_waves.agents.aider import Aider
from git_waves.agents.claude import Claude
from git_waves.agents.codex import Codex
from git_waves.agents.gemini import Gemini
from git_waves.agents.mini_swe_agent import MiniSweAgent
from git_waves.agents.opencode import Opencode
from git_waves.agents.preset import Agent, Briefing, Invocation
from git_waves.agents.usage import Reader
from git_waves.agents.usage_any import AnyReader
from git_waves.core.model import AgentSpec, Command, Plan, Task

__all__ = [
    "KNOWN",
    "PRESETS",
    "Agent",
    "Briefing",
    "Invocation",
    "argv_of",
    "invocation",
    "is_resumable",
    "preset_of",
    "program_of",
    "reader_of",
    "resolve",
    "resumption",
]

PRESETS: Mapping[str, Agent] = {
    preset.name: preset
    for preset in (Claude(), Codex(), Gemini(), Opencode(), Aider(), MiniSweAgent())
}  # fmt: skip
"""Every agent program that can be named without saying how it is started."""

KNOWN = frozenset(PRESETS)
"""Names that `agent: NAME` may use anywhere."""

Own = Mapping[str, Command]
"""Agents of the user's own by name: the command that each of them is."""


def argv_of(command: Command) -> tuple[str, ...]:
    """A list is executed as it is; a text goes to the shell as one argument, and nothing is ever put into it."""
    return command.argv if command.shell is None else ("/bin/sh", "-c", command.shell)


def resolve(plan: Plan, spec: AgentSpec | None, own: Own) -> AgentSpec | None:
    """The agent that is meant: a command, or a preset with its options. The plan's own definitions come before the user's,
    and these before presets. None when nobody knows the name (any more), or there is no agent at all."""
    if spec is None or spec.name is None:
        return spec
    defined = plan.agent_named(spec.name)
    if defined is not None:
        found = defined if defined.command is not None else _known(defined, own)
        return None if found is None else _on_top(found, spec)
    return _known(spec, own)


def _known(spec: AgentSpec, own: Own) -> AgentSpec | None:
    if spec.name is not None and spec.name in own:
        return AgentSpec(command=own[spec.name], env=spec.env, line=spec.line)
    return spec if spec.name in PRESETS else None


def _on_top(found: AgentSpec, spec: AgentSpec) -> AgentSpec:
    """What is said where an agent is named comes on top of its definition."""
    return replace(
        found,
        model=spec.model or found.model,
        args=found.args + spec.args,
        env=tuple({**dict(found.env), **dict(spec.env)}.items()),
    )


def preset_of(plan: Plan, task: Task, own: Own) -> Agent | None:
    """The preset that does the task, or whose output its command writes; None for a command that says nothing of it."""
    spec = resolve(plan, task.agent or plan.agent, own)
    if task.run is not None or spec is None:
        return None
    return PRESETS.get(spec.name or spec.reads)


def program_of(name: str) -> str:
    """The program that a preset executes; empty when there is no such preset."""
    return PRESETS[name].program if name in PRESETS else ""


def reader_of(plan: Plan, task: Task, own: Own) -> Reader:
    """Who reads what the task's agent prints; of a command that says nothing of it, whichever program is recognised."""
    preset = preset_of(plan, task, own)
    return AnyReader() if preset is None else preset.reader()


def invocation(plan: Plan, task: Task, briefing: Briefing, own: Own) -> Invocation | None:
    """How to start the task: its own `run`, else its agent or the plan's. None when there is nothing to run."""
    if task.run is not None:
        return Invocation(argv=argv_of(task.run), stdin=None)
    spec = resolve(plan, task.agent or plan.agent, own)
    if spec is None:
        return None
    if spec.command is not None:
        return Invocation(argv=argv_of(spec.command), stdin=briefing.prompt, env=dict(spec.env))
    preset = PRESETS[spec.name or ""]
    return _with_env(preset.start(replace(briefing, model=spec.model, args=spec.args)), spec)


def is_resumable(plan: Plan, task: Task, own: Own) -> bool:
    """Whether an interrupted attempt of the task can go on at all."""
    nothing = Briefing(prompt=Path(), words="", session="", state=Path())
    return resumption(plan, task, nothing, own) is not None


def resumption(plan: Plan, task: Task, briefing: Briefing, own: Own) -> Invocation | None:
    """How an interrupted attempt of the task goes on; None when its agent has no way to."""
    spec = resolve(plan, task.agent or plan.agent, own)
    if task.run is not None or spec is None:
        return None
    if spec.resume is not None:
        return Invocation(argv=argv_of(spec.resume), stdin=briefing.prompt, env=dict(spec.env))
    if spec.name is None:
        return None
    going_on = PRESETS[spec.name].resume(replace(briefing, model=spec.model, args=spec.args))
    return None if going_on is None else _with_env(going_on, spec)


def _with_env(invocation: Invocation, spec: AgentSpec) -> Invocation:
    return replace(invocation, env={**invocation.env, **dict(spec.env)})
