"""Reads compound commands: groups, `if`, loops, `case`, functions, `[[ ]]` and `(( ))`."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable

from git_waves.core.shell.syntax import Case, Command, DoubleTest, Function, Group, If, Loop, Script, Word
from git_waves.core.shell.tokens import TokenReader

_TEST_OPERATOR = re.compile(r"[&|()<>]+")
_FUNCTION_NAME = re.compile(r"[ \t]*([^\s;&|()<>$'\"`]+)(?:[ \t]*\([ \t]*\))?")
_IN = re.compile(r"in(?=[\s;])")


class CompoundReader(TokenReader):
    """Knows what stands between the keywords, and leaves lists and simple commands to others."""

    __slots__ = ()

    @abstractmethod
    def script(self, ends: frozenset[str]) -> Script:
        """Commands up to one of `ends` (a keyword, `)`, or `;;`), which is not passed, or to the end of the text."""

    @abstractmethod
    def command(self) -> Command:
        """One command of any kind."""

    def compound(self, start: int) -> Command | None:
        """The compound command that starts here; None when something else does."""
        if self.peek() == "(":
            found = self._parentheses(start)
        else:
            keyword = self.keyword()
            read = self._READERS.get(keyword)
            if read is None:
                if keyword:
                    raise self.fail(f"'{keyword}' has no beginning")
                return None
            self.at += len(keyword)
            found = read(self, start)
        self.blanks()
        while self.redirect() is not None:
            self.blanks()
        return found

    def _parentheses(self, start: int) -> Command:
        if self.peek(2) == "((":
            self.at += 2
            if self.skip_arithmetic() is not None:
                return DoubleTest(self.since(start), ())
            self.at = start
        self.at += 1
        body = self.read_until(")")
        return Group(self.since(start), body, is_subshell=True)

    def _brace_group(self, start: int) -> Command:
        body = self._up_to("}")
        return Group(self.since(start), body, is_subshell=False)

    def _if(self, start: int) -> Command:
        clauses = []
        otherwise = None
        keyword = "elif"
        while keyword == "elif":
            condition = self._up_to("then")
            branch = self.script(frozenset({"elif", "else", "fi"}))
            clauses.append((condition, branch))
            keyword = self.keyword()
            self.expect(keyword or "fi")
        if keyword == "else":
            otherwise = self._up_to("fi")
        elif keyword != "fi":
            raise self.fail("'fi' is missing")
        return If(self.since(start), tuple(clauses), otherwise)

    def _while(self, start: int) -> Command:
        kind = self.text[start : self.at]
        condition = self._up_to("do")
        body = self._up_to("done")
        return Loop(self.since(start), kind, condition, body)

    def _for(self, start: int) -> Command:
        self.blanks()
        name = ""
        words: list[Word] = []
        if self.peek(2) == "((":
            self.at += 2
            if self.skip_arithmetic() is None:
                raise self.fail("arithmetic is not closed")
        else:
            name = self.needed(self.word()).text
            self.lines()
            if _IN.match(self.text, self.at):
                self.at += 2
                words = self.words()
        self.blanks()
        if self.peek() == ";":
            self.at += 1
        self.lines()
        self.expect("do")
        body = self._up_to("done")
        return Loop(self.since(start), "for", None, body, name, tuple(words))

    def _case(self, start: int) -> Command:
        self.blanks()
        subject = self.needed(self.word())
        self.lines()
        self.expect("in")
        branches: list[tuple[tuple[str, ...], Script]] = []
        while True:
            self.lines()
            if self.keyword() == "esac":
                self.at += len("esac")
                return Case(self.since(start), subject, tuple(branches))
            if self.peek() == "(":
                self.at += 1
            patterns = [self._pattern()]
            self.blanks()
            while self.peek() == "|":
                self.at += 1
                patterns.append(self._pattern())
                self.blanks()
            self.expect(")")
            branches.append((tuple(patterns), self.script(frozenset({"esac"}))))
            for end in (";;&", ";;", ";&"):
                if self.peek(len(end)) == end:
                    self.at += len(end)
                    break

    def _function(self, start: int) -> Command:
        found = _FUNCTION_NAME.match(self.text, self.at)
        if found is None:
            raise self.fail("a function has no name")
        self.at = found.end()
        self.lines()
        return Function(self.since(start), found[1], self.command())

    def _double_brackets(self, start: int) -> Command:
        words: list[Word] = []
        while True:
            self.lines(with_comments=False)
            if self.peek(2) == "]]":
                self.at += 2
                return DoubleTest(self.since(start), tuple(words))
            operator = _TEST_OPERATOR.match(self.text, self.at)
            word = None if operator else self.word()
            if operator:
                self.at = operator.end()
                words.append(Word(operator.group(), operator.group(), operator.group()))
            elif word is not None:
                words.append(word)
            else:
                raise self.fail("'[[' is not closed")

    def _up_to(self, keyword: str) -> Script:
        script = self.script(frozenset({keyword}))
        self.expect(keyword)
        return script

    def _pattern(self) -> str:
        self.blanks()
        return self.needed(self.word()).text

    _READERS: dict[str, Callable[[CompoundReader, int], Command]] = {  # noqa: RUF012 - never written to
        "{": _brace_group,
        "if": _if,
        "while": _while,
        "until": _while,
        "for": _for,
        "select": _for,
        "case": _case,
        "function": _function,
        "[[": _double_brackets,
    }
