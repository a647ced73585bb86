"""Reads the tokens between words: line ends, comments, keywords, redirections and the here-documents they announce."""

from __future__ import annotations

import re
from typing import TypeVar

from git_waves.core.shell.syntax import Redirect, Word
from git_waves.core.shell.words import WordReader

_T = TypeVar("_T")
KEYWORD = re.compile(
    r"(?:if|then|elif|else|fi|while|until|for|select|do|done|case|esac|function|time|\{|\}|!|\[\[)(?![^\s;&|()<>])"
)
_REDIRECT = re.compile(r"[0-9]{0,9}(<<<|<<-|<<|<&|<>|>>|>&|>\||[<>](?!\())|(&>>?)")


class TokenReader(WordReader):
    """A text whose words and tokens can be read; what they mean together is for others."""

    __slots__ = ("_awaited",)

    def __init__(self, text: str, nesting: int = 0) -> None:
        super().__init__(text, nesting)
        self._awaited: list[tuple[str, bool]] = []  # here-documents that start behind the next line end

    def lines(self, *, with_comments: bool = True) -> None:
        """Pass blanks, line ends and comments, and the here-documents that were announced before a line end."""
        while True:
            self.blanks()
            letter = self.peek()
            if letter == "#" and with_comments:
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif letter == "\n":
                self.at += 1
                for delimiter, has_tabs in self._awaited:
                    self._skip_document(delimiter, has_tabs=has_tabs)
                self._awaited.clear()
            else:
                return

    def _skip_document(self, delimiter: str, *, has_tabs: bool) -> None:
        while self.at < len(self.text):
            end = self.text.find("\n", self.at)
            end = len(self.text) if end < 0 else end
            line = self.text[self.at : end]
            self.at = min(end + 1, len(self.text))
            if (line.lstrip("\t") if has_tabs else line) == delimiter:
                return

    def redirect(self) -> Redirect | None:
        """The redirection that starts here; None when none does."""
        found = _REDIRECT.match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        operator = found[1] or found[2]
        self.blanks()
        target = self.needed(self.word())
        if operator in ("<<", "<<-"):
            self._awaited.append((target.fixed, operator == "<<-"))
        return Redirect(operator, target)

    def words(self, *, over_lines: bool = False) -> list[Word]:
        """The words up to what is none."""
        words: list[Word] = []
        while True:
            if over_lines:
                self.lines()
            self.blanks()
            word = self.word()
            if word is None:
                return words
            words.append(word)

    def keyword(self) -> str:
        """The keyword that comes next, not passed; empty when none does."""
        found = KEYWORD.match(self.text, self.at)
        return found.group() if found else ""

    def expect(self, token: str) -> None:
        """Pass what must come next; ShellError when something else does."""
        if not self.text.startswith(token, self.at):
            raise self.fail(f"'{token}' is missing")
        self.at += len(token)

    def needed(self, found: _T | None) -> _T:
        """What was found; ShellError when nothing was."""
        if found is None:
            raise self.fail("a word is missing")
        return found

    def since(self, start: int) -> str:
        """The text from `start` on."""
        return self.text[start : self.at].strip()
