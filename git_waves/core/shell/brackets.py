"""`test` and `[`: whether the answer depends on anything. Many that never fail are one missing blank or quote away."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from git_waves.core.shell.habit import Cause
from git_waves.core.shell.syntax import Simple, Word

_UNARY_OPERATORS = "-b -c -d -e -f -g -h -k -L -n -O -p -r -s -S -t -u -w -x -z"
_UNARY = frozenset(_UNARY_OPERATORS.split())
_NUMBERS: dict[str, Callable[[int, int], bool]] = {
    "-eq": lambda a, b: a == b,
    "-ne": lambda a, b: a != b,
    "-lt": lambda a, b: a < b,
    "-le": lambda a, b: a <= b,
    "-gt": lambda a, b: a > b,
    "-ge": lambda a, b: a >= b,
}
_NUMBER = re.compile(r"-?[0-9]{1,18}")
_WELL_KNOWN = re.compile(r"HOME|PATH|PWD|USER|SHELL|TMPDIR|LANG|[0-9#?$!]|WAVES_[A-Z_]+")

_NUMBERED = frozenset({"$?", "$#", "$$", "${?}", "${#}"})
_COUNTING = re.compile(r'"?\$\([^;&\n]*\|\s*(?:wc -[lwcm]|grep -c\b[^|;&\n]*)\s*\)"?')


@dataclass(frozen=True, slots=True)
class Answer:
    """`truth` is the answer when it is always the same. `empty` names an unquoted variable that, when it is empty,
    makes a test pass that asks for something."""

    truth: bool | None = None
    cause: Cause | None = None
    empty: str | None = None


_OPEN = Answer()


def answer_of(command: Simple, known: Mapping[str, str | None]) -> Answer:
    """What a `test` or `[` command answers; `known` are the variables the text sets, to a text or to something."""
    words = command.words[1:]
    if command.words[0].literal == "[":
        if not words or words[-1].literal != "]":
            return Answer(truth=False)
        words = words[:-1]
    is_negated = False
    while len(words) > 1 and words[0].literal == "!":
        is_negated = not is_negated
        words = words[1:]
    if len(words) == 1 and (found := _written_to_a_file(command)) is not None:
        return found
    answer = _answer(words, known)
    if is_negated and answer.truth is not None:
        return Answer(not answer.truth, answer.cause)
    return answer


def _answer(words: tuple[Word, ...], known: Mapping[str, str | None]) -> Answer:
    if not words:
        return Answer(truth=False)
    if len(words) == 1:
        return _one_word(words[0])
    if len(words) == 2:
        return _unary(words[0].literal, words[1], known)
    if len(words) == 3:
        return _binary(words[0].literal, words[1].literal, words[2].literal)
    return _OPEN


def _written_to_a_file(command: Simple) -> Answer | None:
    """`[ $n > 3 ]`: the shell takes `>` for itself."""
    for redirect in command.redirects:
        if redirect.operator in ("<", ">") and redirect.target.literal is not None:
            name = redirect.target.literal
            if redirect.operator == ">" and _NUMBER.fullmatch(name):
                why = f"'> {name}' writes a file named '{name}' and compares nothing"
                return Answer(True, Cause(f"> {name}", why, f"-gt {name}"))
    return None


def _one_word(word: Word) -> Answer:
    if word.fixed:
        why = f"'test' with the one word '{word.text}' is true, because the word is not empty"
        hint = "put blanks around the operator, or say what is asked: -f, -s, -n"
        return Answer(True, Cause(f"test {word.text}", why, hint))
    if word.literal is None and (reason := _never_empty(word)):
        hint = "compare it: test ... -eq N"
        return Answer(
            True, Cause(f"test {word.text}", f"'test' with one word is true, because {reason}", hint)
        )
    return Answer(truth=False) if word.literal is not None else _OPEN


def _never_empty(word: Word) -> str | None:
    """Why a word that is one expansion always holds something."""
    if word.text.strip('"') in _NUMBERED:
        return f"{word.text} is always a number"
    if word.scripts and not word.reads and _COUNTING.fullmatch(word.text):
        return f"'{word.text}' always prints a number"
    return None


def _unary(operator: str | None, word: Word, known: Mapping[str, str | None]) -> Answer:
    if operator not in _UNARY:
        return _OPEN
    if word.literal is not None and operator in ("-n", "-z"):
        truth = bool(word.literal) == (operator == "-n")
        why = f"'test {operator} {word.text}' asks about a fixed text"
        return Answer(truth, Cause(f"test {operator} {word.text}", why, "ask about a variable or a file"))
    name = word.bare
    if name is None or operator == "-z":
        return _OPEN
    if operator == "-n":
        why = f"'test -n {word.text}' is true for an empty variable too: nothing is left but '-n', which is a text"
        return Answer(True, Cause(f"test -n {word.text}", why, f'test -n "{word.text}"'))
    if _WELL_KNOWN.fullmatch(name) or known.get(name):
        return _OPEN
    return Answer(empty=name)


def _binary(left: str | None, operator: str | None, right: str | None) -> Answer:
    if left is None or right is None or operator is None:
        return _OPEN
    truth: bool | None = None
    if operator in ("=", "==", "!="):
        truth = (left == right) != (operator == "!=")
    elif operator in _NUMBERS and _NUMBER.fullmatch(left) and _NUMBER.fullmatch(right):
        truth = _NUMBERS[operator](int(left), int(right))
    if truth is None:
        return _OPEN
    asked = f"test {left} {operator} {right}"
    return Answer(truth, Cause(asked, f"'{asked}' compares fixed texts", "compare with what was measured"))
