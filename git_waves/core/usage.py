"""The command line of git-waves as data, so that a plan's own `git waves ...` can be checked without running anything.

`TABLE` is generated from the commands (`make golden`); tests/cli/test_usage.py holds it against them.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache

from git_waves.core.shell.wrappers import Words

# A line for each command: its words | fewest and most arguments (* is any number) | options; `=` takes a value, `!` is needed.
# fmt: off
TABLE = """
init | 0 1 |
plan | 0 1 | --max= --format= --json --manifest --no-history --stamp --hoist= --write --promote
import | 1 * | --output= -o= --name= --with-done --report= --json --force -f
review | 0 1 | --record= --by= --note= --content= --json
trust | 0 1 | --content= --revoke
explain | 0 1 |
guide | 0 1 |
schema | 0 0 |
run | 0 1 | --max= --scheduler= --on-failure= --budget= --dry-run -n --only= --from= --until-group= --new --base= --accept --restore --sandbox= --pull-request --detach -d --quiet -q --verbose -v
stop | 0 0 | --plan= --now
retry | 1 1 | --grant= --budget= --plan=
skip | 1 1 | --reason=! --plan=
open | 1 1 | --print --plan=
done | 1 1 | --plan=
status | 0 0 | --plan= --json --porcelain -z --watch
log | 1 1 | -f --follow --attempt= --rung= --plan=
show | 1 1 | --prompt --plan=
pull-request | 0 0 | --plan= --per-task --ready --base= --remote= --dry-run -n
gate | 1 2 | --prove --json
report | 0 1 | --run= --html= --output= -o= --plan=
owned | 0 0 | -z
request | 1 1 | --reason=!
agent-hook | 0 0 |
restore | 0 1 | --attempt= --to= --worktree= --plan=
clean | 0 0 | --plan= --dry-run -n --archive
doctor | 0 0 | --json
man | 0 1 | --install
completion | 1 1 |
version | 0 0 |
hooks uninstall | 0 0 |
"""
# fmt: on


@dataclass(frozen=True, slots=True)
class Usage:
    """What may follow a command: `options` maps each to whether it takes a value; `most` None is any number."""

    options: dict[str, bool]
    needed: tuple[str, ...]
    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class Misuse:
    """Why a command line of git-waves would be refused, and what was meant perhaps."""

    message: str
    hint: str


@cache
def commands() -> dict[str, Usage]:
    """Every command by its words (`plan`, `hooks uninstall`)."""
    return dict(map(_parse, TABLE.strip().splitlines()))


def _parse(line: str) -> tuple[str, Usage]:
    name, counts, options = (part.strip() for part in line.split("|"))
    least, most = counts.split()
    words = options.split()
    return name, Usage(
        options={word.rstrip("=!"): "=" in word for word in words},
        needed=tuple(word.rstrip("=!") for word in words if word.endswith("!")),
        least=int(least),
        most=None if most == "*" else int(most),
    )


def misuse(words: Words) -> Misuse | None:
    """What is wrong with the words of a command; None when nothing is, or it is none of git-waves."""
    rest = _behind_the_program(words)
    while rest and rest[0] == "-C":
        rest = rest[2:]
    if not rest or rest[0] is None or rest[0] in ("help", "-h", "--help", "-v", "--version"):
        return None
    name = _command(rest)
    if name is None:
        return _unknown_command(rest)
    given = rest[len(name.split()) :]
    return None if set(given) & {"-h", "--help"} else _misused(name, commands()[name], given)


def _behind_the_program(words: Words) -> Words:
    name = (words[0] or "").rpartition("/")[2] if words else ""
    if name == "git-waves":
        return words[1:]
    if name != "git":
        return ()
    at = 1
    while at < len(words) and (word := words[at]) is not None and word.startswith("-"):
        at += 2 if word in ("-C", "-c", "--git-dir", "--work-tree", "--namespace") else 1
    return words[at + 1 :] if at < len(words) and words[at] == "waves" else ()


def _command(words: Words) -> str | None:
    """The longest beginning that is a command."""
    for length in (2, 1):
        name = " ".join(word for word in words[:length] if word is not None)
        if name in commands():
            return name
    return None


def _unknown_command(words: Words) -> Misuse | None:
    first = words[0] or ""
    inner = [name for name in commands() if name.startswith(f"{first} ")]
    if inner and (len(words) == 1 or words[1] is None):
        return None
    typed = " ".join(word for word in words[: 2 if inner else 1] if word is not None)
    near = get_close_matches(typed, list(commands()), n=1)
    return Misuse(
        f"'git waves' has no command '{typed}'", f"did you mean '{near[0]}'?" if near else "git waves -h"
    )


def _misused(name: str, usage: Usage, words: Words) -> Misuse | None:
    help_hint = f"git waves {name} -h"
    given: set[str] = set()
    arguments = 0
    left = list(words)
    while left:
        word = left.pop(0)
        if word is None:
            return None  # it may be anything, and several words
        if word == "--":
            arguments += len(left)
            break
        if not word.startswith("-") or word == "-":
            arguments += 1
            continue
        for option, value in _options(word, usage):
            if option not in usage.options:
                near = get_close_matches(option, list(usage.options), n=1)
                hint = f"did you mean '{near[0]}'?" if near else help_hint
                return Misuse(f"'git waves {name}' has no option '{option}'", hint)
            given.add(option)
            if usage.options[option] and value is None and not left:
                return Misuse(f"'{option}' of 'git waves {name}' needs a value", help_hint)
            if usage.options[option] and value is None:
                left.pop(0)
            elif not usage.options[option] and value is not None:
                return Misuse(f"'{option}' of 'git waves {name}' takes no value", help_hint)
    return _miscounted(name, usage, given, arguments)


def _options(word: str, usage: Usage) -> list[tuple[str, str | None]]:
    """The options in one word, each with the value that is written beside it."""
    if word.startswith("--"):
        option, equals, value = word.partition("=")
        return [(option, value if equals else None)]
    found: list[tuple[str, str | None]] = []
    for at, letter in enumerate(word[1:], 1):
        option = f"-{letter}"
        if usage.options.get(option):
            return [*found, (option, word[at + 1 :] or None)]
        found.append((option, None))
    return found


def _miscounted(name: str, usage: Usage, given: set[str], arguments: int) -> Misuse | None:
    missing = [option for option in usage.needed if option not in given]
    if missing:
        return Misuse(f"'git waves {name}' needs '{missing[0]}'", f"git waves {name} -h")
    if usage.most is not None and arguments > usage.most:
        most = "one argument" if usage.most else "no argument"
        return Misuse(f"'git waves {name}' takes {most}, and is given {arguments}", f"git waves {name} -h")
    if arguments < usage.least:
        return Misuse(f"'git waves {name}' needs an argument", f"git waves {name} -h")
    return None
