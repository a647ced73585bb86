"""How a single simple command may end: the shell's own commands, functions, shells inside the shell, and programs."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import replace

from git_waves.core.shell.brackets import answer_of
from git_waves.core.shell.flow import (
    NONE,
    PASS,
    STRONG,
    WEAK,
    Flow,
    Loss,
    LossKind,
    Source,
    State,
    enclosed,
    may_fail,
    shown,
)
from git_waves.core.shell.habit import Cause, Kind, Strength
from git_waves.core.shell.habits import habit_of
from git_waves.core.shell.reader import ShellError, read_script
from git_waves.core.shell.syntax import Command, Script, Simple, Word
from git_waves.core.shell.wrappers import Words, unwrapped

SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh"})
_MOST_STEPS = 5_000  # commands looked at, those of called functions each time; behind that all may fail
_MOST_CALLS = 10
_ENDS_WELL = re.compile(r"\bexit +0\b")
_NUMBER = re.compile(r"[0-9]{1,18}")


class SingleJudge(ABC):
    """Looks at simple commands, and collects what they lose."""

    def __init__(self) -> None:
        self.losses: list[Loss] = []
        self.mended: Cause | None = None  # a trap decides what the exit code is
        self._steps = 0

    @abstractmethod
    def script(self, script: Script, state: State) -> Flow:
        """How a list of commands may end."""

    @abstractmethod
    def command(self, command: Command, state: State) -> Flow:
        """How any command may end."""

    def lose(self, command: str, cause: Cause, kind: LossKind = LossKind.PASSED_OVER) -> None:
        """Remember that a failure goes nowhere."""
        self.losses.append(Loss(shown(command), cause, kind))

    def simple(self, command: Simple, state: State) -> Flow:
        """How a simple command may end."""
        self._steps += 1
        self._forget_numbers(command, state)
        for assignment in command.assignments:
            value = assignment.value
            is_something = value.fixed or (value.literal is None and not value.scripts and not value.bare)
            state.known[assignment.name] = "set" if is_something else None
        if self._steps > _MOST_STEPS:
            return may_fail(command.text, Kind.UNKNOWN)
        if state.dialect == "sh" and any(redirect.operator.startswith("&") for redirect in command.redirects):
            why = f"'&>' is no redirection where sh is dash: '{shown(command.text)}' goes to the background there"
            return Flow(cause=Cause("&>", why, "> FILE 2>&1"))
        if not command.words:
            return self._assigned(command, state)
        words = tuple(word.literal for word in command.words)
        name = words[0]
        if name is None:
            return may_fail(command.text, Kind.UNKNOWN)
        if name in state.functions and state.calls < _MOST_CALLS:
            return self._call(state.functions[name], state)
        known = BUILTINS.get(name)
        if known is not None:
            return known(self, command, words, state)
        flow = self._program(command, unwrapped(words), state)
        if name == "exec" and len(words) > 1:
            return replace(enclosed(flow), ok=False, bad=NONE, leaves_ok=flow.ok, leaves_bad=flow.bad)
        return flow

    def _program(self, command: Simple, words: Words, state: State) -> Flow:
        name = (words[0] or "").rpartition("/")[2] if words else ""
        if name in SHELLS and (found := self._inner_shell(name, words, state)) is not None:
            return found
        habit = habit_of(words)
        if habit.strength is STRONG:
            return may_fail(command.text, habit.kind)
        moves = (Source(shown(command.text), habit.kind),) if habit.kind is Kind.MOVE else ()
        return Flow(bad=habit.strength, cause=habit.cause, bad_from=moves)

    # ------------------------------------------------------------------ assignments, functions, shells

    @staticmethod
    def _forget_numbers(command: Simple, state: State) -> None:
        """A command that may give a variable another value (`read n`, `unset n`, `. ./settings`) names it, or none."""
        words = [word.literal for word in command.words]
        if words[:1] in (["."], ["source"], ["eval"], [None]):
            state.numbers.clear()
        for name in (*(one.name for one in command.assignments), *words):
            if name is not None:
                state.numbers.pop(name.partition("=")[0], None)

    def _assigned(self, command: Simple, state: State) -> Flow:
        """`x=$(make)` has the exit code of `make`, and whoever keeps what it prints looks at that; else nothing can fail."""
        scripts = [script for assignment in command.assignments for script in assignment.value.scripts]
        if scripts:
            flow = enclosed(self.script(scripts[-1], state.copy()))
            return replace(flow, bad_from=(Source(shown(command.text), Kind.PREPARE),) if flow.bad else ())
        word = shown(command.text)
        return Flow(cause=Cause(word, f"'{word}' runs nothing, so it passes", "run the check"))

    def _call(self, body: Command, state: State) -> Flow:
        state.calls += 1
        flow = self.command(body, state)
        state.calls -= 1
        bad = max(flow.bad, flow.returns_bad)
        return replace(flow, ok=flow.ok or flow.returns_ok, bad=bad, returns_ok=False, returns_bad=NONE)

    def _inner_shell(self, name: str, words: Words, state: State) -> Flow | None:
        """`bash -eo pipefail -c TEXT`; None when there is no text to be read."""
        inner = State(dialect="sh" if name in ("sh", "dash") else name, calls=state.calls + 1)
        at = 1
        has_text = False
        while at < len(words) and (word := words[at]) is not None and word[:1] in ("-", "+"):
            has_text = has_text or (word[:2] != "--" and "c" in word)
            at += _set_options(inner, words, at)
        text = words[at] if has_text and at < len(words) else None
        if text is None or inner.calls > _MOST_CALLS:
            return None
        try:
            return enclosed(self.script(read_script(text), inner))
        except ShellError:
            return None

    # ------------------------------------------------------------------ commands of the shell

    def _exit(self, command: Simple, words: Words, state: State) -> Flow:
        ok, bad = _status(command.words[1:], state)
        cause = (
            Cause("exit 0", "'exit 0' ends it with success", "end with the check itself") if not bad else None
        )
        if words[0] == "return" and state.calls:
            return Flow(ok=False, returns_ok=ok, returns_bad=bad, cause=cause)
        return Flow(ok=False, leaves_ok=ok, leaves_bad=bad, cause=cause)

    def _false(self, command: Simple, _words: Words, _state: State) -> Flow:
        return replace(may_fail(command.text, Kind.UNKNOWN), ok=False)

    def _set(self, _command: Simple, words: Words, state: State) -> Flow:
        at = 1
        while at < len(words) and words[at] != "--":
            at += _set_options(state, words, at)
        return Flow(cause=Cause("set", "'set' always passes", "run the check after it"))

    def _trap(self, _command: Simple, words: Words, state: State) -> Flow:
        text, signals = (words[1] if len(words) > 2 else None), words[2:]
        if text is not None and {"EXIT", "0"} & set(signals) and _ENDS_WELL.search(text):
            self.mended = Cause(
                "exit 0", "its trap on EXIT ends it with 0 whatever happened", "take 'exit 0' away"
            )
        elif text is not None and "ERR" in signals and "exit" in text:
            state.errexit = not _ENDS_WELL.search(text)
        return Flow(cause=Cause("trap", "'trap' always passes", "run the check after it"))

    def _eval(self, command: Simple, words: Words, state: State) -> Flow:
        if None in words or state.calls >= _MOST_CALLS:
            return may_fail(command.text, Kind.UNKNOWN)
        try:
            script = read_script(" ".join(word for word in words[1:] if word is not None))
        except ShellError:
            return may_fail(command.text, Kind.UNKNOWN)
        state.calls += 1
        flow = self.script(script, state)
        state.calls -= 1
        return flow

    def _test(self, command: Simple, _words: Words, state: State) -> Flow:
        answer = answer_of(command, state.known, state.numbers)
        if answer.truth:
            return Flow(bad=NONE if answer.is_sure else WEAK, cause=answer.cause)
        if answer.empty is not None:
            why = f"'{shown(command.text)}' passes when {answer.empty} is empty, because nothing is left to ask about"
            cause = Cause(f"${answer.empty}", why, f'put it in quotes: "${answer.empty}"')
            self.lose(command.text, cause, LossKind.EMPTY_VARIABLE)
        return replace(may_fail(command.text, Kind.QUESTION), ok=answer.truth is None)

    def _read(self, command: Simple, words: Words, state: State) -> Flow:
        state.known.update(dict.fromkeys((word for word in words[1:] if word), "read"))
        return may_fail(command.text, Kind.QUESTION)

    def _next_round(self, _command: Simple, _words: Words, _state: State) -> Flow:
        return PASS


BUILTINS = {
    "exit": SingleJudge._exit,
    "return": SingleJudge._exit,
    "false": SingleJudge._false,
    "set": SingleJudge._set,
    "trap": SingleJudge._trap,
    "eval": SingleJudge._eval,
    "test": SingleJudge._test,
    "[": SingleJudge._test,
    "read": SingleJudge._read,
    "break": SingleJudge._next_round,
    "continue": SingleJudge._next_round,
}
"""Commands that the shell itself does, and whose ending depends on more than their words."""


def _status(words: tuple[Word, ...], state: State) -> tuple[bool, Strength]:
    """What `exit` makes of its word: whether it may be 0, and how much another code would say."""
    if not words or words[0].bare == "?" or words[0].text == '"$?"':
        return state.before.ok, state.before.fails
    literal = words[0].literal
    if literal is None:
        return True, STRONG
    is_zero = bool(_NUMBER.fullmatch(literal)) and int(literal) % 256 == 0
    return is_zero, NONE if is_zero else STRONG


def _set_options(state: State, words: Words, at: int) -> int:
    """Take the option at `at` (`-e`, `+e`, `-o pipefail`, `-euo pipefail`) into the state; how many words it took."""
    word = words[at]
    if word is None or word[:1] not in ("-", "+"):
        return 1
    is_on = word[0] == "-"
    if word[:2] != "--" and "e" in word[1:]:
        state.errexit = is_on
    if word[:2] == "--" or "o" not in word[1:]:
        return 1
    name = words[at + 1] if at + 1 < len(words) else None
    if name == "errexit":
        state.errexit = is_on
    elif name == "pipefail":
        state.pipefail = is_on
    return 2
