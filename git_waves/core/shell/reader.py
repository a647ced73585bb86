"""Reads a shell text into its commands: the grammar of POSIX (XCU 2.9, 2.10) and what people use of bash beside it.

Why our own: a plan's gates are judged by what their text means, so the judge must know quotes, lists and substitutions;
core/ takes no library, and none that we could take is both kept and free of conditions (docs/decisions/). It reads more
than a shell would accept, and says ShellError when it does not know; whoever asks then says nothing about the text.

One pass, no going back, and bounded nesting: the time is in proportion to the text, whatever is in it.
"""

from __future__ import annotations

import re
from dataclasses import replace

from git_waves.core.shell.compounds import CompoundReader
from git_waves.core.shell.syntax import (
    Assignment,
    Chain,
    Command,
    Function,
    Pipeline,
    Redirect,
    Script,
    Simple,
    Word,
)
from git_waves.core.shell.words import ShellError

__all__ = ["MAX_LENGTH", "ShellError", "read_script"]

MAX_LENGTH = 64 * 1024
"""A gate that is longer is a program, and should be a file of the repository."""

_ASSIGNED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:\[[^\]\n]{0,100}\])?\+?=")
_NO_PARAMETERS = re.compile(r"[ \t]*\([ \t]*\)")
_NOTHING: frozenset[str] = frozenset()


def read_script(text: str) -> Script:
    """The commands of a text for `sh -c`. Raises ShellError for what is too long, too deep, or no shell to us."""
    if len(text) > MAX_LENGTH:
        raise ShellError(f"more than {MAX_LENGTH} characters")
    return _Reader(text).read_all()


class _Reader(CompoundReader):
    __slots__ = ()

    def read_all(self) -> Script:
        """All commands of the text."""
        script = self.script(_NOTHING)
        if self.at < len(self.text):
            raise self.fail(f"'{self.peek()}' has no beginning")
        return script

    def read_until(self, end: str) -> Script:
        """As in WordReader."""
        script = self.script(frozenset(end))
        self.expect(end)
        return script

    def read_inner(self, text: str) -> Script:
        """As in WordReader."""
        return _Reader(text, self.nesting).read_all()

    def script(self, ends: frozenset[str]) -> Script:
        """As in CompoundReader."""
        chains = []
        while True:
            self.lines()
            if self.at >= len(self.text) or self.peek() == ")":
                break
            if self.peek(2) in (";;", ";&") or self.keyword() in ends:
                break
            chains.append(self._chain())
            self.blanks()
            if self.peek() == ";" and self.peek(2) not in (";;", ";&"):
                self.at += 1
            elif self.peek() == "&" and self.peek(2) != "&&":
                self.at += 1
                chains[-1] = replace(chains[-1], is_background=True)
            elif self.at < len(self.text) and self.peek() not in "\n)#;":
                raise self.fail(f"'{self.peek()}' is in the way")
        return Script(tuple(chains))

    def _chain(self) -> Chain:
        start = self.at
        first = self._pipeline()
        rest: list[tuple[str, Pipeline]] = []
        while True:
            self.blanks()
            operator = self.peek(2)
            if operator not in ("&&", "||"):
                return Chain(self.since(start), first, tuple(rest), is_background=False)
            self.at += 2
            self.lines()
            rest.append((operator, self._pipeline()))

    def _pipeline(self) -> Pipeline:
        self.blanks()
        start = self.at
        is_negated = False
        while (keyword := self.keyword()) in ("!", "time"):
            self.at += len(keyword)
            is_negated ^= keyword == "!"
            self.blanks()
            if keyword == "time" and self.peek(3) in ("-p ", "-p\t"):
                self.at += 3
                self.blanks()
        commands = [self.command()]
        while True:
            self.blanks()
            if self.peek() != "|" or self.peek(2) == "||":
                return Pipeline(self.since(start), tuple(commands), is_negated)
            self.at += 2 if self.peek(2) == "|&" else 1
            self.lines()
            commands.append(self.command())

    def command(self) -> Command:
        """As in CompoundReader."""
        self.blanks()
        start = self.at
        self.enter()
        command = self.compound(start) or self._simple(start)
        self.leave()
        return command

    def _simple(self, start: int) -> Command:
        assignments: list[Assignment] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        while True:
            self.blanks()
            if (redirect := self.redirect()) is not None:
                redirects.append(redirect)
                continue
            found = None if words else _ASSIGNED.match(self.text, self.at)
            if found:
                self.at = found.end()
                assignments.append(Assignment(found[1], self._value()))
                continue
            word = None if self.peek() == "#" else self.word()
            if word is None:
                break
            words.append(word)
            if len(words) == 1 and not assignments and (empty := _NO_PARAMETERS.match(self.text, self.at)):
                self.at = empty.end()
                self.lines()
                return Function(self.since(start), word.text, self.command())
        if not (assignments or words or redirects):
            raise self.fail("a command is missing")
        return Simple(self.since(start), tuple(assignments), tuple(words), tuple(redirects))

    def _value(self) -> Word:
        """What is assigned: a word, nothing, or an array of bash."""
        start = self.at
        if self.peek() != "(":
            return self.word() or Word("", "")
        self.at += 1
        inside = self.words(over_lines=True)
        self.expect(")")
        scripts = tuple(script for word in inside for script in word.scripts)
        return Word(self.since(start), None, scripts=scripts)
