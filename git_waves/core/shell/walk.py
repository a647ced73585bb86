"""Every simple command of a text, wherever it stands: in lists, conditions, substitutions, and shells inside the shell."""

from __future__ import annotations

from collections.abc import Iterator

from git_waves.core.shell.reader import ShellError, read_script
from git_waves.core.shell.syntax import Case, Command, DoubleTest, Function, Group, If, Loop, Script, Simple
from git_waves.core.shell.wrappers import Words, unwrapped

_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "eval"})
_MOST = 10_000
_MOST_INNER = 20  # texts inside the text


def simple_commands(text: str) -> Iterator[Words]:
    """The words of each command that the text may start, past wrappers such as `env` and `timeout`; None is a word that
    is not known. Nothing comes of a text that is no shell."""
    texts = [text]
    for _ in range(_MOST_INNER):
        if not texts:
            return
        try:
            script = read_script(texts.pop())
        except ShellError:
            continue
        for number, command in enumerate(_simple(script)):
            if number == _MOST:
                return
            words = unwrapped(tuple(word.literal for word in command.words))
            if words:
                texts += _inner_texts(words)
                yield words


def _inner_texts(words: Words) -> list[str]:
    name = (words[0] or "").rpartition("/")[2]
    if name not in _SHELLS:
        return []
    if name == "eval":
        return [" ".join(word for word in words[1:] if word is not None)]
    for at, word in enumerate(words[1:], 1):
        if word is not None and word[:1] == "-" and word[:2] != "--" and "c" in word:
            return [text for text in words[at + 1 : at + 2] if text is not None]
    return []


def _simple(script: Script) -> Iterator[Simple]:
    """In the order of the text, without recursion."""
    waiting: list[Command | Script] = [script]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Simple):
            yield part
        waiting += reversed(_parts(part))


def _parts(part: Command | Script) -> list[Command | Script]:
    match part:
        case Script():
            pipelines = [
                pipeline
                for chain in part.chains
                for pipeline in (chain.first, *(pipeline for _, pipeline in chain.rest))
            ]
            return [command for pipeline in pipelines for command in pipeline.commands]
        case Simple():
            words = (*part.words, *(assignment.value for assignment in part.assignments))
            return [script for word in words for script in word.scripts]
        case Group() | Function():
            return [part.body]
        case If():
            inner: list[Command | Script] = [script for clause in part.clauses for script in clause]
            return [*inner, *([part.otherwise] if part.otherwise is not None else [])]
        case Loop():
            return [*([part.condition] if part.condition is not None else []), part.body]
        case Case():
            return [script for _, script in part.branches]
        case DoubleTest():
            return [script for word in part.words for script in word.scripts]
