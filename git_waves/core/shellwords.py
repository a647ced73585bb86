"""Which program a shell text surely starts. Unsure is None: a false alarm about a missing program stops a good plan."""

from __future__ import annotations

import re

_PROGRAM = re.compile(r"/?[A-Za-z0-9_][A-Za-z0-9_.+-]*(?:/[A-Za-z0-9_.+-]+)*")
_SCRIPT = re.compile(r"(?:\./)?[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.+-]+)+|\./[A-Za-z0-9_.+-]+")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=[A-Za-z0-9_./:@%+,-]*")
_PLAIN_WORD = re.compile(r"[A-Za-z0-9_./:@%+,=-]+")
_ENDS_OF_STATEMENTS = re.compile(r"&&|;|\n")
# These change nothing about which program the next statement starts (`export PATH=…` does, and is looked at apart).
_HARMLESS = frozenset({":", "true", "cd", "set", "umask", "export"})
# Not programs, or programs every shell has inside; after one of them we no longer know what is started.
_OF_THE_SHELL = """
. alias bg break builtin case command continue coproc declare do done echo elif else enable esac eval exec exit false fg
fi for function getopts hash if in jobs kill let local mapfile popd printf pushd pwd read readarray readonly return select
shift shopt source test then time times trap type typeset ulimit unalias unset until wait while
"""
_NOT_PROGRAMS = frozenset(_OF_THE_SHELL.split())


def is_sure_name(program: str) -> bool:
    """Whether the name can be looked up before the run: bare or absolute. A path inside the repository may yet be made."""
    return bool(_PROGRAM.fullmatch(program)) and (program.startswith("/") or "/" not in program)


def first_script(text: str) -> str | None:
    """The path inside the repository that a text for `sh -c` starts before anything else; None when it does not, or when
    that is not certain."""
    words = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    first = words[0].split()[0] if words else ""
    is_sure = _SCRIPT.fullmatch(first) and "||" not in text and "/../" not in f"/{first}/"
    return first if is_sure else None


def first_program(text: str) -> str | None:
    """The first program a text for `sh -c` starts, past `VAR=x`, `cd`, `set` and `export`; None when it is not certain."""
    if "||" in text:  # the author has thought of its absence
        return None
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    for statement in _ENDS_OF_STATEMENTS.split("\n".join(lines)):
        words = statement.split()
        while words and (found := _ASSIGNMENT.fullmatch(words[0])):
            if found[1] == "PATH":
                return None
            del words[0]
        if not words:
            continue
        if words[0] in _HARMLESS:
            if all(map(_PLAIN_WORD.fullmatch, words)) and not any(w.startswith("PATH=") for w in words):
                continue
            return None
        is_function = len(words) > 1 and words[1].startswith("(")
        return None if is_function or words[0] in _NOT_PROGRAMS or not is_sure_name(words[0]) else words[0]
    return None
