"""Single values as YAML: plain when no program takes them for something else, else in quotes, or as a block.

Our reader takes every scalar for the text it is, so plain or not is only for people and for other programs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from git_waves.core.model import AgentSpec, Budget, Command

_PLAIN = re.compile(r"[A-Za-z_./][A-Za-z0-9_./@+-]*(?: [A-Za-z0-9_./@+()-]+)*")
_MEANT_OTHERWISE = re.compile(r"(?:null|true|false|yes|no|on|off|[yn]|\.+|\.?(?:inf|nan))", re.IGNORECASE)
_IN_BLOCKS = re.compile(
    r"[\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*"
)
_NOT_AS_IT_IS = re.compile(r"[^\x20!#-\[\]-~]")  # letters beyond ASCII are looked at one by one
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def scalar(text: str) -> str:
    """A text as one scalar on one line: plain when no program takes it for something else, else in double quotes."""
    if len(text) <= 400 and _PLAIN.fullmatch(text) and not _MEANT_OTHERWISE.fullmatch(text):
        return text
    return f'"{_NOT_AS_IT_IS.sub(_escaped, text)}"'


def _escaped(found: re.Match[str]) -> str:
    letter = found.group()
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    if letter.isprintable() and letter != "\ufeff":
        return letter
    code = ord(letter)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def fits_block(text: str) -> bool:
    """Whether a text may stand in a literal block: nothing in it that YAML ends a line at, or does not print."""
    return _IN_BLOCKS.fullmatch(text) is not None


def flow(items: Iterable[str]) -> str:
    """Scalars that are written already, as a list on one line."""
    return f"[{', '.join(items)}]"


def number(value: float) -> str:
    """A duration or a count, without noughts behind the point."""
    return f"{value:.6f}".rstrip("0").rstrip(".")


def inert(text: str) -> str:
    """A text as it may stand in a comment: on one line."""
    return "".join(letter if letter.isprintable() else " " for letter in text[:400])


def flow_agent(agent: AgentSpec) -> str:
    """An agent inside a list: its name, or everything that is said of it."""
    if agent.name is not None and agent == AgentSpec(name=agent.name, line=agent.line):
        return scalar(agent.name)
    commands = (("run", agent.command), ("resume", agent.resume))
    texts = (("reads", agent.reads), ("use", agent.name), ("model", agent.model))
    parts = [f"{key}: {flow_command(one)}" for key, one in commands if one is not None]
    parts += [f"{key}: {scalar(text)}" for key, text in texts if text]
    if agent.args:
        parts.append(f"args: {flow(map(scalar, agent.args))}")
    if agent.env:
        parts.append(
            "env: {" + ", ".join(f"{scalar(key)}: {scalar(value)}" for key, value in agent.env) + "}"
        )
    return "{" + ", ".join(parts) + "}"


def flow_command(command: Command) -> str:
    """A command inside a list or a mapping."""
    return flow(map(scalar, command.argv)) if command.shell is None else scalar(command.shell)


def flow_budget(budget: Budget) -> str:
    """Limits as a mapping, in seconds, tokens and US dollars."""
    values = (
        ("wall_clock", budget.wall_clock, "s"),
        ("quiet", budget.quiet, "s"),
        ("tokens", budget.tokens, ""),
        ("cost", budget.cost, ""),
    )
    parts = (f"{key}: {number(value)}{unit}" for key, value, unit in values if value is not None)
    return "{" + ", ".join(parts) + "}"
