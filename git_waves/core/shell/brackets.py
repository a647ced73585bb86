"""`test` and `[`: whether the answer depends on anything. Many that never fail are one missing blank or quote away."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from git_waves.core.shell.habit import Cause
from git_waves.core.shell.syntax import Script, Simple, Word

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
_GREPS = frozenset({"grep", "egrep", "fgrep"})
_COUNT_OPTION = re.compile(r"-[A-Za-z]*c|--count")
_PRINTS_NO_NUMBER = re.compile(r"-[A-Za-z]*[ql]|--quiet|--silent|--files-with")


@dataclass(frozen=True, slots=True)
class Answer:
    """`truth` is the answer when it is always the same; `is_sure` unless a file that is missing makes it another. `empty`
    names an unquoted variable that, when it is empty, makes a test pass that asks for something."""

    truth: bool | None = None
    cause: Cause | None = None
    empty: str | None = None
    is_sure: bool = True


_OPEN = Answer()


def answer_of(
    command: Simple, known: Mapping[str, str | None], numbers: Mapping[str, bool] | None = None
) -> Answer:
    """What a `test` or `[` command answers; `known` are the variables the text sets, to a text or to something, and
    `numbers` those that hold a number there (see `holds_number`)."""
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
    answer = _answer(words, known, numbers or {})
    if is_negated and answer.truth is not None:
        return Answer(not answer.truth, answer.cause, is_sure=answer.is_sure)
    return answer


def _answer(words: tuple[Word, ...], known: Mapping[str, str | None], numbers: Mapping[str, bool]) -> Answer:
    if not words:
        return Answer(truth=False)
    if len(words) == 1:
        return _one_word(words[0], numbers)
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


def _one_word(word: Word, numbers: Mapping[str, bool]) -> Answer:
    if word.fixed:
        why = f"'test' with the one word '{word.text}' is true, because the word is not empty"
        hint = "put blanks around the operator, or say what is asked: -f, -s, -n"
        return Answer(True, Cause(f"test {word.text}", why, hint))
    is_sure = holds_number(word, numbers)
    if is_sure is not None:
        reason = f"'{word.text}' is always a number" + ("" if is_sure else " when there is such a file")
        cause = Cause(
            f"test {word.text}",
            f"'test' with one word is true, because {reason}",
            "compare it: test ... -eq N",
        )
        return Answer(True, cause, is_sure=is_sure)
    return Answer(truth=False) if word.literal is not None else _OPEN


def holds_number(word: Word, numbers: Mapping[str, bool]) -> bool | None:
    """Whether a word that is one expansion always is a number: True for surely, False when only a missing file makes it
    empty, None when nobody knows. `numbers` says the same of variables."""
    if word.literal is not None or word.fixed:
        return None
    name = word.text.strip('"')
    if name in _NUMBERED:
        return True
    if not word.scripts:
        return numbers.get(name[2:-1] if name.startswith("${") else name[1:])
    return _counts(word.scripts[0]) if len(word.scripts) == 1 and name.startswith("$(") else None


def _counts(script: Script) -> bool | None:
    """As `holds_number`, for what a command substitution prints: `... | wc -l`, `grep -c`, also before `||`."""
    chain = script.chains[0] if len(script.chains) == 1 else None
    if chain is None or chain.is_background or any(operator != "||" for operator, _ in chain.rest):
        return None
    last = chain.first.commands[-1]
    if not isinstance(last, Simple) or any(one.operator.startswith((">", "&>")) for one in last.redirects):
        return None
    words = [word.literal for word in last.words]
    options = [word for word in words[1:] if word is not None and word.startswith("-")]
    if words[:1] == ["wc"]:
        is_number = True
    else:
        is_number = bool(words) and words[0] in _GREPS and any(map(_COUNT_OPTION.fullmatch, options))
    if not is_number or (words[0] != "wc" and any(map(_PRINTS_NO_NUMBER.match, options))):
        return None
    return len(chain.first.commands) > 1


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
