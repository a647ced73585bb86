"""How single values of a native plan become values of ours, with every problem collected: names, choices, limits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from git_waves.core.model import AgentSpec, Budget, Command, SandboxSpec
from git_waves.core.model import Sandbox as Kind
from git_waves.errors import PlanProblem
from git_waves.formats.commands import Written, one_command, several_commands
from git_waves.formats.marks import MarkedList, MarkedMap, entry_lines, line_of, map_under
from git_waves.formats.names import did_you_mean, shorten
from git_waves.formats.native import agent_shapes, shapes
from git_waves.formats.native.sandbox import Sandbox
from git_waves.formats.values import cost, seconds, tokens, whole_number

_Choice = TypeVar("_Choice", bound=StrEnum)
MOST_ATTEMPTS = 9
"""With each agent, before a person has to look."""
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}").fullmatch
PRESETS = frozenset({"claude", "codex", "gemini", "opencode", "aider", "mini-swe-agent"})
"""Programs whose output git-waves reads; a test compares them with those that there are."""
NO_LIMITS = Budget()
"""The budget of whoever names none."""


@dataclass(slots=True)
class Reader:
    """Reads values of a plan, collects their problems, and knows which names the plan and git-waves have.

    With `known_agents` None every agent's name is taken for known. A name that is not among `groups`, `resources` or `gates` is only refused when that part of the plan is whole
    (not in `damaged`): its entry may be the one that another problem took away.
    """

    known_agents: frozenset[str] | None
    damaged: set[str]
    problems: list[PlanProblem]
    names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    is_fragment: bool = False
    is_sparse: bool = False

    def refuse(self, line: int, message: str, hint: str = "") -> None:
        """Add a problem."""
        self.problems.append(PlanProblem(line, message, hint))

    def check_known(
        self, names: Sequence[str], lines: Sequence[int], section: str, what: str, owner: str
    ) -> None:
        """Each of `names` is in `section` of the plan; `what` is one such thing, `owner` who names it."""
        known = self.names[section]
        for name, line in zip(names, lines, strict=True):
            if name not in known and section not in self.damaged:
                hint = did_you_mean(name, known, label=section) or f"add it under '{section}:'"
                self.refuse(
                    line, f"{owner} names {what} '{shorten(name)}', which the plan does not have", hint
                )

    def choice(self, kind: type[_Choice], text: str | None, what: str, marks: MarkedMap) -> _Choice | None:
        """One of an enumeration's values; `what` is the key, and what such a value is called."""
        if text is None:
            return None
        try:
            return kind(text)
        except ValueError:
            known = ", ".join(kind)
            self.refuse(line_of(marks, what), f"unknown {what} '{shorten(text)}'", f"known: {known}")
            return None

    def flag(self, text: str | None, key: str, marks: MarkedMap, owner: str) -> bool:
        """`true` or `false`; absent is false."""
        if text not in (None, "true", "false"):
            self.refuse(
                line_of(marks, key), f"'{key}' of {owner} must be true or false, not '{shorten(text)}'"
            )
        return text == "true"

    def seconds(self, text: str | None, key: str, marks: MarkedMap, owner: str) -> float | None:
        """A duration; absent is None."""
        if text is None:
            return None
        duration = seconds(text)
        if duration is None:
            message = f"'{key}' of {owner} is no duration: '{shorten(text)}'"
            self.refuse(line_of(marks, key), message, "write 90, 90s, 15m or 1.5h")
        return duration

    def count(self, text: str, what: str, line: int) -> int | None:
        """A whole number of at least 1; `what` names its place in messages."""
        number = whole_number(text)
        if not number:
            self.refuse(line, f"{what} must be a whole number of at least 1, not '{shorten(text)}'")
        return number or None

    def budget(self, shape: shapes.Budget | None, marks: MarkedMap, owner: str) -> Budget:
        """Limits in seconds, tokens and US dollars."""
        if shape is None:
            return NO_LIMITS
        money = None if shape.cost is None else cost(shape.cost)
        if shape.cost is not None and money is None:
            message = f"'cost' of {owner} is no amount: '{shorten(shape.cost)}'"
            self.refuse(line_of(marks, "cost"), message, "write US dollars: 2 or 2.50")
        most = None if shape.tokens is None else tokens(shape.tokens)
        if shape.tokens is not None and most is None:
            message = f"'tokens' of {owner} is no count: '{shorten(shape.tokens)}'"
            self.refuse(line_of(marks, "tokens"), message, "write 200000, 200k or 1.5M")
        return Budget(
            wall_clock=self.seconds(shape.wall_clock, "wall_clock", marks, owner),
            quiet=self.seconds(shape.quiet, "quiet", marks, owner),
            tokens=most,
            cost=money,
        )

    def command(self, written: Written | None, key: str, marks: MarkedMap, owner: str) -> Command | None:
        """One command; absent is None."""
        if written is None:
            return None
        return one_command(
            written, line=line_of(marks, key), what=f"'{key}' of {owner}", problems=self.problems
        )

    def commands(
        self, written: str | list[Written] | None, key: str, marks: MarkedMap, owner: str
    ) -> tuple[Command, ...]:
        """One or several commands; absent is none."""
        if written is None:
            return ()
        what = f"'{key}' of {owner}" if owner else f"'{key}'"
        lines = entry_lines(marks, key)
        return several_commands(
            written, line=line_of(marks, key), lines=lines, what=what, problems=self.problems
        )

    def sandbox(self, shape: str | Sandbox | None, marks: MarkedMap, owner: str) -> SandboxSpec | None:
        """A fence by its name, or with more that may be written."""
        if shape is None:
            return None
        line = line_of(marks, "sandbox")
        if isinstance(shape, str):
            kind = self.choice(Kind, shape, "sandbox", marks)
            return None if kind is None else SandboxSpec(kind=kind, line=line)
        inner = map_under(marks, "sandbox")
        kind = self.choice(Kind, shape.use, "use", inner)
        writes = tuple(shape.writes or ())
        for path, at in zip(writes, entry_lines(inner, "writes") if writes else (), strict=True):
            if not path.startswith(("/", "~/")) or ".." in path.split("/"):
                message = f"'{shorten(path)}' under 'writes' of the sandbox of {owner} is no whole path"
                self.refuse(at, message, "begin it with '/' or '~/', without '..'")
        return None if kind is None else SandboxSpec(kind=kind, writes=writes, line=line)

    def agent(self, shape: str | agent_shapes.Agent | None, marks: MarkedMap, owner: str) -> AgentSpec | None:
        """An agent that is known by its name, or one of the plan's own."""
        if shape is None:
            return None
        return self._one_agent(shape, map_under(marks, "agent"), line_of(marks, "agent"), owner)

    def fallback(
        self, written: Sequence[str | agent_shapes.Agent] | None, marks: MarkedMap, owner: str
    ) -> tuple[AgentSpec, ...]:
        """Agents that try after the first one; absent is none."""
        section = marks.get("fallback")
        if not written or not isinstance(section, MarkedList):
            return ()
        found = (
            self._one_agent(shape, map_under(section, number), section.lines[number], owner)
            for number, shape in enumerate(written)
        )
        return tuple(agent for agent in found if agent is not None)

    def attempts(self, text: str | None, marks: MarkedMap, owner: str) -> int | None:
        """How often the run tries by itself; absent is None."""
        if text is None:
            return None
        line = line_of(marks, "attempts")
        number = self.count(text, f"'attempts' of {owner}", line)
        if number is not None and number > MOST_ATTEMPTS:
            message = f"'attempts' of {owner} is {number}: without a person at most {MOST_ATTEMPTS} are made"
            self.refuse(line, message)
        return number

    def _one_agent(
        self, shape: str | agent_shapes.Agent, inner: MarkedMap, line: int, owner: str
    ) -> AgentSpec | None:
        if isinstance(shape, str):
            return AgentSpec(name=shape, line=line) if self.knows_agent(shape, line) else None
        return self.agent_of_its_own(shape, inner, line, f"the agent of {owner}")

    def agent_of_its_own(
        self, shape: agent_shapes.Agent, marks: MarkedMap, line: int, whose: str
    ) -> AgentSpec | None:
        """A command, or a known agent with options; `line` is where it stands."""
        self._check_keys(shape, marks, line, whose)
        env = self._variables(shape, marks, whose)
        if shape.use is not None:
            if not self.knows_agent(shape.use, line_of(marks, "use")):
                return None
            args = tuple(shape.args or ())
            return AgentSpec(name=shape.use, model=shape.model or "", args=args, env=env, line=line)
        if shape.reads is not None and shape.reads not in PRESETS:
            known = ", ".join(sorted(PRESETS))
            self.refuse(line_of(marks, "reads"), f"no preset is '{shorten(shape.reads)}'", f"known: {known}")
        command = self.command(shape.run, "run", marks, whose)
        resume = self.command(shape.resume, "resume", marks, whose)
        if command is None:
            return None
        return AgentSpec(command=command, resume=resume, reads=shape.reads or "", env=env, line=line)

    def knows_agent(self, name: str, line: int) -> bool:
        """Whether the plan or git-waves has an agent of that name; said when not."""
        defined = self.names.get("agents", ())
        if self.known_agents is None or name in self.known_agents or name in defined:
            return True
        if "agents" in self.damaged:
            return False
        known = "".join(f"{name}, " for name in sorted({*self.known_agents, *defined}))
        self.refuse(line, f"unknown agent '{shorten(name)}'", f"known: {known}or agent: {{run: COMMAND}}")
        return False

    def _check_keys(self, shape: agent_shapes.Agent, marks: MarkedMap, line: int, whose: str) -> None:
        if shape.run is None and shape.use is None and not marks.refused & {"run", "use"}:
            self.refuse(line, f"{whose} says neither 'run' nor 'use'", "write 'run: COMMAND' or 'use: AGENT'")
        if shape.run is not None and shape.use is not None:
            self.refuse(
                line_of(marks, "use"), f"{whose} says both 'run' and 'use'", "one of them does the task"
            )
        elif shape.run is not None or shape.use is not None:
            keys = ("model", "args") if shape.use is None else ("resume", "reads")
            needs = "use" if shape.use is None else "run"
            for key in keys:
                if getattr(shape, key) is not None:
                    self.refuse(line_of(marks, key), f"'{key}' of {whose} belongs to '{needs}'")

    def _variables(
        self, shape: agent_shapes.Agent, marks: MarkedMap, whose: str
    ) -> tuple[tuple[str, str], ...]:
        inner = map_under(marks, "env")
        for name in shape.env or {}:
            if not _VARIABLE(name):
                self.refuse(
                    line_of(inner, name), f"'{shorten(name)}' in 'env' of {whose} is no variable's name"
                )
            elif name.startswith("WAVES_"):
                self.refuse(line_of(inner, name), f"'{name}' in 'env' of {whose} is one of git-waves' own")
        return tuple((shape.env or {}).items())
