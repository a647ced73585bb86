"""W501: programs that a plan names and that are not there. Which ones to look up is decided here, looking is not.

W502: commands of git-waves itself that it would refuse; its own command line is known without looking.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from git_waves.core.findings.wording import listed
from git_waves.core.model import AgentSpec, Command, Finding, Level, Plan, TaskId
from git_waves.core.shell.walk import simple_commands
from git_waves.core.shellwords import first_program, is_sure_name
from git_waves.core.usage import misuse

_OWN_NAME = "waves"


class ProgramUse(NamedTuple):
    """A program that some command of the plan starts: `where` is `setup`, `gate 'unit'`, `run`, `verify`, `agent`, ...."""

    program: str
    where: str
    line: int
    task: TaskId | None


def programs(plan: Plan, known: Mapping[str, str] = MappingProxyType({})) -> tuple[ProgramUse, ...]:
    """Every program worth looking up before anything starts, once for each command that surely starts it. `known` are agents
    by name, and the program that each of them is.

    Commands of finished tasks are left out, and so are paths inside the repository, which a task or a set-up may make.
    """
    return tuple(
        ProgramUse(program, where, command.line, task)
        for where, task, command in commands_of(plan)
        if (program := _program_of(command)) is not None
    ) + tuple(
        ProgramUse(known[agent.name], f"agent '{agent.name}'", agent.line, task)
        for task, agent in agents_of(plan)
        if agent.name is not None and agent.name in known and plan.agent_named(agent.name) is None
    )


def agents_of(plan: Plan) -> Iterator[tuple[TaskId | None, AgentSpec]]:
    """Every agent that a run of the plan may start, also by a name that the plan defines."""
    named: list[tuple[TaskId | None, AgentSpec | None]] = [
        (None, one) for one in (plan.agent, *plan.fallback)
    ]
    for task in plan.tasks:
        if not task.is_done:
            named += [(task.id, one) for one in (task.agent, *(task.fallback or ()))]
    for whose, agent in named:
        if agent is not None:
            yield whose, agent
            defined = plan.agent_named(agent.name or "")
            if defined is not None:
                yield whose, defined


def commands_of(plan: Plan) -> Iterator[tuple[str, TaskId | None, Command]]:
    """Every command that a run of the plan may start: whose it is, in which task, and the command."""
    for command in plan.setup:
        yield "setup", None, command
    for writer in plan.background:
        for name, optional in (("quiesce", writer.quiesce), ("resume", writer.resume)):
            if optional is not None:
                yield f"{name} of background '{writer.name}'", None, optional
    for gate in plan.gates:
        yield f"gate '{gate.name}'", None, gate.command
    for stage in plan.stages:
        yield f"stage '{stage.name}'", None, stage.command
    for agent in (plan.agent, *plan.fallback):
        for name, command in _of_agent(agent):
            yield name, None, command
    for one in plan.agents:
        for name, command in _of_agent(one.spec):
            yield f"{name} '{one.name}'", None, command
    for task in plan.tasks:
        if not task.is_done:
            for agent in (task.agent, *(task.fallback or ())):
                for name, command in _of_agent(agent):
                    yield name, task.id, command
            if task.run is not None:
                yield "run", task.id, task.run
            for command in task.verify:
                yield "verify", task.id, command


def _of_agent(agent: AgentSpec | None) -> Iterator[tuple[str, Command]]:
    if agent is not None and agent.command is not None:
        yield "agent", agent.command
    if agent is not None and agent.resume is not None:
        yield "resume of the agent", agent.resume


def _program_of(command: Command) -> str | None:
    if command.shell is not None:
        return first_program(command.shell)
    return command.argv[0] if command.argv and is_sure_name(command.argv[0]) else None


def check_commands(plan: Plan, missing: Iterable[tuple[str, str, int, TaskId | None]]) -> tuple[Finding, ...]:
    """One finding for each program that is missing, with every place that names it."""
    uses: dict[str, list[ProgramUse]] = {}
    for use in missing:
        uses.setdefault(use[0], []).append(ProgramUse(*use))
    known = {task.id for task in plan.tasks}
    return tuple(
        Finding(
            code="W501",
            level=Level.VIOLATION,
            message=f"program '{program}' does not exist on this machine",
            line=min((use.line for use in places if use.line), default=0),
            tasks=tuple(
                dict.fromkeys(use.task for use in places if use.task in known and use.task is not None)
            ),
            evidence=listed(map(place_words, places)),
            hint=f"install '{program}', or correct the command",
        )
        for program, places in uses.items()
    )


def check_own_commands(plan: Plan) -> tuple[Finding, ...]:
    """One finding for each `git waves ...` in the plan's commands that no such command, option or argument fits."""
    found: dict[tuple[str, str], list[ProgramUse]] = {}
    for where, task, command in commands_of(plan):
        if _OWN_NAME in str(command):
            written = [command.argv] if command.shell is None else simple_commands(command.shell)
            for wrong in filter(None, map(misuse, written)):
                use = ProgramUse("git-waves", where, command.line, task)
                found.setdefault((wrong.message, wrong.hint), []).append(use)
    return tuple(
        Finding(
            code="W502",
            level=Level.VIOLATION,
            message=message,
            line=min((use.line for use in places if use.line), default=0),
            tasks=tuple(dict.fromkeys(use.task for use in places if use.task is not None)),
            evidence=listed(map(place_words, places)),
            hint=hint,
        )
        for (message, hint), places in found.items()
    )


def place_words(use: ProgramUse) -> str:
    """Evidence: where the plan starts a program."""
    owner = f" of task '{use.task}'" if use.task is not None else ""
    line = f" (line {use.line})" if use.line else ""
    return f"{use.where}{owner} starts it{line}"
