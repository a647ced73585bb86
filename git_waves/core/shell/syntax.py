"""The parts a shell text is made of, as far as its exit code depends on them. Plain values; `reader` makes them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Word:
    """One word. `text` is how it is written, `literal` what it means, or None when it expands to something unknown.

    `fixed` is the part of it that is there whatever the expansions give; `bare` names the variable when the word is one
    unquoted variable and nothing else. `scripts` are its command substitutions, `reads` the variables it looks at.
    """

    text: str
    literal: str | None
    fixed: str = ""
    bare: str | None = None
    scripts: tuple[Script, ...] = ()
    reads: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Redirect:
    """`operator` as written (`>`, `2>&` is `>&`), and where to; for a here-document its text."""

    operator: str
    target: Word
    body: str = ""


@dataclass(frozen=True, slots=True)
class Assignment:
    """`name=value` in front of a command, or instead of one."""

    name: str
    value: Word


@dataclass(frozen=True, slots=True)
class Simple:
    """A simple command: assignments, then words, the first of which names the program."""

    text: str
    assignments: tuple[Assignment, ...]
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """`{ ...; }`, or `( ... )` when `is_subshell`."""

    text: str
    body: Script
    is_subshell: bool


@dataclass(frozen=True, slots=True)
class If:
    """`clauses` are pairs of condition and branch; `otherwise` is None without an `else`."""

    text: str
    clauses: tuple[tuple[Script, Script], ...]
    otherwise: Script | None


@dataclass(frozen=True, slots=True)
class Loop:
    """`kind` is `while`, `until` or `for`; a `for` has no condition, but a `name` and `words`."""

    text: str
    kind: str
    condition: Script | None
    body: Script
    name: str = ""
    words: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """`branches` are pairs of patterns and what they run."""

    text: str
    subject: Word
    branches: tuple[tuple[tuple[str, ...], Script], ...]


@dataclass(frozen=True, slots=True)
class Function:
    """A definition; it runs when its name is called."""

    text: str
    name: str
    body: Command


@dataclass(frozen=True, slots=True)
class DoubleTest:
    """`[[ ... ]]`, or `(( ... ))` with no `words`."""

    text: str
    words: tuple[Word, ...]


Command = Simple | Group | If | Loop | Case | Function | DoubleTest


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Commands joined by `|`; `is_negated` when `!` stands before them."""

    text: str
    commands: tuple[Command, ...]
    is_negated: bool


@dataclass(frozen=True, slots=True)
class Chain:
    """Pipelines joined by `&&` and `||`: `first`, then pairs of operator and pipeline; `is_background` after `&`."""

    text: str
    first: Pipeline
    rest: tuple[tuple[str, Pipeline], ...]
    is_background: bool


@dataclass(frozen=True, slots=True)
class Script:
    """Chains, one after the other."""

    chains: tuple[Chain, ...]
