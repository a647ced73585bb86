"""Reads single words of a shell text: quotes, escapes and expansions, after the rules of POSIX (XCU 2.2 to 2.6).

A word is read once, from left to right. What stands in `$(...)` or backquotes is a text of its own, read by whoever
reads texts; this module only says where it is.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod

from git_waves.core.shell.syntax import Script, Word

MAX_DEPTH = 25
"""More quotes in substitutions in groups than this is no text that a person wrote."""

_BLANKS = re.compile(r"(?:[ \t]|\\\n)*")
_PLAIN = re.compile(r"[^ \t\n'\"\\$`|&;<>()]+")
_IN_QUOTES = re.compile(r'[^"\\$`]+')
_IN_BRACES = re.compile(r"[^'\"\\$`}]+")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]")
_BRACED = re.compile(r"([#!]?)([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])")
_BACKQUOTED = re.compile(r"(?:[^`\\]|\\.)*", re.DOTALL)
_ESCAPED = re.compile(r"\\([$`\\])")
_ANSI_QUOTED = re.compile(r"(?:[^'\\]|\\.)*", re.DOTALL)
_PARENTHESES = re.compile(r"[()]")
_LONGEST_ARITHMETIC = 2000  # how far its end is looked for, so that a text full of beginnings costs no square


class ShellError(ValueError):
    """The text is not shell as we know it; the message says where and why."""


class _Draft:
    """A word while it is read."""

    __slots__ = ("bare", "is_known", "parts", "pieces", "reads", "scripts")

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.scripts: list[Script] = []
        self.reads: list[str] = []
        self.is_known = True
        self.parts = 0  # how many things it is made of; a bare variable is one
        self.bare: str | None = None

    def add(self, text: str) -> None:
        self.pieces.append(text)
        self.parts += 1

    def expand(self, *reads: str) -> None:
        self.is_known = False
        self.parts += 1
        self.reads += reads

    def word(self, text: str) -> Word:
        fixed = "".join(self.pieces)
        return Word(
            text=text,
            literal=fixed if self.is_known else None,
            fixed=fixed,
            bare=self.bare if self.parts == 1 else None,
            scripts=tuple(self.scripts),
            reads=tuple(self.reads),
        )


class WordReader(ABC):
    """A text, and how far it was read (`at`). `nesting` counts what is open around that place."""

    __slots__ = ("at", "nesting", "text")

    def __init__(self, text: str, nesting: int = 0) -> None:
        self.text = text
        self.at = 0
        self.nesting = nesting

    @abstractmethod
    def read_until(self, end: str) -> Script:
        """The commands up to `end`, which is passed."""

    @abstractmethod
    def read_inner(self, text: str) -> Script:
        """The commands of a text that stood in backquotes."""

    def peek(self, length: int = 1) -> str:
        """What comes next; shorter at the end of the text."""
        return self.text[self.at : self.at + length]

    def blanks(self) -> None:
        """Pass blanks and joined lines."""
        found = _BLANKS.match(self.text, self.at)
        if found:
            self.at = found.end()

    def fail(self, why: str) -> ShellError:
        """The error to raise, with its place."""
        return ShellError(f"{why} at character {self.at + 1}")

    def enter(self) -> None:
        """One level deeper; ShellError when that is too deep. `leave` undoes it."""
        self.nesting += 1
        if self.nesting > MAX_DEPTH:
            raise self.fail("nested too deep")

    def leave(self) -> None:
        """One level up."""
        self.nesting -= 1

    def word(self) -> Word | None:
        """The word that starts here; None when none does."""
        start = self.at
        draft = _Draft()
        text = self.text
        while self.at < len(text):
            plain = _PLAIN.match(text, self.at)
            if plain:
                self.at = plain.end()
                draft.add(plain.group())
                continue
            letter = text[self.at]
            if letter == "'":
                draft.add(self._single_quoted())
            elif letter == '"':
                self._double_quoted(draft)
            elif letter == "\\":
                if self.peek(2) != "\\\n":
                    draft.add(text[self.at + 1 : self.at + 2])
                self.at = min(self.at + 2, len(text))
            elif letter == "$":
                self._dollar(draft, is_quoted=False)
            elif letter == "`":
                self._backquotes(draft)
            elif letter in "<>" and self.peek(2)[1:] == "(":
                self.at += 2
                draft.scripts.append(self._commands(")"))
                draft.expand()
            else:
                break
        return draft.word(text[start : self.at]) if draft.parts else None

    def skip_arithmetic(self) -> str | None:
        """Pass what stands in `(( ))`, from behind the opening; None, and nothing is passed, when it does not end so."""
        open_ones = 0
        for found in _PARENTHESES.finditer(self.text, self.at, self.at + _LONGEST_ARITHMETIC):
            if found.group() == "(":
                open_ones += 1
            elif open_ones:
                open_ones -= 1
            elif self.text.startswith("))", found.start()):
                inside = self.text[self.at : found.start()]
                self.at = found.end() + 1
                return inside
            else:
                return None
        return None

    def _commands(self, end: str) -> Script:
        self.enter()
        script = self.read_until(end)
        self.leave()
        return script

    def _single_quoted(self) -> str:
        end = self.text.find("'", self.at + 1)
        if end < 0:
            raise self.fail("a quote is not closed")
        inside = self.text[self.at + 1 : end]
        self.at = end + 1
        return inside

    def _double_quoted(self, draft: _Draft) -> None:
        opened = self.at
        self.at += 1
        draft.add("")  # `""` is a word, and a variable in quotes is not bare
        while self.at < len(self.text):
            plain = _IN_QUOTES.match(self.text, self.at)
            if plain:
                self.at = plain.end()
                draft.add(plain.group())
                continue
            letter = self.text[self.at]
            if letter == '"':
                self.at += 1
                return
            if letter == "\\":
                escaped = self.peek(2)[1:]
                if escaped != "\n":
                    draft.add(escaped if escaped in '$`"\\' else f"\\{escaped}")
                self.at += 2
            elif letter == "$":
                self._dollar(draft, is_quoted=True)
            else:
                self._backquotes(draft)
        self.at = opened
        raise self.fail("a quote is not closed")

    def _dollar(self, draft: _Draft, *, is_quoted: bool) -> None:
        after = self.peek(2)[1:]
        if after == "(":
            self._parenthesis(draft)
        elif after == "{":
            self._braces(draft, is_quoted=is_quoted)
        elif after == "'" and not is_quoted:  # $'...' of bash
            self.at += 1
            draft.add(self._ansi_quoted())
        elif after == '"' and not is_quoted:
            self.at += 1
            self._double_quoted(draft)
        elif found := _NAME.match(self.text, self.at + 1):
            self.at = found.end()
            draft.expand(found.group())
            draft.bare = None if is_quoted else found.group()
        else:
            self.at += 1
            draft.add("$")

    def _parenthesis(self, draft: _Draft) -> None:
        """`$(...)` or `$((...))`."""
        is_arithmetic = self.peek(3) == "$(("
        self.at += 3 if is_arithmetic else 2
        if not is_arithmetic:
            draft.scripts.append(self._commands(")"))
            draft.expand()
            return
        inside = self.skip_arithmetic()
        if inside is None:
            raise self.fail("arithmetic is not closed")
        draft.expand(*(["?"] if "$?" in inside else []))

    def _braces(self, draft: _Draft, *, is_quoted: bool) -> None:
        """`${...}`. Only `${name}` alone counts as bare: whoever writes more has thought about what is in it."""
        start = self.at
        self.at += 2
        found = _BRACED.match(self.text, self.at)
        name = found.group(2) if found else ""
        self.at = found.end() if found else self.at
        is_bare = found is not None and not found.group(1) and self.peek() == "}" and not is_quoted
        self.enter()
        inner = _Draft()
        while self.peek() != "}":
            self._in_braces(inner, start, is_quoted=is_quoted)
        self.leave()
        self.at += 1
        draft.scripts += inner.scripts
        draft.expand(*filter(None, [name]), *inner.reads)
        draft.bare = name if is_bare else None

    def _in_braces(self, inner: _Draft, start: int, *, is_quoted: bool) -> None:
        plain = _IN_BRACES.match(self.text, self.at)
        letter = self.peek()
        if plain:
            self.at = plain.end()
        elif letter == "$":
            self._dollar(inner, is_quoted=is_quoted)
        elif letter == "`":
            self._backquotes(inner)
        elif letter == "\\":
            self.at += 2
        elif letter == "'":
            if is_quoted:  # an apostrophe there, not a quote
                self.at += 1
            else:
                self._single_quoted()
        elif letter == '"':
            self._double_quoted(inner)
        if self.at >= len(self.text):
            self.at = start
            raise self.fail("a brace is not closed")

    def _ansi_quoted(self) -> str:
        found = _ANSI_QUOTED.match(self.text, self.at + 1)
        end = found.end() if found else len(self.text)
        if self.text[end : end + 1] != "'":
            raise self.fail("a quote is not closed")
        inside = self.text[self.at + 1 : end]
        self.at = end + 1
        return inside

    def _backquotes(self, draft: _Draft) -> None:
        found = _BACKQUOTED.match(self.text, self.at + 1)
        end = found.end() if found else len(self.text)
        if self.text[end : end + 1] != "`":
            raise self.fail("a backquote is not closed")
        inside = _ESCAPED.sub(r"\1", self.text[self.at + 1 : end])
        self.enter()
        draft.scripts.append(self.read_inner(inside))
        self.leave()
        self.at = end + 1
        draft.expand()
